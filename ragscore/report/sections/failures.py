"""Why queries fail: what each retriever does not find within k, by cause."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.report.charts.causes import FAILED
from ragscore.report.data import Panel, ReportData
from ragscore.report.model import Beside, Block, Cell, Column, Facts, Paragraph, Section, Table
from ragscore.report.sections.cells import count_cell, name_cell, percent
from ragscore.report.sections.choices import named
from ragscore.report.sections.columns import retriever_column


def failures(data: ReportData, panel: Panel) -> Section | None:
    """A bar and a row for each retriever, and what the causes mean."""
    title = data.words("failures")
    if panel.causes is None:
        if not panel.runs or panel.data is not None:
            return None  # why not is told beside
        return Section("failures", title, (Paragraph(data.words("needs_dataset"), "note"),))
    return Section("failures", title, tuple(_blocks(data, panel)))


def _blocks(data: ReportData, panel: Panel) -> Iterator[Block]:
    from ragscore.report.charts import causes_bars

    causes, words = panel.causes, data.words
    assert causes is not None
    counts = {name: causes.counts(name) for name in panel.retrievers if name in causes.of}
    total = len(causes.query_ids)
    yield Paragraph(words("failures_says", k=causes.k, total=f"{total:,}"))
    if causes.without_relevant:
        told = words("failures_without_relevant", count=f"{causes.without_relevant:,}")
        yield Paragraph(told, "note")
    if not causes.texts:
        yield Paragraph(words("failures_without_texts"), "note")
    chart = causes_bars(
        counts,
        numbers={name: data.number(name) for name in counts},
        total=total,
        id=named(panel, "causes"),
        words=words,
        k=causes.k,
        panel=panel.index,
    )
    meanings = Facts(
        tuple(
            (words(f"failure_{cause}", k=causes.k), words(f"failure_{cause}_means", k=causes.k))
            for cause in FAILED
        )
    )
    yield Beside(((chart,), (meanings,)))
    columns = (
        retriever_column(data),
        Column("found", words("column_found", k=causes.k), better="high"),
        *(Column(cause, words(f"failure_{cause}", k=causes.k), better="low") for cause in FAILED),
        Column("queries", words("column_queries")),
    )
    rows = []
    for name, of in counts.items():
        failed = [of.get(cause, 0) for cause in FAILED]
        shown = (_part(count, total) for count in (total - sum(failed), *failed))
        rows.append((name_cell(name), *shown, count_cell(total)))
    yield Table(named(panel, "failures"), words("failures_title", k=causes.k), columns, tuple(rows))


def _part(count: int, total: int) -> Cell:
    """How many, and their share in words."""
    return Cell(count, f"{count:,} ({percent(count / total)})" if total else f"{count:,}")
