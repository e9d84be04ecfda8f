"""summary.json, written and read: every mean of an experiment, and the queries it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragscore.errors import DataError
from ragscore.json_data import parse_json
from ragscore.records import Record
from ragscore.results.manifest import Key
from ragscore.scoring import CountRow, Counts, ScoreRow, Scores
from ragscore.validation.findings import first_fault


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


class RecordedSummary(BaseModel):
    """summary.json as far as scores need it."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    results: list[ScoreRow]
    counts: list[CountRow]

    @cached_property
    def means(self) -> Mapping[tuple[str, str, str], float]:
        """By dataset, retriever and measure."""
        return {(row.dataset, row.retriever, row.measure): row.value for row in self.results}

    @cached_property
    def counted(self) -> Mapping[Key, Counts]:
        """By dataset and retriever: the counts behind its means."""
        return {(row.dataset, row.retriever): row.counts for row in self.counts}


def read_summary(content: bytes, where: str) -> RecordedSummary:
    """The counts and means of a summary.json.

    Raises:
        DataError: it is not one.
    """
    return read_recorded(RecordedSummary, content, where, "it is not a valid summary")


Kind = TypeVar("Kind", bound=BaseModel)


def read_recorded(kind: type[Kind], content: bytes, where: str, otherwise: str) -> Kind:
    """What a JSON file of a result holds, as far as a model asks for it.

    Args:
        kind: the model.
        content: of the file.
        where: the file, for messages.
        otherwise: what is said if the model refuses it.

    Raises:
        DataError: it does.
    """
    why: object
    try:
        document = parse_json(content)
        return kind.model_validate(document)
    except ValidationError as error:
        why = first_fault(kind, document, error)
    except ValueError as error:
        why = error
    raise DataError(f"{otherwise}: {why}", where=where)
