"""Files of runs and scores that the cache keeps: copied where they would come out the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragscore import BM25, Cache, Dataset, evaluate
from ragscore.dataset import Ids
from ragscore.formats import read_parquet_run
from ragscore.progress import SILENT
from ragscore.results import kept_files
from ragscore.results.kept_files import KeptFiles
from ragscore.results.sweep_file import write_sweep_values
from ragscore.run import Run
from tests.factories.house import PASSAGES, QUERIES, TRUTH
from tests.factories.sweeps import swept
from tests.factories.witness import Witness

QUERY_IDS, PASSAGE_IDS = Ids(["q1", "q2"]), Ids(["a", "b c", "d"])
RUN = Run.make(QUERY_IDS, PASSAGE_IDS, [[0, 2], [2, -1]], [[2.5, 1.5], [0.5, np.nan]], name="x")
OTHERS = {
    "name": RUN.renamed("y"),
    "scores": replace(RUN, scores=RUN.scores + 1 if RUN.scores is not None else None),
    "no scores": replace(RUN, scores=None),
    "rows": replace(RUN, rows=RUN.rows[:, ::-1].copy()),
    "depth": replace(RUN.cut(1)),
    "queries": replace(RUN, queries=Ids(["q1", "q3"])),
    "passages": replace(RUN, passages=Ids(["a", "b", "d"])),
    "duplicates": replace(RUN, duplicates=1),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_run_that_differs_in_anything_has_another_digest(what: str) -> None:
    assert RUN.digest == replace(RUN).digest
    assert RUN.digest != OTHERS[what].digest


@pytest.mark.parametrize("run", [RUN, RUN.renamed("y"), replace(RUN, scores=None)])
def test_files_of_a_run_are_the_same_when_copied(tmp_path: Path, run: Run) -> None:
    cache = Cache(tmp_path / "cache")
    written = []
    for number, where in enumerate((None, cache, cache)):
        folder = tmp_path / str(number)
        folder.mkdir()
        parquet, trec = folder / f"{run.name}.parquet", folder / f"{run.name}.trec"
        export = KeptFiles(where, SILENT).write_run(run, parquet, trec)
        content = {path.name: path.read_bytes() for path in folder.iterdir()}
        written.append((export, content))
    assert written[0] == written[1] == written[2]
    assert cache.writes == 1
    assert read_parquet_run(parquet).to_dict() == run.to_dict()


def test_a_run_that_no_trec_file_holds_is_copied_without_one(tmp_path: Path) -> None:
    run = replace(RUN, rows=np.array([[1, 2], [0, -1]], dtype=np.int32))  # "b c" has a space
    cache = Cache(tmp_path / "cache")
    for number in range(2):
        parquet, trec = tmp_path / f"{number}.parquet", tmp_path / f"{number}.trec"
        export = KeptFiles(cache, SILENT).write_run(run, parquet, trec)
        assert not export.written
        assert "white space" in str(export.reason)
        assert parquet.is_file()
        assert not trec.exists()


def test_a_flipped_bit_of_a_kept_file_is_noticed(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    scores = evaluate(Dataset.from_rows(PASSAGES, QUERIES, TRUTH), {"bm25": BM25()}).scores
    KeptFiles(cache, SILENT).write_scores(scores, tmp_path / "scores.parquet")
    (kept,) = (tmp_path / "cache" / kept_files.KIND).rglob("table.parquet")
    content = bytearray(kept.read_bytes())
    content[len(content) // 2] ^= 1
    kept.write_bytes(content)
    notes = Witness()
    KeptFiles(cache, notes).write_scores(scores, tmp_path / "again.parquet")
    assert "damaged entry (files: table.parquet has changed)" in str(notes.notes[0])
    first, second = (tmp_path / name for name in ("scores.parquet", "again.parquet"))
    assert first.read_bytes() == second.read_bytes()
    KeptFiles(cache, notes).write_scores(scores, tmp_path / "third.parquet")
    assert len(notes.notes) == 1


def test_large_files_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MAX_KEPT", RUN.rows.size - 1)
    cache = Cache(tmp_path / "cache")
    KeptFiles(cache, SILENT).write_run(RUN, tmp_path / "x.parquet", tmp_path / "x.trec")
    assert cache.writes == 0
    assert read_parquet_run(tmp_path / "x.parquet").to_dict() == RUN.to_dict()


def test_the_values_of_sweeps_are_the_same_when_copied(tmp_path: Path) -> None:
    cache, values = Cache(tmp_path / "cache"), swept().values.copy()
    values[3, 7] += 1e-9
    written = []
    for number, sweep in enumerate((swept(), swept(), swept(values=values))):
        KeptFiles(cache, SILENT).write_sweeps([sweep], path := tmp_path / str(number))
        written.append(path.read_bytes())
    write_sweep_values(path, [swept()])
    assert written[0] == written[1] == path.read_bytes()
    assert written[2] != written[0]
    assert cache.writes == 2
