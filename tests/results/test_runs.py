"""score_runs: plain run files read like a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.errors import DataError
from ragscore.results import open_result, score_runs
from ragscore.results.opening import lacking_queries


def test_runs_score_as_in_their_result(written_here: Path, tmp_path: Path) -> None:
    paths = [written_here / "runs" / "bm25.parquet", written_here / "runs" / "words.trec"]
    runs = score_runs(paths, tmp_path / "data", ["nDCG@3", "P@3"])
    result = open_result(written_here)
    assert runs.retrievers == ["bm25", "words"]
    for retriever in runs.retrievers:
        recorded = result.scores[retriever].per_query("nDCG@3")
        assert runs.scores[retriever].per_query("nDCG@3") == pytest.approx(recorded)
    assert runs.primary == "nDCG@3"
    assert runs.dataset().name == "data"
    assert not runs["data"].latency


def test_what_a_run_lacks(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 1 t\n")
    (tmp_path / "two.run").write_text("q1 Q0 a 1 1 t\nq2 Q0 b 1 1 t\n")
    runs = score_runs([tmp_path / "one.run", tmp_path / "two.run"], tmp_path / "qrels", ["P@1"])
    assert lacking_queries(runs) == {"one": {"q2"}, "two": set()}
    assert runs.scores["one"].mean("P@1") == 0.5
    with pytest.raises(DataError, match="Give the dataset's folder"):
        runs.dataset()
    with pytest.raises(DataError, match="Did you mean 'two'"):
        runs.run("qrels", "tow")
    dropped = score_runs(
        [tmp_path / "one.run"], tmp_path / "qrels", ["P@1"], profile="trec", missing="drop"
    )
    assert dropped.scores["one"].mean("P@1") == 1


def test_no_judgment(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 1 t\n")
    with pytest.raises(DataError):
        score_runs([tmp_path / "one.run"], tmp_path / "qrels")
