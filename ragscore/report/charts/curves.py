"""Curves against k, a figure for each measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.report.charts import lines as drawing
from ragscore.report.charts.axes import Plot, grid, x_axis, x_marks
from ragscore.report.charts.element import element, number
from ragscore.report.charts.numbers import plain_number
from ragscore.report.charts.scale import Scale, finite, on_ladder, ticks
from ragscore.report.charts.style import WIDTH, colour_class
from ragscore.report.model import Drawing, Figure
from ragscore.report.words import Words

HEIGHT = 284.0
_LEFT, _TOP, _FOOT = 46.0, 14.0, 44.0
LINEAR_UP_TO = 20
"""Beyond this k the axis is logarithmic."""


@dataclass(frozen=True, eq=False)
class CurveLine:
    """One retriever's curve.

    Attributes:
        retriever, number: its name, and its number, which gives colour, shape and dashes.
        x: k, or the size of the context: [P].
        mean: the measure there: [P]; NaN leaves a gap.
        low, high: its 95 % band: [P]; None where there is none.
        recommended: the x that is recommended, marked by a ring; None where none is.
    """

    retriever: str
    number: int
    x: ArrayLike
    mean: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    recommended: float | None = None


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """The curves of one measure.

    Attributes:
        name: what its figure's id ends with: ``nDCG``.
        label: as people read it: ``nDCG``, ``F1``.
        lines: one for each retriever.
    """

    name: str
    label: str
    lines: Sequence[CurveLine]


def curves(panels: Sequence[CurvePanel], *, id: str, words: Words) -> tuple[Figure, ...]:
    """Measures against k, a figure each, which share the x axis; it is logarithmic beyond 20.

    What :func:`curves_note` says of bands and rings holds for all of them.

    Args:
        panels: one for each measure.
        id: what the ids of the figures begin with: ``curves`` for ``curves-nDCG``.
        words: the report's.
    """
    lowest, highest = _range_of_x(panels)
    names = drawing.label_room(
        dict.fromkeys(one.retriever for panel in panels for one in panel.lines)
    )
    scale = Scale(lowest, highest, _LEFT, WIDTH - names, log=highest > LINEAR_UP_TO)
    return tuple(_figure(panel, scale, f"{id}-{panel.name}", words) for panel in panels)


def curves_note(panels: Sequence[CurvePanel], words: Words) -> str:
    """What bands and rings mean, where there are some."""
    lines = [one for panel in panels for one in panel.lines]
    return note(lines, words("curves_note_ring"), words)


def _figure(panel: CurvePanel, scale: Scale, id: str, words: Words) -> Figure:
    levels = ticks(*range_of_y(panel.lines))
    plot = Plot(scale, Scale(levels[0], levels[-1], HEIGHT - _FOOT, _TOP), levels)
    paths = [path_of(one, plot, words) for one in panel.lines]
    marks, texts = x_marks(plot.x, whole=True)
    parts = [
        grid(plot),
        x_axis(plot, marks, texts, title=words("curves_axis")),
        drawing.bands(paths),
        _recommended_ticks(panel.lines, plot),
        drawing.drawn(paths, plot),
    ]
    return Figure(
        id=id,
        title=words("curves_title", label=panel.label),
        description=_description(panel, words),
        drawing=Drawing(WIDTH, HEIGHT, "".join(parts)),
    )


def path_of(one: CurveLine, plot: Plot, words: Words, *, by_k: bool = True) -> drawing.Path:
    """A curve in the pixels of a plot: thinned, with its shape here and there, and a ring.

    Args:
        one: the curve.
        plot: where.
        words: the report's.
        by_k: x is k, and shapes stand at round ones; else they stand at even distances.
    """
    x, mean = _array(one.x), _array(one.mean)
    places, heights = plot.x.places(x), plot.y.places(mean)
    kept = drawing.thinned(places)
    at = {float(v): (float(p), float(h)) for v, p, h in zip(x, places, heights, strict=True)}
    shown = [at[v] for v in at if _has_mark(v, plot)] if by_k else []
    if not by_k:
        shown = [tuple(xy) for xy in np.stack((places, heights), 1)[drawing.thinned(places, 64)]]
    shown = [point for point in shown if np.isfinite(point).all()]
    ring = at.get(float(one.recommended)) if one.recommended is not None else None
    hint = one.retriever
    if one.recommended is not None and by_k:
        hint = words("curves_recommended", retriever=one.retriever, k=f"{one.recommended:g}")
    return drawing.Path(
        name=one.retriever,
        number=one.number,
        hint=hint,
        x=places[kept],
        y=heights[kept],
        low=None if one.low is None else plot.y.places(one.low)[kept],
        high=None if one.high is None else plot.y.places(one.high)[kept],
        marks=shown,
        rings=[ring] if ring is not None and np.isfinite(ring).all() else [],
    )


def _has_mark(k: float, plot: Plot) -> bool:
    if plot.x.log:
        return on_ladder(k) and k / 10 ** np.floor(np.log10(k) + 1e-9) in (1, 3)
    return k == plot.x.low or k % 5 == 0


def _recommended_ticks(lines: Sequence[CurveLine], plot: Plot) -> str:
    """A short tick at the recommended k, standing on the axis; equal ones stand on each other."""
    stacked: dict[float, int] = {}
    parts = []
    for one in lines:
        if one.recommended is None:
            continue
        level = stacked.get(one.recommended, 0)
        stacked[one.recommended] = level + 1
        x, y = plot.x(one.recommended), plot.bottom - 7 * level
        path = element("path", class_="bar", d=f"M{number(x)},{number(y)}v-6")
        parts.append(element("g", path, class_=colour_class(one.number), data_r=str(one.number)))
    return "".join(parts)


def _range_of_x(panels: Sequence[CurvePanel]) -> tuple[float, float]:
    values = finite(v for panel in panels for one in panel.lines for v in _array(one.x).tolist())
    values = [v for v in values if v > 0] or [1.0, 10.0]
    low, high = min(values), max(values)
    return (low, high) if high > low else (low, low + 1)


def range_of_y(lines: Sequence[CurveLine]) -> tuple[float, float]:
    """From 0, or from below the lowest where all are far above it, to the highest."""
    values = finite(
        v
        for one in lines
        for part in (one.mean, one.low, one.high)
        if part is not None
        for v in _array(part).tolist()
    )
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low == high:
        return max(low - 0.1, 0.0) if low >= 0 else low - 0.1, high + 0.1
    return (0.0 if 0 <= low < 0.4 * high else low), high


def note(lines: Sequence[CurveLine], ring: str, words: Words) -> str:
    """What bands and rings mean, where there are some."""
    said = [words("chart_note_bands")] if any(one.low is not None for one in lines) else []
    if any(one.recommended is not None for one in lines):
        said.append(ring)
    return " ".join(said)


def _array(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


def _description(panel: CurvePanel, words: Words) -> str:
    said = []
    ks = _array(panel.lines[0].x).tolist() if panel.lines else []
    for k in dict.fromkeys(k for k in (1.0, 10.0, max(ks, default=0.0)) if k in ks):
        values = [f"{one.retriever} {plain_number(_at(one, k))}" for one in panel.lines]
        said.append(words("curves_panel", label=panel.label, k=f"{k:g}", values=", ".join(values)))
    chosen = [
        f"{one.retriever} {one.recommended:g}" for one in panel.lines if one.recommended is not None
    ]
    if chosen:
        said.append(words("curves_choice", values=", ".join(chosen)))
    return " ".join(said) or words("chart_nothing")


def _at(one: CurveLine, k: float) -> float | None:
    found = np.flatnonzero(_array(one.x) == k)
    return float(_array(one.mean)[found[0]]) if found.size else None
