"""The item of the trust row on queries that systems did not answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragscore.elements import Cell, Column, Element, Paragraph
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    nothing,
    retriever_column,
    share_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text
from ragscore.elements.tables import table
from ragscore.messages import _
from ragscore.report.model import TrustItem
from ragscore.report.sections.arrangement import named
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
    queries = max(panel.entry.queries, 1)

    def scored_as(name: str) -> Cell:
        if not failed[name]:
            return nothing()
        leaves_out = panel.entries[name].leaves_out
        return text_cell(_("left out of the means") if leaves_out else _("an empty result"))

    counts = table(
        named(panel, "trust-answers"),
        _("Queries that failed"),
        (
            (retriever_column(), name_cell),
            (
                Column("failed", _("Failed"), better="low"),
                lambda name: count_cell(len(failed[name])),
            ),
            (
                Column("share", _("Share"), better="low"),
                lambda name: share_cell(len(failed[name]) / queries),
            ),
            (Column("scored as", _("Scored as"), "text"), scored_as),
        ),
        failed,
    )
    says = Paragraph(
        _(
            "The system did not answer these queries or did not return a ranking; retrievers that "
            "build on it fail for the same queries. Means that leave these queries out show how "
            "well it retrieves when it answers, and failing queries are rarely the easiest ones. "
            "ragscore run --retry-failed retries only these queries."
        )
    )
    detail = [counts, says, *_errors(panel, failed)]
    level = level_of(most / queries)
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
    shown = [(name, failure) for name, failures in own.items() for failure in failures[:ERRORS]]
    more = sum(max(len(failures) - ERRORS, 0) for failures in own.values())
    yield table(
        named(panel, "trust-errors"),
        _("Why they failed"),
        (
            (retriever_column(), lambda row: name_cell(row[0])),
            (Column("query", _("Query"), "text"), lambda row: text_cell(row[1].query)),
            (Column("error", _("Error"), "text"), lambda row: text_cell(row[1].error)),
            (Column("asked", _("Attempts")), lambda row: count_cell(row[1].attempts)),
        ),
        shown,
        [_("{count} more are listed in manifest.json.", count=count_text(more))] if more else (),
    )
