"""Does a mean paired difference lie above, or below, a threshold? One-sided paired tests.

Both directions of the same t statistic: small ``p_above`` shows that the mean lies above the
threshold, small ``p_below`` that it lies below. Non-inferiority within a margin is ``p_above`` at
``-margin``; that a drop is larger than an allowance is ``p_below`` at ``-allowance``. Where few
queries differ, both are those of the interval that holds there
(:mod:`ragscore.stats.few_differ`), and where no interval holds nothing is shown: both are 1.

Where 5 or fewer of independent queries differ, t has nothing to stand on, yet a large drop can
still be excluded for differences that lie in [-1, 1]: a mean drop of ``d`` needs at least the
share ``d`` of queries to get worse, so the chance of so few worse ones is at most binomial
(:func:`p_excluded`, after Clopper and Pearson 1934).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.few_differ import with_two_more
from ragscore.stats.intervals import Interval
from ragscore.stats.units import checked_values, units_of

ALPHA = 0.05
"""Of each one-sided test."""


@dataclass(frozen=True, slots=True)
class OneSided:
    """Both one-sided tests of a mean difference against a threshold.

    Attributes:
        p_above: of "the mean is the threshold or less".
        p_below: of "the mean is the threshold or more".
    """

    p_above: float
    p_below: float


def intervals90(differences: ArrayLike, *, clusters: ArrayLike | None = None) -> list[Interval]:
    """The 90 % interval of the mean of each row of float64[C, Q]: its ends are the one-sided 95 %
    bounds that the tests go by.

    Raises:
        DataError: no query, or a difference that is not a number.
    """
    return difference_intervals(differences, level=1 - 2 * ALPHA, clusters=clusters)


def one_sided_tests(
    differences: ArrayLike,
    thresholds: Sequence[float],
    *,
    clusters: ArrayLike | None = None,
    intervals: Sequence[Interval] | None = None,
) -> list[OneSided]:
    """Test the mean of each row of float64[C, Q] against its threshold, in both directions.

    Clusters: as everywhere in this package the mean is over queries, its standard error is CR2
    over clusters, and t has the degrees of freedom that go with it.

    Args:
        differences: float64[C, Q], one per query.
        thresholds: C, in the measure's units.
        clusters: int64[Q], the cluster of each query.
        intervals: what :func:`intervals90` gave, where the caller has it.

    Returns:
        Both p-values are 1 where the differences have no spread (all the same, or only one), or
        too few of them are not 0 for any interval to hold.

    Raises:
        DataError: no query, or a difference that is not a number.

    >>> [found] = one_sided_tests([[0.01, -0.02, 0.0, 0.02, -0.01, 0.01]], [-0.05])
    >>> round(found.p_above, 4), round(found.p_below, 4)
    (0.0002, 0.9998)
    """
    columns = checked_values(differences, what="differences", dimensions=2)
    known = intervals90(columns, clusters=clusters) if intervals is None else intervals
    units = units_of(columns, clusters)
    found = [OneSided(1.0, 1.0)] * len(columns)
    from scipy.special import stdtr

    for more in (False, True):
        at = [
            column
            for column, interval in enumerate(known)
            if interval.estimable and (interval.method == "plus-two") is more
        ]
        if not at:
            continue
        here = with_two_more(units.only(at)) if more else units.only(at)
        wanted = np.array([thresholds[column] for column in at])
        statistics = (here.means() - wanted) / here.standard_errors()
        degrees = here.degrees()
        above, below = stdtr(degrees, -statistics).tolist(), stdtr(degrees, statistics).tolist()
        for column, p_above, p_below in zip(at, above, below, strict=True):
            found[column] = OneSided(p_above, p_below)
    return found


def p_excluded(worse: int, queries: int, drop: float) -> float:
    """The p-value of "the mean falls by ``drop`` or more", of independent differences in [-1, 1].

    Args:
        worse: queries with a difference below 0.
        queries: all of them.
        drop: above 0.

    >>> round(p_excluded(0, 40, 0.02), 2), round(p_excluded(0, 150, 0.02), 3)
    (0.45, 0.048)
    """
    if drop <= 0:
        return 1.0
    if drop >= 1:
        return 0.0
    from scipy.special import bdtr

    return float(bdtr(worse, queries, drop))


def queries_that_exclude(drop: float, alpha: float) -> int | None:
    """How many queries exclude a drop by :func:`p_excluded`, if none of them gets worse; None for
    a drop of 0, which none exclude.

    >>> queries_that_exclude(0.02, 0.05)
    149
    """
    if drop <= 0:
        return None
    return 1 if drop >= 1 else math.ceil(math.log(alpha) / math.log1p(-drop))
