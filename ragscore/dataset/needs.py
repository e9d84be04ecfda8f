"""Needs: what each judged passage covers of what an answer has to cover, as columns."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, ranges


@dataclass(frozen=True, eq=False)
class Needs:
    """Which needs each judged passage covers, beside the judgments of :class:`Qrels`.

    Attributes:
        indptr: int64[n + 1], where the needs of each of n judgments begin.
        need: int32[m], number of the need within its query, ascending within a judgment.
        grades: float64[m], above 0: how well the passage covers it.
        bounds: int64[Q + 1], where the needs of each query begin in ``best``.
        best: float64[total], the highest grade that anything has for each need of each query,
            also where no passage covers it.
    """

    indptr: NDArray[np.int64]
    need: NDArray[np.int32]
    grades: NDArray[np.float64]
    bounds: NDArray[np.int64]
    best: NDArray[np.float64]

    def taken(self, judgments: NDArray[np.int64]) -> Needs:
        """What some judgments cover, in their order; the needs of the queries stay."""
        starts = self.indptr[judgments]
        lengths = self.indptr[judgments + 1] - starts
        at = ranges(starts, lengths)
        return replace(self, indptr=bounds_of(lengths), need=self.need[at], grades=self.grades[at])

    def texts(self, judgments: Sequence[int]) -> list[str]:
        """What some judgments cover, each in a line: the needs by number, with their grades."""
        bounds, need, grades = self.indptr.tolist(), self.need.tolist(), self.grades.tolist()
        return [
            " ".join(f"{need[at]}:{grades[at]!r}" for at in range(bounds[one], bounds[one + 1]))
            for one in judgments
        ]

    @property
    def wanted(self) -> list[str]:
        """The best grade for each need of each query, in a line."""
        best = self.best.tolist()
        return [
            " ".join(map(repr, best[start:end])) for start, end in pairwise(self.bounds.tolist())
        ]

    @cached_property
    def joint(self) -> bool:
        """Whether any passage covers two needs or more."""
        return bool((np.diff(self.indptr) > 1).any())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all columns: 64 hex digits."""
        sha = hashlib.sha256()
        for column in (self.indptr, self.need, self.grades, self.bounds, self.best):
            sha.update(np.ascontiguousarray(column).tobytes())
        return sha.hexdigest()
