"""How many passages to take: curves against k, and what is recommended for each retriever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ragscore.elements import Cell, Column, Element, Facts, Paragraph, Section, Table
from ragscore.elements.cells import (
    mean_cell,
    name_cell,
    nothing,
    retriever_column,
)
from ragscore.measures import Measure
from ragscore.messages import Text, _, few_names, joined
from ragscore.report.charts.chart_lines import Line
from ragscore.report.model import Chart
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named, pairs
from ragscore.report.sections.curve_figures import (
    CurvePanel,
    Trade,
    curves_note,
    precision_by_coverage,
    precision_recall,
    recall_by_context,
)
from ragscore.report.sections.curve_figures import curves as drawn_curves
from ragscore.results import DatasetResult
from ragscore.results.dataset_result import DRAWN
from ragscore.tuning import Tuning
from ragscore.tuning.options import UNITS
from ragscore.tuning.setting_columns import (
    cells_at,
    context_columns,
    cut_columns,
    measure_columns,
    measure_label,
)
from ragscore.tuning.tuned_run import TunedRun
from ragscore.tuning.tuning_tables import reaching_table


def curves(report: Report, panel: DatasetResult) -> Section | None:
    """P, R, F1 and nDCG at every k, precision against recall, and the recommended k."""
    if not panel.tunings:
        return None  # a note says why
    return Section("curves", TITLES["curves"], tuple(_elements(report, panel)))


def _elements(report: Report, panel: DatasetResult) -> Iterator[Element]:
    if panel.curves:
        panels = [_panel(report, panel.curves, family) for family in DRAWN]
        shown = [made for made in panels if made is not None]
        yield from pairs(drawn_curves(shown, id=named(panel, "curves")))
        if note := curves_note(shown):
            yield Paragraph(note, "note")
    trade = [
        Trade(
            Line(
                name,
                report.number(name),
                tuning.curves[tuning.recall].mean,
                tuning.curves[tuning.precision].mean,
                ring=tuning.setting,
            ),
            np.asarray(tuning.thresholds.values, dtype=np.int64),
        )
        for name, tuning in panel.curves.items()
    ]
    pictures: list[Chart] = []
    if trade:
        pictures.append(precision_recall(trade, id=named(panel, "precision-recall")))
    for picture in (_coverage(report, panel), _context(report, panel)):
        if picture is not None:
            pictures.append(picture)
    yield from pairs(pictures)
    yield from _tables(panel)
    yield Facts(tuple(_sentences(panel)))
    noted: dict[Text, list[str]] = {}
    for name, tuning in panel.tunings.items():
        for note in tuning.remarks:
            noted.setdefault(note, []).append(name)
    for note, names in noted.items():
        yield Paragraph(joined([few_names(names), note], ": "), "note")


def _panel(
    report: Report, tunings: Mapping[str, Tuning], family: type[Measure]
) -> CurvePanel | None:
    """The curves of the first measure of a family that every retriever has."""
    lines, label = [], ""
    for name, tuning in tunings.items():
        measure = _of(tuning, family)
        if measure is None:
            return None
        band, label = tuning.curves[measure], measure.label
        lines.append(
            Line(
                name,
                report.number(name),
                np.asarray(tuning.thresholds.values, dtype=np.float64),
                band.mean,
                band.low,
                band.high,
                tuning.setting,
            )
        )
    return CurvePanel(family.name, label, lines) if lines else None


def _of(tuning: Tuning, family: type[Measure]) -> Measure | None:
    return next((measure for measure in tuning.curves if type(measure) is family), None)


def _coverage(report: Report, panel: DatasetResult) -> Chart | None:
    """Precision of answered queries; None for a cut by k, which answers every query."""
    lines = []
    for name, tuning in panel.tunings.items():
        if tuning.thresholds.by == "k":
            continue
        precision, answered = tuning.curves[tuning.precision], tuning.passages.answered.mean
        at, ring = tuning.setting, None
        drawn = np.ones(len(answered), dtype=bool)
        if at is not None:  # the ring stands at its own cut, not at one that answers as many
            drawn = answered != answered[at]
            drawn[at] = True
            ring = int(drawn[:at].sum())
        mean, low, high = (side[drawn] for side in (precision.mean, precision.low, precision.high))
        lines.append(Line(name, report.number(name), answered[drawn], mean, low, high, ring))
    if not lines:
        return None
    return precision_by_coverage(lines, id=named(panel, "coverage"))


def _context(report: Report, panel: DatasetResult) -> Chart | None:
    lines, units = [], []
    for name, tuning in panel.tunings.items():
        if tuning.by_context is None or tuning.unit is None:
            continue
        units.append(tuning.unit)
        band = tuning.by_context.recall
        lines.append(
            Line(
                name,
                report.number(name),
                tuning.by_context.limits.astype(np.float64),
                band.mean,
                band.low,
                band.high,
            )
        )
    if not lines or len(set(units)) > 1:
        return None
    id = named(panel, "recall-context")
    return recall_by_context(lines, id=id, unit=UNITS[units[0]])


def _tables(panel: DatasetResult) -> Iterator[Element]:
    """What the rule recommends, or the k that each recall takes where it recommends nothing."""
    chosen = {name: tuning for name, tuning in panel.tunings.items() if tuning.setting is not None}
    if chosen:
        yield _recommended(panel, chosen)
    open_ = {
        name: tuning
        for name, tuning in panel.tunings.items()
        if tuning.state in ("no rule", "not reached")
    }
    if open_:
        no_rule = any(tuning.state == "no rule" for tuning in open_.values())
        yield reaching_table(
            open_,
            id=named(panel, "reaching"),
            notes=(
                *(
                    (
                        _(
                            "Nothing is recommended without a rule. Give one with tune: {rule: "
                            "recall, target: 0.8} in the experiment, or with ragscore tune "
                            "--rule."
                        ),
                    )
                    if no_rule
                    else ()
                ),
                _("Means with 95 % intervals, computed for each k or cut on its own."),
            ),
        )


def _recommended(panel: DatasetResult, tunings: Mapping[str, Tuning]) -> Table:
    first = next(iter(tunings.values()))
    found = (_of(first, family) for family in DRAWN[:3])
    measures = [measure for measure in found if measure is not None]
    if first.judged_by not in measures:
        measures.append(first.judged_by)
    label = measure_label(first, first.judged_by)
    held_out = Column(
        "held out",
        _("{label}, held out", label=label),
        hint=_("What choosing k this way gives on queries that were not used for the choice"),
        interval=True,
        better="high",
    )

    def held_out_cell(tuning: TunedRun, _: int) -> Cell:
        done = tuning.held_out.get(first.judged_by)
        return mean_cell(done.mean, done.interval) if done else nothing()

    columns = {
        **cut_columns(first),
        **measure_columns(first, measures),
        **context_columns(first),
        held_out: held_out_cell,
    }
    rows = tuple(
        (name_cell(name), *cells_at(columns, tuning, tuning.setting))
        for name, tuning in tunings.items()
        if tuning.setting is not None
    )
    return Table(
        named(panel, "recommended-k"),
        _("Recommended: {rule}", rule=first.rule or ""),
        (retriever_column(), *columns),
        rows,
        (
            _("Means with 95 % intervals, computed for each k or cut on its own."),
            _(
                "Held out: cross-validated, so the luck of choosing does not count; the interval "
                "is approximate."
            ),
        ),
    )


def _sentences(panel: DatasetResult) -> Iterator[tuple[Text, Text]]:
    for name, tuning in panel.tunings.items():
        yield name, tuning.sentence
