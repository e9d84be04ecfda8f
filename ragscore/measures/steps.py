"""Steps: a measure that changes only where a judged passage stands, without the ranks between.

``value(k) = total(k) / out_of(k)``, where the total is a step function of the rank and the
denominator is known for every k. Values are those of :meth:`~ragscore.measures.base.Measure.curve`
to the last bit; sums over the queries at all cutoffs come from the steps themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.judge import Found
from ragscore.measures.base import divide

Column = NDArray[np.float64]


class OutOf(Protocol):
    """What the totals are divided by; where it is 0, the value is 0."""

    def at(self, k: int) -> Column:
        """The denominators at cutoff k: float64[Q], or one for all."""

    def sums(self, found: Found, totals: NDArray[np.float64]) -> tuple[Column, Column]:
        """Sums of the values over the queries, and of their squares, at every cutoff."""


@dataclass(frozen=True, eq=False)
class Steps:
    """One measure of one block.

    Attributes:
        found: the block.
        totals: float64[Q, width], the total behind each found passage.
        out_of: the denominators.
    """

    found: Found
    totals: NDArray[np.float64]
    out_of: OutOf

    def at(self, k: int) -> Column:
        """The values at cutoff k: float64[Q]."""
        return divide(self.found.total_at(k, self.totals), self.out_of.at(k))

    def last(self) -> Column:
        """The totals of everything that was returned: float64[Q]."""
        return self.found.total_at(self.found.depth, self.totals)

    def sums(self) -> tuple[Column, Column]:
        """Sums over the queries of the values and of their squares: two float64[depth]."""
        return self.out_of.sums(self.found, self.totals)


@dataclass(frozen=True, eq=False)
class Fixed:
    """A denominator that is the same at every cutoff: float64[Q]."""

    values: Column

    def at(self, k: int) -> Column:
        return self.values

    def sums(self, found: Found, totals: NDArray[np.float64]) -> tuple[Column, Column]:
        return (
            _added(found, divide(_steps(totals), self.values[:, None])),
            _added(found, divide(_steps(totals * totals), (self.values * self.values)[:, None])),
        )


@dataclass(frozen=True, eq=False)
class Ranks:
    """The cutoff itself."""

    def at(self, k: int) -> Column:
        return np.asarray(float(k))

    def sums(self, found: Found, totals: NDArray[np.float64]) -> tuple[Column, Column]:
        ranks = np.arange(1, found.depth + 1, dtype=np.float64)
        return (
            _added(found, _steps(totals)) / ranks,
            _added(found, _steps(totals * totals)) / (ranks * ranks),
        )


@dataclass(frozen=True, eq=False)
class ByRank:
    """A denominator made of a number of each query and the cutoff.

    Attributes:
        numbers: float64[Q]; few different ones, as a rule.
        made: of numbers and cutoffs, arrays that fit each other.
    """

    numbers: Column
    made: Callable[[Column, Column], Column]

    def at(self, k: int) -> Column:
        return self.made(self.numbers, np.asarray(float(k)))

    def sums(self, found: Found, totals: NDArray[np.float64]) -> tuple[Column, Column]:
        different = distinct(self.numbers)
        which = np.searchsorted(different, self.numbers)
        ranks = np.arange(1, found.depth + 1, dtype=np.float64)
        out_of = self.made(different[:, None], ranks)
        by_number = (
            _added(found, _steps(totals), which, len(different)),
            _added(found, _steps(totals * totals), which, len(different)),
        )
        first, second = divide(by_number[0], out_of), divide(by_number[1], out_of * out_of)
        return first.sum(axis=0), second.sum(axis=0)


@dataclass(frozen=True, eq=False)
class Ideal:
    """A denominator that grows up to a rank, and is the same at every cutoff from there on.

    Attributes:
        values: float64[Q, width], at the cutoffs 1 to width.
    """

    values: NDArray[np.float64]

    def at(self, k: int) -> Column:
        width = self.values.shape[1]
        return self.values[:, min(k, width) - 1] if width else np.zeros(len(self.values))

    def sums(self, found: Found, totals: NDArray[np.float64]) -> tuple[Column, Column]:
        width = min(self.values.shape[1], found.depth)
        if not width:
            return np.zeros(found.depth), np.zeros(found.depth)
        first, second = np.empty(found.depth), np.empty(found.depth)
        for k in range(1, width + 1):
            values = divide(found.total_at(k, totals), self.at(k))
            # No dot product: the threads that share it for long columns wait longer than they add.
            first[k - 1], second[k - 1] = values.sum(), np.square(values).sum()
        below = found.rank > width
        final = self.values[:, -1:]
        for sums, steps in ((first, _steps(totals)), (second, _steps(totals * totals))):
            out_of = final if sums is first else final * final
            more = _added(found, np.where(below, divide(steps, out_of), 0.0))
            sums[width:] = sums[width - 1] + more[width:]
        return first, second


def _steps(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much totals rise at each place."""
    return np.diff(totals, axis=1, prepend=0.0)


def _added(
    found: Found,
    steps: NDArray[np.float64],
    which: NDArray[np.int64] | None = None,
    groups: int = 1,
) -> NDArray[np.float64]:
    """Steps of all queries added up to each cutoff: float64[depth]; or by the group of each
    query: float64[groups, depth]."""
    width = found.depth + 1
    places = found.place
    if which is not None:
        places = (which[:, None] * width + places.reshape(steps.shape)).ravel()
    sums = np.bincount(places, weights=steps.ravel(), minlength=groups * width)
    added: NDArray[np.float64] = np.cumsum(sums.reshape(groups, width)[:, :-1], axis=1)
    return added if which is not None else added[0]
