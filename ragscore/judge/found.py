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
from ragscore.judge.pool import Pool


@dataclass(frozen=True, eq=False, kw_only=True)
class Found(Pool):
    """One block of Q queries: ``grades`` and ``state`` are [Q, most that any query found], in
    rank order, PAD behind the last.

    Attributes:
        depth: number of ranks.
        ranks: float64[Q, width], the rank (from 1) of each; depth + 1 if there is none.
        tied: int64[depth + 1], by cutoff the queries with a tie across it.
        make_dense: the same block with all ranks.
    """

    depth: int
    ranks: NDArray[np.float64]
    tied: NDArray[np.int64]
    make_dense: Callable[[], Judged]

    def dense(self) -> Judged:
        """The same block with all ranks."""
        return self.once("dense", 0.0, self.make_dense)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The place (from 0) of each; ``depth`` if there is none: int64[Q * width]."""
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
