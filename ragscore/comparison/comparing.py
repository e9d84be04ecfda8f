"""compare(): each dataset by one choice of baseline and primary measure; compare_choices(): one
dataset by any choice, for readers who may change them.

Scores are brought onto common queries once, and each contrast of two retrievers on a measure is
computed once, whichever choices read it. compare() reads one choice; a result's page all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Unpack

import numpy as np

from ragscore.comparison.check import find_data_problem
from ragscore.comparison.common_queries import CommonScores, on_common_queries, single_retriever
from ragscore.comparison.document import Comparison, DatasetComparison
from ragscore.comparison.families import AdjustedDifferences, adjust_differences
from ragscore.comparison.interval_means import means_of, means_on
from ragscore.comparison.model import (
    Difference,
    Family,
    Identical,
    MeanWithInterval,
    MeasureComparison,
    SearchFacts,
)
from ragscore.comparison.options import CompareChanges, CompareOptions
from ragscore.comparison.standing import Standing
from ragscore.comparison.verdict_writer import VerdictWriter
from ragscore.errors import ConfigError, did_you_mean
from ragscore.measures import parse_measure
from ragscore.messages import _
from ragscore.scoring import RetrieverScores, Scores


def compare(
    scores: Scores,
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    identical: Mapping[str, Sequence[Identical]] = MappingProxyType({}),
    **changes: Unpack[CompareChanges],
) -> Comparison:
    """Compare retrievers on each dataset; datasets are never pooled.

    Args:
        scores, options, clusters, latency, changes: as for :func:`ragscore.compare` of scores.
        identical: by dataset, retrievers that returned the same passages for every query, as
            :func:`~ragscore.comparison.identical.identical_runs` finds them: they count as one.

    Raises:
        ConfigError, DataError: as there.
    """
    options = (options or CompareOptions()).changed(**changes)
    if not scores.entries:
        raise ConfigError("nothing to compare: there are no scores", instead="Score two retrievers")
    if options.baseline is not None and options.baseline not in scores.retrievers:
        raise ConfigError(
            f"the baseline '{options.baseline}' is not one of the retrievers",
            instead=did_you_mean(options.baseline, scores.retrievers),
        )
    datasets = []
    for dataset in scores.datasets:
        entries = [entry for entry in scores.entries if entry.dataset == dataset]
        choices = compare_choices(
            entries,
            options,
            clusters=clusters,
            latency=latency,
            identical=identical.get(dataset, ()),
        )
        baseline = options.baseline or choices.baselines[0]
        if baseline not in choices.baselines:
            raise ConfigError(
                f"the baseline '{baseline}' has no scores on this dataset",
                where=dataset,
                instead=did_you_mean(baseline, choices.baselines),
            )
        datasets.append(choices[baseline, choices.primaries[0]])
    return Comparison(options, tuple(datasets))


@dataclass(frozen=True, eq=False)
class ComparisonsByChoice(Mapping[tuple[str, str], DatasetComparison]):
    """One dataset, compared by every choice of (baseline, primary measure): with that measure
    listed first, and tables against that baseline. What a choice needs is computed when it is first
    read.

    Attributes:
        corrected: the contrasts of every pair on every measure, and how they are corrected: by the
            family of the options whatever the choice, so that none turns the mark of a difference
            on or off.
        in_context: the same by what the same context holds, where retrievers search different
            chunks; None if they don't, or that is not known.
        identical: retrievers that returned the same passages for every query.
        latency: milliseconds a query by retriever, where known.
        searches: what is known of the searches.
        baselines: the retrievers that can be chosen.
        primaries: the measures that can be chosen, as they parse.
    """

    corrected: AdjustedDifferences
    in_context: AdjustedDifferences | None
    identical: Sequence[Identical]
    latency: Mapping[str, float]
    searches: SearchFacts
    baselines: tuple[str, ...]
    primaries: tuple[str, ...]

    def __getitem__(self, choice: tuple[str, str]) -> DatasetComparison:
        if choice not in self._compared:
            baseline, primary = choice
            if baseline not in self.baselines or primary not in self.primaries:
                raise KeyError(choice)
            self._compared[choice] = self._compare(
                self.common.retrievers.index(baseline), self.measures.index(primary)
            )
        return self._compared[choice]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((name, first) for first in self.primaries for name in self.baselines)

    def __len__(self) -> int:
        return len(self.baselines) * len(self.primaries)

    @property
    def common(self) -> CommonScores:
        """The scores on common queries."""
        return self.corrected.common

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """All measures as they parse, in order."""
        return tuple(measure.measure for measure in self.common.measures)

    @cached_property
    def pairs(self) -> Mapping[str, tuple[Difference, ...]]:
        """By measure: every pair of retrievers of which no other returned the same, the first
        listed against the second; p is adjusted over all pairs of the measure."""
        pairs = self.corrected.plan.all_pairs
        return {
            measure: tuple(self.corrected.difference(at, *pair, over_all=True) for pair in pairs)
            for at, measure in enumerate(self.measures)
        }

    @cached_property
    def means(self) -> Mapping[str, Mapping[str, MeanWithInterval]]:
        """By measure and retriever; the same for every choice."""
        means = means_of(self.common, self.corrected.options)
        return dict(zip(self.measures, means, strict=True))

    @cached_property
    def _compared(self) -> dict[tuple[str, str], DatasetComparison]:
        return {}

    @cached_property
    def _by_primary(self) -> dict[int, DatasetComparison]:
        return {}

    def _compare(self, baseline: int, primary: int) -> DatasetComparison:
        order = sorted(range(len(self.measures)), key=lambda at: at != primary)
        if primary not in self._by_primary:
            self._by_primary[primary] = self._whatever_baseline(primary, order)
        return replace(
            self._by_primary[primary],
            baseline=self.common.retrievers[baseline],
            measures=tuple(
                self._measure(
                    self.corrected,
                    self.means[self.measures[at]],
                    at,
                    baseline,
                    primary,
                    self._best[at],
                )
                for at in order
            ),
            in_context=self._compared_in_context(baseline, primary),
        )

    def _place_in_context(self, measure: str) -> int | None:
        """Where a measure stands among those of the same context; None if it does not."""
        if self.in_context is None:
            return None
        family = str(parse_measure(measure).family())
        listed = [compared.measure for compared in self.in_context.common.measures]
        return listed.index(family) if family in listed else None

    @staticmethod
    def _standing(corrected: AdjustedDifferences | None, primary: int) -> Standing | None:
        return None if corrected is None else Standing(corrected, primary, {})

    @cached_property
    def _answered(self) -> AdjustedDifferences | None:
        """The same without the queries that failed and count as empty; None if none does."""
        return self.corrected.without(self.searches.unanswered)

    @cached_property
    def _answered_in_context(self) -> AdjustedDifferences | None:
        """The same of what the same context holds."""
        return self.in_context and self.in_context.without(self.searches.unanswered)

    def _on_common(
        self, corrected: AdjustedDifferences, primary: int
    ) -> Mapping[str, MeanWithInterval]:
        """The means on the primary measure that a verdict speaks of: where queries that failed are
        left out, those over the queries that all answered."""
        common = corrected.common
        if not any(entry.counts.left_out for entry in common.entries):
            means = self.means.values() if corrected is self.corrected else self._means_in_context
            return list(means)[primary]
        known = ~np.isnan(common.values[primary]).any(axis=0)
        return means_on(common, known, corrected.options)[primary]

    @cached_property
    def _means_in_context(self) -> list[dict[str, MeanWithInterval]]:
        assert self.in_context is not None
        return means_of(self.in_context.common, self.in_context.options)

    def _compared_in_context(self, baseline: int, primary: int) -> MeasureComparison | None:
        place = self._place_in_context(self.measures[primary])
        if self.in_context is None or place is None:
            return None
        means = self._means_in_context[place]
        best = Standing(self.in_context, place, means).best
        return self._measure(self.in_context, means, place, baseline, place, best)

    @cached_property
    def _best(self) -> tuple[str | None, ...]:
        """On each measure, the retriever that is decided to be better than every other, where its
        ranking can be read."""
        found = []
        for at, name in enumerate(self.measures):
            standing = Standing(self.corrected, at, self.means[name])
            problem = find_data_problem(self.common, at, standing.against)
            found.append(standing.best if problem is None else None)
        return tuple(found)

    def _whatever_baseline(self, primary: int, order: Sequence[int]) -> DatasetComparison:
        """The comparison with a primary measure, still without tables against a baseline."""
        common, plan, options = self.common, self.corrected.plan, self.corrected.options
        name, found = self.measures[primary], (self.identical, self.latency, self.searches)
        means = self._on_common(self.corrected, primary)
        answered = self._standing(self._answered, primary)
        writer = at_k = VerdictWriter(self.corrected, primary, means, *found, answered)
        problem = find_data_problem(common, primary, at_k.against)
        place = self._place_in_context(name)
        if self.in_context is not None and place is not None:
            means = self._on_common(self.in_context, place)
            answered = self._standing(self._answered_in_context, place)
            writer = VerdictWriter(self.in_context, place, means, *found, answered, at_k)
        names = [self.measures[at] for at in order]
        pairs = {name: self.pairs[name] for name in names} if options.all_pairs else None
        named = common.retrievers[plan.baseline] if plan.baseline is not None else None
        return DatasetComparison(
            dataset=common.dataset,
            retrievers=common.retrievers,
            baseline="",
            family=Family(named, len(plan.family)),
            identical=tuple(self.identical),
            primary=name,
            n=len(common.query_ids),
            clusters=int(common.clusters.max()) + 1 if common.clusters is not None else None,
            measures=(),
            leader=at_k.against,
            in_context=None,
            pairs=pairs,
            verdict=writer.verdict(problem),
            notes=common.notes,
            sample=common.sample,
        )

    @staticmethod
    def _measure(
        corrected: AdjustedDifferences,
        means: Mapping[str, MeanWithInterval],
        at: int,
        baseline: int,
        primary: int,
        best: str | None,
    ) -> MeasureComparison:
        """All retrievers on a measure, the others against a baseline, which changes no mark."""
        common = corrected.common
        measure = common.measures[at]
        others = (r for r in range(len(common.retrievers)) if r != baseline)
        notes = list(measure.notes)
        if np.isnan(common.values[at]).any():
            notes.append(
                _(
                    "undefined for some queries; each pair is compared on the queries with a "
                    "value for both"
                )
            )
        return MeasureComparison(
            measure=measure.measure,
            label=measure.label,
            primary=at == primary,
            lower_is_better=measure.sign < 0,
            means=means,
            differences=tuple(corrected.difference(at, r, baseline) for r in others),
            best=best,
            notes=tuple(notes),
        )


def compare_choices(
    entries: Sequence[RetrieverScores],
    options: CompareOptions | None = None,
    *,
    baselines: Sequence[str] = (),
    primaries: Sequence[str] = (),
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    identical: Sequence[Identical] = (),
    searches: SearchFacts | None = None,
) -> ComparisonsByChoice:
    """Compare retrievers on one dataset by every choice of baseline and primary measure.

    Args:
        entries: scores of two retrievers or more on one dataset.
        options: how; their baseline, where they name one, makes the family.
        baselines: the retrievers that can be chosen; by default all.
        primaries: the measures that can be chosen, as they parse; by default all.
        clusters, latency: as for :func:`~ragscore.comparison.compare`.
        identical: retrievers that returned the same passages for every query.
        searches: what is known of the searches.

    Raises:
        ConfigError, DataError: as compare(); or a baseline or primary is not there.
    """
    options = options or CompareOptions()
    if options.cluster is not None and clusters is None:
        raise ConfigError(
            f"cluster '{options.cluster}' needs the queries",
            instead="Give clusters={query id: cluster}, or compare a result folder",
        )
    common = on_common_queries(
        entries[0].dataset, entries, clusters=clusters, allow_intersect=options.allow_intersect
    )
    measures = tuple(measure.measure for measure in common.measures)
    for names, known in ((primaries, measures), (baselines, common.retrievers)):
        for name in names:
            if name not in known:
                what = f"'{name}' was not scored"
                raise ConfigError(what, where=common.dataset, instead=did_you_mean(name, known))
    searches, in_context = searches or SearchFacts(), None
    chunk_sizes = searches.chunk_sizes
    if chunk_sizes is not None and chunk_sizes.context is not None and chunk_sizes.entries:
        inside = on_common_queries(
            entries[0].dataset,
            chunk_sizes.entries,
            clusters=clusters,
            allow_intersect=options.allow_intersect,
        ).in_context(chunk_sizes.context)
        in_context = adjust_differences(inside, identical, options)
    return ComparisonsByChoice(
        adjust_differences(common, identical, options),
        in_context,
        identical,
        latency or {},
        searches,
        tuple(baselines) or common.retrievers,
        tuple(primaries) or measures,
    )


def means_alone(
    entry: RetrieverScores,
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
) -> dict[str, MeanWithInterval]:
    """By measure, what a comparison would say of the mean of one retriever, were there another
    with values for the same queries.

    Raises:
        DataError: a query has no cluster.
    """
    means = means_of(single_retriever(entry, clusters), options or CompareOptions())
    return {
        str(measure): of_each[entry.retriever]
        for measure, of_each in zip(entry.measures, means, strict=True)
    }
