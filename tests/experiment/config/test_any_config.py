"""Any text, bytes, data or override: it loads, or an error of ours says why."""

from __future__ import annotations

from pathlib import Path

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragscore.experiment import validate_experiment
from ragscore.experiment.config.yaml import dump_yaml
from tests.factories.house import GOOD, JARGON, Write

FRAGMENTS = [
    *("dataset", "datasets", "retrievers", "measures", "depth", "latency", "kind", "bm25"),
    *("fusion", "faiss", "custom", "recorded", "encoder", "minilm", "tokenizer", "english"),
    *("statutes", "nDCG@10", "P@", "weights", "options", "null", "no", "1", "-1", "1e999"),
    *(": ", ":\n", "\n", "  ", "- ", ", ", "{", "}", "[", "]", "'", '"', "&a ", "*a", "!!set "),
    *("? ", "<<: ", "|\n", "---\n", "#", "\t", "\\", "가", "\u2028", "\x00", "\ufeff", "@"),
]
CONFIG_TEXT = st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, -1, 2.5, "", "bm25", "statutes", "P@1", "x", 10**30]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*FRAGMENTS[:16], "retrievers", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = [*FRAGMENTS[:6], "name", "output", "strict", "description", "x", "x-base"]
KEYS += ["defaults", "fields", "defaults", "retrievers"]
FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@given(text=CONFIG_TEXT)
@FIXTURE
def test_any_text_loads_or_is_a_config_error(text: str, write: Write) -> None:
    loads_or_says_why(write(text.encode("utf-8", "surrogatepass")))


@given(data=st.binary(max_size=60))
@FIXTURE
def test_any_bytes_load_or_are_a_config_error(data: bytes, write: Write) -> None:
    loads_or_says_why(write(GOOD.encode() + data))


@given(data=st.dictionaries(st.sampled_from(KEYS), VALUES))
@FIXTURE
def test_any_data_loads_or_is_a_config_error(data: dict[str, object], write: Write) -> None:
    loads_or_says_why(write(dump_yaml({**yaml.safe_load(GOOD), **data})))


@given(
    override=st.text()
    | st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join)
    | st.sampled_from(KEYS).flatmap(lambda key: st.text().map(lambda text: f"{key}={text}"))
)
@FIXTURE
def test_any_override_loads_or_is_a_config_error(override: str, write: Write) -> None:
    loads_or_says_why(write(GOOD), override)


def loads_or_says_why(path: str, *overrides: str) -> None:
    problems = validate_experiment(path, overrides)
    assert all(problem.where and problem.what for problem in problems)
    given = Path(path).read_text(encoding="utf-8", errors="replace") + "".join(overrides)
    if not JARGON.search(given):  # what is quoted may be anything
        assert not any(JARGON.search(problem.what) for problem in problems)
    assert len(set(problems)) == len(problems)
