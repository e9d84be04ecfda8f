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
from ragscore.messages import _
from ragscore.report.model import TrustItem
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.report.sections.trust_items import level_of, trust_item
from ragscore.results import DatasetResult
from ragscore.run import QueryFailure

ERRORS = 20
"""Failed queries of a retriever that are listed."""


def not_answered(panel: DatasetResult) -> TrustItem | None:
    """Queries that failed; None if none did."""
    failed = {name: panel.entries[name].failed for name in panel.retrievers}
    most = max((len(failures) for failures in failed.values()), default=0)
    if not most:
        return None
    queries = panel.entry.queries
    columns = [
        Column("failed", _("Failed"), better="low"),
        Column("share", _("Share"), better="low"),
        Column("scored as", _("Scored as"), "text"),
    ]
    cells = {
        name: [
            count_cell(len(failures)),
            share_cell(len(failures) / max(queries, 1)),
            nothing()
            if not failures
            else text_cell(
                _("left out of the means")
                if panel.entries[name].leaves_out
                else _("an empty result")
            ),
        ]
        for name, failures in failed.items()
    }
    id, title = named(panel, "trust-answers"), _("Queries that failed")
    table = retriever_table(id, title, columns, cells)
    says = Paragraph(
        _(
            "The system did not answer these queries or did not return a ranking; retrievers that "
            "build on it fail for the same queries. Means that leave these queries out show how "
            "well it retrieves when it answers, and failing queries are rarely the easiest ones. "
            "ragscore run --retry-failed retries only these queries."
        )
    )
    detail = [table, says, *_errors(panel, failed)]
    level = level_of(most / max(queries, 1))
    return trust_item(panel, "answers", _("Not answered"), count_text(most), level, *detail)


def _errors(
    panel: DatasetResult, failed: Mapping[str, tuple[QueryFailure, ...]]
) -> Iterator[Element]:
    """The first failed queries of each system with their errors, and how many more there are.
    Retrievers built on a system fail with it and are not listed."""
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
    columns = (
        retriever_column(),
        Column("query", _("Query"), "text"),
        Column("error", _("Error"), "text"),
        Column("asked", _("Attempts")),
    )
    more = sum(max(len(failures) - ERRORS, 0) for failures in own.values())
    notes = (
        (_("{count} more are listed in manifest.json.", count=count_text(more)),) if more else ()
    )
    title = _("Why they failed")
    yield Table(named(panel, "trust-errors"), title, columns, rows, notes)
