"""How low can the mean of a population lie whose values are known to lie in a range?

Gaffke's bound (2005): the units of a sample get random weights that sum to 1 (Dirichlet, all
parameters 1), and so does one more unit, which nobody saw and which stands at the lowest value that
is possible. The chance that the mean under these weights is at most ``limit`` is the p-value of
"the mean is ``limit`` or less", and its quantile at alpha a lower bound. For values of two sizes,
one of them the lowest, this is Clopper's and Pearson's exact bound (1934); for others its level is
a conjecture without a known counterexample (Learned-Miller and Thomas 2019; Phan, Thomas and
Learned-Miller 2021), which docs/statistics.md checks. No shape is assumed: what a sample could have
missed is counted.

The chance is computed, not drawn: the sign of a weighted sum of exponential variables, by one
integral in the complex plane, to about five digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.units import Floats, Units

STEP, LAST = 0.3, 4.5
"""Step and end of the integral, which tests/stats/test_bounded_means.py checks by the beta
distribution."""
FEW, LAST_OF_FEW = 6, 15.0
"""With fewer units than this the integrand has longer tails, and ends later."""
MULTIPLIED = 64
"""Factors that are multiplied before a logarithm is taken: their product stays finite."""
TOGETHER = 1 << 18
"""Factors that stand in memory at once."""
PRECISE = 1e-7
"""A bound is as near to its chance."""

Complex = NDArray[np.complex128]


@dataclass(frozen=True, slots=True)
class BoundedMeans:
    """Means of samples under random weights, each with an unseen unit at the lowest value.

    Attributes:
        totals: float64[R, G + 1], the sum of each unit's values; the last is the unseen unit's.
        sizes: float64[G + 1], the queries in each.
    """

    totals: Floats
    sizes: Floats

    @classmethod
    def of(cls, units: Units, reach: float) -> BoundedMeans:
        """The means of C columns of units, then of the same with all signs turned: 2 C rows.
        An unseen cluster is as large as the largest seen: only such ones may have changed.

        Args:
            units: with values in [-reach, reach].
            reach: the largest value that is possible.
        """
        unseen = float(units.sizes.max())
        rows = np.concatenate([units.totals, 0.0 - units.totals])
        worst = np.full((len(rows), 1), -reach * unseen)
        return cls(np.concatenate([rows, worst], axis=1), np.append(units.sizes, unseen))

    def chances(self, limits: Floats) -> Floats:
        """float64[R]: that each mean is at most its limit, the p-values of "the mean is the limit
        or less".
        """
        return chances_at_most_zero(self.totals - limits[:, None] * self.sizes)

    def bounds(self, alpha: float) -> Floats:
        """float64[R]: the lower bounds of the means, each of which holds with 1 - ``alpha``."""
        from scipy.special import ndtri

        values = self.totals / self.sizes
        low, high = values.min(axis=1), values.max(axis=1)
        means = self.totals.sum(axis=1) / self.sizes.sum()
        spread = np.square(self.totals - means[:, None] * self.sizes).sum(axis=1)
        slope = self.sizes.sum() / np.sqrt(np.maximum(spread, 1e-300))
        wanted = float(ndtri(alpha))
        limits = means + wanted / slope
        limits = np.where((low < limits) & (limits < high), limits, (low + high) / 2)
        last = last_score = np.full(len(limits), np.nan)
        for _ in range(60):
            reached = self.chances(limits)
            # A row that is there stays, so that its digits depend on nothing beside it.
            on = (np.abs(reached - alpha) > PRECISE) & (high - low > PRECISE)
            if not on.any():
                break
            short = reached < alpha
            low, high = np.where(on & short, limits, low), np.where(on & ~short, limits, high)
            score = ndtri(np.clip(reached, 1e-300, 1 - 1e-16))
            apart = limits - last
            known = np.abs(apart) > 0  # not for the first, which is NaN
            risen = (score - last_score) / np.where(known, apart, 1.0)
            slope = np.where(known & (risen > 0), risen, slope)
            last, last_score = limits, score
            ahead = limits + (wanted - score) / slope
            ahead = np.where((low < ahead) & (ahead < high), ahead, (low + high) / 2)
            limits = np.where(on, ahead, limits)
        return np.asarray(limits)


def chances_at_most_zero(values: Floats) -> Floats:
    """float64[R]: P(X <= 0) of the sum X of each row of ``values``, each value times an exponential
    variable of its own.

    Args:
        values: float64[R, V].

    Source: the inversion of the characteristic function along a hyperbola through the saddle point.

    >>> import numpy as np
    >>> chances_at_most_zero(np.array([[0.02] * 40 + [-0.98]])).round(4).tolist()
    [0.4457]
    """
    most, least = values.max(axis=1), values.min(axis=1)
    found = np.where(most <= 0, 1.0, 0.0)
    rows = np.flatnonzero((most > 0) & (least < 0))
    cosh, sinh = _hyperbola(LAST if values.shape[1] > FEW else LAST_OF_FEW)
    together = max(1, TOGETHER // (len(cosh) * values.shape[1]))
    for start in range(0, len(rows), together):
        part = rows[start : start + together]
        found[part] = _chances(values[part], cosh, sinh)
    return found


def _chances(values: Floats, cosh: Floats, sinh: Floats) -> Floats:
    """The same of rows with values on both sides of 0."""
    below = values.sum(axis=1) > 0  # which tail is the small one
    place, spread, skew = _saddles(values, below)
    bend = np.clip(skew, -2.0, 2.0)[:, None] / 3
    points = np.asarray(
        place[:, None] + spread[:, None] * (1j * sinh + bend * (cosh - 1)), dtype=np.complex128
    )
    steps = spread[:, None] * (1j * cosh + bend * sinh)
    away = np.where(below[:, None], -points, points)
    logs = -_log_products(points, values) - np.log(away)
    top = logs.real[:, :1]
    parts = (np.exp(logs - top) * steps).imag
    tails = np.exp(top[:, 0]) * STEP * (parts.sum(axis=1) - parts[:, 0] / 2) / np.pi
    tails = np.clip(tails, 0.0, 1.0)
    return np.asarray(np.where(below, tails, 1 - tails))


def _saddles(values: Floats, below: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """float64[R] each: where the integrand is least on the real axis, nearly; its width there and
    its skewness."""
    low = np.where(below, 1 / values.min(axis=1), 0.0)
    high = np.where(below, 0.0, 1 / values.max(axis=1))
    slope, curve = values.sum(axis=1), np.square(values).sum(axis=1)
    root = np.sqrt(slope * slope + 4 * curve)
    place = np.where(below, -slope - root, -slope + root) / (2 * curve)
    place = np.where((low < place) & (place < high), place, (low + high) / 2)
    for _ in range(40):
        ratio = values / (1 - place[:, None] * values)
        squares = ratio * ratio
        first = ratio.sum(axis=1) - 1 / place
        second = squares.sum(axis=1) + 1 / place**2
        spread = 1 / np.sqrt(second)
        on = np.abs(first) * spread >= 0.01
        if not on.any():
            break
        low, high = (
            np.where(on & (first < 0), place, low),
            np.where(on & (first > 0), place, high),
        )
        ahead = place - first / second
        ahead = np.where((low < ahead) & (ahead < high), ahead, (low + high) / 2)
        place = np.where(on, ahead, place)
    third = 2 * (squares * ratio).sum(axis=1) - 2 / place**3
    return place, spread, third * spread**3


@lru_cache(maxsize=2)
def _hyperbola(last: float) -> tuple[Floats, Floats]:
    """The hyperbolic cosine and sine of each node."""
    nodes = np.arange(0.0, last + STEP / 2, STEP)
    return np.cosh(nodes), np.sinh(nodes)


def _log_products(points: Complex, values: Floats) -> Complex:
    """complex128[R, N]: the logarithm of the product of (1 - point · value) at each point, up to
    turns.
    """
    blocks = -(-values.shape[1] // MULTIPLIED)
    across = -(-values.shape[1] // blocks)
    padded = np.zeros((len(values), across * blocks))
    padded[:, : values.shape[1]] = values
    factors = _factors(points, padded).reshape(*points.shape, across, blocks)
    return np.asarray(np.log(np.multiply.reduce(factors, axis=2)).sum(axis=2))


def _factors(points: Complex, values: Floats) -> Complex:
    """1 - point · value; filled in halves, which is several times as fast."""
    found = np.empty((*points.shape, values.shape[1]), dtype=np.complex128)
    np.multiply(-points.real[:, :, None], values[:, None], out=found.real)
    found.real += 1
    np.multiply(-points.imag[:, :, None], values[:, None], out=found.imag)
    return found
