"""The changed queries of a retriever, as a table and as CSV."""

from __future__ import annotations

from collections.abc import Sequence

from ragscore.elements import Cell, Column, Table
from ragscore.elements.cells import number_cell, text_cell
from ragscore.elements.csv import csv_rows
from ragscore.elements.numbers import count_text
from ragscore.messages import Message, Text, _, joined
from ragscore.rank_changes.model import (
    ChangeKind,
    DatasetRankChanges,
    QueryChange,
    RetrieverChanges,
)

MAX_PASSAGES = 5
"""New passages that a line of the list names; the others are counted."""
MAX_TEXT = 80
"""Characters of a query's text that the list shows."""
KINDS_IN_WORDS: dict[ChangeKind, Message] = {
    "newly failed": _("newly failed"),
    "newly empty": _("newly empty"),
    "no longer failed": _("no longer failed"),
    "newly answered": _("newly answered"),
    "other passages": _("other passages"),
    "other order": _("other order"),
}


def shown_name(part: RetrieverChanges) -> Text:
    """The retriever's name, both where it was renamed."""
    if part.before == part.after:
        return part.after
    return _("{before} → {after}", before=part.before, after=part.after)


def query_table(
    part: RetrieverChanges, listed: Sequence[QueryChange], k: int, *, several: bool
) -> Table:
    """The changed queries, a row each.

    Args:
        part: what changed in the rankings of a retriever.
        listed: which of its changed queries have a row.
        k: the cutoff.
        several: whether other retrievers have such a table too.
    """
    texts = any(query.text is not None for query in listed)
    judged = part.unjudged is not None
    columns = [Column("query", _("Query"), "text")]
    if texts:
        columns.append(Column("text", _("Text"), "text"))
    columns += [
        Column("kind", _("What changed"), "text"),
        Column(f"overlap@{k}", _("Overlap@{k}", k=k)),
        Column("RBO", "RBO"),
        Column("new", _("New (rank; ? unjudged)") if judged else _("New (rank)"), "text"),
    ]
    rows = []
    for query in listed:
        row = [Cell(query.query, query.query, query=query.query, retriever=part.after)]
        if texts:
            row.append(_text(query.text or ""))
        row += [
            text_cell(KINDS_IN_WORDS[query.kind]),
            number_cell(query.overlap),
            number_cell(query.rbo),
            text_cell(_came(query)),
        ]
        rows.append(tuple(row))
    title = _("Queries to look at or judge, the most changed first")
    if several:
        title = joined([shown_name(part), ": ", title], "")
    shown, count = len(listed), part.changed.count
    notes: tuple[Text, ...] = ()
    if shown < count:
        notes = (
            _(
                "{shown} of {count} changed queries; ragscore changes --limit all lists all.",
                shown=count_text(shown),
                count=count_text(count),
            ),
        )
    return Table("changed-queries", title, tuple(columns), tuple(rows), notes)


def _text(text: str) -> Cell:
    short = text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
    return Cell(text, short, quote=True, hint=text if short != text else "")


def _came(query: QueryChange) -> Text:
    """The new passages with their ranks, those that nobody judged with a question mark; the error
    of a query that failed."""
    if query.kind == "newly failed" and query.error is not None:
        return query.error
    listed = ", ".join(
        f"{new.passage} ({new.rank}{'?' if new.judged is False else ''})"
        for new in query.new[:MAX_PASSAGES]
    )
    if (more := len(query.new) - MAX_PASSAGES) > 0:
        return _("{listed}, {count} more", listed=listed, count=more)
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
