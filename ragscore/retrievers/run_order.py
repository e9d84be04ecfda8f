"""Choosing the best passages in the order of a run: score, then id as text, both descending.

Whoever scores passages numbers them by their ids, the largest first: those that tie then stand in
order without being sorted, and a deeper search begins with what a shallower one returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids


@dataclass(frozen=True, eq=False)
class BestPassages:
    """What a search of several queries found.

    Attributes:
        rows: int[Q, depth], corpus rows, best first; -1 where there was nothing more to return.
        scores: float[Q, depth], higher is better; NaN where rows is -1.
    """

    rows: NDArray[np.integer[Any]]
    scores: NDArray[np.floating[Any]]

    @classmethod
    def none(cls, queries: int, depth: int) -> Self:
        """Nothing yet, with room for so many."""
        return cls(np.full((queries, depth), -1, np.int32), np.full((queries, depth), np.nan))

    def put(self, query: int, rows: NDArray[np.int32], scores: NDArray[np.floating[Any]]) -> None:
        """Fill in a query with the best of some passages, which stand in the order of their ids."""
        chosen = best_places(scores, self.rows.shape[1])
        self.rows[query, : len(chosen)] = rows[chosen]
        self.scores[query, : len(chosen)] = scores[chosen]


def rows_by_id(ids: Ids) -> NDArray[np.int32]:
    """int32[N], the corpus row of the passage at each place: places are in the order of ids as
    text, the largest first."""
    return np.array(sorted(range(len(ids)), key=ids.__getitem__, reverse=True), dtype=np.int32)


def best_places(values: NDArray[np.floating[Any]], depth: int) -> NDArray[np.intp]:
    """Where the best ``depth`` of some values are, best first; of those that are equal, also to
    the last of them, the first ones.

    >>> best_places(np.array([1.0, 3.0, 1.0, 2.0, 1.0]), 4)
    array([1, 3, 0, 2])
    """
    kept = np.arange(len(values))
    if len(values) > depth:
        last = np.partition(values, len(values) - depth)[len(values) - depth]
        kept = (values >= last).nonzero()[0]
        if len(kept) > depth:
            better, tied = (values > last).nonzero()[0], (values == last).nonzero()[0]
            kept = np.sort(np.append(better, tied[: depth - len(better)]))
    order: NDArray[np.intp] = kept[(-values[kept]).argsort(kind="stable")]
    return order
