"""Recorded runs: replayed as they are, checked against the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.errors import RetrieverError
from ragscore.formats import write_parquet_run, write_trec_run
from ragscore.retrievers import Recorded
from ragscore.run import Run
from tests.factories.witness import Witness

CORPUS = Corpus(Ids("abc"), ["text"] * 3)
QUERIES = Queries.from_texts({"q1": "?", "q2": "?", "q3": "?"})
RUN = Run.from_dict({"q2": {"b": 2.0, "a": 1.0}, "q1": {"c": 0.5}, "other": {"a": 1.0}})


@pytest.fixture(params=[".trec", ".parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"old{request.param}"
    write = write_parquet_run if path.suffix == ".parquet" else write_trec_run
    write(RUN, path)
    return path


def test_replays_what_was_recorded(path: Path) -> None:
    run = Recorded(run=str(path)).build(CORPUS, name="old").search(QUERIES, 2)
    assert run.name == "old"
    assert run.queries == QUERIES.ids
    assert run.passages == CORPUS.ids
    assert run.to_dict() == {"q1": {"c": 0.5}, "q2": {"b": 2.0, "a": 1.0}, "q3": {}}


def test_is_cut_at_the_depth(path: Path) -> None:
    run = Recorded(run=str(path)).build(CORPUS).search(QUERIES, 1)
    assert run.to_dict()["q2"] == {"b": 2.0}


def test_a_shallow_run_is_noted_once(path: Path) -> None:
    notes = Witness()
    deep = Corpus(Ids("abcdef"), ["text"] * 6)
    index = Recorded(run=str(path)).build(deep, name="old", progress=notes)
    for _ in range(2):
        index.search(QUERIES, 5)
        index.search(Queries.from_texts({"new": "?"}), 5)
    assert [note.partition(": ")[2].split(",")[0] for note in notes.notes] == [
        "the recorded run holds at most 2 passages per query",
    ]


def test_passages_that_the_corpus_lacks_are_named(path: Path) -> None:
    with pytest.raises(RetrieverError, match=r"'old'.*1 of the 3 passages .* in the corpus: 'c'"):
        Recorded(run=str(path)).build(Corpus(Ids("ab"), ["", ""]), name="old")


def test_a_broken_file_fails_the_retriever(tmp_path: Path) -> None:
    broken = tmp_path / "broken.trec"
    broken.write_text("q1 Q0 a\n", encoding="utf-8")
    with pytest.raises(RetrieverError, match=r"retriever 'old'.*broken\.trec"):
        Recorded(run=str(broken)).build(CORPUS, name="old")


def test_a_missing_file_is_found_by_check_and_named_by_build(tmp_path: Path) -> None:
    spec = Recorded(run="runs/none.trec").resolved(tmp_path)
    assert spec.run == str(tmp_path / "runs" / "none.trec")
    (problem,) = spec.check()
    assert problem.where == "run"
    assert "no such file" in problem.what
    with pytest.raises(RetrieverError, match="no such file"):
        spec.build(CORPUS)
    assert spec.key()


def test_the_key_is_that_of_the_content(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / f"copy{path.suffix}"
    copy.write_bytes(path.read_bytes())
    spec = Recorded(run=path.name).resolved(tmp_path)
    assert spec.check() == []
    assert spec.key() == Recorded(run=str(copy)).key()
    copy.write_bytes(path.read_bytes() + b"\n")
    assert spec.key() != Recorded(run=str(copy)).key()
