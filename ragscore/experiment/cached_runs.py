"""Runs, answers and latencies as the cache keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids, Queries
from ragscore.records import adapter
from ragscore.results.stages import QueryTimes, Stages
from ragscore.run import Run

FORMAT = 5
"""Raised when what is kept means something else than before, so that old entries are not found."""


@dataclass(frozen=True, eq=False)
class AnsweredBlock:
    """What a system answered to some queries of a dataset, before all of them were asked.

    Attributes:
        rows: int64[n], which of the queries, in their order.
        run: over these.
        asked: when the last of them was answered, in seconds of the epoch.
        seconds: that asking took.
        remembered: see :meth:`ragscore.retrievers.base.Index.remembered`.
        known: how many passages of the run are known without it; where there is no corpus, a
            system names others.
    """

    rows: NDArray[np.int64]
    run: Run
    asked: float
    seconds: float
    remembered: Any = None
    known: int = 0


def write_run(folder: Path, run: Run, stages: Stages) -> None:
    """Keep a run and what it cost, its latency and what its inputs did not read apart."""
    kept = asdict(replace(stages, latency=None, exact=None))
    _write(folder, {**_write_ranking(folder, run), "stages": kept})


def read_run(folder: Path, queries: Ids, passages: Ids, name: str) -> tuple[Run, Stages]:
    """A kept run over the same queries and passages, and what it cost when it was searched.

    Raises:
        Exception: any; the entry is damaged.
    """
    meta = _read(folder)
    run = _read_ranking(folder, meta, queries, passages, name)
    found = adapter(Stages).validate_python(meta["stages"])
    # The retriever may have had another name then.
    cuts = tuple(replace(cut, retriever=name) for cut in found.truncations)
    encoding = None if found.encoding is None else found.encoding.reopened()
    return run, replace(found, truncations=cuts, encoding=encoding, run_from_cache=True)


def write_answers(folder: Path, block: AnsweredBlock) -> None:
    """Keep what was answered to some queries."""
    np.save(folder / "queries.npy", block.rows)
    kept = {
        "asked": block.asked,
        "seconds": block.seconds,
        "remembered": block.remembered,
        "added": block.run.passages[block.known :],
    }
    _write(folder, {**_write_ranking(folder, block.run), **kept})


def read_answers(folder: Path, queries: Queries, passages: Ids, name: str) -> AnsweredBlock:
    """What was answered to some of the same queries.

    Raises:
        Exception: any; the entry is damaged.
    """
    meta = _read(folder)
    rows = np.load(folder / "queries.npy", allow_pickle=False)
    ids = Ids(queries.ids.texts(rows))
    run = _read_ranking(folder, meta, ids, passages.extended(meta["added"]), name)
    return AnsweredBlock(rows, run, meta["asked"], meta["seconds"], meta["remembered"])


def _write_ranking(folder: Path, run: Run) -> dict[str, Any]:
    """Write the arrays of a run; what else it holds, as JSON."""
    np.save(folder / "rows.npy", run.rows)
    if run.scores is not None:
        np.save(folder / "scores.npy", run.scores)
    return {"duplicates": run.duplicates, "scored": run.scores is not None}


def _read_ranking(
    folder: Path, meta: Mapping[str, Any], queries: Ids, passages: Ids, name: str
) -> Run:
    rows = np.load(folder / "rows.npy", allow_pickle=False)
    scores = np.load(folder / "scores.npy", allow_pickle=False) if meta["scored"] else None
    return Run(queries, passages, rows, scores, name, meta["duplicates"])


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
