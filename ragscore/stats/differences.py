"""Intervals of the mean of paired differences: t, or what holds where few differ.

>>> difference_interval([0.1] * 6 + [0.0] * 60).method
'plus-two'
"""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from ragscore.stats.few_differ import TOO_FEW, differing, few_differ, only_differ, with_two_more
from ragscore.stats.intervals import Interval, Method, intervals_of, t_intervals
from ragscore.stats.strings import STRINGS
from ragscore.stats.units import Floats, Units, checked_values, units_of


def difference_interval(
    differences: ArrayLike,
    *,
    method: Method | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 1234,
    clusters: ArrayLike | None = None,
) -> Interval:
    """The interval of the mean of float64[Q]; see :func:`difference_intervals`."""
    columns = checked_values(differences, what="differences")
    return _intervals(columns, method, level, resamples, seed, clusters)[0]


def difference_intervals(
    differences: ArrayLike,
    *,
    method: Method | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 1234,
    clusters: ArrayLike | None = None,
) -> list[Interval]:
    """The interval of the mean of each row of float64[C, Q], paired differences.

    Args:
        differences: float64[C, Q], defined everywhere.
        method: by default ``t``; where most queries (clusters) are tied and few differ,
            ``plus-two``, t with two more, one won and one lost (:mod:`ragscore.stats.few_differ`),
            and none where 5 or fewer differ. A method that is named is used whatever differs.
        level: between 0 and 1.
        resamples: bootstrap draws, at least 100.
        seed: of the draws.
        clusters: int64[Q], the cluster of each query.

    Raises:
        ConfigError, DataError: as :func:`ragscore.stats.intervals.mean_intervals`.
    """
    columns = checked_values(differences, what="differences", dimensions=2)
    return _intervals(columns, method, level, resamples, seed, clusters)


def _intervals(
    values: Floats,
    method: Method | None,
    level: float,
    resamples: int,
    seed: int,
    clusters: ArrayLike | None,
) -> list[Interval]:
    forced = method == "plus-two"
    student = method is None or forced
    asked = "t" if student else method
    found = intervals_of(values, asked, level, resamples, seed, clusters, binary=False)
    if not student:
        return found
    units = units_of(values, clusters)
    counts = differing(units).tolist()
    for column in np.flatnonzero(few_differ(units) | forced).tolist():
        count = counts[column]
        if found[column].estimable:
            here = Units(units.totals[[column]], units.sizes, units.clustered)
            found[column] = _plus_two(here, level, count, named=forced)
    return found


def _plus_two(units: Units, level: float, count: int, *, named: bool) -> Interval:
    note = only_differ(count, units.count, units.several)
    if count <= TOO_FEW and not named:
        return Interval(nan, nan, level, "plus-two", STRINGS.note("because", why=note))
    [made] = t_intervals(with_two_more(units), level, [note])
    return replace(made, method="plus-two")
