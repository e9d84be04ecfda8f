"""summary.json as pydantic models: the schema that readers of results can rely on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ragscore.scoring import RetrieverScores, ScoreRow, Scores


class Record(BaseModel):
    """Base: unknown keys are refused, so that the schema and the files cannot drift apart."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


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
    unjudged: dict[str, float]
    """By cutoff: the share of what came back in the top k that nobody judged."""


class FailureRow(Record):
    """A retriever that has no run."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    error: str
    """What happened, as printed."""


class Summary(Record):
    """summary.json."""

    schema_version: Literal[1] = Field(alias="schema")
    """Version of this format."""
    experiment: str
    """Name of the experiment."""
    results: list[MeanRow]
    """Every mean."""
    averages: list[MeanRow]
    """Unweighted averages over the datasets, where there are several."""
    counts: list[CountRow]
    """What stands behind the means."""
    failures: list[FailureRow]
    """Retrievers without a run."""


def summary_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of summary.json."""
    schema = Summary.model_json_schema(by_alias=True)
    title = {"title": "ragscore summary"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, **title}


def summarise(experiment: str, scores: Scores, failures: Iterable[FailureRow]) -> Summary:
    """The summary of scores; an undefined mean becomes null."""
    return Summary(
        schema=1,
        experiment=experiment,
        results=[_mean_row(row) for row in scores.rows()],
        averages=[_mean_row(row) for row in scores.averages()],
        counts=[_count_row(entry) for entry in scores.entries],
        failures=list(failures),
    )


def _mean_row(row: ScoreRow) -> MeanRow:
    values = asdict(row)
    return MeanRow(**{**values, "value": None if math.isnan(row.value) else row.value})


def _count_row(entry: RetrieverScores) -> CountRow:
    counts = asdict(entry.counts)
    for by_cutoff in ("tied", "unjudged"):
        counts[by_cutoff] = {str(cutoff): value for cutoff, value in counts[by_cutoff].items()}
    return CountRow(dataset=entry.dataset, retriever=entry.retriever, **counts)
