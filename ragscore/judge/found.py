"""Found: the returned passages that the judgments name, without all the others between them.

Where few are judged, as is usual, a block of 1000 ranks comes down to a handful of columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.judge.judged import Judged
from ragscore.judge.pool import JUDGED, PAD, UNJUDGED, Pool
from ragscore.judge.retrieved import Retrieved

MIN_SHRINK = 4
"""A block is made compact where this many columns or more become one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Found(Pool):
    """One block of Q queries: ``grades`` and ``state`` are [Q, most that any query found], in
    rank order, PAD behind the last.

    Attributes:
        depth: number of ranks.
        ranks: float64[Q, width], the rank (from 1) of each; depth + 1 where there is none.
        tied: int64[depth + 1], by cutoff the queries with a tie across it.
        make_dense: the same block with all ranks.
    """

    depth: int
    ranks: NDArray[np.float64]
    tied: NDArray[np.int64]
    make_dense: Callable[[], Judged]

    @classmethod
    def of(
        cls,
        retrieved: Retrieved,
        *,
        depth: int,
        query_rows: NDArray[np.int64],
        ideal: tuple[NDArray[np.int64], NDArray[np.float64]],
        tied: NDArray[np.int64],
        n_passages: int | None,
        largest_grade: float,
        make_dense: Callable[[], Judged],
    ) -> Found | None:
        """A block from its found passages; None where most places hold one, so that there is
        nothing to gain.

        Args:
            retrieved: what came back.
            ideal: ``ideal_indptr`` and ``ideal_grades``.
            depth, query_rows, tied, n_passages, largest_grade, make_dense: as above.
        """
        rows, grades = retrieved.row, retrieved.grade
        counts = np.bincount(rows, minlength=len(query_rows))
        width = int(counts.max(initial=0))
        if width * MIN_SHRINK > depth:
            return None
        shape = (len(query_rows), width)
        at = rows * width + np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        ranks = np.full(shape, depth + 1.0)
        state = np.full(shape, PAD, dtype=np.int8)
        positive = np.zeros(shape)
        ranks.reshape(-1)[at] = retrieved.place + 1.0
        state.reshape(-1)[at] = np.where(grades < 0, np.int8(UNJUDGED), np.int8(JUDGED))
        positive.reshape(-1)[at] = np.maximum(grades, 0.0)
        return cls(
            query_rows=query_rows,
            grades=positive,
            state=state,
            ideal_indptr=ideal[0],
            ideal_grades=ideal[1],
            returned=retrieved.returned,
            n_passages=n_passages,
            largest_grade=largest_grade,
            depth=depth,
            ranks=ranks,
            tied=tied,
            make_dense=make_dense,
        )

    def dense(self) -> Judged:
        """The same block with all ranks."""
        return self.once("dense", 0.0, self.make_dense)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The place (from 0) of each; ``depth`` where there is none: int64[Q * width]."""
        return self.ranks.astype(np.int64).ravel() - 1

    def above(self, k: int) -> NDArray[np.int64]:
        """How many of each query stand in the top k: int64[Q]."""
        return self.once("above", float(k), lambda: np.count_nonzero(self.ranks <= k, axis=1))

    def total_at(self, k: int, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Running totals [Q, width] as they stand at cutoff k: float64[Q]."""
        above = self.above(k)
        if not totals.shape[1]:
            return np.zeros(len(self))
        last: NDArray[np.float64] = totals[np.arange(len(self)), np.maximum(above, 1) - 1]
        return np.where(above > 0, last, 0.0)


Ranked = Judged | Found
"""Grades in rank order, with the rank of each place: of all places, or of the found ones."""
