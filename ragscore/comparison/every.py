"""Every choice of baseline and primary measure at once, for readers who may change them.

What compare() would say for each choice, to the last digit; but scores are aligned once, and
each contrast of two retrievers on a measure is computed once, whichever choices read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ragscore.comparison.aligned import Aligned, align, alone
from ragscore.comparison.comparing import told
from ragscore.comparison.contrasts import Contrast, Key, contrasts
from ragscore.comparison.families import (
    all_pairs,
    contrasts_read,
    family,
    means_of,
    put_together,
    ranking_of,
)
from ragscore.comparison.model import (
    DatasetComparison,
    Difference,
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
            baseline and with that measure listed first.
        pairs: by measure: every pair of retrievers, the first listed against the second; p is
            adjusted over all pairs of the measure.
    """

    comparisons: Mapping[tuple[str, str], DatasetComparison]
    pairs: Mapping[str, tuple[Difference, ...]]


def every_comparison(
    entries: Sequence[RetrieverScores],
    options: CompareOptions | None = None,
    *,
    baselines: Sequence[str] = (),
    primaries: Sequence[str] = (),
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
) -> EveryComparison:
    """Compare retrievers on one dataset by every choice of baseline and primary measure.

    Args:
        entries: scores of two retrievers or more on one dataset.
        options: how; their baseline is not read.
        baselines: the retrievers that can be chosen; by default all.
        primaries: the measures that can be chosen, as they parse; by default all.
        clusters, latency: as for :func:`~ragscore.comparison.compare`.

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
    aligned = align(
        entries[0].dataset, entries, clusters=clusters, allow_intersect=options.allow_intersect
    )
    measures = [quantity.measure for quantity in aligned.quantities]
    primaries = tuple(primaries) or tuple(measures)
    baselines = tuple(baselines) or aligned.retrievers
    for asked, known in ((primaries, measures), (baselines, aligned.retrievers)):
        for name in asked:
            if name not in known:
                what = f"'{name}' was not scored"
                raise ConfigError(what, where=aligned.dataset, instead=did_you_mean(name, known))
    computed = _Computed.of(aligned, options)
    made = {}
    for primary in primaries:
        seen = computed.from_measure(measures.index(primary))
        for baseline in baselines:
            made[baseline, primary] = seen.told(baseline, latency or {})
    count = len(aligned.retrievers)
    pairs = {
        measure: tuple(
            family(
                aligned,
                computed.contrasts,
                [(at, *pair) for pair in combinations(range(count), 2)],
                options,
            ).values()
        )
        for at, measure in enumerate(measures)
    }
    return EveryComparison(made, pairs)


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
        aligned: the scores.
        contrasts: of every pair from both sides, on every measure.
        means: of each measure by retriever.
        pairs: of each measure by randomized Tukey HSD; None where that was not asked for.
        options: how.
    """

    aligned: Aligned
    contrasts: Mapping[Key, Contrast]
    means: Sequence[Mapping[str, MeanWithInterval]]
    pairs: Sequence[tuple[PairDifference, ...]] | None
    options: CompareOptions

    @classmethod
    def of(cls, aligned: Aligned, options: CompareOptions) -> _Computed:
        pairs = None
        if options.all_pairs:
            listed = all_pairs(aligned, options)
            pairs = [
                tuple(pair for pair in listed if pair.measure == quantity.measure)
                for quantity in aligned.quantities
            ]
        found = _both_sides(aligned, options)
        return cls(aligned, found, means_of(aligned, options), pairs, options)

    def from_measure(self, primary: int) -> _Computed:
        """The same with another measure first."""
        order = [primary, *(at for at in range(len(self.means)) if at != primary)]
        place = {old: new for new, old in enumerate(order)}
        return replace(
            self,
            aligned=replace(
                self.aligned,
                quantities=tuple(self.aligned.quantities[at] for at in order),
                values=self.aligned.values[order],
            ),
            contrasts={(place[m], a, b): one for (m, a, b), one in self.contrasts.items()},
            means=[self.means[at] for at in order],
            pairs=[self.pairs[at] for at in order] if self.pairs is not None else None,
        )

    def told(self, baseline: str, latency: Mapping[str, float]) -> DatasetComparison:
        """The comparison with this baseline by the first measure."""
        aligned, number = self.aligned, self.aligned.retrievers.index(baseline)
        ranking = ranking_of(aligned, number)
        # What is read is read from the side that compare() computes: another would round
        # otherwise where bounds come from a bootstrap.
        wanted = contrasts_read(aligned, number, ranking[0])
        found = {key: self.contrasts[key] for key in wanted}
        compared = put_together(aligned, number, ranking, found, self.means, self.options)
        pairs = None
        if self.pairs is not None:
            pairs = tuple(pair for of_measure in self.pairs for pair in of_measure)
        return told(aligned, baseline, compared, pairs, self.options, latency)


def _both_sides(aligned: Aligned, options: CompareOptions) -> dict[Key, Contrast]:
    measures, systems = aligned.values.shape[:2]
    pairs = list(combinations(range(systems), 2))
    listed: Iterable[Key] = ((m, *pair) for m in range(measures) for pair in pairs)
    if options.interval in ("default", "t") and options.test in ("randomization", "t"):
        # These are the same to the last digit from the other side.
        found = contrasts(aligned, listed, options)
        return {**found, **{(m, b, a): one.reversed for (m, a, b), one in found.items()}}
    both = (key for m, a, b in listed for key in ((m, a, b), (m, b, a)))
    return contrasts(aligned, both, options)
