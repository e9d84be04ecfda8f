"""What the numbers rest on: judgments that are missing, ties, queries without results, failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragscore.blocks import Block, Column, Paragraph, Section, Table
from ragscore.blocks.cells import count_cell, name_cell, retriever_column, share_cell, text_cell
from ragscore.plugins import in_korean
from ragscore.report.model import Beside
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.scoring.counts import Counts
from ragscore.scoring.strings import STRINGS as SCORE_STRINGS


@in_korean("판정 없는 문단, 순위 한계의 동점, 평균 뒤에 있는 수")
def judgments(report: Report, panel: DatasetResult) -> Section | None:
    """Unjudged passages, ties across cutoffs, and the counts behind the means."""
    return Section("judgments", report.strings("judgments"), tuple(_blocks(report, panel)))


def _blocks(report: Report, panel: DatasetResult) -> Iterator[Block]:
    strings = report.strings
    for note in (*report.unsearched, *(note.text_in(report.strings) for note in panel.notes)):
        yield Paragraph(note, "warning")
    if panel.failures:
        yield _failed(report, panel)
    if not panel.retrievers:
        return
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    beside: list[tuple[Block, ...]] = []
    if any(one.unjudged for one in counts.values()):
        says = Paragraph(strings("unjudged_says"), "note")
        beside.append((_unjudged(report, panel, counts), says))
    if any(queries for one in counts.values() for queries in one.tied.values()):
        beside.append((_ties(report, panel, counts), Paragraph(strings("ties_says"), "note")))
    else:
        beside.append((Paragraph(strings("no_ties")),))
    yield Beside(tuple(beside))
    yield _counts(report, panel)
    for name, one in counts.items():
        for sentence in one.unreached(panel.scores[name].measures):
            said = sentence.text_in(SCORE_STRINGS.strings(strings.language))
            yield Paragraph(f"{strings.names([name])}: {said}", "warning")


def _failed(report: Report, panel: DatasetResult) -> Table:
    columns = (
        retriever_column(report.strings),
        Column("error", report.strings("column_error"), "text"),
    )
    rows = tuple((name_cell(name), text_cell(error)) for name, error in panel.failures.items())
    return Table(named(panel, "failed"), report.strings("trust_failed"), columns, rows)


def _unjudged(report: Report, panel: DatasetResult, counts: Mapping[str, Counts]) -> Table:
    strings = report.strings
    cutoffs = sorted({cutoff for one in counts.values() for cutoff in one.unjudged})
    columns = [
        Column(f"unjudged@{k}", strings("column_unjudged", k=k), better="low") for k in cutoffs
    ]
    rows = tuple(
        (name_cell(name), *(share_cell(one.unjudged.get(k)) for k in cutoffs))
        for name, one in counts.items()
    )
    title = strings("unjudged_title")
    return Table(
        named(panel, "unjudged"), title, (retriever_column(report.strings), *columns), rows
    )


def _ties(report: Report, panel: DatasetResult, counts: Mapping[str, Counts]) -> Table:
    strings = report.strings
    cutoffs = sorted({cutoff for one in counts.values() for cutoff in one.tied})
    columns = [Column(f"tied@{k}", strings("column_tied", k=k), better="low") for k in cutoffs]
    rows = tuple(
        (name_cell(name), *(count_cell(one.tied.get(k, 0)) for k in cutoffs))
        for name, one in counts.items()
    )
    title = strings("ties_title")
    return Table(named(panel, "ties"), title, (retriever_column(report.strings), *columns), rows)


def _counts(report: Report, panel: DatasetResult) -> Table:
    strings = report.strings
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
        retriever_column(report.strings),
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
    notes = (strings("note_counts"),)
    return Table(named(panel, "counts"), strings("counts_title"), columns, tuple(rows), notes)
