"""Intervals and tests of one column of values, which the package computes for many at once."""

from __future__ import annotations

from typing import Any

from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.equivalence import Equivalence, equivalences
from ragscore.stats.intervals import Interval, mean_intervals, wilson_bounds
from ragscore.stats.paired import PairedTest, paired_tests
from ragscore.stats.paired_power import PairedPower
from ragscore.stats.units import checked_values, units_of


def mean_interval(values: Any, **settings: Any) -> Interval:
    """The interval of the mean of float64[Q]."""
    (interval,) = mean_intervals([values], **settings)
    return interval


def difference_interval(differences: Any, **settings: Any) -> Interval:
    """The interval of the mean difference of float64[Q]."""
    (interval,) = difference_intervals([differences], **settings)
    return interval


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """The score interval of a share."""
    low, high = wilson_bounds(successes / n, n, level)
    return Interval(float(low), float(high), level, "wilson")


def paired_test(differences: Any, **settings: Any) -> PairedTest:
    """The test of the mean difference of float64[Q]."""
    (test,) = paired_tests([differences], **settings)
    return test


def equivalence(differences: Any, margin: float, **settings: Any) -> Equivalence:
    """What the margin says of float64[Q]."""
    (found,) = equivalences([differences], [margin], **settings)
    return found


def paired_power(differences: Any, clusters: Any = None) -> PairedPower:
    """How the differences float64[Q] spread."""
    (found,) = PairedPower.of(units_of(checked_values(differences), clusters))
    return found
