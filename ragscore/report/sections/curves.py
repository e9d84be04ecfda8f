"""How many passages to take: curves against k, and what is recommended for each retriever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ragscore.blocks import Block, Cell, Column, Facts, Paragraph, Section, Table
from ragscore.blocks.cells import mean_cell, name_cell, nothing, number_cell, share_cell, text_cell
from ragscore.measures import Measure
from ragscore.report.charts.lines import Line
from ragscore.report.data import Panel, ReportData
from ragscore.report.gathered.tuned import DRAWN
from ragscore.report.model import Figure
from ragscore.report.sections.cells import band_cell
from ragscore.report.sections.choices import named
from ragscore.report.sections.columns import retriever_column
from ragscore.report.sections.curve_figures import (
    CurvePanel,
    Trade,
    curves_note,
    precision_by_coverage,
    precision_recall,
    recall_by_context,
)
from ragscore.report.sections.curve_figures import curves as drawn_curves
from ragscore.report.sections.pairs import pairs
from ragscore.tuning import Tuning


def curves(data: ReportData, panel: Panel) -> Section | None:
    """P, R, F1 and nDCG at every k, precision against recall, and the recommended k."""
    words = data.words
    if not panel.tunings:
        return None  # why not is told beside
    return Section("curves", words("curves"), tuple(_blocks(data, panel)))


def _blocks(data: ReportData, panel: Panel) -> Iterator[Block]:
    words = data.words
    if panel.curves:
        panels = [_panel(data, panel.curves, family) for family in DRAWN]
        shown = [one for one in panels if one is not None]
        yield from pairs(drawn_curves(shown, id=named(panel, "curves"), words=words))
        if note := curves_note(shown, words):
            yield Paragraph(note, "note")
    trade = [
        Trade(
            name,
            data.number(name),
            np.asarray(one.cuts.values, dtype=np.int64),
            one.curves[one.recall].mean,
            one.curves[one.precision].mean,
            one.setting,
        )
        for name, one in panel.curves.items()
    ]
    pictures: list[Figure] = []
    if trade:
        pictures.append(precision_recall(trade, id=named(panel, "precision-recall"), words=words))
    for picture in (_coverage(data, panel), _context(data, panel)):
        if picture is not None:
            pictures.append(picture)
    yield from pairs(pictures)
    yield from _tables(data, panel)
    yield Facts(tuple(_sentences(panel)))
    noted: dict[str, list[str]] = {}
    for name, one in panel.tunings.items():
        for note in one.notes:
            noted.setdefault(note, []).append(name)
    for note, names in noted.items():
        yield Paragraph(f"{words.names(names)}: {note}", "note")


def _panel(
    data: ReportData, tunings: Mapping[str, Tuning], family: type[Measure]
) -> CurvePanel | None:
    """The curves of the first measure of a family that every retriever has."""
    lines, label = [], ""
    for name, one in tunings.items():
        measure = _of(one, family)
        if measure is None:
            return None
        band, label = one.curves[measure], measure.label
        lines.append(
            Line(
                name,
                data.number(name),
                np.asarray(one.cuts.values, dtype=np.float64),
                band.mean,
                band.low,
                band.high,
                one.setting,
            )
        )
    return CurvePanel(family.name, label, lines) if lines else None


def _of(tuning: Tuning, family: type[Measure]) -> Measure | None:
    return next((measure for measure in tuning.curves if type(measure) is family), None)


def _coverage(data: ReportData, panel: Panel) -> Figure | None:
    """Precision among the answered; None where k is cut, which answers every query."""
    lines = []
    for name, one in panel.tunings.items():
        if one.cuts.by == "k":
            continue
        precision, answered = one.curves[one.precision], one.kept.answered.mean
        at, ring = one.setting, None
        drawn = np.ones(len(answered), dtype=bool)
        if at is not None:  # the ring stands at its own cut, not at one that answers as many
            drawn = answered != answered[at]
            drawn[at] = True
            ring = int(drawn[:at].sum())
        mean, low, high = (side[drawn] for side in (precision.mean, precision.low, precision.high))
        lines.append(Line(name, data.number(name), answered[drawn], mean, low, high, ring))
    if not lines:
        return None
    return precision_by_coverage(lines, id=named(panel, "coverage"), words=data.words)


def _context(data: ReportData, panel: Panel) -> Figure | None:
    lines, units = [], []
    for name, one in panel.tunings.items():
        if one.context is None or one.unit is None:
            continue
        units.append(one.unit)
        band = one.context.recall
        lines.append(
            Line(
                name,
                data.number(name),
                one.context.limits.astype(np.float64),
                band.mean,
                band.low,
                band.high,
            )
        )
    if not lines or len(set(units)) > 1:
        return None
    unit = data.words(f"unit_{units[0]}")
    return recall_by_context(lines, id=named(panel, "recall-context"), unit=unit, words=data.words)


def _tables(data: ReportData, panel: Panel) -> Iterator[Block]:
    """What the rule recommends; of retrievers for which it recommends nothing, what each recall
    takes."""
    chosen = {name: one for name, one in panel.tunings.items() if one.setting is not None}
    if chosen:
        yield _recommended(data, panel, chosen)
    open_ = {
        name: one for name, one in panel.tunings.items() if one.state in ("no rule", "not reached")
    }
    if open_:
        yield _reaching(data, panel, open_)


def _recommended(data: ReportData, panel: Panel, tunings: Mapping[str, Tuning]) -> Table:
    words = data.words
    first = next(iter(tunings.values()))
    measures = [one for one in (_of(first, family) for family in DRAWN[:3]) if one is not None]
    if first.judged_by not in measures:
        measures.append(first.judged_by)
    columns = (
        retriever_column(data),
        *_cut_columns(data, first),
        *(_measure_column(data, first, measure) for measure in measures),
        _context_column(data, first),
        Column(
            "held out",
            words("column_held_out", label=_label(data, first, first.judged_by)),
            hint=words("hint_held_out"),
            interval=True,
            better="high",
        ),
    )
    rows = []
    for name, one in tunings.items():
        at = one.setting
        assert at is not None
        done = one.held_out.get(first.judged_by)
        rows.append(
            (
                name_cell(name),
                *_cut_cells(one, at),
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
        words("recommended_title", rule=first.rule or ""),
        columns,
        tuple(rows),
        (words("note_bands"), words("note_held_out")),
    )


def _reaching(data: ReportData, panel: Panel, tunings: Mapping[str, Tuning]) -> Table:
    words = data.words
    first = next(iter(tunings.values()))
    measures = (first.precision, first.recall)
    rows = []
    for name, one in tunings.items():
        for target, at in one.reaching():
            rows.append(
                (
                    name_cell(name),
                    text_cell(words("reaching_highest"))
                    if target is None
                    else Cell(target, f"{target:g}"),
                    *_cut_cells(one, at),
                    *(band_cell(one.curves[measure], at, words) for measure in measures),
                    number_cell(float(one.sizes[at]) if one.sizes is not None else None, 0),
                )
            )
    columns = (
        retriever_column(data),
        Column("recall", words("column_reaching"), hint=words("hint_reaching")),
        *_cut_columns(data, first),
        *(_measure_column(data, first, measure) for measure in measures),
        _context_column(data, first),
    )
    note = (words("note_reaching"),) if first.state == "no rule" else ()
    return Table(
        named(panel, "reaching"),
        words("reaching_title_k" if first.cuts.by == "k" else "reaching_title_cut"),
        columns,
        tuple(rows),
        (*note, words("note_bands")),
    )


def _cut_columns(data: ReportData, tuning: Tuning) -> tuple[Column, ...]:
    if tuning.cuts.by == "k":
        return (Column("k", data.words("column_k")),)
    relation = tuning.cuts.label(0).rpartition(" ")[0]
    answered, hint = data.words("column_coverage"), data.words("hint_coverage")
    return (Column(tuning.cuts.by, relation), Column("answered", answered, hint=hint))


def _cut_cells(tuning: Tuning, at: int) -> tuple[Cell, ...]:
    cut, shown = float(tuning.cuts.values[at]), tuning.cuts.shown(at)
    if tuning.cuts.by == "k":
        return (Cell(int(cut), shown),)
    return Cell(cut, shown), share_cell(float(tuning.kept.answered.mean[at]))


def _measure_column(data: ReportData, tuning: Tuning, measure: Measure) -> Column:
    label = _label(data, tuning, measure)
    return Column(str(measure), label, hint=measure.summary, interval=True, better="high")


def _label(data: ReportData, tuning: Tuning, measure: Measure) -> str:
    """As people read it; by score precision is that of the answered."""
    if tuning.cuts.by != "k" and type(measure) is type(tuning.precision):
        return data.words("label_answered", label=measure.label)
    return measure.label


def _context_column(data: ReportData, tuning: Tuning) -> Column:
    words = data.words
    unit = words(f"unit_{tuning.unit or 'words'}")
    label = words("column_context", unit=unit)
    return Column("context", label, hint=words("hint_context"), better="low")


def _sentences(panel: Panel) -> Iterator[tuple[str, str]]:
    for name, one in panel.tunings.items():
        yield name, one.sentence
