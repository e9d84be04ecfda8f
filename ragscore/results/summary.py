"""summary.json as pydantic models: the schema that readers of results can rely on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from ragscore.scoring import Scores
from ragscore.scoring.records import CountRow, MeanRow, Record, count_row, mean_row


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
        results=[mean_row(row) for row in scores.rows()],
        averages=[mean_row(row) for row in scores.averages()],
        counts=[count_row(entry) for entry in scores.entries],
        failures=list(failures),
    )
