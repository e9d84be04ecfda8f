"""ScoreMatrix: the scores of one dataset on the same queries and measures, ready for arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.options import CompareOptions
from ragscore.dataset import SampledCorpus, Unit
from ragscore.dataset.labels import cluster_numbers
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError, did_you_mean
from ragscore.estimate import Estimate
from ragscore.measures import Measure
from ragscore.messages import Message, Text, _, joined
from ragscore.records import Record
from ragscore.scoring import RetrieverScores
from ragscore.scoring.means import MIN_IN_LOG
from ragscore.stats.intervals import LEVEL, NOT_ESTIMABLE, ShareMethod, mean_intervals
from ragscore.stats.units import MIN_CLUSTERS

IN_CONTEXT: Mapping[Unit, Message] = {
    "words": _("{measure} in {limit} words"),
    "characters": _("{measure} in {limit} characters"),
    "tokens": _("{measure} in {limit} tokens"),
}


def lies_in_0_to_1(measure: Measure) -> bool:
    """Whether what is compared of a measure lies in [0, 1]: not the logarithms of a geometric
    mean."""
    return measure.bounded and measure.aggregate != "geometric mean"


@dataclass(frozen=True)
class ContextSize(Record):
    """The context in which retrievers are compared that search different chunks."""

    unit: Unit
    """What is counted."""
    limit: int
    """The most that it holds; the first passage that does not fit ends it."""
    chosen: Literal["experiment", "default"]
    """By whom: the experiment's budget, or the largest that is shown and that all fill."""
    short: tuple[str, ...]
    """The retrievers that a deeper run might let fill it, for more than 5 % of the queries."""


@dataclass(frozen=True)
class ComparedMeasure:
    """One measure as it is compared: by values whose mean is its aggregate.

    Attributes:
        measure: as it parses.
        parsed: the measure itself.
        label: as tables print its mean.
        sign: +1, or -1 where small values are good: differences are multiplied by it.
        logarithm: values are natural logarithms (a geometric mean), and the means their
            exponentials.
        shares: how the interval of a mean is made, where all values of all retrievers are 0 or 1;
            None if others are among them.
        guards: it counts what must not come back, which is worse than not relevant.
        bounded: the values lie in [0, 1], so that a margin of 0.01 means something.
        notes: what a reader must know.
    """

    measure: str
    parsed: Measure
    label: Text
    sign: int
    logarithm: bool
    shares: ShareMethod | None
    guards: bool
    bounded: bool
    notes: tuple[Text, ...]

    @property
    def name(self) -> Text:
        """Its name in sentences, which says so if lower is better: a lead is then a smaller
        value."""
        return _("{label} (lower is better)", label=self.label) if self.sign < 0 else self.label


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """S retrievers of one dataset on the same Q queries and M measures.

    Attributes:
        dataset: its name.
        queries: ids of the queries compared.
        retrievers: names, in order.
        measures: what is compared of each measure, the primary first.
        values: float64[M, S, Q], NaN if undefined.
        clusters: int64[Q], the cluster of each query; None if queries are independent.
        notes: what a reader must know.
        entries: the scores of each retriever, as they came.
        dropped: queries that only some retrievers were scored on, and that are left out.
    """

    dataset: str
    queries: tuple[str, ...]
    retrievers: tuple[str, ...]
    measures: tuple[ComparedMeasure, ...]
    values: NDArray[np.float64]
    clusters: NDArray[np.int64] | None
    notes: tuple[Text, ...]
    entries: tuple[RetrieverScores, ...]
    dropped: int = 0

    @property
    def sample(self) -> SampledCorpus | None:
        """What the corpus that was searched is a sample of; None if it is whole."""
        return next((entry.counts.sample for entry in self.entries if entry.counts.sample), None)

    def differences(self, measure: int, first: int, second: int) -> NDArray[np.float64]:
        """float64[Q]: how much the first of two retrievers is better on each query; NaN if
        either has no value."""
        values = self.values[measure]
        lead: NDArray[np.float64] = self.measures[measure].sign * (values[first] - values[second])
        return lead

    def in_context(self, context: ContextSize) -> ScoreMatrix:
        """The same scores, with the context in the name of each measure."""
        named, limit = IN_CONTEXT[context.unit], count_text(context.limit)
        measures = (
            replace(measure, label=named.given(measure=measure.label, limit=limit))
            for measure in self.measures
        )
        return replace(self, measures=tuple(measures))

    def means(
        self,
        options: CompareOptions,
        part: slice | NDArray[np.bool_] = slice(None),
        level: float = LEVEL,
    ) -> list[dict[str, Estimate]]:
        """Of each measure by retriever the mean by the measure's own aggregate (a sum becomes a
        mean per query); those over the same queries by the same draws.

        Args:
            options: interval, resamples, seed.
            part: bool[Q], the queries; by default all.
            level: of the intervals.
        """
        values = self.values[:, :, part]
        clusters = None if self.clusters is None else self.clusters[part]
        method = None if options.interval == "default" else options.interval
        groups: dict[tuple[bytes, ShareMethod | None], list[tuple[int, ...]]] = {}
        for cell in np.ndindex(values.shape[:2]):
            shares = self.measures[cell[0]].shares if method is None else None
            groups.setdefault((np.isnan(values[cell]).tobytes(), shares), []).append(cell)
        found: dict[tuple[int, ...], Estimate] = {}
        for (_undefined, shares), cells in groups.items():
            known = ~np.isnan(values[cells[0]])
            if not known.any():
                nothing = Estimate(math.nan, note=NOT_ESTIMABLE, method=method or "bca")
                found |= dict.fromkeys(cells, nothing)
                continue
            rows = np.stack([values[cell][known] for cell in cells])
            intervals = mean_intervals(
                rows,
                method=shares or method,
                level=level,
                resamples=options.resamples,
                seed=options.seed,
                clusters=None if clusters is None else clusters[known],
                binary=shares is not None,
            )
            for cell, row, interval in zip(cells, rows.tolist(), intervals, strict=True):
                measure, n = self.measures[cell[0]], len(row)
                mean, low, high = math.fsum(row) / n, interval.low, interval.high
                if measure.logarithm:
                    mean, low, high = np.exp([mean, low, high]).tolist()
                if measure.bounded and interval.estimable:
                    low, high = max(low, 0.0), min(high, 1.0)
                found[cell] = Estimate(mean, low, high, n, interval.note, interval.method)
        return [
            {name: found[at, r] for r, name in enumerate(self.retrievers)}
            for at in range(len(self.measures))
        ]


def on_common_queries(
    dataset: str,
    entries: Sequence[RetrieverScores],
    *,
    clusters: Mapping[str, str] | None = None,
    allow_intersect: bool = False,
) -> ScoreMatrix:
    """The entries of one dataset on common queries and measures.

    Args:
        dataset: its name.
        entries: scores of two or more retrievers.
        clusters: query id to the name of its cluster.
        allow_intersect: compare on the common queries where they differ, and by judgments that
            differ.

    Raises:
        ConfigError: there are not two retrievers; one occurs twice; a measure is missing for one.
        DataError: they were scored on different queries or judgments; there is no query; a query
            has no cluster; there is one cluster.
    """
    names = [entry.retriever for entry in entries]
    if len(entries) < 2:
        raise ConfigError(
            f"nothing to compare: '{names[0]}' is the only retriever with scores",
            where=dataset,
            instead="Give two retrievers or more",
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(
            f"two retrievers are named '{twice}'", where=dataset, instead="Rename one of them"
        )
    asked = _common_measures(dataset, entries)
    queries, dropped = _common_queries(dataset, entries, allow_intersect)
    notes: list[Text] = [*_other_data(entries)] if allow_intersect else []
    if dropped:
        notes.append(
            _(
                "compared on the {n} queries with scores for every retriever; {dropped} queries "
                "with scores for only some are left out",
                n=count_text(len(queries)),
                dropped=count_text(dropped),
            )
        )
    matrix = _matrix(dataset, entries, asked, queries, clusters)
    if matrix.clusters is not None:
        count = int(matrix.clusters.max()) + 1
        if count == 1:
            raise DataError(
                f"all {len(queries)} queries are in one cluster, so nothing can be tested",
                where=dataset,
                instead="Name a tag that splits the queries, or compare without clusters",
            )
        if count < MIN_CLUSTERS:
            notes.append(
                _(
                    "only {count} clusters of queries: intervals and p-values are rough with "
                    "fewer than {fewest}",
                    count=count,
                    fewest=MIN_CLUSTERS,
                )
            )
    return replace(matrix, notes=tuple(notes), dropped=dropped)


def single_retriever(
    entry: RetrieverScores, clusters: Mapping[str, str] | None = None
) -> ScoreMatrix:
    """The scores of one retriever, as if it were compared with another on the same queries.

    Raises:
        DataError: a query has no cluster.
    """
    asked = [(measure, (measure,)) for measure in entry.measures]
    return _matrix(entry.dataset, [entry], asked, tuple(entry.query_ids), clusters)


Asked = Sequence[tuple[Measure, tuple[Measure, ...]]]
"""Each measure as it was asked for, and what that is for each entry: ``R@depth`` differs."""


def _matrix(
    dataset: str,
    entries: Sequence[RetrieverScores],
    asked: Asked,
    queries: tuple[str, ...],
    clusters: Mapping[str, str] | None,
) -> ScoreMatrix:
    numbers = None if clusters is None else cluster_numbers(clusters, queries, where=dataset)
    places = [{query: row for row, query in enumerate(entry.query_ids)} for entry in entries]
    rows = [np.array([place[query] for query in queries], dtype=np.int64) for place in places]
    compared = [_compared(measure, of_each, entries, rows) for measure, of_each in asked]
    return ScoreMatrix(
        dataset=dataset,
        queries=queries,
        retrievers=tuple(entry.retriever for entry in entries),
        measures=tuple(measure for measure, _values in compared),
        values=np.stack([values for _measure, values in compared]),
        clusters=numbers,
        notes=(),
        entries=tuple(entries),
    )


def _compared(
    wanted: Measure,
    of_each: Sequence[Measure],
    entries: Sequence[RetrieverScores],
    rows: Sequence[NDArray[np.int64]],
) -> tuple[ComparedMeasure, NDArray[np.float64]]:
    """What is compared of one measure, and its values: float64[S, Q].

    A mean is compared by the values as they are; a sum too, as a mean per query. A geometric
    mean is compared by logarithms. A micro average, whose queries weigh differently, by its
    linearisation ``r + w (x - r) / mean(w)``: its mean is the average r, and its spread that of
    the ratio estimator (Cochran, Sampling Techniques, 1977, chapter 6).
    """
    notes: list[Text] = []
    measure = of_each[0]
    if len(set(of_each)) > 1:
        measure = wanted
        cutoffs = [
            _("{measure} for {retriever}", measure=own, retriever=entry.retriever)
            for own, entry in zip(of_each, entries, strict=True)
        ]
        differs = _("the cutoff differs between retrievers: {listed}", listed=joined(cutoffs, ", "))
        notes.append(differs)
    values = np.stack([_per_query(*each) for each in zip(of_each, entries, rows, strict=True)])
    logarithm = measure.aggregate == "geometric mean"
    if logarithm:
        values = np.log(np.maximum(values, MIN_IN_LOG))
        notes.append(_("differences are on a natural log scale: +0.1 is about 10 % more"))
    if measure.aggregate == "sum":
        notes.append(_("compared as means per query, not sums"))
    if measure.weighs_queries:
        known = all(own in entry.weights for own, entry in zip(of_each, entries, strict=True))
        notes.append(
            _("queries are weighted as in the micro average (linearised)")
            if known
            else _("queries are weighted equally here: their weights were not recorded")
        )
    defined = values[~np.isnan(values)]
    all_0_or_1 = not logarithm and bool(((defined == 0) | (defined == 1)).all())
    lower = measure.lowest_is_best
    return ComparedMeasure(
        measure=str(measure),
        parsed=measure,
        label=measure.label,
        sign=-1 if lower else 1,
        logarithm=logarithm,
        shares=measure.share_method if all_0_or_1 else None,
        # LeakRank is about those queries alone that leaked.
        guards=measure.reads_forbidden and lower,
        bounded=lies_in_0_to_1(measure),
        notes=tuple(notes),
    ), values


def _per_query(
    measure: Measure, entry: RetrieverScores, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    values: NDArray[np.float64] = entry.values[entry.measures.index(measure), rows]
    if measure not in entry.weights:
        return values
    weights = np.where(np.isnan(values), np.nan, entry.weights[measure][rows])
    total = np.nansum(weights)
    if not total:
        return np.full(len(values), np.nan)
    average = np.nansum(weights * values) / total
    linear: NDArray[np.float64] = average + weights * (values - average) / np.nanmean(weights)
    return linear


def _common_measures(dataset: str, entries: Sequence[RetrieverScores]) -> Asked:
    asked = list(dict.fromkeys(measure for entry in entries for measure in entry.resolved))
    if not asked:
        raise ConfigError("no measure was scored", where=dataset, instead="Score one or more")
    for entry in entries:
        for measure in asked:
            if measure not in entry.resolved:
                raise ConfigError(
                    f"'{entry.retriever}' was not scored by {measure}, but others were",
                    where=dataset,
                    instead="Score all by the same measures. "
                    + did_you_mean(str(measure), map(str, entry.resolved)),
                )
    found: dict[tuple[Measure, ...], Measure] = {}
    for measure in asked:
        found.setdefault(tuple(entry.resolved[measure] for entry in entries), measure)
    return [(measure, of_each) for of_each, measure in found.items()]


def _common_queries(
    dataset: str, entries: Sequence[RetrieverScores], allow_intersect: bool
) -> tuple[tuple[str, ...], int]:
    """The common queries in the order of the first entry, and how many are not common."""
    first, *others = entries
    own = set(first.query_ids)
    common, union = set(own), set(own)
    for entry in others:
        ids = set(entry.query_ids)
        if ids != own and not allow_intersect:
            raise DataError(
                f"'{first.retriever}' and '{entry.retriever}' were scored on different queries: "
                f"{len(own & ids)} in common, {len(own - ids)} only of '{first.retriever}', "
                f"{len(ids - own)} only of '{entry.retriever}'",
                where=dataset,
                instead="Score both on the same queries, or compare on the common ones: "
                "--allow-intersect",
            )
        if not allow_intersect:
            for other in _other_data([first, entry]):
                raise DataError(
                    str(other),
                    where=dataset,
                    instead="Score both by the same judgments of the same passages, or compare "
                    "anyway: --allow-intersect",
                )
        common &= ids
        union |= ids
    if not common:
        what = "no query was scored" if not union else "the retrievers have no query in common"
        raise DataError(
            f"{what} ({len(union)} in all)",
            where=dataset,
            instead="Check that the query ids of runs and judgments are the same",
        )
    return tuple(query for query in first.query_ids if query in common), len(union - common)


def _other_data(entries: Sequence[RetrieverScores]) -> Iterator[Message]:
    """A note for each entry that was scored by other judgments than the first, on the same
    queries; then for each that searched a sample of another kind, or the whole corpus where the
    other did not."""
    first, *others = entries
    for entry in others:
        own, other = first.counts, entry.counts
        differ = (own.without_relevant, own.largest_grade) != (
            other.without_relevant,
            other.largest_grade,
        )
        if differ and set(first.query_ids) == set(entry.query_ids):
            yield _(
                "'{first}' and '{second}' were scored by different judgments: {none} and "
                "{other_none} queries without a relevant passage, largest grade {grade} "
                "and {other_grade}",
                first=first.retriever,
                second=entry.retriever,
                none=own.without_relevant,
                other_none=other.without_relevant,
                grade=f"{own.largest_grade:g}",
                other_grade=f"{other.largest_grade:g}",
            )
    for entry in others:
        samples = first.counts.sample, entry.counts.sample
        if samples[0] != samples[1]:
            sizes = [
                _("the whole corpus") if sample is None else sample.size() for sample in samples
            ]
            yield _(
                "{first} searched {searched}, and {second} searched {other}, so part of their "
                "difference comes from the corpus",
                first=first.retriever,
                searched=sizes[0],
                second=entry.retriever,
                other=sizes[1],
            )
