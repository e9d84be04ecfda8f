"""How ``ragscore score`` prints to people and programs; ``--format trec`` has its own module."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragscore.scoring.tables import aligned

if TYPE_CHECKING:
    from ragscore.measures import Measure
    from ragscore.scoring import RetrieverScores


@dataclass(frozen=True)
class TextTable:
    """A title, a header and rows, all text."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def means_table(entries: Sequence[RetrieverScores]) -> TextTable:
    """One row a run; a column for each measure that some run has."""
    measures = list(dict.fromkeys(m for entry in entries for m in entry.measures))
    queries = sorted({entry.counts.queries for entry in entries})
    averaged = f"{queries[0]:,}" if len(queries) == 1 else f"{queries[0]:,} to {queries[-1]:,}"
    rows = [
        [entry.retriever, *(_mean(entry, measure) for measure in measures)] for entry in entries
    ]
    return TextTable(
        f"{entries[0].dataset}: {averaged} queries averaged",
        ["run", *(measure.label for measure in measures)],
        rows,
    )


def per_query_table(entry: RetrieverScores) -> TextTable:
    """One row a query, of one run."""
    rows = [
        [query, *(shown(m, value) for m, value in zip(entry.measures, values, strict=True))]
        for query, values in zip(entry.query_ids, entry.values.T.tolist(), strict=True)
    ]
    return TextTable(entry.retriever, ["query", *map(str, entry.measures)], rows)


def _mean(entry: RetrieverScores, measure: Measure) -> str:
    if measure not in entry.measures:
        return "-"
    text, at = shown(measure, entry.mean(measure)), entry.measures.index(measure)
    bounds = entry.bounds.means(at, measure) if entry.bounds is not None else ()
    if not bounds:
        return text
    low, high, kind = bounds
    return f"{text} [{low:.3f}, {high:.3f}]{'' if kind == 'exact' else f' {kind}'}"


def shown(measure: Measure, value: float) -> str:
    """A value as people read it: three decimals, counts whole, ``-`` where it is undefined."""
    if math.isnan(value):
        return "-"
    return (
        f"{value:.0f}" if measure.aggregate == "sum" and value == round(value) else f"{value:.3f}"
    )


def as_text(tables: Sequence[TextTable]) -> str:
    """Tables under one another."""
    blocks = ["\n".join([table.title, *aligned(table.header, table.rows)]) for table in tables]
    return "\n\n".join(blocks)


def as_latex(tables: Sequence[TextTable]) -> str:
    """Tables for LaTeX's package booktabs."""
    return "\n\n".join(_latex(table) for table in tables)


def _latex(table: TextTable) -> str:
    lines = [
        f"% {' '.join(table.title.split())}",
        f"\\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
        "\\toprule",
        _latex_row(table.header),
        "\\midrule",
        *map(_latex_row, table.rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines)


def _latex_row(cells: Sequence[str]) -> str:
    from ragscore.blocks.latex import escaped

    return " & ".join(map(escaped, cells)) + r" \\"


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
