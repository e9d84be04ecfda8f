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
from ragscore.run.order import text_ranks


@dataclass(frozen=True, eq=False)
class BestPassages:
    """What a search of several queries found.

    Attributes:
        rows: int[Q, depth], corpus rows, best first; -1 where there was nothing more to return.
        scores: float[Q, depth], higher is better; NaN if rows is -1.
    """

    rows: NDArray[np.integer[Any]]
    scores: NDArray[np.floating[Any]]

    @classmethod
    def none(cls, queries: int, depth: int) -> Self:
        """Nothing yet, with room for this many."""
        return cls(np.full((queries, depth), -1, np.int32), np.full((queries, depth), np.nan))

    def put(self, query: int, rows: NDArray[np.int32], scores: NDArray[np.floating[Any]]) -> None:
        """Fill in a query with the best of some passages, which stand in the order of their ids."""
        chosen = best_places(scores, self.rows.shape[1])
        self.rows[query, : len(chosen)] = rows[chosen]
        self.scores[query, : len(chosen)] = scores[chosen]


class MergedPassages:
    """The best passages of each query over the parts of a corpus, whatever order these come in.

    It takes the memory of what is kept, and compares ids where scores tie at the last place alone.

    Args:
        ids: of the whole corpus.
        queries: how many there are.
        depth: how many passages at most a query gets.
    """

    def __init__(self, ids: Ids, queries: int, depth: int) -> None:
        self._ids = ids
        self._rows = np.full((queries, depth), -1, dtype=np.int32)
        self._scores = np.full((queries, depth), -np.inf)

    def add(self, found: BestPassages, first: int) -> None:
        """Take in what was found in a part.

        Args:
            found: the best of the part, of each query, by row of the part; as deep as what is kept,
                or all that the part has.
            first: row of the part's first passage in the corpus.
        """
        depth = self._rows.shape[1]
        if not depth:
            return
        scores = np.where(found.rows >= 0, found.scores, -np.inf)
        # What ties with the last one kept may have a larger id.
        wanted = (found.rows >= 0) & (scores >= self._scores[:, -1:])
        queries = np.flatnonzero(wanted.any(axis=1))
        if not len(queries):
            return
        width = int(np.flatnonzero(wanted.any(axis=0))[-1]) + 1
        new_rows = np.where(wanted, found.rows + first, -1)[queries, :width].astype(np.int32)
        new_scores = np.where(wanted, scores, -np.inf)[queries, :width]
        rows = np.concatenate([self._rows[queries], new_rows], axis=1)
        scores = np.concatenate([self._scores[queries], new_scores], axis=1)
        best = best_of(self._ids, rows, scores, depth)
        self._rows[queries], self._scores[queries] = best.rows, best.scores

    @property
    def best(self) -> BestPassages:
        """What was the best so far; ties are in any order."""
        return BestPassages(self._rows, np.where(self._rows >= 0, self._scores, np.nan))


def best_of(
    ids: Ids, rows: NDArray[np.integer[Any]], scores: NDArray[np.floating[Any]], depth: int
) -> BestPassages:
    """The best ``depth`` passages of each query, of those that tie with the last the largest ids.

    Args:
        ids: of the passages.
        rows: int[Q, n], -1 if there is none.
        scores: float[Q, n], -inf if there is none.
        depth: at most n.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    rows = np.take_along_axis(rows, order, axis=1)
    scores = np.take_along_axis(scores, order, axis=1)
    if 0 < depth < scores.shape[1]:
        last = scores[:, depth - 1]
        cut = np.flatnonzero((scores[:, depth] == last) & np.isfinite(last))
        if len(cut):
            tied = scores[cut] == last[cut, None]
            named = np.where(tied, rows[cut], rows[cut, depth - 1 : depth])  # others need no id
            ranks = np.where(tied, text_ranks(ids, named), 0)
            order = np.lexsort((-ranks, -scores[cut]), axis=1)
            rows[cut] = np.take_along_axis(rows[cut], order, axis=1)
    return BestPassages(rows[:, :depth], scores[:, :depth])


def rows_by_id(ids: Ids) -> NDArray[np.int32]:
    """int32[N], the corpus row of the passage at each place: places are in the order of ids as
    text, the largest first."""
    texts = list(ids)
    return np.array(sorted(range(len(ids)), key=texts.__getitem__, reverse=True), dtype=np.int32)


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
