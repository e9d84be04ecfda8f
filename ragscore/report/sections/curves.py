"""How many passages to take: curves against k, and what is recommended for each retriever."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.elements import Cell, Element, Facts, Paragraph, Section, Table
from ragscore.elements.cells import mean_cell, nothing
from ragscore.elements.numbers import number_text, plain_number
from ragscore.elements.tables import column, table
from ragscore.measures import Measure
from ragscore.messages import Text, _, few_names, joined
from ragscore.report.charts.line_chart import LOW, Line, XAxis, YAxis, line_chart, range_of
from ragscore.report.charts.scale import finite, on_ladder, tick_texts, ticks, x_marks
from ragscore.report.model import Chart, chart
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named, pairs
from ragscore.results import DatasetResult
from ragscore.results.dataset_result import DRAWN
from ragscore.stats.bands import Band
from ragscore.tuning import Tuning
from ragscore.tuning.options import UNITS
from ragscore.tuning.text import (
    SettingColumn,
    SettingRow,
    context_column,
    cut_columns,
    measure_columns,
    measure_label,
    named_column,
    reaching_table,
)

LINEAR_UP_TO = 20
"""Beyond this k the axis is logarithmic."""


def curves(report: Report, panel: DatasetResult) -> Section | None:
    """P, R, F1 and nDCG at every k, precision against recall, and the recommended k."""
    if not panel.tunings:
        return None  # a note says why
    elements = curve_elements(
        list(panel.tunings.values()),
        list(panel.curves.values()),
        number=report.number,
        prefix=named(panel, ""),
    )
    return Section("curves", TITLES["curves"], tuple(elements))


def curve_elements(
    tunings: Sequence[Tuning],
    by_k: Sequence[Tuning] | None = None,
    *,
    number: Callable[[str], int] | None = None,
    prefix: str = "",
) -> Iterator[Element]:
    """The curves of retrievers, what is recommended for each, and what must be known of it.

    Args:
        tunings: one for each retriever, all cut by the same.
        by_k: the same at every k; by default those of ``tunings`` that cut by k.
        number: of a retriever, which gives its colour; by default its place in ``tunings``.
        prefix: what ids of tables and charts begin with.
    """
    if by_k is None:
        by_k = [tuning for tuning in tunings if tuning.thresholds.by == "k"]
    numbers = number or [tuning.retriever for tuning in tunings].index

    def line(
        tuning: Tuning, x: NDArray[np.float64], band: Band, *, ring: int | None = None
    ) -> Line:
        name = tuning.retriever
        return Line(name, numbers(name), x, band.mean, band.low, band.high, ring)

    panels: dict[Measure, list[Line]] = {}
    for family in DRAWN:
        found = [(tuning, _first(tuning, family)) for tuning in by_k]
        known = [(tuning, measure) for tuning, measure in found if measure is not None]
        if known and len(known) == len(found):
            panels[known[-1][1]] = [
                line(tuning, tuning.thresholds.values, tuning.curves[measure], ring=tuning.setting)
                for tuning, measure in known
            ]
    every_line = [shown for lines in panels.values() for shown in lines]
    axis = k_axis(every_line)
    yield from pairs(
        [
            against_k(lines, axis, id=f"{prefix}curves-{measure.name}", label=measure.label)
            for measure, lines in panels.items()
        ]
    )
    if note := _note(every_line, _("Ring and tick on the axis: the recommended k.")):
        yield Paragraph(note, "note")

    pictures: list[Chart] = []
    trades = [
        Line(
            tuning.retriever,
            numbers(tuning.retriever),
            tuning.curves[tuning.recall].mean,
            tuning.curves[tuning.precision].mean,
            ring=tuning.setting,
        )
        for tuning in by_k
    ]
    if trades:
        pictures.append(precision_recall(trades, id=f"{prefix}precision-recall"))
    covering = []
    for tuning in tunings:
        if tuning.thresholds.by != "k":
            precision, answered = tuning.curves[tuning.precision], tuning.passages.answered.mean
            covering.append(_by_coverage(line(tuning, answered, precision, ring=tuning.setting)))
    if covering:
        pictures.append(precision_by_coverage(covering, id=f"{prefix}coverage"))
    sized = [(tuning, tuning.by_context) for tuning in tunings if tuning.by_context is not None]
    units = {tuning.unit or "words" for tuning, _contexts in sized}
    if len(units) == 1:
        filling = [
            line(tuning, contexts.limits.astype(np.float64), contexts.recall)
            for tuning, contexts in sized
        ]
        id, unit = f"{prefix}recall-context", UNITS[units.pop()]
        pictures.append(recall_by_context(filling, id=id, unit=unit))
    yield from pairs(pictures)

    chosen = [tuning for tuning in tunings if tuning.setting is not None]
    if chosen:
        yield _recommended(chosen, f"{prefix}recommended-k")
    if open_ := [tuning for tuning in tunings if tuning.state in ("no rule", "not reached")]:
        yield _open(open_, f"{prefix}reaching")
    # Without a rule, the table and its note have said what the sentence would.
    if ruled := [tuning for tuning in tunings if tuning.state != "no rule"]:
        yield Facts(tuple((tuning.retriever, tuning.sentence) for tuning in ruled))
    noted: dict[Text, list[str]] = {}
    for tuning in tunings:
        for said in tuning.notes:
            noted.setdefault(said, []).append(tuning.retriever)
    for said, names in noted.items():
        yield Paragraph(joined([few_names(names), said], ": "), "note")


def _first(tuning: Tuning, family: type[Measure]) -> Measure | None:
    return next((measure for measure in tuning.curves if type(measure) is family), None)


def _open(tunings: Sequence[Tuning], id: str) -> Table:
    """The k that each recall takes, where nothing is recommended."""
    notes = [_("Means with 95 % intervals, computed for each k or cut on its own.")]
    if any(tuning.state == "no rule" for tuning in tunings):
        without = _(
            "Nothing is recommended without a rule. Give one with tune: {rule: recall, target: "
            "0.8} in the experiment, or with ragscore tune --rule."
        )
        notes.insert(0, without)
    return reaching_table(tunings, id=id, notes=notes)


def _recommended(tunings: Sequence[Tuning], id: str) -> Table:
    """What the rule recommends for each retriever."""
    first = tunings[0]
    found = [_first(first, family) for family in DRAWN[:3]]
    measures = dict.fromkeys([*filter(None, found), first.judged_by])

    def held_out_cell(row: SettingRow) -> Cell:
        done = row.tuning.held_out.get(first.judged_by)
        return mean_cell(done.mean, done.interval) if done else nothing()

    columns: list[SettingColumn] = [
        named_column(),
        *cut_columns(first),
        *measure_columns(first, measures),
        context_column(first),
        column(
            "held out",
            _("{label}, held out", label=measure_label(first, first.judged_by)),
            held_out_cell,
            hint=_("What choosing k this way gives on queries that were not used for the choice"),
            interval=True,
            better="high",
        ),
    ]
    rows = [SettingRow(of, of.recommended) for of in tunings if of.recommended is not None]
    notes = [
        _("Means with 95 % intervals, computed for each k or cut on its own."),
        _(
            "Held out: cross-validated, so the luck of choosing does not count; the interval "
            "is approximate."
        ),
    ]
    return table(id, _("Recommended: {rule}", rule=first.rule or ""), columns, rows, notes)


# The charts.


def k_axis(lines: Iterable[Line]) -> XAxis:
    """The axis of k that curves share; logarithmic beyond 20."""
    ks = _sizes(lines) or [1.0, 10.0]
    low, high = min(ks), max(ks)
    return XAxis(
        low,
        high if high > low else low + 1,
        lambda scale: x_marks(scale, whole=True),
        _("k, {ranked_items} returned"),
        log=high > LINEAR_UP_TO,
        rings=True,
    )


def against_k(lines: Sequence[Line], axis: XAxis, *, id: str, label: Text) -> Chart:
    """The curves of one measure.

    Args:
        lines: one for each retriever, x is k.
        axis: of k.
        id: of the figure.
        label: of the measure.
    """

    def at(line: Line, k: float) -> float | None:
        found = np.flatnonzero(line.x == k)
        return float(line.y[found[0]]) if found.size else None

    def has_mark(k: float) -> bool:
        if axis.log:
            return on_ladder(k) and k / 10 ** math.floor(math.log10(k) + 1e-9) in (1, 3)
        return k == axis.low or k % 5 == 0

    ks = lines[0].x.tolist() if lines else []
    says = [
        _(
            "{label} at k = {k}: {values}.",
            label=label,
            k=plain_number(k),
            values=", ".join(f"{line.name} {number_text(at(line, k))}" for line in lines),
        )
        for k in dict.fromkeys(k for k in (1.0, 10.0, max(ks, default=0.0)) if k in ks)
    ]
    rings = [f"{line.name} {line.x[line.ring]:g}" for line in lines if line.ring is not None]
    if rings:
        says.append(_("Recommended k: {values}.", values=", ".join(rings)))
    marked = [
        replace(
            line,
            marks=[i for i, k in enumerate(line.x.tolist()) if has_mark(k)],
            hint=_hint(line, line.x),
        )
        for line in lines
    ]
    return chart(
        line_chart,
        marked,
        axis,
        YAxis(_levels(lines)),
        id=id,
        title=_("{label} against k", label=label),
        description=joined(says) if says else _("Nothing to show."),
        frame=LOW,
    )


def precision_recall(lines: Sequence[Line], *, id: str) -> Chart:
    """Precision against recall; k is written at points of the ladder (1, 2, 3, 5, 10, ...).

    Args:
        lines: x is the mean recall, y the mean precision at each k from 1 on.
        id: of the figure.
    """
    drawn, rows = [], list[Text]()
    for line in lines:
        there = np.flatnonzero(np.isfinite(line.x) & np.isfinite(line.y)).tolist()
        marks = [at for at in there if on_ladder(at + 1)]
        ring = line.ring if line.ring in there else None
        # Far out, hundreds of cutoffs lie on the same few pixels.
        run = [at for at in there if at < 20 or at in marks or at == there[-1]]
        texts = {at: str(at + 1) for at in there if at in marks or at == ring}
        hint = _hint(line, np.arange(1, len(line.x) + 1))
        drawn.append(replace(line, ring=ring, hint=hint, drawn=run, marks=marks, texts=texts))
        rows += [
            _(
                "{retriever}: recall {recall} and precision {precision} at k = {k}",
                retriever=line.name,
                recall=number_text(line.x[at]),
                precision=number_text(line.y[at]),
                k=at + 1,
            )
            for at in dict.fromkeys((0, line.ring, 9))
            if at is not None and at < len(line.x)
        ]
    recall = finite(v for line in drawn for v in line.x.tolist())
    precision = finite(v for line in drawn for v in line.y.tolist())
    ring_note = (
        [_("Ring: the recommended k.")] if any(line.ring is not None for line in drawn) else []
    )
    return chart(
        line_chart,
        drawn,
        _axis_of_shares(max(recall, default=1.0) or 1.0, _("recall")),
        YAxis(ticks(0.0, max(precision, default=1.0) or 1.0), _("precision")),
        id=id,
        title=_("Precision against recall"),
        description=_joined(rows),
        note=joined([_("The numbers are values of k."), *ring_note]),
    )


def _by_coverage(line: Line) -> Line:
    """Without the cuts that answer as many queries as the recommended one, so that the ring stands
    at its own."""
    if line.ring is None:
        return line
    kept = line.x != line.x[line.ring]
    kept[line.ring] = True
    return _part(line, kept)


def precision_by_coverage(lines: Sequence[Line], *, id: str) -> Chart:
    """Precision among the answered queries against the share that a score cut answers.

    Args:
        lines: x is the share of the queries answered, y the precision among these.
        id: of the figure.
    """

    def row(line: Line, at: int) -> Text:
        return _(
            "{retriever}: precision {precision} where {coverage} of the queries are answered",
            retriever=line.name,
            precision=number_text(line.y[at]),
            coverage=number_text(line.x[at]),
        )

    return chart(
        line_chart,
        lines,
        _axis_of_shares(1.0, _("share of the queries answered")),
        YAxis(ticks(0.0, 1.0), _("precision of answered queries")),
        id=id,
        title=_("Precision of answered queries against the share answered"),
        description=_three_points(lines, row),
        note=_note(lines, _("Ring: the recommended cut.")),
    )


def recall_by_context(lines: Sequence[Line], *, id: str, unit: Text) -> Chart:
    """Recall against the size of the context on a logarithmic axis, but for the contexts in which
    no retriever has room for anything, except the largest of them.

    Args:
        lines: x is the size of the context, y the recall.
        id: of the figure.
        unit: what sizes are counted in, as people read it: ``words``.
    """
    found = [line.x[line.y > 0] for line in lines]
    begins = min((float(x[0]) for x in found if x.size), default=0.0)
    start = max((float(v) for line in lines for v in line.x if v < begins), default=0.0)
    lines = [_part(line, line.x >= start) for line in lines]
    sizes = _sizes(lines) or [1.0, 1000.0]
    low, high = min(sizes), max(sizes)

    def row(line: Line, at: int) -> Text:
        return _(
            "{retriever}: recall {recall} with {size} {unit}",
            retriever=line.name,
            unit=unit,
            recall=number_text(line.y[at]),
            size=number_text(line.x[at], 0),
        )

    axis = XAxis(
        low,
        high if high > low else low * 10,
        lambda scale: x_marks(scale, 7),
        _("size of the context in {unit}", unit=unit),
        log=True,
    )
    return chart(
        line_chart,
        lines,
        axis,
        YAxis(_levels(lines)),
        id=id,
        title=_("Recall against the size of the context"),
        description=_three_points(lines, row),
        note=_note(lines, _("Ring: the recommended k.")),
    )


def _part(line: Line, kept: NDArray[np.bool_]) -> Line:
    """Some points of a line."""
    ring = line.ring if line.ring is not None and kept[line.ring] else None
    return replace(
        line,
        x=line.x[kept],
        y=line.y[kept],
        low=None if line.low is None else line.low[kept],
        high=None if line.high is None else line.high[kept],
        ring=None if ring is None else int(kept[:ring].sum()),
    )


def _sizes(lines: Iterable[Line]) -> list[float]:
    """Every x that has a place on a logarithmic axis."""
    return [x for x in finite(v for line in lines for v in line.x.tolist()) if x > 0]


def _levels(lines: Sequence[Line]) -> list[float]:
    """From 0, or from below the lowest where all are far above it, to the highest."""
    values = range_of(lines)
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low == high:
        return ticks(max(low - 0.1, 0.0) if low >= 0 else low - 0.1, high + 0.1)
    return ticks(0.0 if 0 <= low < 0.4 * high else low, high)


def _axis_of_shares(high: float, title: Text) -> XAxis:
    """An axis from 0 to the first round number at or above the highest share."""
    marks = ticks(0.0, high)
    return XAxis(marks[0], marks[-1], lambda _: (marks, tick_texts(marks)), title)


def _hint(line: Line, k: NDArray[Any]) -> Text:
    if line.ring is None:
        return line.name
    return _("{retriever}, recommended k = {k}", retriever=line.name, k=plain_number(k[line.ring]))


def _three_points(lines: Sequence[Line], row: Callable[[Line, int], Text]) -> Text:
    """The first, the middle and the last known point of each line, which tell its shape."""
    rows = []
    for line in lines:
        known = np.flatnonzero(np.isfinite(line.x) & np.isfinite(line.y))
        places = known[[0, known.size // 2, -1]].tolist() if known.size else []
        rows += [row(line, at) for at in dict.fromkeys(places)]
    return _joined(rows)


def _joined(rows: Sequence[Text]) -> Text:
    return joined([joined(rows, "; "), "."], "") if rows else _("Nothing to show.")


def _note(lines: Sequence[Line], ring: Text) -> Text:
    """What bands and rings mean, where there are some."""
    banded = any(line.low is not None for line in lines)
    parts: list[Text] = [_("Bands: 95 % intervals.")] if banded else []
    if any(line.ring is not None for line in lines):
        parts.append(ring)
    return joined(parts) if parts else ""
