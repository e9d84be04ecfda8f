"""Judged: grades in rank order, the waist between runs and measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

PAD, OUTSIDE, UNJUDGED, JUDGED = range(4)
"""States of a place: nothing returned; a passage outside the pool; in the pool but not judged
(a negative grade); judged."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Grades in rank order for one block of Q queries.

    Attributes:
        query_rows: int64[Q], the rows of these queries in the qrels.
        grades: float64[Q, depth], the grade at each rank, 0 where there is none.
        state: int8[Q, depth], one of PAD, OUTSIDE, UNJUDGED, JUDGED.
        ideal_indptr: int64[Q + 1], where each query's judged grades begin in ``ideal_grades``.
        ideal_grades: float64[n], all judged grades of each query, best first, never cut at depth.
        returned: int32[Q], how many passages each query got.
        tie_start: int32[Q, depth], first place (from 0) of the tie group of each place.
        scores: float64[Q, depth] or None, NaN where nothing was returned.
        n_passages: number of passages in the corpus, None where it is unknown.
        largest_grade: the largest grade of all judgments, not only of this block.
    """

    query_rows: NDArray[np.int64]
    grades: NDArray[np.float64]
    state: NDArray[np.int8]
    ideal_indptr: NDArray[np.int64]
    ideal_grades: NDArray[np.float64]
    returned: NDArray[np.int32]
    tie_start: NDArray[np.int32]
    scores: NDArray[np.float64] | None = None
    n_passages: int | None = None
    largest_grade: float = 0.0
    _memo: dict[tuple[str, float], Any] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.query_rows)

    @property
    def depth(self) -> int:
        """Number of ranks."""
        return int(self.grades.shape[1])

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """1, 2, ..., depth as float64[depth]."""
        return np.arange(1, self.depth + 1, dtype=np.float64)

    def relevant(self, relevant_from: float = 1.0) -> NDArray[np.bool_]:
        """Which places hold a relevant passage: bool[Q, depth]. ``relevant_from`` is above 0, so
        that a place without a judgment, whose grade stands as 0, is never relevant."""
        return self.once("relevant", relevant_from, lambda: self.grades >= relevant_from)

    def hits(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of relevant passages in the top k, for each k: float64[Q, depth]."""
        return self.once(
            "hits",
            relevant_from,
            lambda: np.cumsum(self.relevant(relevant_from), axis=1, dtype=np.float64),
        )

    def n_relevant(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """R, the number of relevant passages of each query, returned or not: float64[Q]."""
        return self.once(
            "n_relevant", relevant_from, lambda: self._per_query(self.ideal_grades >= relevant_from)
        )

    def n_found(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of relevant passages among all that were returned: float64[Q]."""
        return self.hits(relevant_from)[:, -1] if self.depth else np.zeros(len(self))

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

    def ideal_matrix(self) -> NDArray[np.float64]:
        """The ideal grades of each query, best first, 0 past the last: float64[Q, width]; the
        width is the depth, or less where no query has as many judged passages."""
        longest = int(np.diff(self.ideal_indptr).max(initial=0))
        matrix = np.zeros((len(self), min(self.depth, longest)))
        kept = self.ideal_place < matrix.shape[1]
        matrix[self.ideal_query[kept], self.ideal_place[kept]] = self.ideal_grades[kept]
        return matrix

    def _per_query(self, counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(self.ideal_query[counted], minlength=len(self)).astype(np.float64)

    def condensed(self) -> Judged:
        """The same block without the passages that nobody judged: those below move up.

        Source: Sakai, Alternatives to Bpref, SIGIR 2007 (condensed lists).
        """
        kept = self.state == JUDGED
        order = np.argsort(~kept, axis=1, kind="stable")
        count = kept.sum(axis=1, dtype=np.int32)
        places = np.arange(self.depth, dtype=np.int32)
        there = places < count[:, None]

        def moved(column: NDArray[Any], fill: float) -> NDArray[Any]:
            return np.where(there, np.take_along_axis(column, order, axis=1), fill)

        # A tie group now begins at its first passage that is left.
        begins = np.take_along_axis(self.tie_start, order, axis=1)
        fresh = np.ones(begins.shape, dtype=bool)
        fresh[:, 1:] = begins[:, 1:] != begins[:, :-1]
        tie_start = np.maximum.accumulate(np.where(fresh, places, 0), axis=1)
        return replace(
            self,
            grades=moved(self.grades, 0.0),
            state=moved(self.state, PAD).astype(np.int8),
            returned=count,
            tie_start=np.where(there, tie_start, places).astype(np.int32),
            scores=None if self.scores is None else moved(self.scores, np.nan),
        )

    def widened(self, depth: int) -> Judged:
        """The same block with more ranks, as if nothing more came."""
        more = depth - self.depth
        if more <= 0:
            return self
        wider = ((0, 0), (0, more))
        places = np.arange(self.depth, depth, dtype=np.int32)
        new_places = np.broadcast_to(places, (len(self), more))
        scores = self.scores
        return replace(
            self,
            grades=np.pad(self.grades, wider),
            state=np.pad(self.state, wider, constant_values=PAD),
            tie_start=np.concatenate([self.tie_start, new_places], axis=1),
            scores=None if scores is None else np.pad(scores, wider, constant_values=np.nan),
        )
