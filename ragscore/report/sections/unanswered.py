"""The item of the trust row on queries that systems did not answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragscore.elements import Column, Element, Paragraph, Table
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    nothing,
    retriever_column,
    share_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text
from ragscore.report.model import TrustItem
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.report.sections.trust_items import level_of, trust_item
from ragscore.results import DatasetResult
from ragscore.run import QueryFailure

ERRORS = 20
"""Failed queries of a retriever that are listed."""


def not_answered(report: Report, panel: DatasetResult) -> TrustItem | None:
    """Queries that failed; None where none did."""
    failed = {name: panel.entries[name].failed for name in panel.retrievers}
    most = max((len(failures) for failures in failed.values()), default=0)
    if not most:
        return None
    strings, queries = report.strings, panel.entry.queries
    columns = [
        Column("failed", strings("column_not_answered"), better="low"),
        Column("share", strings("column_share"), better="low"),
        Column("scored as", strings("column_scored_as"), "text"),
    ]
    cells = {
        name: [
            count_cell(len(failures)),
            share_cell(len(failures) / max(queries, 1)),
            nothing()
            if not failures
            else text_cell(
                strings("values_left_out" if panel.entries[name].leaves_out else "values_empty")
            ),
        ]
        for name, failures in failed.items()
    }
    id, title = named(panel, "trust-answers"), strings("trust_answers_title")
    table = retriever_table(id, title, columns, cells, strings)
    says = Paragraph(strings("trust_answers_says"))
    detail = [table, says, *_errors(report, panel, failed)]
    level = level_of(most / max(queries, 1))
    return trust_item(report, panel, "answers", count_text(most), level, *detail)


def _errors(
    report: Report, panel: DatasetResult, failed: Mapping[str, tuple[QueryFailure, ...]]
) -> Iterator[Element]:
    """The first failed queries of each system with their errors, and how many more there are; what
    is built on a system has failed with it."""
    own = {
        name: [failure for failure in failures if not failure.inherited]
        for name, failures in failed.items()
    }
    rows = tuple(
        (
            name_cell(name),
            text_cell(failure.query),
            text_cell(failure.error),
            count_cell(failure.attempts),
        )
        for name, failures in own.items()
        for failure in failures[:ERRORS]
    )
    strings = report.strings
    columns = (
        retriever_column(strings),
        Column("query", strings("column_query"), "text"),
        Column("error", strings("column_error"), "text"),
        Column("asked", strings("column_asked")),
    )
    more = sum(max(len(failures) - ERRORS, 0) for failures in own.values())
    notes = (strings("trust_answers_more", count=count_text(more)),) if more else ()
    title = strings("trust_errors_title")
    yield Table(named(panel, "trust-errors"), title, columns, rows, notes)
