"""The changed queries of a retriever, as a table and as CSV."""

from __future__ import annotations

from collections.abc import Sequence

from ragscore.elements import Cell, Column, Table
from ragscore.elements.cells import number_cell, text_cell
from ragscore.elements.csv import csv_rows
from ragscore.elements.numbers import count_text
from ragscore.rank_changes.model import DatasetRankChanges, QueryChange, RetrieverChanges
from ragscore.strings import Strings

MOST_PASSAGES = 5
"""New passages that a line of the list names; the others are counted."""
MOST_TEXT = 80
"""Characters of a query's text that the list shows."""


def shown_name(part: RetrieverChanges, strings: Strings) -> str:
    """The retriever's name, both where it was renamed."""
    if part.before == part.after:
        return part.after
    return strings("renamed", before=part.before, after=part.after)


def kind_key(kind: str) -> str:
    """The end of the key of a text about a way to change."""
    return kind.replace(" ", "_")


def query_table(
    part: RetrieverChanges,
    listed: Sequence[QueryChange],
    k: int,
    strings: Strings,
    *,
    several: bool,
) -> Table:
    """The changed queries, a row each.

    Args:
        part: what changed in the rankings of a retriever.
        listed: which of its changed queries have a row.
        k: the cutoff.
        strings: of the language.
        several: whether other retrievers have such a table too.
    """
    texts = any(query.text is not None for query in listed)
    judged = part.unjudged is not None
    columns = [Column("query", strings("column_query"), "text")]
    if texts:
        columns.append(Column("text", strings("column_text"), "text"))
    columns += [
        Column("kind", strings("column_kind"), "text"),
        Column(f"overlap@{k}", strings("column_overlap", k=k)),
        Column("RBO", "RBO"),
        Column("new", strings("column_came" if judged else "column_came_plain"), "text"),
    ]
    rows = []
    for query in listed:
        row = [Cell(query.query, query.query, query=query.query, retriever=part.after)]
        if texts:
            row.append(_text(query.text or ""))
        row += [
            text_cell(strings(f"word_{kind_key(query.kind)}")),
            number_cell(query.overlap),
            number_cell(query.rbo),
            text_cell(_came(query, strings)),
        ]
        rows.append(tuple(row))
    title = strings("table_queries")
    if several:
        title = f"{shown_name(part, strings)}: {title}"
    shown, count = len(listed), part.changed.count
    notes: tuple[str, ...] = ()
    if shown < count:
        notes = (strings("more_queries", shown=count_text(shown), count=count_text(count)),)
    return Table("changed-queries", title, tuple(columns), tuple(rows), notes)


def _text(text: str) -> Cell:
    short = text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"
    return Cell(text, short, quote=True, hint=text if short != text else "")


def _came(query: QueryChange, strings: Strings) -> str:
    """The new passages with their ranks, those that nobody judged with a question mark; the error
    of a query that failed."""
    if query.kind == "newly failed" and query.error is not None:
        return query.error
    listed = ", ".join(
        f"{new.passage} ({new.rank}{'?' if new.judged is False else ''})"
        for new in query.new[:MOST_PASSAGES]
    )
    if (more := len(query.new) - MOST_PASSAGES) > 0:
        return strings("more_passages", listed=listed, count=more)
    return listed or "-"


def queries_csv(datasets: Sequence[DatasetRankChanges]) -> str:
    """The changed queries of all retrievers as CSV, a line each; blanks part passages."""
    head = (
        "dataset",
        "before",
        "after",
        "query",
        "text",
        "kind",
        "overlap",
        "rbo",
        "new",
        "unjudged",
        "gone",
        "error",
    )
    rows = (
        (
            dataset.dataset,
            part.before,
            part.after,
            query.query,
            query.text,
            query.kind,
            query.overlap,
            query.rbo,
            " ".join(new.passage for new in query.new),
            " ".join(new.passage for new in query.new if new.judged is False)
            if part.unjudged is not None
            else None,
            " ".join(query.gone),
            query.error,
        )
        for dataset in datasets
        for part in dataset.retrievers
        for query in part.queries
    )
    return csv_rows((head, *rows))
