"""How many passages to take: curves against k, and what is recommended for each retriever."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ragscore.measures import Measure
from ragscore.report.charts import CurveLine, CurvePanel, TradeLine
from ragscore.report.data import Panel, ReportData
from ragscore.report.gathered.tuned import DRAWN
from ragscore.report.model import (
    Block,
    Cell,
    Column,
    Facts,
    Figure,
    Paragraph,
    Section,
    Table,
)
from ragscore.report.sections.cells import band_cell, mean_cell, name_cell, nothing, number_cell
from ragscore.report.sections.choices import named
from ragscore.report.sections.columns import retriever_column
from ragscore.report.sections.pairs import pairs
from ragscore.tuning import Tuning


def curves(data: ReportData, panel: Panel) -> Section | None:
    """P, R, F1 and nDCG at every k, precision against recall, and the recommended k."""
    words = data.words
    if not panel.tunings:
        return None  # why not is told beside
    return Section("curves", words("curves"), tuple(_blocks(data, panel)))


def _blocks(data: ReportData, panel: Panel) -> Iterator[Block]:
    from ragscore.report.charts import curves as drawn
    from ragscore.report.charts import curves_note, precision_recall

    words = data.words
    by_k = {name: one for name, one in panel.tunings.items() if one.cuts.by == "k"}
    if by_k:
        panels = [_panel(data, by_k, family) for family in DRAWN]
        shown = [one for one in panels if one is not None]
        yield from pairs(drawn(shown, id=named(panel, "curves"), words=words))
        if note := curves_note(shown, words):
            yield Paragraph(note, "note")
    tables: tuple[Block, ...] = (_table(data, panel), Facts(tuple(_sentences(panel))))
    trade = [
        TradeLine(
            name,
            data.number(name),
            np.asarray(one.cuts.values),
            one.curves[one.recall].mean,
            one.curves[one.precision].mean,
            one.k,
        )
        for name, one in by_k.items()
    ]
    context = _context(data, panel)
    pictures: list[Figure] = []
    if trade:
        pictures.append(precision_recall(trade, id=named(panel, "precision-recall"), words=words))
    if context is not None:
        pictures.append(context)
    yield from pairs(pictures)
    yield from tables
    noted: dict[str, list[str]] = {}
    for name, one in panel.tunings.items():
        for note in one.notes:
            noted.setdefault(note, []).append(name)
    for note, names in noted.items():
        yield Paragraph(f"{words.names(names)}: {note}", "note")


def _panel(
    data: ReportData, tunings: dict[str, Tuning], family: type[Measure]
) -> CurvePanel | None:
    """The curves of the first measure of a family that every retriever has."""
    lines, label = [], ""
    for name, one in tunings.items():
        measure = _of(one, family)
        if measure is None:
            return None
        band, label = one.curves[measure], measure.label
        lines.append(
            CurveLine(
                name,
                data.number(name),
                np.asarray(one.cuts.values),
                band.mean,
                band.low,
                band.high,
                one.k,
            )
        )
    return CurvePanel(family.name, label, lines) if lines else None


def _of(tuning: Tuning, family: type[Measure]) -> Measure | None:
    return next((measure for measure in tuning.curves if type(measure) is family), None)


def _context(data: ReportData, panel: Panel) -> Figure | None:
    from ragscore.report.charts import recall_by_context

    lines, units = [], []
    for name, one in panel.tunings.items():
        if one.context is None or one.unit is None:
            continue
        units.append(one.unit)
        band = one.context.recall
        lines.append(
            CurveLine(name, data.number(name), one.context.limits, band.mean, band.low, band.high)
        )
    if not lines or len(set(units)) > 1:
        return None
    unit = data.words(f"unit_{units[0]}")
    return recall_by_context(lines, id=named(panel, "recall-context"), unit=unit, words=data.words)


def _table(data: ReportData, panel: Panel) -> Table:
    words = data.words
    first = next(iter(panel.tunings.values()))
    measures = [one for one in (_of(first, family) for family in DRAWN[:3]) if one is not None]
    if first.judged_by not in measures:
        measures.append(first.judged_by)
    unit = words(f"unit_{first.unit or 'words'}")
    columns = (
        retriever_column(data),
        Column(first.cuts.by, words("column_k") if first.cuts.by == "k" else first.cuts.by),
        *(
            Column(str(measure), measure.label, hint=measure.summary, interval=True, better="high")
            for measure in measures
        ),
        Column(
            "context", words("column_context", unit=unit), hint=words("hint_context"), better="low"
        ),
        Column(
            "held out",
            words("column_held_out", label=first.judged_by.label),
            hint=words("hint_held_out"),
            interval=True,
            better="high",
        ),
    )
    rows = []
    for name, one in panel.tunings.items():
        at = one.setting
        done = one.held_out.get(first.judged_by)
        rows.append(
            (
                name_cell(name),
                Cell(one.k, f"{one.k:,}") if one.k is not None else number_cell(one.cut),
                *(
                    band_cell(one.curves[measure], at, words)
                    if measure in one.curves
                    else nothing()
                    for measure in measures
                ),
                number_cell(float(one.sizes[at]) if one.sizes is not None else None, 0),
                mean_cell(done.held_out, done.interval, words) if done else nothing(),
            )
        )
    return Table(
        named(panel, "recommended-k"),
        words("recommended_title"),
        columns,
        tuple(rows),
        (words("note_bands"), words("note_held_out")),
    )


def _sentences(panel: Panel) -> Iterator[tuple[str, str]]:
    for name, one in panel.tunings.items():
        yield name, one.sentence
