"""Does a mean paired difference lie above, or below, a threshold? One-sided paired tests.

Both directions of one statistic: small ``p_above`` shows that the mean lies above the
threshold, small ``p_below`` that it lies below. Non-inferiority within a margin is ``p_above`` at
``-margin``; that a drop is larger than an allowance is ``p_below`` at ``-allowance``.

The statistic is that of the interval that is shown beside it. In a comparison this is Student's t;
where few queries differ that of the interval that holds there (:mod:`ragscore.stats.few_differ`),
and where no interval holds nothing is shown: both p-values are 1. t can miss what a sample does not
hold, a few large differences among many small ones. Who acts on the answer without looking, as a
gate does, says how far a difference ``reach``es: then both are Gaffke's
(:mod:`ragscore.stats.bounded_means`), which allow for the largest differences that are possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragscore.stats.bounded_means import BoundedMeans
from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.few_differ import with_two_more
from ragscore.stats.intervals import Interval
from ragscore.stats.units import checked_values, units_of

ALPHA = 0.05
"""Significance level of each one-sided test."""


@dataclass(frozen=True, slots=True)
class OneSided:
    """Both one-sided tests of a mean difference against a threshold.

    Attributes:
        p_above: of "the mean is the threshold or less".
        p_below: of "the mean is the threshold or more".
    """

    p_above: float
    p_below: float


def intervals90(
    differences: ArrayLike, *, clusters: ArrayLike | None = None, reach: float | None = None
) -> list[Interval]:
    """The 90 % interval of the mean of each row of float64[C, Q]: its ends are the one-sided 95 %
    bounds that the tests go by.

    Args:
        differences: float64[C, Q], one per query.
        clusters: int64[Q], the cluster of each query.
        reach: every difference that is possible lies in [-reach, reach]; None for t.

    Raises:
        DataError: no query, or a difference that is not a number.
    """
    level = 1 - 2 * ALPHA
    if reach is None:
        return difference_intervals(differences, level=level, clusters=clusters)
    columns = checked_values(differences, what="differences", dimensions=2)
    low, high = np.split(BoundedMeans.of(units_of(columns, clusters), reach).bounds(ALPHA), 2)
    ends = zip(low.tolist(), (0.0 - high).tolist(), strict=True)
    return [Interval(lower, upper, level, "bounded") for lower, upper in ends]


def one_sided_tests(
    differences: ArrayLike,
    thresholds: Sequence[float],
    *,
    clusters: ArrayLike | None = None,
    intervals: Sequence[Interval] | None = None,
    reach: float | None = None,
) -> list[OneSided]:
    """Test the mean of each row of float64[C, Q] against its threshold, in both directions.

    Clusters: as everywhere in this package the mean is over queries, its standard error is CR2
    over clusters, and t has the degrees of freedom that go with it.

    Args:
        differences: float64[C, Q], one per query.
        thresholds: C, in the measure's units.
        clusters: int64[Q], the cluster of each query.
        intervals: what :func:`intervals90` gave, where the caller has it.
        reach: as for the intervals.

    Returns:
        With t both p-values are 1 where the differences have no spread (all the same, or only
        one), or too few of them are not 0 for any interval to hold.

    Raises:
        DataError: no query, or a difference that is not a number.

    >>> [found] = one_sided_tests([[0.01, -0.02, 0.0, 0.02, -0.01, 0.01]], [-0.05])
    >>> round(found.p_above, 4), round(found.p_below, 4)
    (0.0002, 0.9998)
    """
    columns = checked_values(differences, what="differences", dimensions=2)
    units = units_of(columns, clusters)
    if reach is not None:
        limits = np.asarray(thresholds, dtype=np.float64)
        chances = BoundedMeans.of(units, reach).chances(np.concatenate([limits, -limits]))
        both = zip(*np.split(chances, 2), strict=True)
        return [OneSided(float(p_above), float(p_below)) for p_above, p_below in both]
    known = intervals90(columns, clusters=clusters) if intervals is None else intervals
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
