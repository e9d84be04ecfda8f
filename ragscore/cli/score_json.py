"""The JSON that ``ragscore score`` prints; its schema: ``ragscore schema score``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.records import MaybeNaN, Record
from ragscore.scoring import CountRow, RetrieverScores, ScoreRow, Scores


@dataclass(frozen=True)
class ScoreCountRow(CountRow):
    """What stands behind the means of one run."""

    dropped: int
    """Judged queries that were left out because the run lacks them (--missing drop)."""


@dataclass(frozen=True)
class QueryRow(Record):
    """One value of one query."""

    retriever: str
    """Name of the run."""
    query: str
    """Id of the query."""
    measure: str
    """The measure as it parses: AP@10."""
    value: MaybeNaN
    """The value, not rounded; null where it is undefined."""
    low: float | None = None
    """The lowest value that the unjudged passages allow; null where it was not asked for
    (--bounds) or is not known."""
    high: float | None = None
    """The highest."""
    bounds: Literal["exact", "outer"] | None = None
    """Whether low and high are reached, or only never passed."""


@dataclass(frozen=True)
class ScoreOptions(Record):
    """The flags that changed what was computed."""

    profile: str
    """--profile."""
    missing: Literal["zero", "drop"]
    """--missing, or what the profile says."""
    relevant_from: float | None
    """--relevant-from; null: each measure's own."""
    depth: int | None
    """--depth; null: all."""
    unjudged: Literal["keep", "remove"]
    """--unjudged."""
    passages: int | None
    """Number of passages in the corpus, where it is known."""


@dataclass(frozen=True)
class ScoreSummary(Record):
    """What ``ragscore score --format json`` prints."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    qrels: str
    """Where the judgments are from, as given."""
    runs: dict[str, str]
    """File of each run, by its name."""
    options: ScoreOptions
    """The flags that changed what was computed."""
    results: list[ScoreRow]
    """Every mean."""
    counts: list[ScoreCountRow]
    """What stands behind the means."""
    per_query: list[QueryRow] | None
    """Every value of every query, with --per-query."""
    notes: list[str]
    """What stderr says, also with --quiet."""


def score_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``--format json`` prints."""
    return ScoreSummary.json_schema("ragscore score")


def as_json(
    entries: Sequence[RetrieverScores],
    *,
    qrels: str,
    runs: dict[str, str],
    options: ScoreOptions,
    notes: Sequence[str],
    per_query: bool,
) -> str:
    """The scores of runs as JSON text."""
    summary = ScoreSummary(
        qrels=qrels,
        runs=runs,
        options=options,
        results=list(Scores(tuple(entries)).rows()),
        counts=[ScoreCountRow(**vars(entry.count_row), dropped=entry.dropped) for entry in entries],
        per_query=[row for entry in entries for row in _query_rows(entry)] if per_query else None,
        notes=list(notes),
    )
    return json.dumps(summary.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def _query_rows(entry: RetrieverScores) -> Iterator[QueryRow]:
    values, bounds = entry.values.T.tolist(), entry.bounds
    for at, query in enumerate(entry.query_ids):
        for column, measure in enumerate(entry.measures):
            row = QueryRow(
                retriever=entry.retriever,
                query=query,
                measure=str(measure),
                value=values[at][column],
            )
            if bounds is None or (kind := bounds.kinds[column]) == "none":
                yield row
                continue
            low, high = float(bounds.low[column, at]), float(bounds.high[column, at])
            yield replace(row, low=low, high=high, bounds=kind)
