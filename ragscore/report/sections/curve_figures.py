"""The figures of the section on k: each is the chart of lines, with its axes and sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.elements.numbers import number_text, plain_number
from ragscore.messages import Message, Text, _, joined
from ragscore.report.charts.axes import x_marks
from ragscore.report.charts.chart_lines import Line, range_of
from ragscore.report.charts.line_chart import LOW, XAxis, YAxis, line_chart
from ragscore.report.charts.scale import finite, on_ladder, tick_texts, ticks
from ragscore.report.model import Chart, chart

LINEAR_UP_TO = 20
"""Beyond this k the axis is logarithmic."""


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """The curves of one measure.

    Attributes:
        name: what its figure's id ends with: ``nDCG``.
        label: as people read it: ``nDCG``, ``F1``.
        lines: one for each retriever, x is k.
    """

    name: str
    label: str
    lines: Sequence[Line]


@dataclass(frozen=True, eq=False)
class Trade:
    """One retriever's way through precision and recall as k grows.

    Attributes:
        line: x is the mean recall, y the mean precision; its ring is at the recommended k.
        k: the cutoff at each of its points: int64[P].
    """

    line: Line
    k: NDArray[np.int64]


def curves(panels: Sequence[CurvePanel], *, id: str) -> tuple[Chart, ...]:
    """Measures against k, a figure each, which share the x axis; it is logarithmic beyond 20.

    :func:`curves_note` explains the bands and rings of all of them.

    Args:
        panels: one for each measure.
        id: what the ids of the figures begin with: ``curves`` for ``curves-nDCG``.
    """
    ks = _sizes(line for panel in panels for line in panel.lines) or [1.0, 10.0]
    low, high = min(ks), max(ks)
    axis = XAxis(
        low,
        high if high > low else low + 1,
        lambda scale: x_marks(scale, whole=True),
        _("k, {ranked_items} returned"),
        log=high > LINEAR_UP_TO,
        rings=True,
    )
    return tuple(
        chart(
            line_chart,
            [_against_k(line, axis) for line in panel.lines],
            axis,
            YAxis(_levels(panel.lines)),
            id=f"{id}-{panel.name}",
            title=_("{label} against k", label=panel.label),
            description=_values_at_k(panel),
            frame=LOW,
        )
        for panel in panels
    )


def curves_note(panels: Sequence[CurvePanel]) -> Text:
    """What bands and rings mean, where there are some."""
    return _note(
        [line for panel in panels for line in panel.lines],
        _("Ring and tick on the axis: the recommended k."),
    )


def precision_recall(trades: Sequence[Trade], *, id: str) -> Chart:
    """Precision against recall; k is written at points of the ladder (1, 2, 3, 5, 10, ...)."""
    lines = [_trade_line(trade) for trade in trades]
    recall = finite(v for line in lines for v in line.x.tolist())
    precision = finite(v for line in lines for v in line.y.tolist())
    rows = [row for trade in trades for row in _trade_rows(trade)]
    ring = [_("Ring: the recommended k.")] if any(line.ring is not None for line in lines) else []
    return chart(
        line_chart,
        lines,
        _axis_of_shares(max(recall, default=1.0) or 1.0, _("recall")),
        YAxis(ticks(0.0, max(precision, default=1.0) or 1.0), _("precision")),
        id=id,
        title=_("Precision against recall"),
        description=_joined(rows),
        note=joined([_("The numbers are values of k."), *ring]),
    )


def precision_by_coverage(lines: Sequence[Line], *, id: str) -> Chart:
    """Precision among the answered queries against the share that a score cut answers.

    Args:
        lines: x is the share of the queries answered, y the precision among these.
        id: of the figure.
    """

    def row(line: Line, at: int) -> Text:
        precision, coverage = number_text(line.y[at]), number_text(line.x[at])
        return _(
            "{retriever}: precision {precision} where {coverage} of the queries are answered",
            retriever=line.name,
            precision=precision,
            coverage=coverage,
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
    """Recall against the size of the context on a logarithmic axis.

    Args:
        lines: x is the size of the context, y the recall.
        id: of the figure.
        unit: what sizes are counted in, as people read it: ``words``.
    """
    lines = _from_where_it_begins(lines)
    sizes = _sizes(lines) or [1.0, 1000.0]
    low, high = min(sizes), max(sizes)

    def row(line: Line, at: int) -> Text:
        facts = {"recall": number_text(line.y[at]), "size": number_text(line.x[at], 0)}
        return _(
            "{retriever}: recall {recall} with {size} {unit}",
            retriever=line.name,
            unit=unit,
            **facts,
        )

    return chart(
        line_chart,
        lines,
        XAxis(
            low,
            high if high > low else low * 10,
            lambda scale: x_marks(scale, 7),
            _("size of the context in {unit}", unit=unit),
            log=True,
        ),
        YAxis(_levels(lines)),
        id=id,
        title=_("Recall against the size of the context"),
        description=_three_points(lines, row),
        note=_note(lines, _("Ring: the recommended k.")),
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


def _against_k(line: Line, axis: XAxis) -> Line:
    """With marks at round k, and the recommended k in its hint."""
    marks = [i for i, k in enumerate(line.x.tolist()) if _has_mark(k, axis)]
    return replace(line, marks=marks, hint=_hint(line.name, line.x, line.ring))


def _has_mark(k: float, axis: XAxis) -> bool:
    if axis.log:
        return on_ladder(k) and k / 10 ** math.floor(math.log10(k) + 1e-9) in (1, 3)
    return k == axis.low or k % 5 == 0


def _hint(name: str, k: NDArray[Any], ring: int | None) -> Text:
    if ring is None:
        return name
    return _("{retriever}, recommended k = {k}", retriever=name, k=plain_number(k[ring]))


def _values_at_k(panel: CurvePanel) -> Text:
    parts = []
    ks = panel.lines[0].x.tolist() if panel.lines else []
    for k in dict.fromkeys(k for k in (1.0, 10.0, max(ks, default=0.0)) if k in ks):
        values = [f"{line.name} {number_text(_at(line, k))}" for line in panel.lines]
        parts.append(
            _(
                "{label} at k = {k}: {values}.",
                label=panel.label,
                k=plain_number(k),
                values=", ".join(values),
            )
        )
    chosen = [f"{line.name} {line.x[line.ring]:g}" for line in panel.lines if line.ring is not None]
    if chosen:
        parts.append(_("Recommended k: {values}.", values=", ".join(chosen)))
    return joined(parts) if parts else _("Nothing to show.")


def _at(line: Line, k: float) -> float | None:
    found = np.flatnonzero(line.x == k)
    return float(line.y[found[0]]) if found.size else None


def _trade_line(trade: Trade) -> Line:
    line = trade.line
    there = np.isfinite(line.x) & np.isfinite(line.y)
    k = {int(at): int(trade.k[at]) for at in np.flatnonzero(there)}
    marks = [at for at in k if on_ladder(k[at])]
    return replace(
        line,
        ring=line.ring if line.ring in k else None,
        hint=_hint(line.name, trade.k, line.ring),
        # Far out, hundreds of cutoffs lie on the same few pixels.
        drawn=[at for at in k if k[at] <= 20 or on_ladder(k[at]) or at == max(k)],
        marks=marks,
        texts={at: str(k[at]) for at in k if at in marks or at == line.ring},
    )


def _trade_rows(trade: Trade) -> list[Message]:
    line, ks = trade.line, trade.k.tolist()
    recommended = None if line.ring is None else ks[line.ring]
    return [
        _(
            "{retriever}: recall {recall} and precision {precision} at k = {k}",
            retriever=line.name,
            recall=number_text(line.x[ks.index(k)]),
            precision=number_text(line.y[ks.index(k)]),
            k=k,
        )
        for k in dict.fromkeys((1, recommended, 10))
        if k in ks
    ]


def _from_where_it_begins(lines: Sequence[Line]) -> list[Line]:
    """Without the contexts in which no retriever has room for anything, except the largest of
    them."""
    found = [line.x[line.y > 0] for line in lines]
    begins = min((float(x[0]) for x in found if x.size), default=0.0)
    start = max((float(v) for line in lines for v in line.x if v < begins), default=0.0)
    return [_from(line, start) for line in lines]


def _from(line: Line, start: float) -> Line:
    kept = line.x >= start
    return replace(
        line,
        x=line.x[kept],
        y=line.y[kept],
        low=None if line.low is None else line.low[kept],
        high=None if line.high is None else line.high[kept],
        ring=int(kept[: line.ring].sum()) if line.ring is not None and kept[line.ring] else None,
    )


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
    parts: list[Text] = (
        [_("Bands: 95 % intervals.")] if any(line.low is not None for line in lines) else []
    )
    if any(line.ring is not None for line in lines):
        parts.append(ring)
    return joined(parts) if parts else ""
