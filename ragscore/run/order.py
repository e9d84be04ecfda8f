"""What is decided once when a Run is made: bad scores, duplicates, holes, order and ties."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, repeated
from ragscore.dataset import Ids
from ragscore.errors import DataError

Value = TypeVar("Value", bound=np.generic)


def refuse_unordered(
    queries: Ids,
    passages: Ids,
    rows: NDArray[np.int32],
    scores: NDArray[np.float64],
    name: str,
) -> None:
    """Raise DataError where a returned passage has a score that is NaN or infinite."""
    bad = ~np.isfinite(scores) & (rows >= 0)
    if bad.any():
        query, place = (int(at[0]) for at in np.nonzero(bad))
        raise DataError(
            f"the score of passage '{passages[int(rows[query, place])]}' is {scores[query, place]}",
            where=f"{name}, query '{queries[query]}'",
            instead="A score must be a finite number",
        )


def drop_duplicates(
    queries: Ids,
    passages: Ids,
    rows: NDArray[np.int32],
    scores: NDArray[np.float64] | None,
    name: str,
    strict: bool,
) -> tuple[NDArray[np.int32], NDArray[np.float64] | None, int]:
    """Empty the places of passages that a query got before; say how many there were.

    Raises:
        DataError: there is one, and ``strict`` is set.
    """
    in_order = np.sort(rows, axis=1)
    twice = ((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)).any(axis=1)
    if not twice.any():
        return rows, scores, 0
    again = np.zeros(rows.shape, dtype=bool)
    again[twice] = repeated(rows[twice])
    if strict:
        query, place = (int(at[0]) for at in np.nonzero(again))
        raise returned_twice(passages[int(rows[query, place])], queries[query], name)
    scores = None if scores is None else np.where(again, np.nan, scores)
    return np.where(again, np.int32(-1), rows), scores, int(np.count_nonzero(again))


def returned_twice(passage: str, query: str, name: str) -> DataError:
    """That a run returned a passage twice for a query, where that is an error."""
    return DataError(
        f"passage '{passage}' is returned twice",
        where=f"{name}, query '{query}'",
        instead="Return each passage once, or run without --strict to keep the first",
    )


def pack_left(
    rows: NDArray[np.int32], scores: NDArray[np.float64] | None
) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
    """Close holes: -1, with a score of NaN, stands only at the end of a row."""
    empty = rows < 0
    holed = np.flatnonzero((empty[:, :-1] & ~empty[:, 1:]).any(axis=1))
    if len(holed):
        rows, kept = rows.copy(), ~empty[holed]
        filled = np.arange(rows.shape[1]) < np.count_nonzero(kept, axis=1)[:, None]
        rows[holed] = _moved(rows[holed], kept, filled, -1)
        if scores is not None:
            scores = scores.copy()
            scores[holed] = _moved(scores[holed], kept, filled, np.nan)
        empty = rows < 0
    if scores is not None and empty.any():
        scores = np.where(empty, np.nan, scores)
    return rows, scores


def _moved(
    values: NDArray[Value], kept: NDArray[np.bool_], filled: NDArray[np.bool_], fill: float
) -> NDArray[Value]:
    moved = np.full_like(values, fill)
    moved[filled] = values[kept]
    return moved


class Named(Protocol):
    """Rows with an id each."""

    def texts(self, rows: NDArray[np.integer[Any]], /) -> list[str]:
        """The ids of some rows."""


def put_in_order(
    passages: Named, rows: NDArray[np.int32], scores: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Sort by score, then id as text, both descending; queries in strict order stay untouched."""
    rising: NDArray[np.bool_] = np.any(scores[:, 1:] > scores[:, :-1], axis=1)
    query, place = np.nonzero(scores[:, 1:] == scores[:, :-1])
    tied = np.stack([rows[query, place], rows[query, place + 1]])
    upper, lower = text_ranks(passages, tied)
    rising[query[upper < lower]] = True
    unsure = np.flatnonzero(rising)
    if not len(unsure):
        return rows, scores
    part_rows, part_scores = rows[unsure], scores[unsure]
    # NaN (pads) must sort last.
    keys = np.where(part_rows < 0, np.inf, -part_scores)
    order = np.lexsort((-text_ranks(passages, part_rows), keys), axis=1)
    rows, scores = rows.copy(), scores.copy()
    rows[unsure] = np.take_along_axis(part_rows, order, axis=1)
    scores[unsure] = np.take_along_axis(part_scores, order, axis=1)
    return rows, scores


def text_ranks(passages: Named, rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rank of each passage's id as text among those given, the smallest first: of rows' shape."""
    present = distinct(rows)
    texts = passages.texts(present)
    as_text = sorted(range(len(present)), key=texts.__getitem__)
    rank = np.empty(len(present), dtype=np.int64)
    rank[as_text] = np.arange(len(present))
    return rank[np.searchsorted(present, rows)]
