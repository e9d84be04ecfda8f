"""Run files joined with the qrels while they are read: the same as loading and judging them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ragscore.dataset import Qrels
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.formats import load_run, write_parquet_run
from ragscore.formats.reading import file_pieces, whitespace_columns
from ragscore.formats.runs import parquet_join
from ragscore.formats.runs.run_loading import join_run
from ragscore.judge import JoinedRun
from ragscore.run import Run
from tests.factories.joined_files import (
    AS_TEXT,
    QRELS,
    any_lines,
    assert_columns_of,
    assert_same_error,
    assert_the_same,
    judgments,
    qrels_by_line,
    read_as_text,
    slow_is_fine,
    text_of,
)


@pytest.mark.usefixtures("only_fast")
@pytest.mark.parametrize(
    ("between", "piece"), [(" ", 1), ("\t", 64), ("  \t ", 64), ("  \t ", 1 << 23)]
)
def test_text(between: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", piece)
    monkeypatch.setattr(whitespace_columns, "TILE", piece)

    @slow_is_fine
    @given(any_lines, judgments)
    def check(rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]]) -> None:
        path = tmp_path / "bm25.run"
        path.write_bytes(text_of(rows, between))
        assert_the_same(path, Qrels.from_dict(judged))

    check()


@pytest.mark.usefixtures("only_fast")
@pytest.mark.parametrize("batch", [1, 5, 1 << 19])
def test_recorded(batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_join, "BATCH_ROWS", batch)

    @slow_is_fine
    @given(any_lines, judgments, st.booleans())
    def check(
        rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]], scored: bool
    ) -> None:
        returned: dict[str, dict[str, float]] = {"empty": {}, "q10": {}}
        for query, passage, score in rows:
            returned.setdefault(query, {})[passage] = float(score)
        run = Run.from_dict(
            returned if scored else {query: list(scores) for query, scores in returned.items()},
            name="recorded",
        )
        write_parquet_run(run, tmp_path / "x.parquet")
        joined = assert_the_same(tmp_path / "x.parquet", Qrels.from_dict(judged))
        assert isinstance(joined, JoinedRun)

    check()


@pytest.mark.parametrize("columns", [["score"], ["rank"], ["score", "rank"]])
def test_any_parquet(columns: list[str], tmp_path: Path) -> None:
    @slow_is_fine
    @given(any_lines, judgments, st.booleans())
    def check(
        rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]], backwards: bool
    ) -> None:
        ranks = list(range(len(rows)))
        frame = polars.DataFrame(
            {
                "query": [row[0] for row in rows],
                "passage": [row[1] for row in rows],
                "rank": ranks[::-1] if backwards else ranks,
                "score": [float(row[2]) for row in rows],
            },
            schema={
                "query": polars.String,
                "passage": polars.String,
                "rank": polars.UInt8,
                "score": polars.Float32,
            },
        )
        frame.select("query", "passage", *columns).write_parquet(tmp_path / "x.parquet")
        assert_the_same(tmp_path / "x.parquet", Qrels.from_dict(judged))

    check()


@pytest.mark.usefixtures("only_fast")
def test_colliding_hashes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = ByteTexts.hashes

    def poor(texts: ByteTexts) -> np.ndarray:
        return good(texts) % np.uint64(3) << np.uint64(60)

    monkeypatch.setattr(ByteTexts, "hashes", poor)

    @slow_is_fine
    @given(any_lines, judgments)
    def check(rows: list[tuple[str, str, str]], judged: dict[str, dict[str, float]]) -> None:
        (tmp_path / "bm25.run").write_bytes(text_of(rows))
        assert_the_same(tmp_path / "bm25.run", Qrels.from_dict(judged))

    check()


@pytest.mark.usefixtures("only_fast")
@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", 50)
    pack = gzip.compress if suffix == ".gz" else zstandard.compress
    rows = [(query, passage, "1") for query in ("q", "r", "other") for passage in "abcyz"]
    path = tmp_path / f"bm25.trec{suffix}"
    path.write_bytes(pack(text_of(rows[:8])) + pack(text_of(rows[8:])))
    assert assert_the_same(path, QRELS).name == "bm25"


def test_a_passage_named_twice(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    path.write_bytes(b"q Q0 a 1 2 t\nq Q0 b 2 1 t\nq Q0 a 3 5 t\nx Q0 a 1 1 t\nx Q0 a 1 2 t\n")
    assert assert_the_same(path, QRELS).duplicates == 2
    assert_same_error(
        lambda: load_run(path, strict=True), lambda: join_run(path, AS_TEXT, strict=True)
    )
    run = Run.from_dict({"q": ["a", "b"]})
    write_parquet_run(
        Run.make(run.queries, run.passages, [[0, 0, 1]]), tmp_path / "recorded.parquet"
    )
    joined = join_run(tmp_path / "recorded.parquet", AS_TEXT, strict=True)
    assert (joined.duplicates, joined.depth) == (1, 3)


def test_a_query_in_far_apart_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_pieces, "PIECE_BYTES", 100)
    monkeypatch.setattr(parquet_join, "BATCH_ROWS", 7)
    rows = [(q, f"{p}{n}", str(n % 7)) for n in range(30) for q in ("q", "x", "r") for p in "ay"]
    (tmp_path / "r.run").write_bytes(text_of([*rows, ("q", "a", "3"), ("r", "y", "3")]))
    assert_the_same(tmp_path / "r.run", QRELS)
    (tmp_path / "r.run.gz").write_bytes(gzip.compress((tmp_path / "r.run").read_bytes()))
    assert_the_same(tmp_path / "r.run.gz", QRELS)
    frame = polars.DataFrame(rows, schema=["query", "passage", "score"], orient="row")
    frame.write_parquet(tmp_path / "r.parquet")
    assert_the_same(tmp_path / "r.parquet", QRELS)


@pytest.mark.usefixtures("only_fast")
def test_scores_to_the_last_bit(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    bits = generator.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    texts = [repr(score) for score in bits[np.isfinite(bits)].tolist()]
    texts += [f"{score:.25e}" for score in bits[np.isfinite(bits)][:2000].tolist()]
    read = whitespace_columns.read_columns(
        "".join(f"q {text}\n" for text in texts).encode(), {"query": "text", "score": "number"}
    )
    assert read.numbers["score"].tolist() == [float(text) for text in texts]


REAL = [
    ("trec_eval/results.test", "trec_eval/qrels.test"),
    ("trec_eval/results.trunc", "trec_eval/qrels.test"),
    ("trec_eval/results.test", "trec_eval/qrels.rel_level"),
    ("trec_eval/results.comment.test.gz", "trec_eval/qrels.test"),
    ("anserini-cacm/run.cacm-bm25.txt", "anserini-cacm/qrels.cacm.raw.txt"),
    ("ir_measures/cwl.run", "trec_eval/qrels.test"),
]


@pytest.mark.parametrize(("run", "qrels"), REAL)
def test_the_real_runs(run: str, qrels: str, conformance: Path) -> None:
    folder = conformance / "runs"
    judged = qrels_by_line(folder / qrels)
    assert_the_same(folder / run, judged)
    assert_columns_of(read_as_text(folder / qrels), judged)
