"""Which of many systems are within noise of the best: all paired differences at once.

The system with the highest mean was chosen by the data, and the more systems there are, the further
luck alone carries one of them. So each difference to it is held against the largest of all pairs
that chance makes: in each of B patterns every query's (cluster's) values change their sign
together, and the largest studentised difference among all pairs is noted (max-T; Westfall and
Young, Resampling-Based Multiple Testing, 1993, 2.2). The chance that any system as good as the
truly best is left out is then alpha for the whole grid, whichever the data chose, where the
differences are symmetric around their means, and nearly so elsewhere.

The same quantile gives intervals that hold for all differences at once. Where few queries differ
they rest on two more, as every interval of this package (:mod:`ragscore.stats.few_differ`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.arrays import divide
from ragscore.errors import ConfigError
from ragscore.stats.few_differ import TOO_FEW, differing, few_differ, with_two_more
from ragscore.stats.resampling import flipped_sums
from ragscore.stats.units import SAME, Floats, Units, checked_draws, checked_values, units_of

FLIPS = 2_000
"""Sign patterns; this number puts the 95 % point of the largest difference within half a point."""
_ROUNDING = 1e-12
"""A sum of squared differences below it is that of systems that are the same."""
_AT_ONCE = 128
"""Patterns in one step, so that their sums stay in the processor's cache."""
SAME_STATISTIC = 1e-5
"""Two studentised differences this near are tied."""


@dataclass(frozen=True, eq=False)
class BestSet:
    """C systems against the best of them.

    Attributes:
        best: the system with the highest mean, the first of equals.
        within: bool[C], systems that are not decided to be worse than it; itself too.
        difference: float64[C], the mean of the best less each mean, 0 or more.
        low, high: float64[C], the interval of each difference; all hold at once. 0 for systems
            that score the same on every query; NaN if 5 or fewer queries (clusters) differ, or
            nothing can be estimated.
        p: float64[C], adjusted for all pairs: how often chance makes a largest difference of some
            pair like this one; 1 for the best.
        differing: int64[C], queries (clusters) on which a system differs from the best.
    """

    best: int
    within: NDArray[np.bool_]
    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    differing: NDArray[np.int64]


def best_set(
    values: ArrayLike,
    *,
    level: float = 0.95,
    flips: int = FLIPS,
    seed: int = 1234,
    clusters: ArrayLike | None = None,
) -> BestSet:
    """The systems that are within noise of the one with the highest mean.

    Args:
        values: float64[C, Q], higher is better, defined everywhere.
        level: 1 less the chance of leaving out any system that is as good as the truly best.
        flips: sign patterns, at least 100.
        seed: of the signs.
        clusters: int64[Q], the cluster of each query.

    Raises:
        ConfigError: ``level`` or ``flips`` is out of range.
        DataError: a value is not defined, or labels do not fit.

    >>> values = np.array([[0.9, 0.8, 0.7] * 9, [0.5, 0.3, 0.4] * 9, [0.8, 0.9, 0.7] * 9])
    >>> found = best_set(values)
    >>> found.best, found.within.tolist(), found.difference.round(3).tolist()
    (0, [True, False, True], [0.0, 0.4, 0.0])
    """
    checked_draws(flips, seed)
    if not 0.5 <= level < 1:
        raise ConfigError(f"level is {level}", instead="Use a share from 0.5 to below 1")
    scores = checked_values(values, dimensions=2)
    # What all systems share cancels in every difference; without it rounding stays small.
    units = units_of(scores - scores.mean(axis=0), clusters)
    means = units_of(scores, clusters).means()
    best = int(np.argmax(means >= means.max() - SAME))
    lost = units.totals[best] - units.totals
    gaps = replace(units, totals=np.where(np.abs(lost) <= SAME, 0.0, lost))
    largest = np.sort(_largest_pairs(units.totals, flips, seed))
    norm = np.sqrt(np.square(gaps.totals).sum(axis=1))
    reached = divide(gaps.totals.sum(axis=1), norm)
    # Ties count against the difference, those that rounding parts as well.
    p = (len(largest) - np.searchsorted(largest, reached - SAME_STATISTIC) + 1) / (len(largest) + 1)
    rank = int(np.ceil(level * (flips + 1))) - 1
    low, high = _intervals(gaps, float(largest[min(rank, flips - 1)]))
    count = differing(gaps)
    worse = (p <= 1 - level) & (low > 0) & (count > TOO_FEW)
    p[best] = 1.0
    return BestSet(best, ~worse, gaps.means(), low, high, p, count)


def _largest_pairs(totals: Floats, flips: int, seed: int) -> Floats:
    """float64[flips]: the largest of all pairs' sums with random signs, each over the root of the
    sum of its squares, which the signs do not change."""
    gram = totals @ totals.T
    own = np.diagonal(gram)
    squares = own[:, None] + own - 2 * gram
    known = squares > _ROUNDING
    # In float32, which no sum is taken in: half the time, and the same digits everywhere.
    scale = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(gram), where=known)
    scale = scale.astype(np.float32)
    found = []
    for sums in flipped_sums(totals, flips, seed):
        for start in range(0, len(sums), _AT_ONCE):
            part = sums[start : start + _AT_ONCE].T.astype(np.float32)  # a pair is two rows
            largest = np.zeros(part.shape[1], dtype=np.float32)
            space = np.empty_like(part)
            for system in range(len(part) - 1):
                pairs = space[system + 1 :]
                np.subtract(part[system + 1 :], part[system], out=pairs)
                np.multiply(pairs, scale[system, system + 1 :, None], out=pairs)
                np.abs(pairs, out=pairs)
                np.maximum(largest, pairs.max(axis=0), out=largest)
            found.append(largest.astype(np.float64))
    return np.concatenate(found)


def _intervals(gaps: Units, largest: float) -> tuple[Floats, Floats]:
    """Intervals of mean differences that hold at once: float64[C] each.

    Each holds the differences that the test would not reject, those for which the sum of the
    units' deviations is no more than ``largest`` times the root of the sum of their squares:
    between the roots of a quadratic equation (Fieller 1954). For units of one size this is t.

    Args:
        gaps: the differences.
        largest: the quantile of the largest sum over the root of its squares.
    """
    low, high = np.full(len(gaps.totals), np.nan), np.full(len(gaps.totals), np.nan)
    low[(gaps.totals == 0).all(axis=1)] = high[(gaps.totals == 0).all(axis=1)] = 0.0
    some = differing(gaps) > TOO_FEW
    few = few_differ(gaps)
    for part, units in ((some & ~few, gaps), (some & few, with_two_more(gaps))):
        queries, square = units.sizes.sum(), largest**2
        room = queries**2 - square * (units.sizes @ units.sizes)
        if room > 0:
            totals = units.totals[part]
            sums = totals.sum(axis=1)
            middle = sums * queries - square * (totals @ units.sizes)
            outside = sums**2 - square * np.square(totals).sum(axis=1)
            half = np.sqrt(np.maximum(middle**2 - room * outside, 0.0))
            low[part], high[part] = (middle - half) / room, (middle + half) / room
    return low, high
