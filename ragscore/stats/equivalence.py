"""Are two retrievers equal for practical purposes, or is one at least not much worse?

A p-value above .05 shows neither. Two one-sided paired t tests do (TOST, Schuirmann 1987): the
mean difference is shown to be above -margin and below +margin, each at .05, which is the same as
that its 90 % interval lies inside the margins. Not being inferior needs the first of the two only:
the one-sided 95 % bound, the lower end of that interval, lies above -margin. The tests are those of
:mod:`ragscore.stats.one_sided`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from numpy.typing import ArrayLike
from pydantic import Field

from ragscore.errors import ConfigError
from ragscore.messages import Message, Text, _, counted
from ragscore.records import MaybeNaN, Record
from ragscore.stats.intervals import NOT_ESTIMABLE, Interval
from ragscore.stats.one_sided import intervals90, one_sided_tests
from ragscore.stats.units import Units, checked_values, units_of


@dataclass(frozen=True, slots=True)
class Equivalence(Record):
    """Whether a difference is within the margin, by two one-sided tests at .05."""

    margin: float
    """The largest difference that does not matter, in the measure's units."""
    equivalent: bool
    """The 90 % interval lies inside ±margin (TOST)."""
    p_tost: float
    """The larger of the two one-sided p-values; below .05 where ``equivalent``."""
    interval90: Interval
    """The 90 % interval of the mean difference."""
    non_inferior: bool
    """The one-sided 95 % bound lies above -margin."""
    p_non_inferior: float
    """Its p-value; below .05 where ``non_inferior``."""
    bound95: MaybeNaN
    """The lower one-sided 95 % bound of the mean difference; null if it can't be estimated."""
    note: Text = ""
    """Why nothing can be shown, or another caution; mostly empty."""
    p_non_superior: Annotated[float, Field(exclude=True)] = 1.0
    """The other one-sided p-value."""

    @property
    def reversed(self) -> Equivalence:
        """The same seen from the other retriever."""
        if not self.interval90.estimable:
            return self
        interval = self.interval90.reversed
        return _within(self.margin, interval, self.p_non_superior, self.p_non_inferior)


def equivalences(
    differences: ArrayLike, margins: Sequence[float], *, clusters: ArrayLike | None = None
) -> list[Equivalence]:
    """Test each row of float64[C, Q] for equivalence (TOST) and for non-inferiority within its
    margin, each at .05.

    Where the differences have no spread (all the same, or only one), or too few of them are not 0
    for any interval to hold, no such test exists: nothing is shown, both p-values are 1, the bounds
    are NaN and ``note`` says so.

    Args:
        differences: float64[C, Q], retriever minus baseline, one per query.
        margins: C, each above 0, in the measure's units.
        clusters: int64[Q], the cluster of each query.

    Raises:
        ConfigError: a margin is not above 0.
        DataError: no query, or a difference that is not a number.

    >>> [found] = equivalences([[0.01, -0.02, 0.0, 0.02, -0.01, 0.01]], [0.05])
    >>> found.equivalent, round(found.p_tost, 4)
    (True, 0.0002)
    """
    for margin in margins:
        if not (margin > 0 and math.isfinite(margin)):
            raise ConfigError(
                f"the margin is {margin}",
                instead="It must be above 0: the largest difference that does not matter, "
                "for example 0.01.",
            )
    columns = checked_values(differences, what="differences", dimensions=2)
    intervals = intervals90(columns, clusters=clusters)
    units = units_of(columns, clusters)
    sides = [
        one_sided_tests(columns, limits, clusters=clusters, intervals=intervals)
        for limits in ([-margin for margin in margins], margins)
    ]
    return [
        _within(margin, interval, low.p_above, high.p_below)
        if interval.estimable
        else _nothing_shown(margin, interval, units)
        for margin, interval, low, high in zip(margins, intervals, *sides, strict=True)
    ]


def _within(margin: float, interval: Interval, p_above: float, p_below: float) -> Equivalence:
    return Equivalence(
        margin=margin,
        equivalent=-margin < interval.low and interval.high < margin,
        p_tost=max(p_above, p_below),
        interval90=interval,
        non_inferior=interval.low > -margin,
        p_non_inferior=p_above,
        bound95=interval.low,
        note=interval.note,
        p_non_superior=p_below,
    )


def _nothing_shown(margin: float, interval: Interval, units: Units) -> Equivalence:
    note = interval.note
    if note == NOT_ESTIMABLE:
        note = _("not estimable: {why}", why=_no_spread(units))
    return Equivalence(margin, False, 1.0, interval, False, 1.0, math.nan, note, 1.0)


def _no_spread(units: Units) -> Message:
    if units.clustered:
        return counted(
            "there is only one cluster", "the {count} clusters are all the same", units.count
        )
    return counted(
        "there is only one difference", "the {count} differences are all the same", units.count
    )
