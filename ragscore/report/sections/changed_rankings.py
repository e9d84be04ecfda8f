"""Which rankings changed since an earlier result: what ``ragscore changes`` finds, on the page."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.elements import Details, Element, Paragraph
from ragscore.errors import RagscoreError
from ragscore.measures import parse_measure
from ragscore.messages import _
from ragscore.rank_changes.change_elements import (
    TopK,
    change_notes,
    change_sentences,
    change_table,
    detail_tables,
)
from ragscore.report.changes import Changes
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.results.changes_between import PERSISTENCE, changes_on_dataset

K = 10
"""The cutoff where the primary measure has none."""
MOST_SENTENCES = 6
"""With more retrievers than this, the table replaces the sentences."""
MOST_QUERIES = 10
"""Changed queries of each retriever that are listed."""


def changed_rankings(report: Report, panel: DatasetResult, found: Changes) -> Iterator[Element]:
    """Which top k changed, at the cutoff of the primary measure, and how; unjudged queries are
    included."""
    assert report.before is not None
    cutoff = parse_measure(panel.primary).cutoff
    top = TopK(cutoff if isinstance(cutoff, int) else K, PERSISTENCE)
    names = (found.before, found.dataset)
    try:
        rankings = changes_on_dataset(report.before, report.result, names, k=top.k, p=top.p)
    except RagscoreError as error:
        yield Paragraph(
            _("The rankings could not be compared: {trouble}", trouble=str(error)), "warning"
        )
        return
    prefix = named(panel, "")
    if len(rankings.retrievers) <= MOST_SENTENCES:
        yield from map(Paragraph, change_sentences(rankings, top).lines)
    yield change_table(rankings, top, prefix)
    yield from (Paragraph(note, "note") for note in change_notes(rankings).lines)
    details = tuple(detail_tables(rankings, top, prefix, MOST_QUERIES))
    if details:
        yield Details(
            _("How the rankings changed: scores, slices, the queries to look at"), details
        )
