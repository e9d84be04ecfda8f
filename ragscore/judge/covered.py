"""CoveredNeeds: which needs of its query each found passage of a block covers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset import Qrels
from ragscore.dataset.needs import Needs
from ragscore.judge.joint_cover import covered_together

ANY_GRADE = float(np.nextafter(0.0, 1.0))
"""The threshold that every grade above 0 reaches."""


@dataclass(frozen=True, eq=False)
class CoveredNeeds:
    """What the found passages of Q queries cover, in rank order within each query.

    Attributes:
        qrels: of all queries.
        query_rows: int64[Q], the rows of these queries in them.
        column: int64[e], the place in the block, flat, of a passage that covers a need.
        need: int64[e], the need, numbered over all queries.
        grades: float64[e], how well it covers it.
        shape: of the block's matrices.
    """

    qrels: Qrels
    query_rows: NDArray[np.int64]
    column: NDArray[np.int64]
    need: NDArray[np.int64]
    grades: NDArray[np.float64]
    shape: tuple[int, int]

    @classmethod
    def of(
        cls,
        qrels: Qrels,
        query_rows: NDArray[np.int64],
        hits: tuple[NDArray[np.int64], NDArray[np.int64]],
        judgments: NDArray[np.int64],
        shape: tuple[int, int],
    ) -> CoveredNeeds:
        """What found passages cover.

        Args:
            qrels: all judgments.
            query_rows: int64[Q], rows of the queries in them.
            hits: row in the block and column of each found passage, in rank order.
            judgments: the judgment of each.
            shape: of the block's matrices.
        """
        if qrels.together:
            covered = covered_together(qrels, query_rows, hits, judgments, shape[1])
            return cls(qrels, query_rows, *covered, shape)
        row, column = hits
        needs = qrels.needs
        assert needs is not None
        starts = needs.indptr[judgments]
        lengths = needs.indptr[judgments + 1] - starts
        at = ranges(starts, lengths)
        flat = np.repeat(row * shape[1] + column, lengths)
        first = np.repeat(needs.bounds[query_rows[row]], lengths)
        return cls(
            qrels,
            query_rows,
            flat,
            first + needs.need[at],
            needs.grades[at],
            shape,
        )

    @property
    def needs(self) -> Needs:
        """Of all queries."""
        assert self.qrels.needs is not None
        return self.qrels.needs

    @property
    def joint(self) -> bool:
        """Whether any passage covers two needs or more, or may do so with others."""
        return self.needs.joint or self.together

    @property
    def together(self) -> bool:
        """Whether several passages may cover a need only together."""
        return self.qrels.together

    def moved(self, column: NDArray[np.int64], shape: tuple[int, int]) -> CoveredNeeds:
        """The same in a block of another shape.

        Args:
            column: int64[Q * depth], the new flat place of each.
            shape: the new one.
        """
        return replace(self, column=column[self.column], shape=shape)

    def newly(self, relevant_from: float = ANY_GRADE) -> NDArray[np.int64]:
        """The entries that are the first of their need with a grade of ``relevant_from`` or more:
        int64[n]."""
        kept = np.flatnonzero(self.grades >= relevant_from)
        first = np.unique(self.need[kept], return_index=True)[1]
        found: NDArray[np.int64] = np.sort(kept[first])
        return found

    def count(self, relevant_from: float) -> NDArray[np.float64]:
        """How many needs each place covers that none above it does: float64[Q, width]."""
        return self.added(np.ones(len(self.need)), self.newly(relevant_from))

    def added(self, worth: NDArray[np.float64], entries: NDArray[np.int64]) -> NDArray[np.float64]:
        """The worths float64[e] of some entries, added up at their places: float64[Q, width]."""
        sums = np.bincount(
            self.column[entries], weights=worth[entries], minlength=self.shape[0] * self.shape[1]
        )
        return sums.astype(np.float64, copy=False).reshape(self.shape)

    def counted(self) -> NDArray[np.float64]:
        """The best grade with which each place covers a need that none above it does; 0 if it
        covers none: float64[Q, width]."""
        grades = np.zeros(self.shape[0] * self.shape[1])
        first = self.newly()
        np.maximum.at(grades, self.column[first], self.grades[first])
        return grades.reshape(self.shape)

    def seen(self, relevant_from: float) -> NDArray[np.int64]:
        """For each entry, how many passages above it cover the same need with a grade of
        ``relevant_from`` or more: int64[e]."""
        order = np.argsort(self.need, kind="stable")
        reached = (self.grades[order] >= relevant_from).astype(np.int64)
        running = np.cumsum(reached) - reached
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = self.need[order][1:] != self.need[order][:-1]
        groups = np.cumsum(fresh) - 1
        seen = np.empty(len(order), dtype=np.int64)
        seen[order] = running - running[np.flatnonzero(fresh)][groups] if len(order) else running
        return seen
