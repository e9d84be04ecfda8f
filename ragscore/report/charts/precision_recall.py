"""Precision against recall: what each further passage costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.report.charts import lines as drawing
from ragscore.report.charts.axes import Plot, grid, x_axis
from ragscore.report.charts.element import element, text
from ragscore.report.charts.labels import Boxes, text_width
from ragscore.report.charts.numbers import plain_number
from ragscore.report.charts.scale import Scale, finite, on_ladder, tick_texts, ticks
from ragscore.report.charts.style import SMALL, WIDTH
from ragscore.report.model import Drawing, Figure
from ragscore.report.words import Words

HEIGHT = 330.0
_APART = 36.0
"""A k is not written again nearer than this to where a better line has it."""
_LEFT, _TOP, _FOOT = 46.0, 26.0, 44.0


@dataclass(frozen=True, eq=False)
class TradeLine:
    """One retriever's way through precision and recall as k grows.

    Attributes:
        retriever, number: its name, and its number, which gives colour, shape and dashes.
        k: the cutoffs: [P].
        recall, precision: the means there: [P].
        recommended: the k that is recommended, marked by a ring; None where none is.
    """

    retriever: str
    number: int
    k: ArrayLike
    recall: ArrayLike
    precision: ArrayLike
    recommended: int | None = None


def precision_recall(lines: Sequence[TradeLine], *, id: str, words: Words) -> Figure:
    """Precision against recall; k is written at points of the ladder (1, 2, 3, 5, 10, ...)."""
    plot = _plot(lines)
    paths = [_path(one, plot, words) for one in lines]
    axis = text(0, 13, words("trade_precision"), "note")
    ring = [words("chart_note_ring")] if any(path.rings for path in paths) else []
    parts = [
        axis,
        grid(plot),
        x_axis(
            plot,
            marks := ticks(plot.x.low, plot.x.high),
            tick_texts(marks),
            title=words("trade_recall"),
        ),
        drawing.drawn(paths, plot),
        _cutoffs(lines, paths, plot),
    ]
    return Figure(
        id=id,
        title=words("trade_title"),
        description=_description(lines, words),
        drawing=Drawing(WIDTH, HEIGHT, "".join(parts)),
        note=" ".join([words("trade_note"), *ring]),
    )


def _plot(lines: Sequence[TradeLine]) -> Plot:
    recall = finite(v for one in lines for v in _array(one.recall).tolist())
    precision = finite(v for one in lines for v in _array(one.precision).tolist())
    across = ticks(0.0, max(recall, default=1.0) or 1.0)
    upwards = ticks(0.0, max(precision, default=1.0) or 1.0)
    right = WIDTH - drawing.label_room(one.retriever for one in lines)
    return Plot(
        Scale(across[0], across[-1], _LEFT, right),
        Scale(upwards[0], upwards[-1], HEIGHT - _FOOT, _TOP),
        upwards,
    )


def _points(one: TradeLine, plot: Plot) -> dict[int, tuple[float, float]]:
    """By k: where it stands, in pixels."""
    places, heights = plot.x.places(one.recall), plot.y.places(one.precision)
    points = zip(_array(one.k).tolist(), places.tolist(), heights.tolist(), strict=True)
    return {int(k): (x, y) for k, x, y in points if np.isfinite((x, y)).all()}


def _path(one: TradeLine, plot: Plot, words: Words) -> drawing.Path:
    points = _points(one, plot)
    # Far out, hundreds of cutoffs lie on the same few pixels.
    shown = [k for k in points if k <= 20 or on_ladder(k) or k == max(points)]
    ring = points.get(one.recommended) if one.recommended is not None else None
    hint = one.retriever
    if one.recommended is not None:
        hint = words("curves_recommended", retriever=one.retriever, k=str(one.recommended))
    return drawing.Path(
        name=one.retriever,
        number=one.number,
        hint=hint,
        x=np.array([points[k][0] for k in shown]),
        y=np.array([points[k][1] for k in shown]),
        marks=[points[k] for k in points if on_ladder(k)],
        rings=[ring] if ring else [],
    )


def _cutoffs(lines: Sequence[TradeLine], paths: Sequence[drawing.Path], plot: Plot) -> str:
    """The k at points, where nothing is in the way."""
    taken = Boxes()
    for path in paths:
        for x, y in path.marks:
            taken.take(x - 4, y - 4, x + 4, y + 4)
        for x, y in path.rings:
            taken.take(x - 7, y - 7, x + 7, y + 7)
        taken.take_line(path.x, path.y)
    parts = []
    written: dict[int, list[tuple[float, float]]] = {}
    for k, x, y, number, away in _wanted(lines, plot):
        if any(math.hypot(x - left, y - top) < _APART for left, top in written.get(k, ())):
            continue
        width = text_width(str(k), SMALL)
        around = ((x + away, y - 4), (x - away - width, y + 13), (x - away - width, y - 4))
        for left, base in (*around, (x + away, y + 13)):
            # A little air all around: numbers that touch read as one.
            box = (left - 2, base - 11, left + width + 2, base + 2)
            if taken.free(*box) and left + width < plot.right and base < plot.bottom:
                taken.take(*box)
                written.setdefault(k, []).append((x, y))
                label = text(left, base, str(k), "tick halo")
                parts.append(element("g", label, data_r=str(number)))
                break
    return "".join(parts)


def _wanted(
    lines: Sequence[TradeLine], plot: Plot
) -> Iterator[tuple[int, float, float, int, float]]:
    """(k, x, y, retriever, distance of its label): recommended ones first, the best line first."""
    best = sorted(lines, key=_area, reverse=True)
    for recommended in (True, False):
        for one in best:
            for k, (x, y) in _points(one, plot).items():
                if (k == one.recommended) == recommended and (recommended or on_ladder(k)):
                    yield k, x, y, one.number, 9.0 if recommended else 6.0


def _area(one: TradeLine) -> float:
    """How good a line is: the largest of precision times recall."""
    both = finite((_array(one.precision) * _array(one.recall)).tolist())
    return max(both, default=0.0)


def _array(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


def _description(lines: Sequence[TradeLine], words: Words) -> str:
    said = []
    for one in lines:
        ks = _array(one.k).tolist()
        for k in dict.fromkeys((1, one.recommended, 10)):
            if k is None or k not in ks:
                continue
            place = ks.index(k)
            said.append(
                words(
                    "trade_row",
                    retriever=one.retriever,
                    recall=plain_number(float(_array(one.recall)[place])),
                    precision=plain_number(float(_array(one.precision)[place])),
                    k=k,
                )
            )
    return "; ".join(said) + "." if said else words("chart_nothing")
