"""What the numbers rest on: judgments that are missing, ties, queries without results, failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeVar

from ragscore.elements import Cell, Column, Element, Paragraph, Section, Table
from ragscore.elements.cells import count_cell, share_cell, text_cell
from ragscore.report.model import Beside
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.results import DatasetResult
from ragscore.scoring.counts import Counts
from ragscore.scoring.strings import STRINGS as SCORE_STRINGS
from ragscore.strings import Strings

T = TypeVar("T", int, float)


def judgments(report: Report, panel: DatasetResult) -> Section | None:
    """Unjudged passages, ties across cutoffs, and the counts behind the means."""
    return Section("judgments", report.strings("judgments"), tuple(_elements(report, panel)))


def _elements(report: Report, panel: DatasetResult) -> Iterator[Element]:
    strings = report.strings
    for note in (*report.unsearched, *(note.text_in(strings) for note in panel.notes)):
        yield Paragraph(note, "warning")
    if panel.failures:
        yield retriever_table(
            named(panel, "failed"),
            strings("trust_failed"),
            [Column("error", strings("column_error"), "text")],
            {name: [text_cell(error)] for name, error in panel.failures.items()},
            strings,
        )
    if not panel.retrievers:
        return
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    beside: list[tuple[Element, ...]] = []
    if any(found.unjudged for found in counts.values()):
        unjudged = {name: found.unjudged for name, found in counts.items()}
        table = _at_cutoffs("unjudged", unjudged, share_cell, panel, strings)
        beside.append((table, Paragraph(strings("unjudged_says"), "note")))
    if any(queries for found in counts.values() for queries in found.tied.values()):
        tied = {name: found.tied for name, found in counts.items()}
        table = _at_cutoffs("tied", tied, lambda queries: count_cell(queries or 0), panel, strings)
        beside.append((table, Paragraph(strings("ties_says"), "note")))
    else:
        beside.append((Paragraph(strings("no_ties")),))
    yield Beside(tuple(beside))
    yield _counts(panel, counts, strings)
    for name, found in counts.items():
        for sentence in found.unreached(panel.scores[name].measures):
            text = sentence.text_in(SCORE_STRINGS.strings(strings.language))
            yield Paragraph(f"{strings.names([name])}: {text}", "warning")


def _at_cutoffs(
    name: Literal["unjudged", "tied"],
    values: Mapping[str, Mapping[int, T]],
    cell: Callable[[T | None], Cell],
    panel: DatasetResult,
    strings: Strings,
) -> Table:
    """What was counted of each retriever at each cutoff."""
    cutoffs = sorted({cutoff for at_cutoff in values.values() for cutoff in at_cutoff})
    id = "ties" if name == "tied" else name
    return retriever_table(
        named(panel, id),
        strings(f"{id}_title"),
        [Column(f"{name}@{k}", strings(f"column_{name}", k=k), better="low") for k in cutoffs],
        {
            retriever: [cell(at_cutoff.get(k)) for k in cutoffs]
            for retriever, at_cutoff in values.items()
        },
        strings,
    )


def _counts(panel: DatasetResult, counts: Mapping[str, Counts], strings: Strings) -> Table:
    columns = (
        Column("queries", strings("column_averaged"), hint=strings("hint_averaged")),
        Column("missing", strings("column_missing"), better="low"),
        Column("empty", strings("column_empty"), better="low"),
        Column("without relevant", strings("column_without_relevant")),
        Column("unanswerable", strings("column_unanswerable")),
        Column("answered unanswerable", strings("column_answered"), hint=strings("hint_answered")),
        Column("without judgments", strings("column_without_judgments")),
        Column("returned", strings("column_returned")),
        Column("duplicates", strings("column_duplicates"), better="low"),
    )
    # The columns are named as the counts are.
    cells = {
        name: [count_cell(getattr(found, column.name.replace(" ", "_"))) for column in columns]
        for name, found in counts.items()
    }
    title, notes = strings("counts_title"), [strings("note_counts")]
    return retriever_table(named(panel, "counts"), title, columns, cells, strings, notes)
