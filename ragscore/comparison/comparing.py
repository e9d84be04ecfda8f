"""compare(): each dataset by one choice of baseline and primary measure; DatasetComparer: one
dataset by any choice.

Scores are brought onto common queries once, and each difference of two retrievers on a measure is
computed once, whichever choices read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Unpack

import numpy as np

from ragscore.comparison.check import find_data_problem
from ragscore.comparison.differences import AdjustedDifferences
from ragscore.comparison.document import Comparison, DatasetComparison
from ragscore.comparison.options import CompareChanges, CompareOptions
from ragscore.comparison.record import (
    Difference,
    Identical,
    MeasureComparison,
    QueryCost,
    SearchFacts,
)
from ragscore.comparison.score_matrix import on_common_queries, single_retriever
from ragscore.comparison.verdict import Leader, Verdict, verdict_of
from ragscore.errors import ConfigError, did_you_mean
from ragscore.estimate import Estimate
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
            :func:`~ragscore.comparison.differences.identical_runs` finds them: they count as one.

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
        comparer = dataset_comparer(
            [entry for entry in scores.entries if entry.dataset == dataset],
            options,
            clusters=clusters,
            latency=latency,
            identical=identical.get(dataset, ()),
        )
        names = comparer.differences.common.retrievers
        if options.baseline is not None and options.baseline not in names:
            raise ConfigError(
                f"the baseline '{options.baseline}' has no scores on this dataset",
                where=dataset,
                instead=did_you_mean(options.baseline, names),
            )
        datasets.append(comparer.chosen())
    return Comparison(options, tuple(datasets))


def dataset_comparer(
    entries: Sequence[RetrieverScores],
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    identical: Sequence[Identical] = (),
    searches: SearchFacts | None = None,
) -> DatasetComparer:
    """What compares the retrievers of one dataset.

    Args:
        entries: scores of two retrievers or more on one dataset.
        options: how; their baseline, where they name one, makes the family.
        clusters, latency: as for :func:`~ragscore.comparison.compare`.
        identical: retrievers that returned the same passages for every query.
        searches: what is known of the searches.

    Raises:
        ConfigError, DataError: as compare().
    """
    options, searches = options or CompareOptions(), searches or SearchFacts()
    if options.cluster is not None and clusters is None:
        raise ConfigError(
            f"cluster '{options.cluster}' needs the queries",
            instead="Give clusters={query id: cluster}, or compare a result folder",
        )
    shared = partial(
        on_common_queries,
        entries[0].dataset,
        clusters=clusters,
        allow_intersect=options.allow_intersect,
    )
    common = shared(entries)
    sizes, in_context = searches.chunk_sizes, None
    if sizes is not None and sizes.context is not None and sizes.entries:
        inside = shared(sizes.entries).in_context(sizes.context)
        in_context = AdjustedDifferences(inside, options, identical)
    differences = AdjustedDifferences(common, options, identical)
    return DatasetComparer(differences, in_context, latency or {}, searches)


@dataclass(frozen=True, eq=False)
class DatasetComparer:
    """One dataset, compared by any choice of baseline and primary measure: with that measure listed
    first, and tables against that baseline. What a choice needs is computed when it is first read.

    Attributes:
        differences: of every pair on every measure, corrected by the family of the options whatever
            the choice, so that none turns the mark of a difference on or off.
        in_context: the same by what the same context holds, where retrievers search different
            chunks; None if they don't, or that is not known.
        latency: milliseconds a query by retriever, where known.
        searches: what is known of the searches.
    """

    differences: AdjustedDifferences
    in_context: AdjustedDifferences | None
    latency: Mapping[str, float]
    searches: SearchFacts
    _chosen: dict[tuple[str, str], DatasetComparison] = field(default_factory=dict, init=False)
    _verdicts: dict[int, tuple[Verdict, tuple[Difference, ...]]] = field(
        default_factory=dict, init=False
    )

    def chosen(self, baseline: str | None = None, primary: str | None = None) -> DatasetComparison:
        """The comparison by one choice; by default by the first measure, against the baseline of
        the options or, where these name none, the first retriever. A KeyError where a name was not
        scored."""
        differences, common = self.differences, self.differences.common
        names = [measure.measure for measure in common.measures]
        baseline = baseline or differences.options.baseline or common.retrievers[0]
        primary = primary or names[0]
        if baseline not in common.retrievers or primary not in names:
            raise KeyError((baseline, primary))
        if (baseline, primary) in self._chosen:
            return self._chosen[baseline, primary]
        first, against = names.index(primary), common.retrievers.index(baseline)
        inside, in_context = self._inside(first), None
        if inside is not None:
            in_context = _measure(*inside, against, Leader(*inside).best, primary=True)
        order = sorted(range(len(names)), key=lambda at: at != first)
        pairs = None
        if differences.options.all_pairs:
            pairs = {names[at]: differences.all_pairs(at) for at in order}
        verdict, leader = self._verdict(first)
        found = self._chosen[baseline, primary] = DatasetComparison(
            dataset=common.dataset,
            retrievers=common.retrievers,
            baseline=baseline,
            family=differences.family,
            identical=tuple(differences.identical),
            primary=primary,
            n=len(common.queries),
            clusters=int(common.clusters.max()) + 1 if common.clusters is not None else None,
            verdict=verdict,
            measures=tuple(
                _measure(differences, at, against, self._best[at], primary=at == first)
                for at in order
            ),
            leader=leader,
            in_context=in_context,
            pairs=pairs,
            notes=common.notes,
            sample=common.sample,
            differences=differences,
        )
        return found

    @cached_property
    def means(self) -> dict[str, dict[str, Estimate]]:
        """By measure and retriever; the same for every choice."""
        names = (measure.measure for measure in self.differences.common.measures)
        return dict(zip(names, self.differences.means, strict=True))

    @cached_property
    def _best(self) -> tuple[str | None, ...]:
        """On each measure, the retriever that is decided to be better than every other, where its
        ranking can be read."""
        found = []
        for at in range(len(self.means)):
            leader = Leader(self.differences, at)
            problem = find_data_problem(self.differences.common, at, leader.against)
            found.append(leader.best if problem is None else None)
        return tuple(found)

    def _inside(self, primary: int) -> tuple[AdjustedDifferences, int] | None:
        """The differences in the same context, and the number of a measure among those; None if
        the context does not decide."""
        if self.in_context is None:
            return None
        family = str(parse_measure(self.differences.common.measures[primary].measure).family())
        listed = [compared.measure for compared in self.in_context.common.measures]
        return (self.in_context, listed.index(family)) if family in listed else None

    def _verdict(self, primary: int) -> tuple[Verdict, tuple[Difference, ...]]:
        """What a primary measure says, whatever the baseline; and its leader against the others."""
        if primary in self._verdicts:
            return self._verdicts[primary]
        (leader, answered), inside = self._leaders(self.differences, primary), self._inside(primary)
        at_k = leader
        if inside is not None:
            leader, answered = self._leaders(*inside)
        verdict = verdict_of(
            leader,
            self.searches,
            identical=self.differences.identical,
            answered=answered,
            at_k=None if leader is at_k else at_k,
        )
        self._verdicts[primary] = verdict, at_k.against
        return self._verdicts[primary]

    def _leaders(
        self, differences: AdjustedDifferences, primary: int
    ) -> tuple[Leader, Leader | None]:
        """How retrievers stand on a primary measure, with the means that a verdict speaks of: where
        queries that failed are left out, those over the queries that all answered; and how they
        stand without the queries that failed and count as empty, None if none does."""
        common, options = differences.common, differences.options
        if any(entry.counts.left_out for entry in common.entries):
            known = ~np.isnan(common.values[primary]).any(axis=0)
            means = common.means(options, known)[primary]
        else:
            means = differences.means[primary]
        leader = Leader(differences, primary, means, self._costs)
        answered = differences.without(self.searches.unanswered)
        return leader, None if answered is None else replace(leader, corrected=answered)

    @property
    def _costs(self) -> dict[str, QueryCost]:
        """What a query costs, by retriever: its own time, where it was measured, before that of
        the calls to a system outside."""
        names, known = self.differences.common.retrievers, self.searches.costs
        costs = {name: known.get(name, QueryCost()) for name in names}
        return {
            name: replace(cost, p50=self.latency.get(name) or cost.p50)
            for name, cost in costs.items()
        }


def _measure(
    differences: AdjustedDifferences,
    at: int,
    baseline: int,
    best: str | None,
    *,
    primary: bool,
) -> MeasureComparison:
    """All retrievers on a measure, the others against a baseline, which changes no mark."""
    common = differences.common
    measure, notes = common.measures[at], list(common.measures[at].notes)
    if np.isnan(common.values[at]).any():
        notes.append(
            _(
                "undefined for some queries; each pair is compared on the queries with a "
                "value for both"
            )
        )
    others = (r for r in range(len(common.retrievers)) if r != baseline)
    return MeasureComparison(
        measure=measure.measure,
        label=measure.label,
        primary=primary,
        lower_is_better=measure.sign < 0,
        logarithm=measure.logarithm,
        means=differences.means[at],
        differences=tuple(differences.difference(at, r, baseline) for r in others),
        best=best,
        notes=tuple(notes),
    )


def means_alone(
    entry: RetrieverScores,
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
) -> dict[str, Estimate]:
    """By measure, what a comparison would say of the mean of one retriever, were there another
    with values for the same queries.

    Raises:
        DataError: a query has no cluster.
    """
    means = single_retriever(entry, clusters).means(options or CompareOptions())
    names = map(str, entry.measures)
    return {name: mean[entry.retriever] for name, mean in zip(names, means, strict=True)}
