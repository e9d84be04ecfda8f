"""Pool: what the judgments say of a block of queries, whatever a run returned for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.judge.covered import CoveredNeeds

T = TypeVar("T")

PAD, OUTSIDE, UNJUDGED, JUDGED, REPEATED = range(5)
"""States of a place: nothing returned; a passage outside the pool; in the pool but not judged
(a negative grade); judged; a passage of a unit that stands further up, which counts nothing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pool:
    """Q queries, their judgments, and the grades of some returned passages in rank order: of all
    of them (:class:`~ragscore.judge.Judged`), or of those that the judgments name
    (:class:`~ragscore.judge.Found`).

    Attributes:
        query_rows: int64[Q], the rows of these queries in the qrels.
        grades: float64[Q, width], the grades, 0 if there is none.
        state: int8[Q, width], one of PAD, OUTSIDE, UNJUDGED, JUDGED, REPEATED.
        ideal_indptr: int64[Q + 1], where each query's judged grades begin in ``ideal_grades``.
        ideal_grades: float64[n], all judged grades of each query, best first, never cut at depth.
        returned: int32[Q], how many passages each query got.
        n_passages: number of passages in the corpus, None if it is unknown.
        largest_grade: the largest grade of all judgments, not only of this block.
        needs: which needs the found passages cover, where some are shared. A passage then has the
            best grade with which it covers a need that none above it does, and ``ideal_grades`` are
            the best for each need.
        repeats: whether cutoffs count passages, and some are of units that stand further up.
    """

    query_rows: NDArray[np.int64]
    grades: NDArray[np.float64]
    state: NDArray[np.int8]
    ideal_indptr: NDArray[np.int64]
    ideal_grades: NDArray[np.float64]
    returned: NDArray[np.int32]
    n_passages: int | None = None
    largest_grade: float = 0.0
    needs: CoveredNeeds | None = None
    repeats: bool = False
    _memo: dict[tuple[str, float], Any] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.query_rows)

    def relevant(self, relevant_from: float = 1.0) -> NDArray[np.bool_]:
        """Which places hold a relevant passage: bool[Q, width]. ``relevant_from`` is above 0, so
        that a place without a judgment, whose grade stands as 0, is never relevant."""
        shared = self.needs is not None
        return self.once(
            "relevant",
            relevant_from,
            lambda: self.newly(relevant_from) > 0 if shared else self.grades >= relevant_from,
        )

    def newly(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """How many needs the passage at each place covers that none above it does; without needs
        1 for a relevant passage: float64[Q, width]."""
        needs = self.needs
        if needs is None:
            return self.relevant(relevant_from).astype(np.float64)
        return self.once("newly", relevant_from, lambda: needs.count(relevant_from))

    def covered(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of needs covered up to each place; without needs the relevant passages:
        float64[Q, width]."""
        if not self.joint:
            return self.hits(relevant_from)
        return self.once(
            "covered", relevant_from, lambda: np.cumsum(self.newly(relevant_from), axis=1)
        )

    @property
    def joint(self) -> bool:
        """Whether a passage may cover several needs at once."""
        return self.needs is not None and self.needs.joint

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

    def n_covered(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of needs that all that were returned cover; without needs the relevant passages
        among them: float64[Q]."""
        covered = self.covered(relevant_from)
        return covered[:, -1] if covered.shape[1] else np.zeros(len(self))

    def n_relevant(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """R, the number of relevant passages of each query, returned or not, or of its needs:
        float64[Q]."""
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
