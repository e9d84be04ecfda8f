"""How often the tests of a bounded mean show what is true, and how many units they take for it.

A true mean other than that of the sample is taken as the least change of the sample that has it
(in relative entropy): each value's chance times ``exp(tilt · value)``. All means lie along that one
line, and the sample that is just enough for the test does too: a test of ``n`` units shows the mean
to be above a limit where the sample's mean is above that of the tilt whose ``n`` units have
a chance (:mod:`ragscore.stats.bounded_means`) of alpha. The power is the chance of such a sample
mean under the true tilt, by the saddle point (Barndorff-Nielsen 1986), which keeps zeros, steps
and skewness.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ragscore.stats.few_differ import few_differ, with_two_more
from ragscore.stats.units import SAME, Floats, Units

GROUPS = 16
"""More distinct values than twice this are put together, each group as its mean."""
MAX_UNITS = 1 << 40
"""More units than this are not counted out."""
MORE = 0.3
"""The weight of each of two more units: without them the power is stated too high, with whole ones
too low."""
NEAR = 0.01
"""How near a normal score or a power must be to be "about" right."""
FAR = 40.0
"""A normal score that is certain."""
STEPS = 60
"""At most, of each search."""


@dataclass(frozen=True, slots=True)
class BoundedPower:
    """The values of a sample, from which others are drawn whose mean is another one.

    Attributes:
        values: float64[V], distinct; of a cluster its total, less what its size makes of it, over
            the mean size.
        shares: float64[V], of the units.
        lowest: no value lies below.
        unseen: the size of a unit that nobody saw, over the mean size.
        size: queries in a unit, on average.
    """

    values: Floats
    shares: Floats
    lowest: float
    unseen: float
    size: float

    @classmethod
    def of(cls, units: Units, lowest: float, limit: float) -> BoundedPower:
        """Of the one column of the units; with two more, one won and one lost by the largest value
        seen, where few differ or no mean beside ``limit`` could be drawn from them.
        """
        size = units.queries / units.count
        unseen = float(units.sizes.max()) / size
        values = units.means()[0] + units.residuals()[0] / units.sizes.mean()
        weights = np.ones(units.count)
        if few_differ(units)[0] or not values.min() < -abs(limit) - SAME < SAME < values.max():
            more = with_two_more(units)
            values = more.means()[0] + more.residuals()[0] / more.sizes.mean()
            weights = np.append(weights, [MORE, MORE])
        return cls(*_grouped(values, weights), lowest, unseen, size)

    def power(self, mean: float, limit: float, units: int, alpha: float) -> float:
        """The chance that this number of units shows a true mean above ``limit`` to be above it."""
        enough = self._enough(limit, units, alpha)
        return 0.0 if enough is None else _above(*self._roots(self._tilt(mean), enough), units)

    def detectable(
        self, limit: float, units: int, alpha: float, *, power: float = 0.8
    ) -> float | None:
        """The least true mean that this number of units shows to be above ``limit`` with this
        power; None if it shows none that often."""
        enough = self._enough(limit, units, alpha)
        if enough is None:
            return None

        def short(tilt: float) -> float:
            return power - _above(*self._roots(tilt, enough), units)

        found = self._falls_through(short, enough)
        return None if found is None else self._moments(found)[1]

    def needed(self, mean: float, limit: float, alpha: float, *, power: float = 0.8) -> int | None:
        """How many queries show a true mean above ``limit`` to be above it with this power; None
        for too many to count."""
        from scipy.special import ndtri

        true, edge = self._tilt(mean), self._tilt(limit)
        z = float(ndtri(power))

        def units(share: float) -> float:
            """So many have this power where the sample mean has to be so far towards the true."""
            signed, slope = self._roots(true, edge + share * (true - edge))
            bent = math.log(slope / signed)
            root = (-z - math.sqrt(max(z * z - 4 * bent, 0.0))) / 2
            return (root / signed) ** 2

        def over(share: float) -> float:
            count = min(units(share), float(MAX_UNITS))
            return self._score(edge + share * (true - edge), limit, count, alpha)

        low, high = 1e-3, 1 - 1e-5
        if over(low) <= 0:
            return math.ceil(units(low) * self.size)
        if over(high) >= 0:
            return None
        return math.ceil(units(_root(over, low, high)) * self.size)

    @property
    def _reach(self) -> float:
        return float(self.values.max() - self.values.min())

    def _enough(self, limit: float, units: int, alpha: float) -> float | None:
        """The tilt from which this number of units shows a mean above ``limit``; None for none."""

        def over(tilt: float) -> float:
            return self._score(tilt, limit, units, alpha)

        return self._falls_through(over, self._tilt(limit))

    def _falls_through(self, function: Callable[[float], float], low: float) -> float | None:
        """The tilt above ``low`` at which a function of it falls through 0; None for none."""
        step = 1 / self._reach
        for _ in range(STEPS):
            high = low + step
            if function(high) < 0:
                return _root(function, low, high)
            if self._moments(high)[2] <= SAME:
                break
            low, step = high, 1.5 * step
        return None

    def _tilt(self, mean: float) -> float:
        """The tilt that gives this mean, or one a little inside the values' range."""
        reach = self._reach
        inside = float(self.values.min()) + 1e-3 * reach, float(self.values.max()) - 1e-3 * reach
        mean = min(max(mean, inside[0]), inside[1])
        low, high, tilt = -math.inf, math.inf, 0.0
        for _ in range(STEPS):
            _, found, variance = self._moments(tilt)
            if abs(found - mean) <= 1e-6 * reach:
                break
            low, high = (tilt, high) if found < mean else (low, tilt)
            step = (mean - found) / max(variance, 1e-12 * reach * reach)
            tilt += min(max(step, -5 / reach), 5 / reach)
            if not low < tilt < high:
                tilt = (low + high) / 2
        return tilt

    def _moments(self, tilt: float) -> tuple[float, float, float]:
        """The cumulant function of the sample there, and the mean and variance of its values."""
        powers = tilt * self.values
        top = float(powers.max())
        weights = self.shares * np.exp(powers - top)
        total = float(weights.sum())
        mean = float(weights @ self.values) / total
        variance = float(weights @ np.square(self.values - mean)) / total
        return top + math.log(total), mean, variance

    def _score(self, tilt: float, limit: float, units: float, alpha: float) -> float:
        """How far from enough a sample is that looks like this tilt: above 0 it's not enough."""
        from scipy.special import ndtri

        powers = tilt * self.values
        weights = self.shares * np.exp(powers - powers.max())
        counts = np.maximum(units * weights / weights.sum(), 1e-12)
        values = np.append(self.values - limit, (self.lowest - limit) * self.unseen)
        return score_at_most_zero(values, np.append(counts, 1.0)) - float(ndtri(alpha))

    def _roots(self, true: float, needed: float) -> tuple[float, float]:
        """Signed root and slope of one unit, for the chance of a mean above that of ``needed``."""
        start, _, _ = self._moments(true)
        end, mean, variance = self._moments(needed)
        apart = needed - true
        gone = max(apart * mean - (end - start), 1e-18)
        return math.copysign(math.sqrt(2 * gone), apart), apart * math.sqrt(variance)


def score_at_most_zero(values: Floats, counts: Floats) -> float:
    """The normal score of P(X <= 0) of the sum X of ``values``, each times a gamma variable of its
    own with the shape in ``counts``: as :func:`ragscore.stats.bounded_means.chances_at_most_zero`,
    for shares of units too, by the saddle point.

    >>> import numpy as np
    >>> from scipy.special import ndtr
    >>> round(float(ndtr(score_at_most_zero(np.array([0.02, -0.98]), np.array([150.0, 1.0])))), 2)
    0.05
    """
    most, least = float(values.max()), float(values.min())
    if most <= 0 or least >= 0:
        return FAR if most <= 0 else -FAR
    low, high = 1 / least, 1 / most
    place = -float(counts @ values) / float(counts @ np.square(values))
    for _ in range(STEPS):
        if not low < place < high:
            place = (low + high) / 2
        ratio = values / (1 - place * values)
        weighted = counts * ratio
        slope, curve = float(weighted.sum()), float(weighted @ ratio)
        if abs(slope) < NEAR * math.sqrt(curve):
            break
        low, high = (place, high) if slope < 0 else (low, place)
        place -= slope / curve
    gone = float(counts @ np.log1p(-place * values))  # the cumulant function, with its sign turned
    root = math.copysign(math.sqrt(2 * max(gone, 0.0)), place)
    if abs(root) < 1e-3:
        return root - float(counts @ ratio**3) / (3 * math.pow(curve, 1.5))
    return root + math.log(place * math.sqrt(curve) / root) / root


def _above(signed: float, slope: float, units: int) -> float:
    """The chance of a mean above, of this number of units; near the true mean a normal one."""
    from scipy.special import ndtr

    root = math.sqrt(units) * signed
    if abs(root) > 1e-3 and slope / signed > 0:
        root += math.log(slope / signed) / root
    return float(ndtr(-root))


def _grouped(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Distinct values and their shares, or those of groups of neighbours; zeros stay zeros."""
    distinct, at = np.unique(values, return_inverse=True)
    counts = np.bincount(at, weights)
    if len(distinct) > 2 * GROUPS:
        sides = np.flatnonzero(distinct < -SAME), np.flatnonzero(distinct > SAME)
        groups = [group for side in sides for group in np.array_split(side, GROUPS) if len(group)]
        means = [float(np.average(distinct[group], weights=counts[group])) for group in groups]
        totals = [float(counts[group].sum()) for group in groups]
        tied = float(counts.sum()) - sum(totals)
        if tied > SAME:
            means, totals = [*means, 0.0], [*totals, tied]
        distinct, counts = np.array(means), np.array(totals)
    return distinct, counts / counts.sum()


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function falls through 0, by regula falsi (Anderson and Björck 1973)."""
    at_low, at_high = function(low), function(high)
    for _ in range(STEPS):
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        here = function(middle)
        if abs(here) < NEAR:
            return middle
        if (here > 0) == (at_high > 0):
            factor = 1 - here / at_high
            at_low *= factor if factor > 0 else 0.5
        else:
            low, at_low = high, at_high
        high, at_high = middle, here
    return high
