"""The JSON and CSV that ``ragscore score`` prints for programs, with every digit.

The schema of the JSON: ``ragscore schema score``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.elements.table_files import Value, csv_rows
from ragscore.messages import Text
from ragscore.records import MaybeNaN, Record
from ragscore.scoring import CountRow, RetrieverScores, ScoreRow

LINES_AT_A_TIME = 10_000


@dataclass(frozen=True, kw_only=True)
class ScoreCountRow(CountRow):
    """How many queries the means rest on of one run."""

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
    """The value, not rounded; null if it is undefined."""
    low: float | None = None
    """The lowest value that the unjudged passages allow; null if it was not asked for
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
    """How many queries the means rest on."""
    per_query: list[QueryRow] | None
    """Every value of every query, with --per-query."""
    notes: list[Text]
    """The notes on stderr, also with --quiet."""


def score_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``--format json`` prints."""
    return ScoreSummary.json_schema("ragscore score")


def as_csv(entries: Sequence[RetrieverScores], *, per_query: bool) -> Iterator[str]:
    """Tidy rows: run, query, measure, value; and low, high, bounds where those were asked for. A
    mean has the query ``all`` and comes last for each run; what is undefined is empty. Some
    thousand lines at a time: of millions of queries, all would take gigabytes."""
    bounded = any(entry.bounds is not None for entry in entries)
    header = ["run", "query", "measure", "value", "low", "high", "bounds"]
    width = len(header) if bounded else 4
    yield csv_rows([header[:width]]).rstrip("\n")
    for entry in entries:
        of_queries: Iterator[QueryRow] = query_rows(entry) if per_query else iter(())
        rows: Iterator[QueryRow | ScoreRow] = chain(of_queries, entry.rows())
        while written := [_cells(row)[:width] for row in islice(rows, LINES_AT_A_TIME)]:
            yield csv_rows(written).rstrip("\n")


def _cells(row: QueryRow | ScoreRow) -> tuple[Value, ...]:
    query = row.query if isinstance(row, QueryRow) else "all"
    return (row.retriever, query, row.measure, row.value, row.low, row.high, row.bounds)


def query_rows(entry: RetrieverScores) -> Iterator[QueryRow]:
    """Every value of every query."""
    bounds = entry.bounds
    measures = list(map(str, entry.measures))
    for at, query in enumerate(entry.query_ids):
        values = entry.values[:, at].tolist()
        for column, measure in enumerate(measures):
            row = QueryRow(entry.retriever, query, measure, values[column])
            if bounds is None or (kind := bounds.kinds[column]) == "none":
                yield row
                continue
            low, high = float(bounds.low[column, at]), float(bounds.high[column, at])
            yield replace(row, low=low, high=high, bounds=kind)
