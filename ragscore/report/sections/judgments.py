"""What the numbers rest on: judgments that are missing, ties, queries without results, failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragscore.blocks import Block, Column, Paragraph, Section, Table
from ragscore.blocks.cells import count_cell, name_cell, retriever_column, share_cell, text_cell
from ragscore.report.data import ReportData
from ragscore.report.model import Beside
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.scoring.counts import Counts
from ragscore.scoring.strings import STRINGS as SCORE_STRINGS


def judgments(data: ReportData, panel: DatasetResult) -> Section | None:
    """Unjudged passages, ties across cutoffs, and the counts behind the means."""
    return Section("judgments", data.words("judgments"), tuple(_blocks(data, panel)))


def _blocks(data: ReportData, panel: DatasetResult) -> Iterator[Block]:
    words = data.words
    for note in (*data.notes, *(note.text_in(data.words) for note in panel.notes)):
        yield Paragraph(note, "warning")
    if panel.failures:
        yield _failed(data, panel)
    if not panel.retrievers:
        return
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    beside: list[tuple[Block, ...]] = []
    if any(one.unjudged for one in counts.values()):
        says = Paragraph(words("unjudged_says"), "note")
        beside.append((_unjudged(data, panel, counts), says))
    if any(queries for one in counts.values() for queries in one.tied.values()):
        beside.append((_ties(data, panel, counts), Paragraph(words("ties_says"), "note")))
    else:
        beside.append((Paragraph(words("no_ties")),))
    yield Beside(tuple(beside))
    yield _counts(data, panel)
    for name, one in counts.items():
        for sentence in one.unreached(panel.scores[name].measures):
            said = sentence.text_in(SCORE_STRINGS.strings(words.language))
            yield Paragraph(f"{words.names([name])}: {said}", "warning")


def _failed(data: ReportData, panel: DatasetResult) -> Table:
    columns = (retriever_column(data.words), Column("error", data.words("column_error"), "text"))
    rows = tuple((name_cell(name), text_cell(error)) for name, error in panel.failures.items())
    return Table(named(panel, "failed"), data.words("trust_failed"), columns, rows)


def _unjudged(data: ReportData, panel: DatasetResult, counts: Mapping[str, Counts]) -> Table:
    words = data.words
    cutoffs = sorted({cutoff for one in counts.values() for cutoff in one.unjudged})
    columns = [
        Column(f"unjudged@{k}", words("column_unjudged", k=k), better="low") for k in cutoffs
    ]
    rows = tuple(
        (name_cell(name), *(share_cell(one.unjudged.get(k)) for k in cutoffs))
        for name, one in counts.items()
    )
    title = words("unjudged_title")
    return Table(named(panel, "unjudged"), title, (retriever_column(data.words), *columns), rows)


def _ties(data: ReportData, panel: DatasetResult, counts: Mapping[str, Counts]) -> Table:
    words = data.words
    cutoffs = sorted({cutoff for one in counts.values() for cutoff in one.tied})
    columns = [Column(f"tied@{k}", words("column_tied", k=k), better="low") for k in cutoffs]
    rows = tuple(
        (name_cell(name), *(count_cell(one.tied.get(k, 0)) for k in cutoffs))
        for name, one in counts.items()
    )
    title = words("ties_title")
    return Table(named(panel, "ties"), title, (retriever_column(data.words), *columns), rows)


def _counts(data: ReportData, panel: DatasetResult) -> Table:
    words = data.words
    rows = []
    for name in panel.retrievers:
        one = panel.scores[name].counts
        numbers = (
            one.queries,
            one.missing,
            one.empty,
            one.without_relevant,
            one.unanswerable,
            one.answered_unanswerable,
            one.without_judgments,
            one.returned,
            one.duplicates,
        )
        rows.append((name_cell(name), *map(count_cell, numbers)))
    columns = (
        retriever_column(data.words),
        Column("queries", words("column_averaged"), hint=words("hint_averaged")),
        Column("missing", words("column_missing"), better="low"),
        Column("empty", words("column_empty"), better="low"),
        Column("without relevant", words("column_without_relevant")),
        Column("unanswerable", words("column_unanswerable")),
        Column("answered unanswerable", words("column_answered"), hint=words("hint_answered")),
        Column("without judgments", words("column_without_judgments")),
        Column("returned", words("column_returned")),
        Column("duplicates", words("column_duplicates"), better="low"),
    )
    notes = (words("note_counts"),)
    return Table(named(panel, "counts"), words("counts_title"), columns, tuple(rows), notes)
