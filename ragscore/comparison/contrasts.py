"""One retriever against another on one measure: the paired numbers, tested many at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.common_queries import CommonScores
from ragscore.comparison.model import (
    ALPHA,
    Difference,
    Withheld,
    bounds_of,
)
from ragscore.comparison.options import CompareOptions
from ragscore.stats.difference_intervals import difference_intervals, effect_size
from ragscore.stats.equivalence import Equivalence, equivalences
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.intervals import LEVEL, NOT_ESTIMABLE, Interval
from ragscore.stats.paired import PairedTest, paired_tests
from ragscore.stats.paired_power import PairedPower, unknown_spreads
from ragscore.stats.units import SAME, by_defined, units_of

Key = tuple[int, int, int]
"""Numbers of a measure, a retriever and the one that it is compared with."""


@dataclass(frozen=True, eq=False)
class Contrast:
    """Paired differences, positive where the first is better, and what was computed from them.

    Attributes:
        differences: float64[n], of the queries that have a value for both; equal values differ by
            exactly 0.
        clusters: int64[n], or None if queries are independent.
        margin: the largest difference that does not matter; None if there is none.
        test, interval: of the mean difference, not adjusted.
        withheld: why nothing is claimed of the difference; empty if something is.
        equivalence: what the margin says; None if nothing is claimed.
        power: how the differences spread, whichever is the first; None if that is not known.
    """

    differences: NDArray[np.float64]
    clusters: NDArray[np.int64] | None
    margin: float | None
    test: PairedTest
    interval: Interval
    withheld: Withheld
    equivalence: Equivalence | None
    power: PairedPower | None

    @cached_property
    def reversed(self) -> Contrast:
        """The same seen from the other retriever; the tests are two-sided. No zero gets a sign."""
        return replace(
            self,
            differences=0.0 - self.differences,
            interval=self.interval.reversed,
            equivalence=self.equivalence.reversed if self.equivalence else None,
        )

    @cached_property
    def mean(self) -> float:
        """The mean difference; NaN if there is no query."""
        if not len(self.differences):
            return math.nan
        mean = math.fsum(self.differences.tolist()) / len(self.differences)
        return 0.0 if abs(mean) <= SAME else mean

    @cached_property
    def effect(self) -> float:
        """d_z; NaN if there is no query."""
        return effect_size(self.differences) if len(self.differences) else math.nan


def contrasts(
    common: CommonScores, wanted: Iterable[Key], options: CompareOptions
) -> dict[Key, Contrast]:
    """Every wanted contrast; those over the same queries share their random draws."""
    keys = list(dict.fromkeys(wanted))
    columns = np.array([common.differences(*key) for key in keys])
    columns = columns.reshape(len(keys), common.values.shape[2])
    found: dict[Key, Contrast] = {}
    for known, together in by_defined(columns):
        own = [keys[column] for column in together.tolist()]
        clusters = common.clusters[known] if common.clusters is not None else None
        differences = columns[np.ix_(together, known)]
        differences[np.abs(differences) <= SAME] = 0.0
        margins = [options.margin_on(bounded=common.measures[key[0]].bounded) for key in own]
        made = _contrasts(differences, clusters, margins, options)
        found |= dict(zip(own, made, strict=True))
    return found


def _contrasts(
    differences: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
    margins: Sequence[float | None],
    options: CompareOptions,
) -> list[Contrast]:
    """Those of float64[C, n] over the same queries."""
    count, queries = differences.shape
    method = None if options.interval == "default" else options.interval
    if not queries:
        test = PairedTest(1.0, options.test, True, None, 0, 0)
        nothing = Interval(math.nan, math.nan, LEVEL, method or "t", NOT_ESTIMABLE)
        return [
            Contrast(column, clusters, margin, test, nothing, "one unit", None, None)
            for column, margin in zip(differences, margins, strict=True)
        ]
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
    units = units_of(differences, clusters)
    unknown = unknown_spreads(units)
    known = [column for column in range(count) if not unknown[column]]
    powers = dict(zip(known, PairedPower.of(units.only(known)), strict=True)) if known else {}
    within = {column: margin for column in known if (margin := margins[column]) is not None}
    equal: dict[int, Equivalence] = {}
    if within:
        found = equivalences(differences[list(within)], list(within.values()), clusters=clusters)
        equal = dict(zip(within, found, strict=True))
    return [
        Contrast(
            differences[column],
            clusters,
            margins[column],
            tests[column],
            intervals[column],
            unknown[column] or ("no margin" if margins[column] is None else ""),
            equal.get(column),
            powers.get(column),
        )
        for column in range(count)
    ]


def difference_of(
    contrast: Contrast,
    retriever: str,
    baseline: str,
    *,
    p_adjusted: float,
    p_tukey: float | None = None,
    m: int,
    options: CompareOptions,
) -> Difference:
    """The difference of one contrast, with what its family decides.

    Args:
        contrast: of ``retriever`` against ``baseline``.
        retriever, baseline: their names.
        p_adjusted: within its family; NaN if it is in none.
        p_tukey: by randomized Tukey HSD; None if that is not known.
        m: comparisons in that family.
        options: margin and correction.
    """
    values = contrast.differences
    low, high = bounds_of(contrast.interval, contrast.mean, contrast.test)
    excludes = low > 0 or high < 0
    shown = p_adjusted < ALPHA
    decided = shown and excludes and contrast.test.nonzero > TOO_FEW
    alpha = ALPHA / m if options.correction != "none" else ALPHA
    power, margin = contrast.power, contrast.margin
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    return Difference(
        retriever=retriever,
        baseline=baseline,
        value=contrast.mean,
        interval=contrast.interval,
        test=contrast.test,
        p_adjusted=p_adjusted,
        p_tukey=p_tukey,
        m=m,
        effect=contrast.effect,
        wins=wins,
        ties=len(values) - wins - losses,
        losses=losses,
        n=len(values),
        clusters=contrast.test.n if contrast.clusters is not None else None,
        differing=contrast.test.nonzero,
        margin=margin,
        detectable=power.detectable(alpha) if power else None,
        needed=power.needed(margin, alpha) if power and margin is not None else None,
        equivalence=contrast.equivalence,
        withheld=contrast.withheld,
        decided=decided,
        below_margin=decided and margin is not None and max(abs(low), abs(high)) < margin,
        disagrees=not math.isnan(p_adjusted) and shown != excludes,
    )
