"""Runs in parts, and whether scores are equal to the last bit."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars
import zstandard

from ragscore.scoring import Scores
from tests.factories.joined_files import text_of

MEASURES = ["nDCG@3", "AP", "R@depth", "Judged@2", "RR(tie=expected)@5"]
COUNTED = MEASURES[:-1]
"""Without the one that asks where ties stand: ties are only counted then."""
Rows = list[tuple[str, str, str]]


def write_part(folder: Path, number: int, rows: Rows, kind: str) -> None:
    if kind.startswith("trec"):
        pack = {"trec": bytes, "trec.gz": gzip.compress, "trec.zst": zstandard.compress}[kind]
        (folder / f"part-{number}.{kind}").write_bytes(pack(text_of(rows)))
        return
    frame = polars.DataFrame(
        {
            "query": [row[0] for row in rows],
            "passage": [row[1] for row in rows],
            "score": [float(row[2]) for row in rows],
        },
        schema={"query": polars.String, "passage": polars.String, "score": polars.Float64},
    )
    frame.write_parquet(folder / f"part-{number}.parquet")


def written(folder: Path, parts: list[Rows], kind: str) -> Path:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for number, rows in enumerate(parts):
        write_part(folder, number, rows, kind)
    return folder


def assert_same(cut: Scores, whole: Scores) -> None:
    (ours,), (theirs,) = cut.entries, whole.entries
    assert ours.query_ids == theirs.query_ids
    assert ours.resolved == theirs.resolved
    assert np.array_equal(ours.values, theirs.values, equal_nan=True)
    assert np.array_equal(ours.means, theirs.means, equal_nan=True)
    assert (ours.counts, ours.dropped, ours.mismatch) == (
        theirs.counts,
        theirs.dropped,
        theirs.mismatch,
    )
    for name, curve in ours.curves.items():
        assert np.array_equal(curve.mean, theirs.curves[name].mean, equal_nan=True)
