"""One retriever against another on one measure: the paired numbers, tested many at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.aligned import Aligned
from ragscore.comparison.model import ALPHA, LEVEL, Difference
from ragscore.comparison.options import CompareOptions
from ragscore.stats.effect import WinsTiesLosses, effect_size, wins_ties_losses
from ragscore.stats.equivalence import Equivalence, equivalence
from ragscore.stats.intervals import Interval, difference_intervals
from ragscore.stats.paired import PairedTest, paired_tests
from ragscore.stats.power import detectable_difference, queries_needed
from ragscore.stats.units import SAME, units_of

NOT_ESTIMABLE = "not estimable"

Key = tuple[int, int, int]
"""Numbers of a measure, a retriever and the one that it is compared with."""


@dataclass(frozen=True, eq=False)
class Contrast:
    """Paired differences, positive where the first is better, and what was computed from them.

    Attributes:
        differences: float64[n], of the queries that have a value for both.
        clusters: int64[n], or None where queries are independent.
        margin: the largest difference that does not matter.
        test, interval: of the mean difference, not adjusted.
    """

    differences: NDArray[np.float64]
    clusters: NDArray[np.int64] | None
    margin: float
    test: PairedTest
    interval: Interval

    @cached_property
    def reversed(self) -> Contrast:
        """The same seen from the other retriever; the tests are two-sided. No zero gets a sign."""
        low, high = 0.0 - self.interval.high, 0.0 - self.interval.low
        turned = replace(self.interval, low=low, high=high)
        return replace(self, differences=0.0 - self.differences, interval=turned)

    @cached_property
    def facts(self) -> Facts:
        """What does not depend on the family that the contrast is told in."""
        values, n = self.differences, len(self.differences)
        if not n:
            return Facts(math.nan, math.nan, WinsTiesLosses(0, 0, 0), None, None)
        mean = math.fsum(values.tolist()) / n
        several = self.test.n > 1
        return Facts(
            mean=0.0 if abs(mean) <= SAME else mean,
            effect=effect_size(values),
            counted=wins_ties_losses(values),
            equivalence=equivalence(values, self.margin, clusters=self.clusters)
            if several
            else None,
            spread=self._spread() if several else None,
        )

    def _spread(self) -> float:
        """The standard deviation of the units' shares in the mean: with clusters, CR1."""
        units = units_of(self.differences[None, :], self.clusters)
        return float(units.standard_errors()[0]) * math.sqrt(units.count)


@dataclass(frozen=True, eq=False)
class Facts:
    """What is computed from the differences once, however many families they stand in."""

    mean: float
    effect: float
    counted: WinsTiesLosses
    equivalence: Equivalence | None
    spread: float | None


def contrasts(
    aligned: Aligned, wanted: Iterable[Key], options: CompareOptions
) -> dict[Key, Contrast]:
    """Every wanted contrast; those over the same queries share their random draws."""
    columns = {}
    groups: dict[bytes, list[Key]] = {}
    for key in dict.fromkeys(wanted):
        measure, first, second = key
        values = aligned.values[measure]
        columns[key] = aligned.quantities[measure].sign * (values[first] - values[second])
        groups.setdefault((~np.isnan(columns[key])).tobytes(), []).append(key)
    found: dict[Key, Contrast] = {}
    for defined, keys in groups.items():
        mask = np.frombuffer(defined, dtype=bool)
        clusters = aligned.clusters[mask] if aligned.clusters is not None else None
        differences = np.stack([columns[key][mask] for key in keys])
        differences[np.abs(differences) <= SAME] = 0.0
        tests, intervals = _tested(differences, clusters, options)
        for at, key in enumerate(keys):
            found[key] = Contrast(
                differences[at], clusters, options.margin, tests[at], intervals[at]
            )
    return found


def _tested(
    differences: NDArray[np.float64], clusters: NDArray[np.int64] | None, options: CompareOptions
) -> tuple[list[PairedTest], list[Interval]]:
    count, queries = differences.shape
    method = "t" if options.interval == "default" else options.interval
    if not queries:
        test = PairedTest(1.0, options.test, True, None, 0, 0)
        nothing = Interval(math.nan, math.nan, LEVEL, method, NOT_ESTIMABLE)
        return [test] * count, [nothing] * count
    tests = paired_tests(
        differences,
        method=options.test,
        resamples=options.resamples,
        seed=options.seed,
        clusters=clusters,
    )
    intervals = difference_intervals(
        differences,
        method=method,
        level=LEVEL,
        resamples=options.resamples,
        seed=options.seed,
        clusters=clusters,
    )
    return tests, intervals


def oriented(found: Mapping[Key, Contrast], key: Key) -> Contrast:
    """The contrast of a key, from whichever side it was computed."""
    measure, first, second = key
    return found[key] if key in found else found[measure, second, first].reversed


def difference_of(
    contrast: Contrast,
    retriever: str,
    baseline: str,
    *,
    p_adjusted: float,
    m: int,
    options: CompareOptions,
) -> Difference:
    """All that is said of one contrast.

    Args:
        contrast: of ``retriever`` against ``baseline``.
        retriever, baseline: their names.
        p_adjusted: within its family.
        m: comparisons in that family.
        options: margin and correction.
    """
    facts = contrast.facts
    low, high = bounds(contrast.interval, facts.mean, contrast.test)
    excludes = low > 0 or high < 0
    shown = p_adjusted < ALPHA
    detectable, needed = _power(contrast, m if options.correction != "none" else 1)
    return Difference(
        retriever=retriever,
        baseline=baseline,
        value=facts.mean,
        interval=contrast.interval,
        test=contrast.test,
        p_adjusted=p_adjusted,
        m=m,
        effect=facts.effect,
        wins=facts.counted.wins,
        ties=facts.counted.ties,
        losses=facts.counted.losses,
        n=len(contrast.differences),
        clusters=contrast.test.n if contrast.clusters is not None else None,
        differing=contrast.test.nonzero,
        detectable=detectable,
        needed=needed,
        equivalence=facts.equivalence,
        decided=shown and excludes,
        disagrees=shown != excludes,
    )


def bounds(interval: Interval, mean: float, test: PairedTest) -> tuple[float, float]:
    """Where the mean difference may lie: the interval, or the mean alone where all differences
    are the same, so that no spread can be estimated; NaN where there are not two units."""
    if interval.estimable or test.n < 2:
        return interval.low, interval.high
    return mean, mean


def _power(contrast: Contrast, m: int) -> tuple[float | None, int | None]:
    """The difference that can be seen, and the queries that settle the margin, at alpha / m.

    With clusters the spread is that of a cluster's share in the mean (CR1), and n counts
    clusters; queries are then as many as clusters of the average size hold.
    """
    spread, units = contrast.facts.spread, contrast.test.n
    if spread is None or spread <= SAME:
        return None, None
    alpha = ALPHA / m
    needed = queries_needed(contrast.margin, spread, alpha=alpha)
    return (
        detectable_difference(spread, units, alpha=alpha),
        math.ceil(needed * len(contrast.differences) / units),
    )
