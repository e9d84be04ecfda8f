"""Files of a result that were written before: the cache keeps them by what they hold.

A run's Parquet and TREC files, the scores and the values of sweeps hold nothing but what was
searched and scored. A run of the experiment that changes nothing copies them and loads no library
to write them again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from ragscore.cache import Cache, entry_key
from ragscore.formats import TrecExport, write_parquet_run, write_trec_run
from ragscore.progress import Progress
from ragscore.records import adapter
from ragscore.results.sweep_file import write_sweep_values
from ragscore.run import Run
from ragscore.scoring import Scores
from ragscore.sweeps.model import SweptConfigurations
from ragscore.version import installed_version

T = TypeVar("T")

FORMAT = 2
"""Raise this when files are written otherwise, so that old ones are not copied."""

KIND = "files"
"""The kind of the cache's entries."""

MAX_KEPT = 1_000_000
"""Rows of a file, more of which are written anew: loading a library is then the smaller part."""

PARQUET, TREC, EXPORT = "run.parquet", "run.trec", "export.json"
"""The files of a run, and what became of the second."""

TABLE = "table.parquet"
"""The file of anything else."""


class KeptFiles:
    """Writes the files of runs and scores, or copies those of an earlier result.

    Args:
        cache: where they are kept; None writes them anew.
        progress: receives a damaged entry.
    """

    def __init__(self, cache: Cache | None, progress: Progress) -> None:
        self._cache = cache if cache is not None and cache.persistent else None
        self._progress = progress

    def write_run(self, run: Run, parquet: Path, trec: Path) -> TrecExport:
        """Write a run as Parquet and, as far as it can hold it, in the TREC format.

        Raises:
            OSError: it cannot be written.
        """

        def write(parquet: Path, trec: Path) -> TrecExport:
            frame = run.to_polars()
            write_parquet_run(run, parquet, frame=frame)
            return write_trec_run(run, trec, frame=frame)

        def keep(folder: Path) -> None:
            export = write(folder / PARQUET, folder / TREC)
            (folder / EXPORT).write_text(json.dumps(asdict(export)), encoding="utf-8")

        def read(folder: Path) -> tuple[TrecExport, bytes, bytes]:
            export = adapter(TrecExport).validate_json((folder / EXPORT).read_bytes())
            exported = (folder / TREC).read_bytes() if export.written else b""
            return export, (folder / PARQUET).read_bytes(), exported

        kept = self._kept("run", run.digest, run.rows.size, keep, read)
        if kept is None:
            return write(parquet, trec)
        export, recorded, exported = kept
        parquet.write_bytes(recorded)
        if export.written:
            trec.write_bytes(exported)
        return export

    def write_scores(self, scores: Scores, path: Path) -> None:
        """Write the value of every query as Parquet, as :meth:`Scores.per_query` has them.

        Raises:
            OSError: it cannot be written.
        """

        def write(path: Path) -> None:
            scores.per_query().write_parquet(path, compression="zstd")

        rows = sum(entry.values.size for entry in scores.entries)
        self._write_table("scores", _digest_scores(scores), rows, path, write)

    def write_sweeps(self, sweeps: Sequence[SweptConfigurations], path: Path) -> None:
        """Write the values of sweeps, as :func:`write_sweep_values` does.

        Raises:
            OSError: it cannot be written.
        """
        rows = sum(swept.values.size for swept in sweeps)
        content = _digest_sweeps(sweeps)
        self._write_table("sweeps", content, rows, path, partial(write_sweep_values, sweeps=sweeps))

    def _write_table(
        self, what: str, content: str, rows: int, path: Path, write: Callable[[Path], None]
    ) -> None:
        def keep(folder: Path) -> None:
            write(folder / TABLE)

        def read(folder: Path) -> bytes:
            return (folder / TABLE).read_bytes()

        kept = self._kept(what, content, rows, keep, read)
        if kept is None:
            write(path)
        else:
            path.write_bytes(kept)

    def _kept(
        self,
        what: str,
        content: str,
        rows: int,
        write: Callable[[Path], None],
        read: Callable[[Path], T],
    ) -> T | None:
        """What ``read`` makes of the kept files, which ``write`` fills a folder with where there
        are none; None if nothing can or should be kept."""
        if self._cache is None or rows > MAX_KEPT:
            return None
        key = entry_key(FORMAT, [what, installed_version("polars")], content)
        found = self._cache.read(KIND, key, read, progress=self._progress)
        if found is None:
            folder = self._cache.keep(KIND, key, write)
            found = None if folder is None else read(folder)
        return found


def _digest_scores(scores: Scores) -> str:
    """SHA-256 of all that :meth:`Scores.per_query` shows: 64 hex digits."""
    sha = hashlib.sha256()
    for entry in scores.entries:
        names = [entry.dataset, entry.retriever, list(map(str, entry.measures))]
        sha.update(json.dumps([names, list(entry.query_ids)]).encode())
        sha.update(entry.values.astype("<f8").tobytes())
    return sha.hexdigest()


def _digest_sweeps(sweeps: Sequence[SweptConfigurations]) -> str:
    """SHA-256 of all that :func:`write_sweep_values` writes: 64 hex digits."""
    sha = hashlib.sha256()
    for swept in sweeps:
        clusters = None if swept.clusters is None else swept.clusters.tolist()
        names = [swept.dataset, swept.labels, list(swept.written), list(swept.query_ids), clusters]
        sha.update(json.dumps(names).encode())
        sha.update(np.concatenate([*swept.values, *swept.written.values()]).astype("<f8").tobytes())
    return sha.hexdigest()
