"""Runs and latencies as the cache keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from ragscore.dataset import Ids
from ragscore.records import adapter
from ragscore.results.stages import QueryTimes, Stages
from ragscore.run import Run

FORMAT = 4
"""Raised when what is kept means something else than before, so that old entries are not found."""


def write_run(folder: Path, run: Run, stages: Stages) -> None:
    """Keep a run and what it cost, its latency and what its inputs did not read apart."""
    np.save(folder / "rows.npy", run.rows)
    if run.scores is not None:
        np.save(folder / "scores.npy", run.scores)
    meta = {
        "duplicates": run.duplicates,
        "scored": run.scores is not None,
        "stages": asdict(replace(stages, latency=None, exact=None)),
    }
    _write(folder, meta)


def read_run(folder: Path, queries: Ids, passages: Ids, name: str) -> tuple[Run, Stages]:
    """A kept run over the same queries and passages, and what it cost when it was searched.

    Raises:
        Exception: any; the entry is damaged.
    """
    meta = _read(folder)
    rows = np.load(folder / "rows.npy", allow_pickle=False)
    scores = np.load(folder / "scores.npy", allow_pickle=False) if meta["scored"] else None
    run = Run(queries, passages, rows, scores, name, meta["duplicates"])
    found = adapter(Stages).validate_python(meta["stages"])
    # The retriever may have had another name then.
    cuts = tuple(replace(cut, retriever=name) for cut in found.truncations)
    encoding = None if found.encoding is None else found.encoding.reopened()
    return run, replace(found, truncations=cuts, encoding=encoding, run_from_cache=True)


def write_latency(folder: Path, latency: QueryTimes) -> None:
    """Keep what timing gave."""
    _write(folder, asdict(latency))


def read_latency(folder: Path) -> QueryTimes:
    """What timing gave when it was done.

    Raises:
        Exception: any; the entry is damaged.
    """
    return replace(adapter(QueryTimes).validate_python(_read(folder)), from_cache=True)


def _write(folder: Path, meta: Mapping[str, Any]) -> None:
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def _read(folder: Path) -> Any:
    return json.loads((folder / "meta.json").read_text(encoding="utf-8"))
