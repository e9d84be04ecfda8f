"""``ragscore baseline``: save, update, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragscore import Result, evaluate
from tests.factories.command import Ragscore

DATA = {
    "passages": {"a": "Rent is due.", "b": "Keys are copied."},
    "queries": {"q1": "When?", "q2": "Who?"},
    "ground_truth": {"q1": ["a"], "q2": ["b"]},
}


def saved(folder: Path, order: str) -> Result:
    return evaluate(DATA, {"mine": lambda query, k: list(order)}, ["RR", "P@1"]).save(folder)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A result in which the second query fails at rank 1, and one in which both do."""
    saved(tmp_path / "first", "ab")
    evaluate(
        DATA, {"mine": lambda query, k: ["a" if query == "Who?" else "b"]}, ["RR", "P@1"]
    ).save(tmp_path / "worse")
    return tmp_path


def test_saving_twice_gives_the_same_bytes_and_replaces_nothing(
    ragscore: Ragscore, results: Path
) -> None:
    done = ragscore("baseline", "save", "first")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "baseline.json: mine on 2 queries, RR, P@1\n"
    content = (results / "baseline.json").read_bytes()
    assert ragscore("baseline", "save", "first", "-o", "again.json").returncode == 0
    assert (results / "again.json").read_bytes() == content
    refused = ragscore("baseline", "save", "worse")
    assert refused.returncode == 2
    assert "ragscore baseline update ... -o baseline.json" in refused.stderr
    assert (results / "baseline.json").read_bytes() == content


def test_an_update_lowers_nothing_without_leave(ragscore: Ragscore, results: Path) -> None:
    ragscore("baseline", "save", "first", "-m", "RR")
    content = (results / "baseline.json").read_bytes()
    refused = ragscore("baseline", "update", "worse")
    assert refused.returncode == 5
    assert refused.stdout.splitlines()[2].split()[1:] == [
        *("mine", "RR", "0.750", "0.000", "-0.750", "-")
    ]
    assert "--accept" in refused.stdout
    assert "one of its values would fall" in refused.stderr
    assert (results / "baseline.json").read_bytes() == content
    accepted = ragscore("baseline", "update", "worse", "--accept")
    assert accepted.returncode == 0
    assert accepted.stdout.startswith("These values fell")
    written = json.loads((results / "baseline.json").read_text())["retrievers"][0]
    assert (written["measures"], written["means"]) == (["RR"], [0])  # the baseline's measures
    assert ragscore("baseline", "update", "first").returncode == 0  # up needs no leave


def test_run_files_have_baselines_too(ragscore: Ragscore, tmp_path: Path) -> None:
    (tmp_path / "mine.trec").write_text("q1 Q0 a 1 2.0 x\nq2 Q0 a 1 2.0 x\nq2 Q0 b 2 1.0 x\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    given = ("mine.trec", "--qrels", "qrels.txt")
    assert ragscore("baseline", "save", *given, "-m", "RR").returncode == 0
    entry = json.loads((tmp_path / "baseline.json").read_text())["retrievers"][0]
    assert entry["values"] == {"q1": [1], "q2": [0.5]}
    assert ragscore("baseline", "update", *given).returncode == 0
    assert json.loads((tmp_path / "baseline.json").read_text())["retrievers"] == [entry]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["update", "first"], "baseline.json: no such baseline. Save one: ragscore baseline save"),
        (["save", "first", "--retriever", "mime"], "--retriever: no retriever is named 'mime'"),
        (["save", "nowhere"], "no such file or folder"),
        (["keep", "first"], "keep"),
    ],
)
def test_what_is_wrong_is_named(
    ragscore: Ragscore, results: Path, arguments: list[str], said: str
) -> None:
    done = ragscore("baseline", *arguments)
    assert done.returncode in (2, 3)
    assert said in done.stderr
    assert not (results / "baseline.json").exists()


def test_an_update_says_which_data_changed_and_keeps_passages(
    ragscore: Ragscore, results: Path
) -> None:
    ragscore("baseline", "save", "first", "--passages", "1")
    other = {**DATA, "passages": {**DATA["passages"], "c": "New."}}
    evaluate(other, {"mine": lambda query, k: ["a", "b"]}, ["RR", "P@1"]).save(results / "other")
    done = ragscore("baseline", "update", "other")
    assert done.returncode == 0
    assert "the passages of 'dataset' have changed since" in done.stderr
    kept = json.loads((results / "baseline.json").read_text())["retrievers"][0]
    assert kept["passages"] == {"q1": ["a"], "q2": ["a"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["save", "e.yaml"], "e.yaml: an experiment is not a result. Run it first"),
        (["save", "first", "-o", "worse"], "--output: worse: it is a folder. Name a file"),
        (["update", "first", "-o", "worse"], "--output: worse: it is a folder. Name a file"),
    ],
)
def test_what_is_no_result_and_no_file_is_refused(
    ragscore: Ragscore, results: Path, arguments: list[str], said: str
) -> None:
    done = ragscore("baseline", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
