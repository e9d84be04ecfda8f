"""Counts: how many queries the means rest on, and what was the matter with some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from ragscore.dataset import SampledCorpus
from ragscore.elements.numbers import plain_number
from ragscore.measures import Measure
from ragscore.messages import Message, _
from ragscore.records import Record


@dataclass(frozen=True)
class Counts(Record):
    """How many queries a mean rests on, and how many had a problem."""

    queries: int
    """Queries averaged: judged and answerable; those among them that failed and are left out have
    no values."""
    missing: int
    """Of these, queries that the run lacks; they score 0."""
    empty: int
    """Of these, queries for which nothing came back; they score 0."""
    without_relevant: int
    """Of these, queries without a passage judged relevant (grade >= 1); they score 0."""
    unanswerable: int
    """Queries left out of all means because the corpus has no answer, judged or not."""
    answered_unanswerable: int
    """Of these, queries that got passages anyway."""
    without_judgments: int
    """Queries of the run that nobody judged; ignored."""
    returned: int
    """Passages that came back for the averaged queries."""
    duplicates: int
    """Passages that came back a second time for a query and were dropped."""
    largest_grade: float
    """The largest grade among the averaged queries, 0 if there is none."""
    tied: Mapping[int, int]
    """By cutoff: averaged queries with a tie across it; at the depth, those whose last two
    passages tie, since what came after can't be seen."""
    tied_share: Mapping[int, float]
    """By cutoff: their share of the averaged queries."""
    unjudged: Mapping[int, float]
    """By cutoff: the share of the returned top k that nobody judged."""
    failed: int = 0
    """Of the queries, those that the retriever, or one that it is built on, did not answer; they
    are not among the empty ones."""
    left_out: int = 0
    """Of these, those that are left out of all means: all or none. The others score as queries for
    which nothing came back."""
    sample: SampledCorpus | None = None
    """What the corpus that was searched is a sample of: no value holds for the whole. Null where
    it is whole, or nothing says what was searched."""

    def unreached(self, measures: Iterable[Measure]) -> Iterator[Message]:
        """A sentence for each ``relevant_from`` of these measures that no grade reaches, though
        some are positive."""
        thresholds = {measure.threshold or 0.0 for measure in measures}
        for threshold in sorted(thresholds):
            if self.queries and 0 < self.largest_grade < threshold:
                yield _(
                    "no grade reaches relevant_from={threshold} (the largest is {largest}), so "
                    "measures that use it are 0",
                    threshold=plain_number(threshold),
                    largest=plain_number(self.largest_grade),
                )


@dataclass(frozen=True)
class _Row(Record):
    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""


@dataclass(frozen=True)
class CountRow(Counts, _Row):
    """How many queries the means of one retriever on one dataset rest on, and how many of them had
    a problem."""

    @property
    def counts(self) -> Counts:
        """The counts without the names."""
        return Counts(**{field.name: getattr(self, field.name) for field in fields(Counts)})
