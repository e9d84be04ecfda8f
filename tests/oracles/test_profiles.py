"""Every profile gives the numbers of its tool: as recorded, and live where it is installed."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.oracles.inputs import FEATURES
from benchmarks.oracles.record import TOOLS, asked, lacking
from benchmarks.oracles.tools import Tool
from ragscore.errors import ConfigError
from ragscore.measures import TABLE, parse_measures
from ragscore.measures.base import option_text
from ragscore.scoring import PROFILES, score

RECORDED = Path(__file__).parent / "recorded"
PASSAGES = 10
"""In the inputs of scikit-learn, which ranks everything there is (AUC)."""


def recorded(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return record


def assert_alike(record: dict[str, Any]) -> None:
    numbers = record["numbers"]
    measures = list(numbers)
    scores = score(
        record["run"], record["qrels"], measures, profile=record["profile"], n_passages=PASSAGES
    )
    entry = scores.entries[0]
    for name, ours in zip(measures, entry.measures, strict=True):
        theirs = numbers[name]
        within = {"rel": 0, "abs": record["within"]}
        if not isinstance(theirs, dict):
            assert entry.mean(ours) == pytest.approx(theirs, **within), name
            continue
        found = {q: v for q, v in entry.per_query(ours).items() if not math.isnan(v)}
        # A tool may also name the queries that nobody judged; nothing is said of them here.
        judged = {query: value for query, value in theirs.items() if query in record["qrels"]}
        assert found == pytest.approx(judged, **within), name


@pytest.mark.parametrize("name", TOOLS)
def test_recorded(name: str) -> None:
    record = recorded(name)
    assert record["numbers"]
    assert record["left out"] == TOOLS[name].cannot, "record it anew"
    assert_alike(record)


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_live(name: str, seed: int) -> None:
    tool = TOOLS[name]
    if package := lacking(tool):
        pytest.skip(f"{package} is not installed; the recorded output is compared")
    assert_alike(json.loads(json.dumps(asked(tool, seed))))


def test_a_tool_is_asked_only_where_all_of_it_is_installed() -> None:
    here = Tool("trec", "numpy", "numpy", lambda run, qrels: {}, {})
    assert lacking(here) is None
    assert lacking(replace(here, module="no_such_module")) == "numpy"
    assert lacking(replace(here, beside=("pytest", "no-such-package"))) == "no-such-package"
    assert TOOLS["ir_measures-64"].beside == ("cwl-eval",)


def test_every_profile_is_tested_against_its_tool() -> None:
    tested = {tool.profile for tool in TOOLS.values()}
    # trec is the default of every measure: test_trec_eval.py holds it to trec_eval's own outputs.
    assert tested | {"trec"} == set(PROFILES)
    for tool in TOOLS.values():
        assert set(tool.cannot) <= set(FEATURES)
        assert all(tool.cannot.values()), "why is it left out?"


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_names_options_that_exist(name: str) -> None:
    profile = PROFILES[name]
    families = {family.name: family for family in TABLE}
    assert set(profile.options) <= set(families)
    for family, options in profile.options.items():
        assert set(options) <= set(families[family].model_fields), family
    assert profile.tool
    assert profile.source.startswith("https://")


def test_32_bit_scores_tie() -> None:
    run = {"q": {"a": 1.00000001, "b": 1.0}, "self": {"self": 2.0, "a": 1.0}}
    qrels = {"q": {"a": 1}, "self": {"a": 1}, "missing": {"a": 1}}
    by_profile = {
        name: score(run, qrels, ["RR"], profile=name).entries[0].per_query("RR")
        for name in ("trec", "trec9", "beir")
    }
    assert by_profile == {
        "trec": {"q": 1.0, "self": 0.5, "missing": 0.0},
        "trec9": {"q": 0.5, "self": 0.5},
        "beir": {"q": 0.5, "self": 1.0},
    }


def test_what_is_given_stays() -> None:
    scores = score({"q": ["a"]}, {"q": ["a", "b"], "m": ["a"]}, ["P@2"], profile="trec9",
                   missing="zero")  # fmt: skip
    assert scores.entries[0].per_query("P@2") == {"q": 0.5, "m": 0.0}
    asked_for = parse_measures(["AP(denominator=R)@5", "AP(denominator=k)@5", "RR@5"])
    given = PROFILES["torchmetrics"].measures(asked_for)
    assert list(map(str, given)) == ["AP@5", "AP(denominator=k)@5", "RR@5"]


def test_an_unknown_profile() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'ranx'"):
        score({"q": ["a"]}, {"q": ["a"]}, profile="rankx")  # type: ignore[arg-type]


def row(name: str) -> str:
    """A profile's line in docs/conventions.md."""
    profile = PROFILES[name]
    options = "; ".join(
        f"{family}: {', '.join(f'{option}={option_text(to)}' for option, to in chosen.items())}"
        for family, chosen in profile.options.items()
    )
    read = [f"missing={profile.missing}", f"{profile.score_bits}-bit scores"]
    read += ["drops the query's own passage"] * profile.drop_self
    cells = (f"`{name}`", str(profile.tool), options or "defaults", ", ".join(read))
    cells += (str(profile.exceptions),)
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def test_the_docs_hold_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")
    for name in PROFILES:
        assert row(name) in page.splitlines()
    for name, tool in TOOLS.items():
        left_out = "; ".join(f"{what}: {why}" for what, why in tool.cannot.items())
        line = f"| `{name}` | {len(recorded(name)['numbers'])} | {tool.within:g} | {left_out} |"
        assert line in page.splitlines()
