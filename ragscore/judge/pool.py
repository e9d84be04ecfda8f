"""Pool: what the judgments say of a block of queries, whatever a run returned for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

PAD, OUTSIDE, UNJUDGED, JUDGED = range(4)
"""States of a place: nothing returned; a passage outside the pool; in the pool but not judged
(a negative grade); judged."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pool:
    """Q queries, their judgments, and the grades of some returned passages in rank order: of all
    of them (:class:`~ragscore.judge.Judged`), or of those that the judgments name
    (:class:`~ragscore.judge.Found`).

    Attributes:
        query_rows: int64[Q], the rows of these queries in the qrels.
        grades: float64[Q, width], the grades, 0 where there is none.
        state: int8[Q, width], one of PAD, OUTSIDE, UNJUDGED, JUDGED.
        ideal_indptr: int64[Q + 1], where each query's judged grades begin in ``ideal_grades``.
        ideal_grades: float64[n], all judged grades of each query, best first, never cut at depth.
        returned: int32[Q], how many passages each query got.
        n_passages: number of passages in the corpus, None where it is unknown.
        largest_grade: the largest grade of all judgments, not only of this block.
    """

    query_rows: NDArray[np.int64]
    grades: NDArray[np.float64]
    state: NDArray[np.int8]
    ideal_indptr: NDArray[np.int64]
    ideal_grades: NDArray[np.float64]
    returned: NDArray[np.int32]
    n_passages: int | None = None
    largest_grade: float = 0.0
    _memo: dict[tuple[str, float], Any] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.query_rows)

    def relevant(self, relevant_from: float = 1.0) -> NDArray[np.bool_]:
        """Which places hold a relevant passage: bool[Q, width]. ``relevant_from`` is above 0, so
        that a place without a judgment, whose grade stands as 0, is never relevant."""
        return self.once("relevant", relevant_from, lambda: self.grades >= relevant_from)

    def hits(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of relevant passages up to each place: float64[Q, width]."""
        return self.once(
            "hits",
            relevant_from,
            lambda: np.cumsum(self.relevant(relevant_from), axis=1, dtype=np.float64),
        )

    def n_found(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of relevant passages among all that were returned: float64[Q]."""
        hits = self.hits(relevant_from)
        return hits[:, -1] if hits.shape[1] else np.zeros(len(self))

    def n_relevant(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """R, the number of relevant passages of each query, returned or not: float64[Q]."""
        return self.once(
            "n_relevant", relevant_from, lambda: self._per_query(self.ideal_grades >= relevant_from)
        )

    def n_nonrelevant(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of passages of each query that are judged and not relevant: float64[Q]."""
        return self._per_query(self.ideal_grades < relevant_from)

    def once(self, name: str, relevant_from: float, compute: Callable[[], T]) -> T:
        """What several measures need, by name: computed for the first and kept for the others."""
        key = (name, relevant_from)
        if key not in self._memo:
            self._memo[key] = compute()
        kept: T = self._memo[key]
        return kept

    @cached_property
    def ideal_place(self) -> NDArray[np.int64]:
        """Place (from 0) of each entry of ``ideal_grades`` within its query: int64[n]."""
        lengths = np.diff(self.ideal_indptr)
        return np.arange(len(self.ideal_grades)) - np.repeat(self.ideal_indptr[:-1], lengths)

    @cached_property
    def ideal_query(self) -> NDArray[np.int64]:
        """Row of each entry of ``ideal_grades`` in this block: int64[n]."""
        return np.repeat(np.arange(len(self)), np.diff(self.ideal_indptr))

    @cached_property
    def most_judged(self) -> int:
        """Most judged passages of any query."""
        return int(np.diff(self.ideal_indptr).max(initial=0))

    def ideal_matrix(self, width: int) -> NDArray[np.float64]:
        """The ideal grades of each query, best first, 0 past the last: float64[Q, width], or
        narrower where no query has as many judged passages."""
        matrix = np.zeros((len(self), min(width, self.most_judged)))
        kept = self.ideal_place < matrix.shape[1]
        matrix[self.ideal_query[kept], self.ideal_place[kept]] = self.ideal_grades[kept]
        return matrix

    def _per_query(self, counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(self.ideal_query[counted], minlength=len(self)).astype(np.float64)
