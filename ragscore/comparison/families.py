"""Means, families of comparisons, the leader against the others, and all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ragscore.comparison.common_queries import CommonScores
from ragscore.comparison.contrasts import (
    Contrast,
    Key,
    contrasts,
    difference_of,
)
from ragscore.comparison.model import (
    Difference,
    Identical,
    MeanWithInterval,
    MeasureComparison,
)
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.strings import STRINGS
from ragscore.stats.corrections import adjust


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
        """The retrievers that stand for themselves."""
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

    def distinct_pair(self, first: int, second: int) -> tuple[int, int]:
        """The pair of distinct retrievers that two stand for, the lower number first."""
        one, other = sorted((self.stands_for[first], self.stands_for[second]))
        return one, other


def plan_of(
    common: CommonScores, identical: Sequence[Identical], options: CompareOptions
) -> ComparisonPlan:
    """The plan of a dataset."""
    names = common.retrievers
    baseline = names.index(options.baseline) if options.baseline in names else None
    return ComparisonPlan(stand_ins(names, identical, options.baseline), baseline)


def stand_ins(
    names: Sequence[str], identical: Sequence[Identical], baseline: str | None
) -> tuple[int, ...]:
    """By number of a retriever the number of the one that stands for it: of identical ones the
    named baseline, else the first."""
    stands_for = list(range(len(names)))
    for group in identical:
        numbers = [names.index(name) for name in group.retrievers]
        first = names.index(baseline) if baseline in group.retrievers else numbers[0]
        for number in numbers:
            stands_for[number] = first
    return tuple(stands_for)


@dataclass(frozen=True, eq=False)
class Corrected:
    """Contrasts of one dataset with their p-values, on each measure corrected for itself.

    Attributes:
        common: what was compared.
        plan: which comparisons are corrected together.
        found: the contrasts of :func:`contrasts_of`.
        options: margin and correction.
    """

    common: CommonScores
    plan: ComparisonPlan
    found: Mapping[Key, Contrast]
    options: CompareOptions

    @cached_property
    def _in_family(self) -> dict[Key, float]:
        return self._adjusted(self.plan.family)

    @cached_property
    def _over_all(self) -> dict[Key, float]:
        return self._adjusted(self.plan.all_pairs)

    def _adjusted(self, pairs: Sequence[tuple[int, int]]) -> dict[Key, float]:
        values: dict[Key, float] = {}
        for measure in range(len(self.common.measures)):
            keys = [(measure, *pair) for pair in pairs]
            p = adjust([self.found[key].test.p for key in keys], self.options.correction)
            values |= dict(zip(keys, map(float, p), strict=True))
        return values

    @cached_property
    def _differences(self) -> dict[tuple[int, int, int, bool], Difference]:
        """Those that were asked for: every choice of baseline and primary measure shares them."""
        return {}

    def difference(self, measure: int, retriever: int, baseline: int) -> Difference:
        """One retriever against another, marked by the family; without a p-value outside it."""
        return self._difference(measure, retriever, baseline, over_all=self.plan.baseline is None)

    def over_all_pairs(self, measure: int, retriever: int, baseline: int) -> Difference:
        """The same, corrected over all pairs: for what the data chose."""
        return self._difference(measure, retriever, baseline, over_all=True)

    def of_leader(self, measure: int, leader: int, other: int) -> Difference:
        """The leader against another: over all pairs, unless it is the named baseline."""
        if leader == self.plan.baseline:
            return self.difference(measure, leader, other)
        return self.over_all_pairs(measure, leader, other)

    def _difference(
        self, measure: int, retriever: int, baseline: int, *, over_all: bool
    ) -> Difference:
        asked = measure, retriever, baseline, over_all
        if asked in self._differences:
            return self._differences[asked]
        adjusted = self._over_all if over_all else self._in_family
        pairs = self.plan.all_pairs if over_all else self.plan.family
        names = self.common.retrievers
        pair = self.plan.distinct_pair(retriever, baseline)
        key = (measure, *pair)
        low, high = sorted((retriever, baseline))
        contrast = self.found.get(key) or self.found[measure, low, high]
        if self.plan.stands_for[retriever] != pair[0]:
            contrast = contrast.reversed
        self._differences[asked] = difference_of(
            contrast,
            names[retriever],
            names[baseline],
            p_adjusted=adjusted.get(key, math.nan),
            m=max(len(pairs), 1),
            options=self.options,
        )
        return self._differences[asked]


@dataclass(frozen=True, eq=False)
class Compared:
    """What the verdict is made from.

    Attributes:
        measures: in order, the primary first.
        ranking: numbers of the distinct retrievers, the best on the primary measure first.
        leader: on each measure, the leader against each other in the order of ``ranking``.
        pairs: on the primary measure, each distinct pair in the order of ``ranking``, corrected
            over all pairs.
        plan: which comparisons are corrected together.
    """

    measures: tuple[MeasureComparison, ...]
    ranking: tuple[int, ...]
    leader: tuple[tuple[Difference, ...], ...]
    pairs: tuple[Difference, ...]
    plan: ComparisonPlan


def contrasts_of(
    common: CommonScores, plan: ComparisonPlan, options: CompareOptions
) -> dict[Key, Contrast]:
    """The contrasts of all distinct pairs and of identical ones on every measure, the lower
    number first."""
    alike = [
        pair
        for pair in combinations(range(len(plan.stands_for)), 2)
        if plan.stands_for[pair[0]] == plan.stands_for[pair[1]]
    ]
    listed = (
        (measure, *pair)
        for measure in range(len(common.measures))
        for pair in (*plan.all_pairs, *alike)
    )
    return contrasts(common, listed, options)


def put_together(
    corrected: Corrected,
    order: Sequence[int],
    shown: int,
    means: Sequence[Mapping[str, MeanWithInterval]],
) -> Compared:
    """Every measure against a retriever, and the leader against each other.

    Args:
        corrected: the contrasts.
        order: numbers of the measures as they are listed, the primary first.
        shown: number of the retriever that the others are shown against; it changes no mark.
        means: of each measure by retriever.
    """
    common, plan = corrected.common, corrected.plan
    primary = order[0]
    measures = []
    for at in order:
        measure = common.measures[at]
        notes = list(measure.notes)
        if (np.isnan(common.values[at])).any():
            notes.append(STRINGS.note("note_undefined"))
        others = (r for r in range(len(common.retrievers)) if r != shown)
        measures.append(
            MeasureComparison(
                measure=measure.measure,
                label=measure.label,
                primary=at == primary,
                lower_is_better=measure.sign < 0,
                means=means[at],
                differences=tuple(corrected.difference(at, r, shown) for r in others),
                notes=tuple(notes),
            )
        )
    ranking = ranking_of(common, plan, primary)
    lead, *behind = ranking
    leader = tuple(tuple(corrected.of_leader(at, lead, r) for r in behind) for at in order)
    pairs = tuple(corrected.over_all_pairs(primary, *pair) for pair in combinations(ranking, 2))
    return Compared(tuple(measures), ranking, leader, pairs, plan)


def ranking_of(common: CommonScores, plan: ComparisonPlan, measure: int) -> tuple[int, ...]:
    """Distinct retrievers by their mean on a measure over the queries defined for all, best first;
    of equal ones the named baseline, then the first listed."""
    values = common.measures[measure].sign * common.values[measure]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not values.shape[1]:
        return plan.distinct
    means = [round(math.fsum(row) / len(row), 12) for row in values.tolist()]
    return tuple(sorted(plan.distinct, key=lambda r: (-means[r], r != plan.baseline, r)))
