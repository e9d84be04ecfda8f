"""Families of comparisons: which pairs are corrected together, and their differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.common_queries import CommonScores
from ragscore.comparison.contrasts import Contrast, Key, contrasts, difference_of
from ragscore.comparison.model import Difference, Identical
from ragscore.comparison.options import CompareOptions
from ragscore.stats.corrections import adjust
from ragscore.stats.tukey import randomized_tukey


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """Which comparisons are corrected together, identical retrievers counted once.

    Attributes:
        stands_for: by number of a retriever: the number of the one that stands for it, itself
            where no other returned the same.
        baseline: number of the retriever that the experiment names; None: the family is all pairs.
    """

    stands_for: tuple[int, ...]
    baseline: int | None

    @property
    def distinct(self) -> tuple[int, ...]:
        """The retrievers without those that an identical one represents."""
        return tuple(r for r, other in enumerate(self.stands_for) if r == other)

    @property
    def all_pairs(self) -> tuple[tuple[int, int], ...]:
        """Every pair of distinct retrievers, the lower number first."""
        return tuple(combinations(self.distinct, 2))

    @property
    def family(self) -> tuple[tuple[int, int], ...]:
        """The pairs that are corrected together."""
        if self.baseline is None:
            return self.all_pairs
        return tuple(pair for pair in self.all_pairs if self.baseline in pair)


def plan_of(
    names: Sequence[str], identical: Sequence[Identical], baseline: str | None
) -> ComparisonPlan:
    """The plan for some retrievers. Of identical ones the named baseline stands for the others,
    else the first; where the baseline is not among the retrievers, the family is all pairs."""
    stands_for = list(range(len(names)))
    for group in identical:
        numbers = [names.index(name) for name in group.retrievers]
        first = names.index(baseline) if baseline in group.retrievers else numbers[0]
        for number in numbers:
            stands_for[number] = first
    named = names.index(baseline) if baseline in names else None
    return ComparisonPlan(tuple(stands_for), named)


@dataclass(frozen=True, eq=False)
class AdjustedDifferences:
    """Contrasts of one dataset with their p-values, on each measure corrected for itself.

    Attributes:
        common: what was compared.
        plan: which comparisons are corrected together.
        contrasts: of all distinct pairs and of identical ones, the lower number first.
        options: margin and correction.
    """

    common: CommonScores
    plan: ComparisonPlan
    contrasts: Mapping[Key, Contrast]
    options: CompareOptions

    def without(self, unanswered: Mapping[str, Collection[str]]) -> AdjustedDifferences | None:
        """The same without the queries that each retriever did not answer; None if all did.

        Args:
            unanswered: by retriever, ids of queries.
        """
        common, values = self.common, self.common.values.copy()
        for row, name in enumerate(common.retrievers):
            lacking = set(unanswered.get(name, ()))
            values[:, row, [query in lacking for query in common.query_ids]] = np.nan
        if np.array_equal(values, common.values, equal_nan=True):
            return None
        common = replace(common, values=values)
        found = contrasts(common, self.contrasts, self.options)
        return AdjustedDifferences(common, self.plan, found, self.options)

    @cached_property
    def _in_family(self) -> dict[Key, float]:
        return self._adjusted(self.plan.family)

    @cached_property
    def _over_all(self) -> dict[Key, float]:
        return self._adjusted(self.plan.all_pairs)

    @cached_property
    def _tukey(self) -> dict[Key, float]:
        """P-values of randomized Tukey HSD for every pair, identical retrievers included; empty
        if it was not asked for. Measures without a query that is defined for all retrievers are
        left out; the others share their permutations."""
        common, options = self.common, self.options
        known: NDArray[np.bool_] = np.logical_not(np.isnan(common.values).any(axis=1))
        measures = [int(measure) for measure in np.flatnonzero(known.any(axis=1))]
        if not options.all_pairs or not measures:
            return {}
        p = randomized_tukey(
            common.values[measures],
            permutations=options.permutations,
            seed=options.seed,
            clusters=common.clusters,
        )
        pairs = list(combinations(range(len(common.retrievers)), 2))
        return {
            (measure, *pair): float(p[place][pair])
            for place, measure in enumerate(measures)
            for pair in pairs
        }

    @cached_property
    def _differences(self) -> dict[tuple[int, int, int, bool], Difference]:
        """Those that were asked for: every choice of baseline and primary measure shares them."""
        return {}

    def _adjusted(self, pairs: Sequence[tuple[int, int]]) -> dict[Key, float]:
        values: dict[Key, float] = {}
        for measure in range(len(self.common.measures)):
            keys = [(measure, *pair) for pair in pairs]
            p = adjust([self.contrasts[key].test.p for key in keys], self.options.correction)
            values |= dict(zip(keys, map(float, p), strict=True))
        return values

    def difference(
        self, measure: int, retriever: int, baseline: int, *, over_all: bool = False
    ) -> Difference:
        """One retriever against another.

        Args:
            measure, retriever, baseline: their numbers.
            over_all: corrected over all pairs, for what the data chose; by default in the family,
                outside of which a difference has no p-value and no mark.
        """
        over_all = over_all or self.plan.baseline is None
        asked = measure, retriever, baseline, over_all
        if asked in self._differences:
            return self._differences[asked]
        adjusted = self._over_all if over_all else self._in_family
        pairs = self.plan.all_pairs if over_all else self.plan.family
        names, stands_for = self.common.retrievers, self.plan.stands_for
        first, second = sorted((stands_for[retriever], stands_for[baseline]))
        key = (measure, first, second)
        low, high = sorted((retriever, baseline))  # of identical ones
        contrast = self.contrasts.get(key) or self.contrasts[measure, low, high]
        if stands_for[retriever] != first:
            contrast = contrast.reversed
        self._differences[asked] = difference_of(
            contrast,
            names[retriever],
            names[baseline],
            p_adjusted=adjusted.get(key, math.nan),
            p_tukey=self._tukey.get((measure, low, high)),
            m=max(len(pairs), 1),
            options=self.options,
        )
        return self._differences[asked]


def adjust_differences(
    common: CommonScores, identical: Sequence[Identical], options: CompareOptions
) -> AdjustedDifferences:
    """All retrievers of a dataset against each other on every measure."""
    plan = plan_of(common.retrievers, identical, options.baseline)
    alike = [
        pair
        for pair in combinations(range(len(plan.stands_for)), 2)
        if plan.stands_for[pair[0]] == plan.stands_for[pair[1]]
    ]
    wanted = (
        (measure, *pair)
        for measure in range(len(common.measures))
        for pair in (*plan.all_pairs, *alike)
    )
    return AdjustedDifferences(common, plan, contrasts(common, wanted, options), options)
