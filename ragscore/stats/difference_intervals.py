"""Paired differences: intervals of their mean, t or what holds where few differ; and their size.

>>> difference_intervals([[0.1] * 6 + [0.0] * 60])[0].method
'plus-two'
"""

from __future__ import annotations

from dataclasses import replace
from math import copysign, inf, nan

import numpy as np
from numpy.typing import ArrayLike

from ragscore.messages import _
from ragscore.stats.few_differ import TOO_FEW, differing, few_differ, only_differ, with_two_more
from ragscore.stats.intervals import Interval, Method, mean_intervals, t_intervals
from ragscore.stats.units import SAME, Units, checked_values, units_of


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
    forced = method == "plus-two"
    student = method is None or forced
    found = mean_intervals(
        columns,
        method="t" if student else method,
        level=level,
        resamples=resamples,
        seed=seed,
        clusters=clusters,
        binary=False,
    )
    if not student:
        return found
    units = units_of(columns, clusters)
    counts = differing(units).tolist()
    for column in np.flatnonzero(few_differ(units) | forced).tolist():
        if found[column].estimable:
            here = units.only([column])
            found[column] = _plus_two(here, level, counts[column], named=forced)
    return found


def _plus_two(units: Units, level: float, count: int, *, named: bool) -> Interval:
    note = only_differ(count, units.count, units.several)
    if count <= TOO_FEW and not named:
        return Interval(nan, nan, level, "plus-two", _("not estimable: {why}", why=note))
    [made] = t_intervals(with_two_more(units), level, [note])
    return replace(made, method="plus-two")


def effect_size(differences: ArrayLike) -> float:
    """d_z: the mean difference over the standard deviation (n - 1) of the differences.

    Args:
        differences: float64[Q], one per query; positive where the retriever is better.

    Returns:
        0 if all differences are 0; plus or minus infinity where they are all the same and
        not 0, or where there is only one. Not comparable with Cohen's d of independent groups.

    Raises:
        DataError: no query, or a difference that is not a number.

    Source: Cohen (1988), page 48; Lakens (2013), Frontiers in Psychology 4:863.

    >>> round(effect_size([0.1, 0.3]), 4)
    1.4142
    """
    values = checked_values(differences, what="differences")[0]
    mean = float(values.mean())
    if np.abs(values).max() <= SAME:
        return 0.0
    if np.ptp(values) <= SAME:
        return copysign(inf, mean)
    return mean / float(values.std(ddof=1))
