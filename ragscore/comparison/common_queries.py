"""Scores of one dataset brought onto the same queries and measures, ready for arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.compared_measure import ComparedMeasure, comparable
from ragscore.comparison.model import ContextSize
from ragscore.dataset import SampledCorpus, Unit
from ragscore.dataset.labels import cluster_numbers
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError, did_you_mean
from ragscore.measures import Measure
from ragscore.messages import Message, Text, _
from ragscore.scoring import RetrieverScores
from ragscore.stats.units import MIN_CLUSTERS

IN_CONTEXT: Mapping[Unit, Message] = {
    "words": _("{measure} in {limit} words"),
    "characters": _("{measure} in {limit} characters"),
    "tokens": _("{measure} in {limit} tokens"),
}


@dataclass(frozen=True, eq=False)
class CommonScores:
    """All retrievers of one dataset on the same Q queries and M measures.

    Attributes:
        dataset: its name.
        entries: the scores of each of the S retrievers, as they came.
        query_ids: the queries compared.
        dropped: queries that only some retrievers were scored on, and that are left out.
        measures: what is compared of each measure, the primary first.
        values: float64[M, S, Q], NaN if undefined.
        clusters: int64[Q], the cluster of each query; None if queries are independent.
        notes: what a reader must know.
    """

    dataset: str
    entries: tuple[RetrieverScores, ...]
    query_ids: tuple[str, ...]
    dropped: int
    measures: tuple[ComparedMeasure, ...]
    values: NDArray[np.float64]
    clusters: NDArray[np.int64] | None
    notes: tuple[Text, ...]

    @property
    def sample(self) -> SampledCorpus | None:
        """What the corpus that was searched is a sample of; None if it is whole."""
        return next((entry.counts.sample for entry in self.entries if entry.counts.sample), None)

    @property
    def retrievers(self) -> tuple[str, ...]:
        """Names, in order."""
        return tuple(entry.retriever for entry in self.entries)

    def differences(self, measure: int, first: int, second: int) -> NDArray[np.float64]:
        """float64[Q]: how much the first of two retrievers is better on each query; NaN if
        either has no value."""
        values = self.values[measure]
        lead: NDArray[np.float64] = self.measures[measure].sign * (values[first] - values[second])
        return lead

    def in_context(self, context: ContextSize) -> CommonScores:
        """The same scores, with the context in the name of each measure."""
        measures = []
        for measure in self.measures:
            name, label = (
                IN_CONTEXT[context.unit].given(measure=text, limit=count_text(context.limit))
                for text in (measure.mean_label, measure.label)
            )
            measures.append(replace(measure, mean_label=name, label=label))
        return replace(self, measures=tuple(measures))


def on_common_queries(
    dataset: str,
    entries: Sequence[RetrieverScores],
    *,
    clusters: Mapping[str, str] | None = None,
    allow_intersect: bool = False,
) -> CommonScores:
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
    common, dropped = _common_queries(dataset, entries, allow_intersect)
    rows = [_rows(entry, common) for entry in entries]
    notes = []
    if allow_intersect:
        notes = [*_other_judgments(entries), *_other_samples(entries)]
    if dropped:
        facts = {"n": count_text(len(common)), "dropped": count_text(dropped)}
        notes.append(
            _(
                "compared on the {n} queries with scores for every retriever; {dropped} queries "
                "with scores for only some are left out",
                **facts,
            )
        )
    measures, elements = [], []
    for of_each in asked:
        measure, values = comparable(of_each, entries, rows)
        measures.append(measure)
        elements.append(values)
    labels = _cluster_labels(dataset, common, clusters) if clusters is not None else None
    if labels is not None and (count := int(labels.max()) + 1) < MIN_CLUSTERS:
        notes.append(
            _(
                "only {count} clusters of queries: intervals and p-values are rough with "
                "fewer than {fewest}",
                count=count,
                fewest=MIN_CLUSTERS,
            )
        )
    return CommonScores(
        dataset=dataset,
        entries=tuple(entries),
        query_ids=common,
        dropped=dropped,
        measures=tuple(measures),
        values=np.stack(elements),
        clusters=labels,
        notes=tuple(notes),
    )


def single_retriever(
    entry: RetrieverScores, clusters: Mapping[str, str] | None = None
) -> CommonScores:
    """The scores of one retriever, as if it were compared with another on the same queries.

    Raises:
        DataError: a query has no cluster.
    """
    queries = tuple(entry.query_ids)
    rows = np.arange(len(queries))
    made = [comparable((measure, (measure,)), [entry], [rows]) for measure in entry.measures]
    numbers = None
    if clusters is not None:
        numbers = cluster_numbers(clusters, queries, where=entry.dataset)
    return CommonScores(
        dataset=entry.dataset,
        entries=(entry,),
        query_ids=queries,
        dropped=0,
        measures=tuple(measure for measure, _ in made),
        values=np.stack([values for _, values in made]),
        clusters=numbers,
        notes=(),
    )


def _common_measures(
    dataset: str, entries: Sequence[RetrieverScores]
) -> list[tuple[Measure, tuple[Measure, ...]]]:
    """Each measure as it was asked for, and what that is for each entry (``R@depth`` differs)."""
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
        if not allow_intersect and (other := next(_other_judgments([first, entry]), None)):
            raise DataError(
                str(other),
                where=dataset,
                instead="Score both by the same judgments, or compare anyway: --allow-intersect",
            )
        if not allow_intersect and (other := next(_other_samples([first, entry]), None)):
            raise DataError(
                str(other),
                where=dataset,
                instead="Search the same passages with both, or compare anyway: --allow-intersect",
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


def _other_judgments(entries: Sequence[RetrieverScores]) -> Iterator[Message]:
    """A note for each entry with the queries of the first, if other judgments scored it."""
    first, *others = entries
    own = first.counts
    for entry in others:
        other = entry.counts
        same = (own.without_relevant, own.largest_grade) == (
            other.without_relevant,
            other.largest_grade,
        )
        if same or set(first.query_ids) != set(entry.query_ids):
            continue
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


def _other_samples(entries: Sequence[RetrieverScores]) -> Iterator[Message]:
    """A note for each entry that searched a sample of another kind than the first, or the whole
    corpus where the other did not."""
    first, *others = entries
    for entry in others:
        pair = [first, entry]
        samples = [each.counts.sample for each in pair]
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


def _rows(entry: RetrieverScores, queries: Sequence[str]) -> NDArray[np.int64]:
    """Where the queries stand in the entry: int64[Q]."""
    place = {query: row for row, query in enumerate(entry.query_ids)}
    return np.array([place[query] for query in queries], dtype=np.int64)


def _cluster_labels(
    dataset: str, queries: Sequence[str], clusters: Mapping[str, str]
) -> NDArray[np.int64]:
    numbers = cluster_numbers(clusters, queries, where=dataset)
    if not numbers.any():
        raise DataError(
            f"all {len(queries)} queries are in one cluster, so nothing can be tested",
            where=dataset,
            instead="Name a tag that splits the queries, or compare without clusters",
        )
    return numbers
