"""Power of the paired t test: how small a difference can this many queries show?

The planned analysis is a two-sided paired t test at ``alpha`` (after Bonferroni, alpha / m), so
under a true mean difference ``d`` with standard deviation ``sd`` of the per-query differences the
statistic follows a noncentral t distribution with ``n - 1`` degrees of freedom and noncentrality
``d / sd * sqrt(n)``. The figures are those of statsmodels' ``TTestPower``.

Plan with a difference that would matter and a spread known beforehand or from a pilot: the
"observed power" of a result already seen only restates its p-value (Hoenig & Heisey 2001).

With clustered queries ``n`` counts clusters, and :class:`~ragscore.stats.paired_power.PairedPower`
gives the ``sd`` that goes with it.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError, DataError

SMALLEST_SIZE = 2
#: Equal panels of the integrals: errors below 1e-12 (tests/stats/test_power.py).
PANELS = 32
#: The Gauss-Legendre rule of 16 nodes in each: nodes above 0, and their weights.
GAUSS_LEGENDRE = (
    (0.09501250983763745, 0.1894506104550681),
    (0.2816035507792589, 0.18260341504492328),
    (0.4580167776572274, 0.16915651939500212),
    (0.6178762444026438, 0.14959598881657638),
    (0.755404408355003, 0.12462897125553363),
    (0.8656312023878318, 0.09515851168249231),
    (0.9445750230732326, 0.06225352393864763),
    (0.9894009349916499, 0.027152459411756466),
)
#: Standard deviations on either side that are integrated; beyond lies less than 1e-17.
REACH = 9.0


def power_of(effect: float, sd: float, n: int, alpha: float = 0.05) -> float:
    """Chance that a two-sided paired t test on ``n`` queries finds a true mean difference.

    Args:
        effect: the true mean difference, in the measure's own units; its sign plays no part.
        sd: standard deviation of the per-query differences, in the same units.
        n: number of queries (of clusters, where queries are clustered).
        alpha: two-sided level; divide it by the number of comparisons.

    Raises:
        ConfigError: ``alpha`` is not between 0 and 1, ``effect`` is not finite.
        DataError: fewer than two queries, or a spread that is negative or not finite.

    >>> round(power_of(0.05, 0.2, 128), 4)
    0.8015
    """
    _check_level("alpha", alpha)
    _check_sd(sd)
    _check_size(n)
    if not math.isfinite(effect):
        raise ConfigError(f"the difference is {effect}", instead="It must be a finite number.")
    if effect == 0:
        return alpha
    return _power(abs(effect) / sd, n, alpha) if sd > 0 else 1.0


def detectable_difference(sd: float, n: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest true mean difference that ``n`` queries show with probability ``power``.

    In the measure's own units, positive; 0 if the differences have no spread at all, which is
    a sign that the spread was taken from too few queries.

    Raises:
        ConfigError: ``alpha`` or ``power`` is not between 0 and 1, or ``power`` not above
            ``alpha``.
        DataError: fewer than two queries, or a spread that is negative or not finite.

    >>> round(detectable_difference(0.2, 128), 4)
    0.0499
    """
    _check_levels(power, alpha)
    _check_sd(sd)
    _check_size(n)
    return _detectable_effect(n, power, alpha) * sd


@lru_cache(maxsize=256)
def _detectable_effect(n: int, power: float, alpha: float) -> float:
    """The smallest standardized effect; the same for every pair of retrievers."""
    low, high = 0.0, 1.0
    while _power(high, n, alpha) < power:
        low, high = high, high * 2
    while (middle := (low + high) / 2) not in (low, high):
        if _power(middle, n, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def queries_needed(difference: float, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """The smallest whole number of queries that shows ``difference`` with probability ``power``.

    Args:
        difference: the true mean difference that would matter, in the measure's own units.
        sd: standard deviation of the per-query differences, in the same units.
        power: the wanted chance of a significant result.
        alpha: two-sided level; divide it by the number of comparisons.

    Raises:
        ConfigError: ``difference`` is zero or not finite; ``alpha`` or ``power`` is not between
            0 and 1, or ``power`` not above ``alpha``.
        DataError: a spread that is negative or not finite.

    >>> queries_needed(0.05, 0.2)
    128
    """
    _check_levels(power, alpha)
    _check_sd(sd)
    if difference == 0 or not math.isfinite(difference):
        raise ConfigError(
            f"no number of queries shows a difference of {difference}",
            instead="Name a difference that would matter, for example 0.01.",
        )
    if sd == 0:
        return SMALLEST_SIZE
    return _needed(abs(difference) / sd, power, alpha)


@lru_cache(maxsize=4096)
def _needed(effect: float, power: float, alpha: float) -> int:
    """The smallest size that shows a standardized effect above 0."""
    from scipy.special import ndtri

    # Of normal means; t needs about z² / 2 more.
    critical = -float(ndtri(alpha / 2))
    near = ((critical + float(ndtri(power))) / effect) ** 2 + critical**2 / 2
    low, high, step = max(SMALLEST_SIZE - 1, math.ceil(near) - 2), math.ceil(near) + 2, 4
    while low >= SMALLEST_SIZE and _power(effect, low, alpha) >= power:
        low, high, step = max(SMALLEST_SIZE - 1, low - step), low, 2 * step
    while _power(effect, high, alpha) < power:
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        if _power(effect, middle, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def _power(effect: float, n: int, alpha: float) -> float:
    """Power at a standardized ``effect`` > 0: both tails, the wrong one too."""
    from scipy.special import stdtrit

    degrees = n - 1
    critical = -float(stdtrit(degrees, alpha / 2))
    shift = effect * math.sqrt(n)
    return _above(critical, degrees, shift) + _above(critical, degrees, -shift)


def _above(critical: float, degrees: int, shift: float) -> float:
    """P(T > critical > 0) for the noncentral t variable ``T = (Z + shift) / S``.

    ``scipy.special.nctdtr`` loses digits or returns nan for large shifts, depending on scipy's
    version; so one of the two variables is integrated out: the one in whose units the other's
    distribution function is no steeper than a normal one, since that integral is smooth.
    """
    from scipy.special import gammainc, ndtr

    nodes, weights = _quadrature()
    spread = 1 / math.sqrt(2 * degrees)  # of S = sqrt(chi2 / degrees), nearly
    if critical * spread <= 1:
        low = max(-1.0, -REACH * spread)
        u = low + (REACH * spread - low) * nodes  # S - 1
        grown = np.log1p(u)
        log_density = degrees * (grown - u - u * u / 2) - grown
        weights = weights * np.exp(log_density - log_density.max())
        return float(weights @ ndtr(shift - critical * (1 + u)) / weights.sum())
    low = max(-REACH, -shift)
    if low >= REACH:
        return 0.0
    z = low + (REACH - low) * nodes
    below = gammainc(degrees / 2, degrees / 2 * ((z + shift) / critical) ** 2)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return float((REACH - low) * (weights @ (density * below)))


@lru_cache(maxsize=1)
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes in (0, 1) and weights that sum to 1: Gauss-Legendre on equal panels."""
    above, half = np.array(GAUSS_LEGENDRE).T
    nodes, weights = np.concatenate((-above[::-1], above)), np.concatenate((half[::-1], half))
    starts = np.arange(PANELS)[:, None]
    return ((starts + (nodes + 1) / 2) / PANELS).ravel(), np.tile(weights / 2 / PANELS, PANELS)


def _check_levels(power: float, alpha: float) -> None:
    _check_level("alpha", alpha)
    _check_level("power", power)
    if power <= alpha:
        raise ConfigError(
            f"power {power} is not above alpha {alpha}",
            instead="A test reaches alpha with no difference at all; usual is a power of 0.8.",
        )


def _check_level(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ConfigError(f"{name} is {value}", instead="It must lie between 0 and 1.")


def _check_sd(sd: float) -> None:
    if not (sd >= 0 and math.isfinite(sd)):
        raise DataError(
            f"the standard deviation of the differences is {sd}",
            instead="It must be a number, 0 or more; it needs at least two queries.",
        )


def _check_size(n: int) -> None:
    if n < SMALLEST_SIZE:
        raise DataError(
            f"neither power nor spread can be computed for n = {n}",
            instead=f"A paired t test needs at least {SMALLEST_SIZE} queries (or clusters).",
        )
