"""The experiment as YAML, overrides and Python make it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragscore.errors import ConfigError
from ragscore.experiment import (
    Experiment,
    Latency,
    load_experiment,
    resolved_yaml,
    validate_experiment,
)
from ragscore.experiment.config.load_experiment import KEYS
from ragscore.formats import DatasetSpec
from ragscore.measures import DEFAULT_MEASURES
from ragscore.retrievers import BM25, Fusion
from tests.factories.house import GOOD, Write
from tests.factories.whole_experiment import FULL, full
from tests.factories.wrong_experiments import OPTIONS_OF_BM25


def test_a_short_file_has_every_default(write: Write, tmp_path: Path) -> None:
    experiment = load_experiment(write(GOOD, "starter.yaml"))
    assert experiment == Experiment(
        name="starter",
        datasets=[DatasetSpec(path=str(tmp_path / "statutes"))],
        retrievers={"bm25": BM25()},
        measures=list(DEFAULT_MEASURES),
        depth=100,
        latency=Latency(queries=50),
        output="results",
        strict=False,
    )


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a b.yaml", "a b"),
        ("a:b?.yaml", "a-b-"),
        ("한국어.yaml", "한국어"),
        ("bm25.v2.yaml", "bm25.v2"),
        ("con.yml", "_con"),
        ("e\u0301.yaml", "é"),
        ("👍 (v2), k1=0.9.yaml", "👍 (v2), k1=0.9"),
    ],
)
def test_an_experiment_is_named_by_its_file(file: str, name: str, write: Write) -> None:
    assert load_experiment(write(GOOD, file)).name == name


def test_everything_loads_and_nothing_foreign_is_imported(write: Write, tmp_path: Path) -> None:
    experiment = load_experiment(full(write))
    assert [dataset.label for dataset in experiment.datasets] == ["statutes", "again"]
    assert experiment.measures == ["nDCG@5", "nDCG(gain=exp)@5", "AP@20", "R@depth"]
    assert experiment.retrievers["bm25"] == experiment.retrievers["same"]
    assert experiment.latency is False
    recorded = experiment.retrievers["old"]
    assert Path(recorded.model_dump()["run"]) == tmp_path / "old.trec"


def test_input_paths_are_taken_from_the_files_folder(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = full(write)
    here = load_experiment(path)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert load_experiment(tmp_path / path) == here
    assert load_experiment(Path("..") / path) == here


@pytest.mark.parametrize("config", [GOOD, FULL], ids=["short", "full"])
def test_a_resolved_experiment_reads_back_equal(config: str, write: Write, tmp_path: Path) -> None:
    full(write)
    experiment = load_experiment(write(config))
    (tmp_path / "results").mkdir()
    copy = tmp_path / "results" / "experiment.yaml"
    copy.write_text(resolved_yaml(experiment), encoding="utf-8")
    assert load_experiment(copy) == experiment
    assert resolved_yaml(load_experiment(copy)) == resolved_yaml(experiment)


def test_files_need_not_be_there_where_only_the_text_matters(write: Write) -> None:
    path = write(GOOD.replace("statutes", "gone"))
    assert load_experiment(path, files=False).datasets[0].label == "gone"
    with pytest.raises(ConfigError, match="there is no such folder"):
        load_experiment(path)


TWO = GOOD + "  bm25.v2: {kind: bm25, k1: 2}\nmeasures: [P@1, P@2]\n"


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("retrievers.bm25.k1=0.9", ("retrievers", "bm25", "k1"), 0.9),
        ("retrievers.bm25.v2.k1=0.9", ("retrievers", "bm25.v2", "k1"), 0.9),
        ('retrievers."bm25.v2".k1=1e-1', ("retrievers", "bm25.v2", "k1"), 0.1),
        ("retrievers.bm25={kind: bm25, b: 0}", ("retrievers", "bm25", "b"), 0.0),
        ("retrievers.new={kind: bm25, b: 0}", ("retrievers", "new", "b"), 0.0),
        ("retrievers.bm25.tokenizer=words", ("retrievers", "bm25", "tokenizer", "kind"), "words"),
        ("measures[1]=R@1", ("measures", 1), "R@1"),
        ("measures.1=R@1", ("measures", 1), "R@1"),
        ("measures=[AP@3]", ("measures",), ["AP@3"]),
        ("depth=7", ("depth",), 7),
        ("latency.queries=3", ("latency", "queries"), 3),
        ("latency=false", ("latency",), False),
        ("strict=true", ("strict",), True),
        ("name='010'", ("name",), "010"),
        ("description=k1 = 2", ("description",), "k1 = 2"),
        ("datasets=[{path: statutes, name: a}]", ("datasets", 0, "name"), "a"),
    ],
)
def test_overrides_replace_values(
    override: str, path: tuple[str | int, ...], value: Any, write: Write
) -> None:
    data = load_experiment(write(TWO), [override]).model_dump(mode="json")
    for step in path:
        data = data[step]
    assert data == value


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "retrievers.bm52.k1=1",
            "no retriever is named 'bm52'. Did you mean 'bm25'? Allowed: bm25, bm25.v2",
        ),
        (
            "retrievers.bm25.k=1",
            f"retrievers.bm25.k: unknown key. Did you mean 'k1'? Allowed: kind, {OPTIONS_OF_BM25}",
        ),
        (
            "retrievers.bm25.v2.k1=high",
            "retrievers.\"bm25.v2\".k1: the text 'high' where a number is expected",
        ),
        (
            "latensy.queries=1",
            f"latensy: unknown key. Did you mean 'latency'? Allowed: {', '.join(KEYS)}",
        ),
        (
            "strict=no",
            "no without quotes is read as false by some YAML tools. "
            "Write false, or 'no' with quotes for the text",
        ),
        ("depth", "not of the form PATH=VALUE. Write --set retrievers.bm25.k1=0.9"),
        ("=5", "no path before '='. Write --set retrievers.bm25.k1=0.9"),
        ("measures[2]=P@3", "measures is a list of 2. Name an item from measures[0] to [1]"),
        ("measures=[P@1", "not YAML: the list that begins here with [ never ends. Add ']' or ','"),
        (
            "dataset.name=a",
            "dataset is 'statutes', which has no keys. Set dataset itself, to {key: value, ...}",
        ),
        ("dataset=statues", "dataset: statues: there is no such folder. Did you mean 'statutes'?"),
    ],
)
def test_wrong_overrides_are_named_by_themselves(override: str, message: str, write: Write) -> None:
    [problem] = validate_experiment(write(TWO), [override])
    assert str(problem) == f"--set {override}: {message}"


def test_an_override_hides_what_it_replaces(write: Write) -> None:
    path = write(TWO.replace("k1: 2", "k1: no"))
    assert len(validate_experiment(path)) == 1
    assert load_experiment(path, ["retrievers.bm25.v2.k1=1"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": 5}, "depth: depth 5 is less than the cutoff 10 of the default measures. "
         "Write depth: 10 or more, or name measures"),
        ({"measures": ["P@101"]}, "measures[0]: the cutoff 101 is above the depth 100. "
         "Write depth: 101, or a cutoff up to 100"),
        ({"retrievers": {"a": BM25(), "b": Fusion(retrievers=["a", "c"])}},
         "retrievers.b: no retriever is named 'c'. Allowed: a"),
        ({"retrievers": {"a": BM25(), "A": BM25()}},
         "retrievers.A: the name differs from 'a' only in upper and lower case. "
         "Give it another: names of retrievers name files"),
        ({"retrievers": {"a b ": BM25()}}, 'retrievers."a b ": a name with a space at its end or '
         "beginning. Leave it out"),
    ],
)  # fmt: skip
def test_in_python_too_the_parts_must_fit(change: dict[str, Any], message: str) -> None:
    parts = {"datasets": ["statutes"], "retrievers": {"a": BM25()}}
    with pytest.raises(ConfigError) as caught:
        Experiment(**{**parts, **change})
    assert str(caught.value) == message


@pytest.mark.slow
def test_validating_imports_nothing_heavy(write: Write) -> None:
    path = write(GOOD)
    program = (
        "import sys; from ragscore.experiment import validate_experiment, experiment_schema\n"
        f"assert validate_experiment({path!r}) == []; experiment_schema()\n"
        "heavy = {'torch', 'faiss', 'polars', 'bm25s', 'scipy.stats', 'sentence_transformers'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
