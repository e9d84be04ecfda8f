"""``ragscore score --format csv``: every digit, for programs."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragscore.scoring import RetrieverScores


def as_csv(entries: Sequence[RetrieverScores], *, per_query: bool) -> str:
    """Tidy rows: run, query, measure, value; and low, high, bounds where those were asked for. A
    mean has the query ``all`` and comes last for each run; what is undefined is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    bounded = any(entry.bounds is not None for entry in entries)
    header = ["run", "query", "measure", "value", "low", "high", "bounds"]
    width = len(header) if bounded else 4
    writer.writerow(header[:width])
    for entry in entries:
        if per_query:
            writer.writerows(row[:width] for row in _query_rows(entry))
        means = zip(entry.measures, entry.means.tolist(), strict=True)
        for at, (measure, mean) in enumerate(means):
            row = [entry.retriever, "all", str(measure), _number(mean)]
            bounds = entry.bounds.means(at, measure) if entry.bounds is not None else ()
            low, high, kind = bounds or (math.nan, math.nan, "")
            writer.writerow([*row, _number(low), _number(high), kind][:width])
    return out.getvalue().rstrip("\n")


def _query_rows(entry: RetrieverScores) -> Iterator[list[str]]:
    values = entry.values.T.tolist()
    bounds = entry.bounds
    low = values if bounds is None else bounds.low.T.tolist()
    high = values if bounds is None else bounds.high.T.tolist()
    kinds = [""] * len(entry.measures) if bounds is None else bounds.kinds
    for at, query in enumerate(entry.query_ids):
        for column, measure in enumerate(entry.measures):
            numbers = (side[at][column] for side in (values, low, high))
            kind = "" if kinds[column] == "none" else kinds[column]
            yield [entry.retriever, query, str(measure), *map(_number, numbers), kind]


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
