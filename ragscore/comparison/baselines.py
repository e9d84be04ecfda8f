"""One dataset compared by any choice of baseline and primary measure, for readers who may change
them.

Scores are brought onto common queries once, and each contrast of two retrievers on a measure is
computed once, whichever choices read it. compare() reads one choice; a result's page all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ragscore.comparison.all_pairs import all_pairs
from ragscore.comparison.check import contradiction, trouble_with
from ragscore.comparison.common_queries import CommonScores, alone, on_common_queries
from ragscore.comparison.families import Corrected, contrasts_of, plan_of, put_together
from ragscore.comparison.means import means_of
from ragscore.comparison.model import (
    DatasetComparison,
    Difference,
    Family,
    Identical,
    MeanWithInterval,
    PairDifference,
)
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.verdict import verdict_of
from ragscore.errors import ConfigError, did_you_mean
from ragscore.scoring import RetrieverScores


@dataclass(frozen=True, eq=False)
class ComparedChoices:
    """One dataset, compared by every choice; what a choice needs is computed when it is read.

    Attributes:
        corrected: the contrasts of every pair on every measure, and how they are corrected: by the
            family of the options whatever the choice, so that none turns the mark of a difference
            on or off.
        identical: retrievers that returned the same passages for every query.
        latency: milliseconds a query by retriever, where known.
        baselines: the retrievers that can be chosen.
        primaries: the measures that can be chosen, as they parse.
    """

    corrected: Corrected
    identical: Sequence[Identical]
    latency: Mapping[str, float]
    baselines: tuple[str, ...]
    primaries: tuple[str, ...]

    @property
    def retrievers(self) -> tuple[str, ...]:
        """Names, in order."""
        return self.corrected.common.retrievers

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """All measures as they parse, in order."""
        return tuple(measure.measure for measure in self.corrected.common.measures)

    @property
    def primary(self) -> str:
        """The measure that was listed first."""
        return self.measures[0]

    @cached_property
    def comparisons(self) -> Mapping[tuple[str, str], DatasetComparison]:
        """By (baseline, primary measure): the comparison with that measure listed first, its
        tables against that baseline; put together when it is first read."""
        return _Comparisons(self)

    @cached_property
    def pairs(self) -> Mapping[str, tuple[Difference, ...]]:
        """By measure: every pair of retrievers of which no other returned the same, the first
        listed against the second; p is adjusted over all pairs of the measure."""
        pairs = self.corrected.plan.all_pairs
        return {
            measure: tuple(self.corrected.over_all_pairs(at, *pair) for pair in pairs)
            for at, measure in enumerate(self.measures)
        }

    @cached_property
    def means(self) -> Mapping[str, Mapping[str, MeanWithInterval]]:
        """By measure and retriever; the same for every choice."""
        means = means_of(self.corrected.common, self.corrected.options)
        return dict(zip(self.measures, means, strict=True))

    @cached_property
    def tukey(self) -> Mapping[str, tuple[PairDifference, ...]] | None:
        """By measure: every pair by randomized Tukey HSD; None where that was not asked for."""
        if not self.corrected.options.all_pairs:
            return None
        listed = all_pairs(self.corrected.common, self.corrected.options)
        return {
            measure: tuple(pair for pair in listed if pair.measure == measure)
            for measure in self.measures
        }

    def compared(self, baseline: str, primary: str) -> DatasetComparison:
        """The comparison by one choice, with its verdict."""
        ordered = (primary, *(measure for measure in self.measures if measure != primary))
        order = [self.measures.index(measure) for measure in ordered]
        options, plan = self.corrected.options, self.corrected.plan
        shown = self.retrievers.index(baseline)
        together = put_together(self.corrected, order, shown, tuple(self.means.values()))
        common = _in_order(self.corrected.common, order)
        trouble = trouble_with(common) or contradiction(common, together.leader[0])
        verdict = verdict_of(
            together,
            common.measures,
            self.identical,
            trouble,
            latency=self.latency,
            options=options,
        )
        named = common.retrievers[plan.baseline] if plan.baseline is not None else None
        tukey = self.tukey
        return DatasetComparison(
            dataset=common.dataset,
            retrievers=common.retrievers,
            baseline=baseline,
            family=Family(named, len(plan.family)),
            identical=tuple(self.identical),
            primary=primary,
            n=len(common.query_ids),
            clusters=int(common.clusters.max()) + 1 if common.clusters is not None else None,
            measures=together.measures,
            leader=together.leader[0],
            pairs=None
            if tukey is None
            else tuple(pair for measure in ordered for pair in tukey[measure]),
            verdict=verdict,
            notes=common.notes,
        )


class _Comparisons(Mapping[tuple[str, str], DatasetComparison]):
    """The comparison of each choice, put together when it is first read."""

    def __init__(self, choices: ComparedChoices) -> None:
        self._choices = choices
        self._keys = [(name, first) for first in choices.primaries for name in choices.baselines]
        self._made: dict[tuple[str, str], DatasetComparison] = {}

    def __getitem__(self, choice: tuple[str, str]) -> DatasetComparison:
        if choice not in self._made:
            if choice not in self._keys:
                raise KeyError(choice)
            self._made[choice] = self._choices.compared(*choice)
        return self._made[choice]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _in_order(common: CommonScores, order: Sequence[int]) -> CommonScores:
    """The same with the measures in another order."""
    measures = tuple(common.measures[at] for at in order)
    return replace(common, measures=measures, values=common.values[list(order)])


def compare_choices(
    entries: Sequence[RetrieverScores],
    options: CompareOptions | None = None,
    *,
    baselines: Sequence[str] = (),
    primaries: Sequence[str] = (),
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    identical: Sequence[Identical] = (),
) -> ComparedChoices:
    """Compare retrievers on one dataset by every choice of baseline and primary measure.

    Args:
        entries: scores of two retrievers or more on one dataset.
        options: how; their baseline, where they name one, makes the family.
        baselines: the retrievers that can be chosen; by default all.
        primaries: the measures that can be chosen, as they parse; by default all.
        clusters, latency: as for :func:`~ragscore.comparison.compare`.
        identical: retrievers that returned the same passages for every query.

    Raises:
        ConfigError, DataError: as compare(); or a baseline or primary is not there.
    """
    options = options or CompareOptions()
    if options.cluster is not None and clusters is None:
        raise ConfigError(
            f"cluster '{options.cluster}' needs the queries",
            instead="Give clusters={query id: cluster}, or compare a result folder",
        )
    if not entries:
        raise ConfigError("nothing to compare: there are no scores", instead="Score two retrievers")
    common = on_common_queries(
        entries[0].dataset, entries, clusters=clusters, allow_intersect=options.allow_intersect
    )
    measures = tuple(measure.measure for measure in common.measures)
    for names, known in ((primaries, measures), (baselines, common.retrievers)):
        for name in names:
            if name not in known:
                what = f"'{name}' was not scored"
                raise ConfigError(what, where=common.dataset, instead=did_you_mean(name, known))
    plan = plan_of(common, identical, options)
    return ComparedChoices(
        Corrected(common, plan, contrasts_of(common, plan, options), options),
        identical,
        latency or {},
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
    means = means_of(alone(entry, clusters), options or CompareOptions())
    return {
        str(measure): of_each[entry.retriever]
        for measure, of_each in zip(entry.measures, means, strict=True)
    }
