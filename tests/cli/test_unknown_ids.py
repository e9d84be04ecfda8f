"""Ids of a run that the judgments do not know: score and compare say so, with the likely cause."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragscore.cli import app
from ragscore.comparison import compare
from ragscore.comparison.check import DIFFERENT_IDS
from ragscore.elements.show import show
from ragscore.errors import DataError
from ragscore.scoring import Scores, score
from ragscore.scoring.mismatch import SPELLINGS, IdMismatch, mismatch_between

KOREAN = "제1조"
PAIRS = {
    # cause: an id in the run, the same in the judgments
    "case": ("Doc1", "doc1"),
    "unicode": (unicodedata.normalize("NFD", KOREAN), KOREAN),
    "blanks": ("doc 1", "doc1"),
    "suffix": ("doc1.txt", "doc1"),
    "folder": ("corpus/doc1", "doc1"),
    "decimal": ("12.0", "12"),
    "zeros": ("0012", "12"),
    "letters": ("doc-12", "12"),
    "unknown": ("doc12", "page A"),
}


def as_trec(run: dict[str, list[str]]) -> str:
    return "".join(
        f"{query} Q0 {passage} {rank} {10 - rank} t\n"
        for query, passages in run.items()
        for rank, passage in enumerate(passages, 1)
    )


def write(folder: Path, run: dict[str, list[str]], judged: dict[str, list[str]]) -> list[str]:
    (folder / "bm25.json").write_text(json.dumps(run))
    (folder / "qrels.json").write_text(json.dumps(judged))
    return [str(folder / "bm25.json"), "--qrels", str(folder / "qrels.json"), "-m", "R@5"]


@pytest.mark.slow
@pytest.mark.parametrize("cause", PAIRS)
def test_the_likely_cause(cause: str, tmp_path: Path) -> None:
    in_run, judged = PAIRS[cause]
    for pair in ((in_run, judged), (judged, in_run)):
        expected = IdMismatch("passage", cause, *pair)  # type: ignore[arg-type]
        run, qrels = {"q": ["x", pair[0]]}, {"q": [pair[1]]}
        if cause == "unknown":
            run = {"q": [pair[0]]}
        found = mismatch_between(["q"], run["q"], ["q"], qrels["q"])
        assert found == expected
        assert score(run, qrels, ["R@5"]).entries[0].mismatch == expected
        asked = CliRunner().invoke(app(), ["score", *write(tmp_path, run, qrels)])
        assert asked.exit_code == 0
        (note,) = [line for line in asked.stderr.splitlines() if "CHECK DATA" in line]
        assert "No passage id in the run of bm25 is in the judgments (1 of 1). " in note
        assert pair[0] in note
        strict = CliRunner().invoke(app(), ["score", "--strict", *write(tmp_path, run, qrels)])
        assert isinstance(strict.exception, DataError)
        assert "bm25.json: CHECK DATA: " in str(strict.exception)


def test_queries_too_and_in_a_run_that_is_joined_while_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(as_trec({"Q1": ["doc1"], "Q2": ["doc1"]}))
    (tmp_path / "b.run").write_text(as_trec({"q1": ["DOC1"], "q2": ["DOC2"]}))
    (tmp_path / "qrels").write_text("q1 0 doc1 1\nq2 0 doc1 1\n")
    runs = [str(tmp_path / name) for name in ("a.run", "b.run")]
    asked = CliRunner().invoke(app(), ["score", *runs, "--qrels", str(tmp_path / "qrels")])
    assert (
        "note: a: CHECK DATA: No query id in the run of a is in the "
        "judgments (2 of 2). Upper and lower case differ: 'Q1' in the run, 'q1' in the judgments. "
        "Spell the ids the same way in both."
    ) in asked.stderr.splitlines()
    assert "No passage id in the run of b is in the judgments (2 of 2). Upper" in asked.stderr
    dropped = CliRunner().invoke(
        app(), ["score", runs[0], "--missing", "drop", "--qrels", str(tmp_path / "qrels")]
    )
    assert "No query id in the run of a is in the judgments" in dropped.stderr


def test_a_comparison_says_the_same() -> None:
    judged = {f"q{at}": [f"doc{at}"] for at in range(8)}
    runs = {
        "good": judged,
        "shouted": {query: [passage.upper() for passage in judged[query]] for query in judged},
    }
    scores = Scores.joined(
        [score(run, judged, ["R@5"], retriever=name) for name, run in runs.items()]
    )
    verdict = compare(scores, resamples=100).datasets[0].verdict
    assert verdict.state == "CHECK DATA"
    assert "No passage id in the run of shouted is in the judgments (8 of 8)" in str(verdict)
    assert "대소문자가 다릅니다" in show(verdict, language="ko")


HALF = {f"q{at}": [f"제{at}조" if at % 2 else f"rule-{at}"] for at in range(10)}
"""Judged passages of which every second is in Hangul, which macOS writes in another form."""


def test_some_ids_that_differ_are_found_too(tmp_path: Path) -> None:
    decomposed = {
        query: [unicodedata.normalize("NFD", passage) for passage in passages]
        for query, passages in HALF.items()
    }
    (tmp_path / "mac.run").write_text(as_trec(decomposed), encoding="utf-8")
    lines = [f"{query} 0 {passage} 1\n" for query, (passage,) in HALF.items()]
    (tmp_path / "qrels").write_text("".join(lines), encoding="utf-8")
    asked = CliRunner().invoke(
        app(), ["score", str(tmp_path / "mac.run"), "--qrels", str(tmp_path / "qrels")]
    )
    assert (
        "CHECK DATA: Judged passages have different ids in "
        "the run of mac (5 of 10). "
        "The same characters are encoded in two ways (Unicode NFC and NFD)"
    ) in asked.stderr
    (entry,) = score(decomposed, HALF, ["RR@5"]).entries
    assert entry.mismatch is not None
    assert (entry.mismatch.cause, entry.mismatch.differing) == ("unicode", 5)


def test_queries_that_are_written_in_two_ways_too() -> None:
    shouted = {query.upper() if at > 6 else query: ["a"] for at, query in enumerate(HALF)}
    (entry,) = score(shouted, {query: ["a"] for query in HALF}, ["RR@5"]).entries
    assert entry.mismatch == IdMismatch("query", "case", "Q7", "q7", 3, 10)


def test_a_few_ids_that_look_alike_are_no_mismatch() -> None:
    # What stands before a number, and one id of ten, may mean something.
    run = {query: [f"other-{at}"] if at > 4 else HALF[query] for at, query in enumerate(HALF)}
    numbered = {query: [f"rule-{at}"] for at, query in enumerate(HALF)}
    assert score(run, numbered, ["RR@5"]).entries[0].mismatch is None
    run = {query: ["RULE-0"] if at == 0 else HALF[query] for at, query in enumerate(HALF)}
    assert score(run, HALF, ["RR@5"]).entries[0].mismatch is None


def test_nothing_is_said_where_ids_are_known() -> None:
    judged = {"q": {"a": 1, "b": 0}}
    runs: list[dict[str, list[str]]] = [
        {"q": ["x", "b"]},
        {"q": ["x"], "r": ["a"]},
        {"q": []},
        {"other": ["a"], "q": []},
    ]
    for run in runs:
        assert score(run, judged, ["R@1"]).entries[0].mismatch is None
    # Nothing judged in the top 1, and "a" further down.
    assert score({"q": ["x", "a"]}, judged, ["R@1"], depth=1).entries[0].mismatch is None


def test_every_cause_has_its_sentence() -> None:
    assert {*SPELLINGS, "unknown"} == DIFFERENT_IDS.keys()
