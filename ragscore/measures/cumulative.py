"""Cumulative: a measure that is a running total over a denominator known at every cutoff.

``value(k) = total(k) / out_of(k)``, and the total changes only where a judged passage stands. So
one definition gives the value at all ranks of a :class:`~ragscore.judge.Judged` block, and the
same to the last bit from the judged passages of a :class:`~ragscore.judge.Found` block alone,
where the sums over the queries at all cutoffs come from the steps themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, divide
from ragscore.judge import Found, Judged, Ranked
from ragscore.measures.base import Curve, Measure

PerQuery = NDArray[np.float64]
"""float64[Q]: a number of each query."""


class Cumulative(Measure):
    """Base of the measures that are a running total divided by something.

    A subclass writes :meth:`totals`, and :meth:`out_of` where the totals are divided. Both read
    ``judged.grades``, ``judged.state`` and ``judged.ranks`` place by place, so that it makes no
    difference whether unjudged passages stand between the places.
    """

    every_rank_if_joint: ClassVar[bool] = False
    """True if passages that cover several needs at once make the value change between those that
    the judgments name."""

    @abstractmethod
    def totals(self, judged: Ranked) -> Curve:
        """The running total behind each place: float64[Q, width]. It may change only at passages
        that the judgments name."""

    def out_of(self, judged: Ranked) -> OutOf:
        """What the totals are divided by at every cutoff; by default nothing."""
        return One()

    def whole(self, judged: Ranked) -> PerQuery | None:
        """What the total is divided by without a cutoff: float64[Q]; None if that is no other
        than at the deepest cutoff."""
        return None

    @property
    def stepwise(self) -> bool:
        """True if the passages that the judgments name are enough, with these options."""
        return not self.orders_ties and getattr(self, "empty", "0") == "0"

    def curve(self, judged: Judged) -> Curve:
        return self.out_of(judged).under(self.totals(judged), judged.ranks)

    def steps(self, found: Found) -> Steps:
        """The same from the found passages alone; only where it is :attr:`stepwise`."""
        return Steps(found, self.totals(found), self.out_of(found), self.whole(found))

    def uncut(self, judged: Judged, curve: Curve) -> PerQuery:
        return (
            super().uncut(judged, curve) if self.whole(judged) is None else self.everything(judged)
        )

    def everything(self, judged: Ranked) -> PerQuery:
        """The value of everything that came back, before what ``empty`` says: float64[Q]."""
        whole = self.whole(judged)
        out_of = self.out_of(judged).at(max(judged.depth, 1)) if whole is None else whole
        return divide(last(self.totals(judged)), out_of)


@dataclass(frozen=True, eq=False)
class Steps:
    """One cumulative measure of one block, known by what was found.

    Attributes:
        found: the block.
        totals: float64[Q, width], the total behind each found passage.
        out_of: the denominators.
        whole: float64[Q], the denominators without a cutoff where these are others, or None.
    """

    found: Found
    totals: Curve
    out_of: OutOf
    whole: PerQuery | None

    def at(self, k: int) -> PerQuery:
        """The values at cutoff k: float64[Q]."""
        return divide(self.found.total_at(k, self.totals), self.out_of.at(k))

    def uncut(self, depth: int) -> PerQuery:
        """The values without a cutoff, of a run that recorded this many ranks: float64[Q]."""
        return self.at(depth) if self.whole is None else divide(last(self.totals), self.whole)

    def sums(self) -> tuple[PerQuery, PerQuery]:
        """Sums over the queries of the values and of their squares: two float64[depth]."""
        return self.out_of.sums(self.found, self.totals)


class OutOf(ABC):
    """What the totals are divided by; where it is 0, the value is 0."""

    @abstractmethod
    def at(self, k: int) -> PerQuery:
        """The denominators at cutoff k: float64[Q], or one for all."""

    @abstractmethod
    def every(self, ranks: PerQuery) -> NDArray[np.float64]:
        """The denominators at the cutoffs 1, 2, ..., which ``ranks`` holds: they fit
        float64[Q, depth]."""

    @abstractmethod
    def sums(self, found: Found, totals: Curve) -> tuple[PerQuery, PerQuery]:
        """Sums of the values over the queries, and of their squares, at every cutoff."""

    def under(self, totals: Curve, ranks: PerQuery) -> Curve:
        """Totals at every cutoff over the denominators there: float64[Q, depth]."""
        return divide(totals, self.every(ranks))


class One(OutOf):
    """No denominator: the total is the value."""

    def at(self, k: int) -> PerQuery:
        return np.asarray(1.0)

    def every(self, ranks: PerQuery) -> NDArray[np.float64]:
        return np.ones_like(ranks)

    def sums(self, found: Found, totals: Curve) -> tuple[PerQuery, PerQuery]:
        return _added(found, _steps(totals)), _added(found, _steps(totals * totals))

    def under(self, totals: Curve, ranks: PerQuery) -> Curve:
        return totals


@dataclass(frozen=True, eq=False)
class Fixed(OutOf):
    """A denominator that is the same at every cutoff: float64[Q]."""

    values: PerQuery

    def at(self, k: int) -> PerQuery:
        return self.values

    def every(self, ranks: PerQuery) -> NDArray[np.float64]:
        return self.values[:, None]

    def sums(self, found: Found, totals: Curve) -> tuple[PerQuery, PerQuery]:
        return (
            _added(found, divide(_steps(totals), self.values[:, None])),
            _added(found, divide(_steps(totals * totals), (self.values * self.values)[:, None])),
        )


@dataclass(frozen=True, eq=False)
class Ranks(OutOf):
    """The cutoff itself."""

    def at(self, k: int) -> PerQuery:
        return np.asarray(float(k))

    def every(self, ranks: PerQuery) -> NDArray[np.float64]:
        return ranks

    def under(self, totals: Curve, ranks: PerQuery) -> Curve:
        return totals / ranks

    def sums(self, found: Found, totals: Curve) -> tuple[PerQuery, PerQuery]:
        ranks = np.arange(1, found.depth + 1, dtype=np.float64)
        return (
            _added(found, _steps(totals)) / ranks,
            _added(found, _steps(totals * totals)) / (ranks * ranks),
        )


@dataclass(frozen=True, eq=False)
class ByRank(OutOf):
    """A denominator made of a number of each query and the cutoff.

    Attributes:
        numbers: float64[Q]; few different ones, as a rule.
        made: of numbers and cutoffs, arrays that fit each other.
    """

    numbers: PerQuery
    made: Callable[[PerQuery, PerQuery], PerQuery]

    def at(self, k: int) -> PerQuery:
        return self.made(self.numbers, np.asarray(float(k)))

    def every(self, ranks: PerQuery) -> NDArray[np.float64]:
        return self.made(self.numbers[:, None], ranks)

    def sums(self, found: Found, totals: Curve) -> tuple[PerQuery, PerQuery]:
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
class Ideal(OutOf):
    """A denominator that grows up to a rank, and is the same at every cutoff from there on.

    Attributes:
        values: float64[Q, width], at the cutoffs 1 to width.
    """

    values: NDArray[np.float64]

    def at(self, k: int) -> PerQuery:
        width = self.values.shape[1]
        return self.values[:, min(k, width) - 1] if width else np.zeros(len(self.values))

    def every(self, ranks: PerQuery) -> NDArray[np.float64]:
        values, depth = self.values[:, : len(ranks)], len(ranks)
        width = values.shape[1]
        if width == depth:
            return values
        every = np.zeros((len(values), depth))
        every[:, :width] = values
        if width:
            every[:, width:] = values[:, -1:]
        return every

    def sums(self, found: Found, totals: Curve) -> tuple[PerQuery, PerQuery]:
        width = min(self.values.shape[1], found.depth)
        if not width:
            return np.zeros(found.depth), np.zeros(found.depth)
        first, second = np.empty(found.depth), np.empty(found.depth)
        for k in range(1, width + 1):
            values = divide(found.total_at(k, totals), self.at(k))
            # No dot product: the threads that share it for long columns wait longer than they add.
            first[k - 1], second[k - 1] = values.sum(), np.square(values).sum()
        below = found.ranks > width
        final = self.values[:, -1:]
        for sums, steps in ((first, _steps(totals)), (second, _steps(totals * totals))):
            out_of = final if sums is first else final * final
            more = _added(found, np.where(below, divide(steps, out_of), 0.0))
            sums[width:] = sums[width - 1] + more[width:]
        return first, second


def last(totals: Curve) -> PerQuery:
    """The total behind the last place, 0 if there is none: float64[Q]."""
    return totals[:, -1] if totals.shape[1] else np.zeros(len(totals))


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
