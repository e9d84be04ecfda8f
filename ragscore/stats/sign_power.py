"""Power where few units differ, or all by one step: from the distribution of wins and losses.

Student's power takes the spread for given. Where one query in ten differs that is far from true: a
larger true difference needs more queries that differ, and sign flips count in whole queries (6
wins and no loss are the least that reach .05). Here a unit is won or lost by one step: with chance
``q`` it differs at all, and under a true difference both chances are tilted, wins up and losses
down by one factor, which is the least change of the distribution that has that mean. Of K units
that differ the wins are binomial, and the test is that of the sign flips, McNemar's exact one.

Differences of unequal sizes are taken as steps that have the same mean size and mean square.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.few_differ import few_differ, with_two_more
from ragscore.stats.units import SAME, Units

NORMAL_FROM = 4_000
"""From this many differing units on, the wins are taken as normal."""
MAX_UNITS = 1 << 40
"""More units than this are not counted out."""


@dataclass(frozen=True, slots=True)
class WinLossSteps:
    """Differences as steps of one size.

    Attributes:
        size: of a step, in the measure's units.
        share: of the units that differ, where the true difference is 0.
    """

    size: float
    share: float


def steps_of(units: Units) -> list[WinLossSteps | None]:
    """The steps of each column of differences, with two more units as for its interval; None if
    many differ by many sizes, for which Student's power holds, or where none does.
    """
    sizes = np.abs(units.totals)
    differs = sizes > SAME
    largest, least = sizes.max(axis=1), np.where(differs, sizes, np.inf).min(axis=1)
    stepped = differs.any(axis=1) & (few_differ(units) | (largest - least <= SAME))
    found: list[WinLossSteps | None] = [None] * len(sizes)
    for column in np.flatnonzero(stepped).tolist():
        more = with_two_more(units.only([column]))
        values = np.abs(more.totals[0]) / more.sizes.mean()
        mean, square = float(values.mean()), float(np.square(values).mean())
        found[column] = WinLossSteps(square / mean, min(1.0, mean * mean / square))
    return found


def steps_power(steps: WinLossSteps, difference: float, n: int, alpha: float = 0.05) -> float:
    """The chance that sign flips of ``n`` units find a true mean difference, on the right side.

    Args:
        steps: how the units differ.
        difference: the true mean difference; its sign plays no part.
        n: number of units.
        alpha: two-sided level; divide it by the number of comparisons.

    Returns:
        NaN if no tilt of such steps has that mean: the difference is a whole step or more.

    >>> round(steps_power(WinLossSteps(1.0, 0.1), 0.125, 50), 2)
    0.5
    """
    wins, losses = _tilted(abs(difference) / steps.size, steps.share)
    differ = wins + losses
    if math.isnan(differ):
        return math.nan
    if n * differ > NORMAL_FROM:
        return _normal_power(wins, losses, n, alpha)
    from scipy.special import bdtrc, gammaln, xlog1py, xlogy

    reach = 6 * math.sqrt(n * differ) + 8  # beyond it is less than a chance of 1e-8
    counts = np.arange(max(0, int(n * differ - reach)), min(n, int(n * differ + reach)) + 1)
    log_chance = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    log_chance += xlogy(counts, differ) + xlog1py(n - counts, -differ)
    least = _least_wins(alpha, 1 << int(counts[-1]).bit_length())[counts]
    reached = np.where(least > counts, 0.0, bdtrc(least - 1.0, counts, wins / differ))
    return float(np.exp(log_chance) @ reached)


@lru_cache(maxsize=4096)  # one pair stands in many tables
def steps_detectable(
    steps: WinLossSteps, n: int, *, power: float = 0.8, alpha: float = 0.05
) -> float | None:
    """The smallest true mean difference that ``n`` units show with probability ``power``; None
    if not even a win in every unit is shown so often.
    """
    low, high = 0.0, steps.size * (1 - 1e-9)
    if not steps_power(steps, high, n, alpha) >= power:
        return None
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        if steps_power(steps, middle, n, alpha) < power:
            low = middle
        else:
            high = middle
    return high


@lru_cache(maxsize=4096)
def steps_needed(
    steps: WinLossSteps, difference: float, *, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """How many units show ``difference`` with probability ``power``; None if the difference is
    a whole step or more, so that such steps say nothing of it.
    """
    if abs(difference) >= steps.size:
        return None
    low, high = 1, 2
    while steps_power(steps, difference, high, alpha) < power:
        low, high = high, high * 2
        if high > MAX_UNITS:
            return None
    while high - low > max(1, high // 1_000):
        middle = (low + high) // 2
        if steps_power(steps, difference, middle, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def _tilted(mean: float, share: float) -> tuple[float, float]:
    """Chances of a win and of a loss whose difference is ``mean``, from share / 2 each: both
    times a factor and its inverse, and all three brought to 1 again."""
    if mean >= 1:
        return math.nan, math.nan
    tied = 1 - share
    root = math.sqrt(mean**2 * tied**2 + share**2 * (1 - mean**2))
    factor = (mean * tied + root) / (share * (1 - mean))
    win, loss = share / 2 * factor, share / 2 / factor
    total = tied + win + loss
    return win / total, loss / total


def _normal_power(wins: float, losses: float, n: int, alpha: float) -> float:
    from scipy.special import ndtr, ndtri

    differ, mean = wins + losses, wins - losses
    reached = -float(ndtri(alpha / 2)) * math.sqrt(n * differ)
    return float(ndtr((n * mean - reached) / math.sqrt(n * (differ - mean**2))))


@lru_cache(maxsize=64)
def _least_wins(alpha: float, below: int) -> NDArray[np.int64]:
    """int64[below]: by how many differ, the fewest wins that the exact two-sided test shows;
    more than there are where none are."""
    from scipy.special import bdtrc, ndtri

    counts = np.arange(below)
    z = -float(ndtri(alpha / 2))
    # From a thousand on, the normal approximation is short by one or two; below, of levels under
    # 1e-4, it may be over by one.
    wins = np.floor(counts / 2 + z * np.sqrt(counts) / 2) + np.where(counts < 1_000, -1, 1)
    wins = np.maximum(wins, np.ceil(counts / 2))
    few = counts
    while len(few):
        won, differ = wins[few], counts[few]
        tail = np.where(won > differ, 0.0, 2 * bdtrc(won - 1, differ, 0.5))
        tail[won < 1] = 1.0
        few = few[tail >= alpha]
        wins[few] += 1
    return np.asarray(wins, dtype=np.int64)
