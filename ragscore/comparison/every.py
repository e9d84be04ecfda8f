"""Every choice of baseline and primary measure at once, for readers who may change them.

What compare() would say for each choice of measure, to the last digit; but scores are brought onto
common queries once, and each contrast of two retrievers on a measure is computed once, whichever
choices read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ragscore.comparison.all_pairs import all_pairs
from ragscore.comparison.common_queries import CommonScores, alone, on_common_queries
from ragscore.comparison.comparing import dataset_comparison
from ragscore.comparison.families import (
    Corrected,
    contrasts_of,
    plan_of,
)
from ragscore.comparison.means import means_of
from ragscore.comparison.model import (
    DatasetComparison,
    Difference,
    Identical,
    MeanWithInterval,
    PairDifference,
)
from ragscore.comparison.options import CompareOptions
from ragscore.errors import ConfigError, did_you_mean
from ragscore.scoring import RetrieverScores


@dataclass(frozen=True, eq=False)
class EveryComparison:
    """One dataset, compared by every choice.

    Attributes:
        comparisons: by (baseline, primary measure as it parses): what compare() says with that
            measure listed first, its tables against that baseline; put together when it is first
            read. The family is that of the options whatever the choice: none turns the mark of a
            difference on or off.
        pairs: by measure: every pair of retrievers of which no other returned the same, the first
            listed against the second; p is adjusted over all pairs of the measure.
        means: by measure and retriever; the same for every choice.
    """

    comparisons: Mapping[tuple[str, str], DatasetComparison]
    pairs: Mapping[str, tuple[Difference, ...]]
    means: Mapping[str, Mapping[str, MeanWithInterval]]


class _Choices(Mapping[tuple[str, str], "DatasetComparison"]):
    """The comparison of each choice, put together when it is first read."""

    def __init__(
        self,
        computed: _Computed,
        baselines: Sequence[str],
        primaries: Mapping[str, int],
        latency: Mapping[str, float],
    ) -> None:
        self._computed, self._primaries, self._latency = computed, primaries, latency
        self._keys = [(baseline, primary) for primary in primaries for baseline in baselines]
        self._from_measure: dict[str, _Computed] = {}
        self._made: dict[tuple[str, str], DatasetComparison] = {}

    def __getitem__(self, choice: tuple[str, str]) -> DatasetComparison:
        if choice not in self._made:
            if choice not in self._keys:
                raise KeyError(choice)
            baseline, primary = choice
            if primary not in self._from_measure:
                first = self._primaries[primary]
                self._from_measure[primary] = self._computed.from_measure(first)
            seen = self._from_measure[primary]
            self._made[choice] = seen.comparison(baseline, self._latency)
        return self._made[choice]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def every_comparison(
    entries: Sequence[RetrieverScores],
    options: CompareOptions | None = None,
    *,
    baselines: Sequence[str] = (),
    primaries: Sequence[str] = (),
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    identical: Sequence[Identical] = (),
) -> EveryComparison:
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
            instead="Give clusters={query id: cluster}",
        )
    if not entries:
        raise ConfigError("nothing to compare: there are no scores", instead="Score two retrievers")
    common = on_common_queries(
        entries[0].dataset, entries, clusters=clusters, allow_intersect=options.allow_intersect
    )
    measures = [measure.measure for measure in common.measures]
    primaries = tuple(primaries) or tuple(measures)
    baselines = tuple(baselines) or common.retrievers
    for asked, known in ((primaries, measures), (baselines, common.retrievers)):
        for name in asked:
            if name not in known:
                what = f"'{name}' was not scored"
                raise ConfigError(what, where=common.dataset, instead=did_you_mean(name, known))
    computed = _Computed.of(common, identical, options)
    first = {primary: measures.index(primary) for primary in primaries}
    corrected = computed.corrected
    pairs = {
        measure: tuple(corrected.over_all_pairs(at, *pair) for pair in corrected.plan.all_pairs)
        for at, measure in enumerate(measures)
    }
    means = dict(zip(measures, computed.means, strict=True))
    return EveryComparison(_Choices(computed, baselines, first, latency or {}), pairs, means)


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


@dataclass(frozen=True, eq=False)
class _Computed:
    """What no choice changes.

    Attributes:
        corrected: the contrasts of every pair on every measure, and how they are corrected.
        means: of each measure by retriever.
        pairs: of each measure by randomized Tukey HSD; None where that was not asked for.
        identical: retrievers that returned the same.
    """

    corrected: Corrected
    means: Sequence[Mapping[str, MeanWithInterval]]
    pairs: Sequence[tuple[PairDifference, ...]] | None
    identical: Sequence[Identical]

    @classmethod
    def of(
        cls, common: CommonScores, identical: Sequence[Identical], options: CompareOptions
    ) -> _Computed:
        pairs = None
        if options.all_pairs:
            listed = all_pairs(common, options)
            pairs = [
                tuple(pair for pair in listed if pair.measure == measure.measure)
                for measure in common.measures
            ]
        plan = plan_of(common, identical, options)
        corrected = Corrected(common, plan, contrasts_of(common, plan, options), options)
        return cls(corrected, means_of(common, options), pairs, identical)

    def from_measure(self, primary: int) -> _Computed:
        """The same with another measure first."""
        order = [primary, *(at for at in range(len(self.means)) if at != primary)]
        place = {old: new for new, old in enumerate(order)}
        corrected = self.corrected
        common = replace(
            corrected.common,
            measures=tuple(corrected.common.measures[at] for at in order),
            values=corrected.common.values[order],
        )
        found = {(place[m], a, b): one for (m, a, b), one in corrected.found.items()}
        return replace(
            self,
            corrected=replace(corrected, common=common, found=found),
            means=[self.means[at] for at in order],
            pairs=[self.pairs[at] for at in order] if self.pairs is not None else None,
        )

    def comparison(self, baseline: str, latency: Mapping[str, float]) -> DatasetComparison:
        """The comparison shown against this baseline by the first measure."""
        pairs = None
        if self.pairs is not None:
            pairs = tuple(pair for of_measure in self.pairs for pair in of_measure)
        return dataset_comparison(
            self.corrected, baseline, self.identical, self.means, pairs, latency
        )
