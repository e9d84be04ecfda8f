"""Means and counts as pydantic models: what summary.json and ``ragscore score`` write as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Literal

from pydantic import ConfigDict

from ragscore.described import Described
from ragscore.scoring.scores import RetrieverScores, ScoreRow


class Record(Described):
    """Base: unknown keys are refused, so that the schema and the files cannot drift apart."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class MeanRow(Record):
    """One mean."""

    dataset: str
    """Name of the dataset; ``average`` in ``averages``."""
    retriever: str
    """Name of the retriever."""
    measure: str
    """The measure as it parses and as scores.parquet has it: AP@10."""
    label: str
    """The measure as tables print its mean: mAP@10."""
    value: float | None
    """The mean, not rounded; null where it is defined for no query."""
    queries: int
    """Queries averaged."""
    defined: int
    """Of these, how many have a value."""
    low: float | None = None
    """The mean of the lowest values that the unjudged passages allow; null where that was not
    asked for (``bounds: true``) or is not known."""
    high: float | None = None
    """The same of the highest values."""
    bounds: Literal["exact", "outer"] | None = None
    """Whether ``low`` and ``high`` are reached, or only never passed."""


class CountRow(Record):
    """What stands behind the means of one retriever on one dataset."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    queries: int
    """Queries averaged: judged and answerable."""
    missing: int
    """Of these, the run does not know the query; it scores 0."""
    empty: int
    """Of these, nothing came back; it scores 0."""
    without_relevant: int
    """Of these, no passage is judged relevant; it scores 0."""
    unanswerable: int
    """Queries left out of all means because the corpus has no answer."""
    answered_unanswerable: int
    """Of these, something came back all the same."""
    without_judgments: int
    """Queries of the run that nobody judged; ignored."""
    returned: int
    """Passages that came back for the averaged queries."""
    duplicates: int
    """Passages that came back a second time for a query and were dropped."""
    largest_grade: float
    """The largest grade among the averaged queries."""
    tied: dict[str, int]
    """By cutoff: averaged queries with a tie across it."""
    tied_share: dict[str, float]
    """By cutoff: their share of the averaged queries."""
    unjudged: dict[str, float]
    """By cutoff: the share of what came back in the top k that nobody judged."""


def mean_row(row: ScoreRow) -> MeanRow:
    """A mean as a record; an undefined one becomes null."""
    values = asdict(row)
    for name in ("value", "low", "high"):
        if values[name] is not None and math.isnan(values[name]):
            values[name] = None
    return MeanRow(**values)


def count_row(entry: RetrieverScores) -> CountRow:
    """The counts of one entry as a record; cutoffs become text, as JSON has keys."""
    counts = asdict(entry.counts)
    for by_cutoff in ("tied", "unjudged"):
        counts[by_cutoff] = {str(cutoff): value for cutoff, value in counts[by_cutoff].items()}
    queries = max(entry.counts.queries, 1)
    counts["tied_share"] = {cutoff: tied / queries for cutoff, tied in counts["tied"].items()}
    return CountRow(dataset=entry.dataset, retriever=entry.retriever, **counts)
