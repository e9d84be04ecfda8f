"""summary.json: every mean of an experiment, and how many queries it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.records import Record
from ragscore.scoring import CountRow, ScoreRow, Scores


@dataclass(frozen=True)
class FailureRow(Record):
    """A retriever that has no run."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    error: str
    """What happened, as printed."""


@dataclass(frozen=True)
class Summary(Record):
    """summary.json."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    experiment: str
    """Name of the experiment."""
    results: list[ScoreRow]
    """Every mean."""
    averages: list[ScoreRow]
    """Unweighted averages over the datasets, where there are several."""
    counts: list[CountRow]
    """How many queries the means rest on."""
    failures: list[FailureRow]
    """Retrievers without a run."""


def summary_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of summary.json."""
    return Summary.json_schema("ragscore summary")


def summarise(experiment: str, scores: Scores, failures: Iterable[FailureRow]) -> Summary:
    """The summary of scores."""
    return Summary(
        experiment=experiment,
        results=list(scores.rows()),
        averages=list(scores.averages()),
        counts=[entry.count_row for entry in scores.entries],
        failures=list(failures),
    )
