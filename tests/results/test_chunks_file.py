"""Results over chunks: recorded, reopened without a chunker, and damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars
import pytest

from ragscore import (
    BM25,
    DataError,
    Experiment,
    Fusion,
    Result,
    evaluate,
    load_experiment,
    open_result,
    run_experiment,
)
from ragscore.chunking import CHUNKERS, CharacterChunker
from ragscore.dataset import Chunkings, Chunks, Dataset, Documents
from ragscore.models import Document
from tests.factories.harbour_documents import DOCUMENTS, QUESTIONS, TRUTH, write_harbour
from tests.factories.manifests import resealed

CONFIG = """\
dataset: {path: harbour, coverage: 0.8}
chunk: {kind: characters, size: 60, overlap: 30}
retrievers:
  small: {kind: bm25}
  big: {kind: bm25, chunk: {kind: characters, size: 150}}
  both: {kind: fusion, retrievers: [small, big]}
measures: [nDCG@5, Complete@2, SpanF1@2]
depth: 10
latency: false
report: false
sweep:
  small: {chunk.size: [60, 90]}
"""


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("chunked")
    write_harbour(folder / "harbour")
    (folder / "harbour.yaml").write_text(CONFIG)
    return run_experiment(folder / "harbour.yaml", output=folder / "result")


def test_a_result_reopens_without_a_chunker(
    searched: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: object, text: str) -> None:
        raise AssertionError("a chunker was asked")

    for name in ("characters", "document"):
        monkeypatch.setattr(CHUNKERS[name], "spans", refused)
    back = open_result(searched.folder)
    assert back.to_dict() == searched.to_dict()
    ours, theirs = back.dataset("harbour"), searched.dataset("harbour")
    assert list(ours.corpus.ids) == list(theirs.corpus.ids)
    assert ours.qrels.digest == theirs.qrels.digest
    assert ours.coverage == 0.8
    for name in ("small", "big", "both"):
        measured = [
            result.parts.measured("harbour", name, ["R@2", "SpanR@1", "nDCG@3"]).values
            for result in (back, searched)
        ]
        np.testing.assert_array_equal(*measured)


def test_each_retriever_is_tuned_by_its_own_chunks(searched: Result) -> None:
    back = open_result(searched.folder)
    panel = back["harbour"]
    for name in ("small", "big"):
        tuning = panel.tuning(name, panel.view.tune.value)
        entry = back.parts.measured("harbour", name, ["R@1"])
        recall = tuning.curves[tuning.recall]
        assert recall.mean[0] == pytest.approx(entry.mean("R@1"), abs=1e-12)
    assert panel.overlap == ()
    assert "passages of different chunkers" in str(panel.notes_on("differences")[-1])


def test_the_sweep_has_chunks_of_its_own(searched: Result) -> None:
    swept = searched.parts.swept("harbour")
    assert [dict(setting) for setting in swept.settings] == [
        {"small.chunk.size": 60},
        {"small.chunk.size": 90},
    ]
    config = load_experiment(searched.folder.parent / "harbour.yaml", ["sweep=false"])
    alone = Experiment.model_validate(config.model_dump()).retrievers["small"]
    other = alone.changed(chunk=CharacterChunker(size=90, overlap=30))
    values = evaluate(searched.dataset("harbour").uncut, {"other": other}, ["nDCG@5"], depth=10)
    np.testing.assert_array_equal(swept.values[1], values.scores["other"].values[0])
    (found,) = searched.sweeps
    assert "nDCG@5 compares chunkings at the same k" in str(found)


def test_rows_given_in_python_are_recorded_with_their_documents(tmp_path: Path) -> None:
    data = Dataset.from_rows(None, QUESTIONS, TRUTH, documents=DOCUMENTS, coverage=0.5)
    retrievers = {
        "small": BM25(chunk=CharacterChunker(size=40)),
        "big": BM25(chunk=CharacterChunker(size=100)),
        "both": Fusion(retrievers=["small", "big"]),
    }
    result = evaluate(data, retrievers, ["R@2", "IoU@2"], depth=6)
    saved = result.save(tmp_path / "result")
    back = open_result(saved.folder)
    assert back.dataset().coverage == 0.5
    assert back.parts.measured("dataset", "both", ["R@2", "IoU@2"]).values.tolist() == (
        result.scores["both"].values.tolist()
    )


def outside(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.with_columns(end=polars.col("end") + 10_000)


def backwards(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.with_columns(start=polars.col("end"))


def another_document(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.with_columns(document=polars.lit("/etc/passwd"))


def missing_value(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.with_columns(start=polars.lit(None, dtype=polars.Int64))


def too_many(frame: polars.DataFrame) -> polars.DataFrame:
    return polars.concat([frame] * 50)


def one_chunker(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.filter(polars.col("chunker") == frame["chunker"][0])


@pytest.mark.parametrize(
    "damage", [outside, backwards, another_document, missing_value, too_many, one_chunker]
)
def test_what_is_no_table_of_these_chunks_is_refused(
    searched: Result, tmp_path: Path, damage: Callable[[polars.DataFrame], polars.DataFrame]
) -> None:
    import shutil

    folder = tmp_path / "result"
    shutil.copytree(searched.folder, folder)
    path = folder / "chunks.parquet"
    damage(polars.read_parquet(path)).write_parquet(path)
    with pytest.raises(DataError, match="The folder was changed"):
        open_result(folder).dataset("harbour")
    resealed(folder, "chunks.parquet")
    with pytest.raises(DataError, match=r"chunks\.parquet"):
        open_result(folder).dataset("harbour")


def test_a_result_of_chunks_that_hold_everything_is_read(tmp_path: Path) -> None:
    """300,000 pieces of a million characters would fit no memory: they are cut when read."""
    documents = Documents.from_rows([Document(id="d", text="word " * 200_000)])
    ends = np.arange(1_000_001 - 300_000, 1_000_001)
    chunks = Chunks(np.zeros(300_000, np.int32), np.zeros(300_000, np.int64), ends)
    texts = Chunkings.of(documents, {"all": chunks}).corpus.texts
    assert len(texts) == 300_000
    assert texts[-1] == documents.texts[0]
    assert [len(text) for text in texts[2:4]] == ends[2:4].tolist()
