"""The JSON that ``ragscore score`` prints; its schema: ``ragscore schema score``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from ragscore.scoring.records import CountRow, MeanRow, Record, count_row, mean_row

if TYPE_CHECKING:
    from ragscore.scoring import RetrieverScores


class ScoreCountRow(CountRow):
    """What stands behind the means of one run."""

    dropped: int
    """Judged queries that were left out because the run lacks them (--missing drop)."""


class QueryRow(Record):
    """One value of one query."""

    retriever: str
    """Name of the run."""
    query: str
    """Id of the query."""
    measure: str
    """The measure as it parses: AP@10."""
    value: float | None
    """The value, not rounded; null where it is undefined."""
    low: float | None = None
    """The lowest value that the unjudged passages allow; null where it was not asked for
    (--bounds) or is not known."""
    high: float | None = None
    """The highest."""
    bounds: Literal["exact", "outer"] | None = None
    """Whether low and high are reached, or only never passed."""


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


class ScoreSummary(Record):
    """What ``ragscore score --format json`` prints."""

    schema_version: Literal[1] = Field(alias="schema")
    """Version of this format."""
    qrels: str
    """Where the judgments are from, as given."""
    runs: dict[str, str]
    """File of each run, by its name."""
    options: ScoreOptions
    """The flags that changed what was computed."""
    results: list[MeanRow]
    """Every mean."""
    counts: list[ScoreCountRow]
    """What stands behind the means."""
    per_query: list[QueryRow] | None
    """Every value of every query, with --per-query."""
    notes: list[str]
    """What stderr says, also with --quiet."""


def score_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``--format json`` prints."""
    schema = ScoreSummary.model_json_schema(by_alias=True)
    title = {"title": "ragscore score"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, **title}


def as_json(
    entries: Sequence[RetrieverScores],
    dropped: Sequence[int],
    *,
    qrels: str,
    runs: dict[str, str],
    options: ScoreOptions,
    notes: Sequence[str],
    per_query: bool,
) -> str:
    """The scores of runs as JSON text; ``dropped`` is a number for each run."""
    from ragscore.scoring import Scores

    summary = ScoreSummary(
        schema=1,
        qrels=qrels,
        runs=runs,
        options=options,
        results=[mean_row(row) for row in Scores(tuple(entries)).rows()],
        counts=[
            ScoreCountRow(**count_row(entry).model_dump(), dropped=number)
            for entry, number in zip(entries, dropped, strict=True)
        ],
        per_query=[row for entry in entries for row in _query_rows(entry)] if per_query else None,
        notes=list(notes),
    )
    values = summary.model_dump(mode="json", by_alias=True)
    return json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)


def _query_rows(entry: RetrieverScores) -> Iterator[QueryRow]:
    values, bounds = entry.values.T.tolist(), entry.bounds
    for at, query in enumerate(entry.query_ids):
        for column, measure in enumerate(entry.measures):
            row = QueryRow(
                retriever=entry.retriever,
                query=query,
                measure=str(measure),
                value=_number(values[at][column]),
            )
            if bounds is None or (kind := bounds.kinds[column]) == "none":
                yield row
                continue
            low, high = float(bounds.low[column, at]), float(bounds.high[column, at])
            yield row.model_copy(
                update={"low": _number(low), "high": _number(high), "bounds": kind}
            )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
