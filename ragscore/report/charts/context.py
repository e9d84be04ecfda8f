"""Recall against the size of the context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.report.charts import lines as drawing
from ragscore.report.charts.axes import Plot, grid, x_axis, x_marks
from ragscore.report.charts.curves import CurveLine, note, path_of, range_of_y
from ragscore.report.charts.numbers import plain_number
from ragscore.report.charts.scale import Scale, finite, ticks
from ragscore.report.charts.style import WIDTH
from ragscore.report.model import Drawing, Figure
from ragscore.report.words import Words

HEIGHT = 330.0
_LEFT, _TOP, _FOOT = 46.0, 26.0, 44.0


def recall_by_context(lines: Sequence[CurveLine], *, id: str, unit: str, words: Words) -> Figure:
    """Recall against the size of the context on a logarithmic axis.

    Args:
        lines: x is the size of the context, mean the recall.
        id: of the figure.
        unit: what sizes are counted in, as people read it: ``words``.
        words: the report's.
    """
    right = WIDTH - drawing.label_room(one.retriever for one in lines)
    lines = _from_where_it_begins(lines)
    sizes = finite(v for one in lines for v in np.asarray(one.x, dtype=np.float64).tolist())
    sizes = [size for size in sizes if size > 0] or [1.0, 1000.0]
    low, high = min(sizes), max(sizes)
    marks = ticks(*range_of_y(lines))
    plot = Plot(
        Scale(low, high if high > low else low * 10, _LEFT, right, log=True),
        Scale(marks[0], marks[-1], HEIGHT - _FOOT, _TOP),
        marks,
    )
    paths = [path_of(one, plot, words, by_k=False) for one in lines]
    parts = [
        grid(plot),
        x_axis(plot, *x_marks(plot.x, 7), title=words("context_axis", unit=unit)),
        drawing.bands(paths),
        drawing.drawn(paths, plot),
    ]
    return Figure(
        id=id,
        title=words("context_title"),
        description=_description(lines, unit, words),
        drawing=Drawing(WIDTH, HEIGHT, "".join(parts)),
        note=note(lines, words("chart_note_ring"), words),
    )


def _from_where_it_begins(lines: Sequence[CurveLine]) -> list[CurveLine]:
    """Without the small contexts in which no retriever has room for anything, but for the last."""
    sizes = [np.asarray(one.x, dtype=np.float64) for one in lines]
    empty = [~(np.asarray(one.mean, dtype=np.float64) > 0) for one in lines]
    begins = min(
        (float(x[np.flatnonzero(~e)[0]]) for x, e in zip(sizes, empty, strict=True) if not e.all()),
        default=0.0,
    )
    start = max((float(v) for x in sizes for v in x if v < begins), default=0.0)
    return [_cut(one, x >= start) for one, x in zip(lines, sizes, strict=True)]


def _cut(one: CurveLine, kept: NDArray[np.bool_]) -> CurveLine:
    def part(values: ArrayLike | None) -> NDArray[np.float64] | None:
        return None if values is None else np.asarray(values, dtype=np.float64)[kept]

    return replace(
        one,
        x=np.asarray(one.x, dtype=np.float64)[kept],
        mean=np.asarray(one.mean, dtype=np.float64)[kept],
        low=part(one.low),
        high=part(one.high),
    )


def _description(lines: Sequence[CurveLine], unit: str, words: Words) -> str:
    said = []
    for one in lines:
        sizes = np.asarray(one.x, dtype=np.float64)
        recall = np.asarray(one.mean, dtype=np.float64)
        there = np.flatnonzero(np.isfinite(sizes) & np.isfinite(recall))
        # The smallest, the middle and the largest context tell the shape of the curve.
        for place in dict.fromkeys(there[[0, there.size // 2, -1]].tolist() if there.size else []):
            said.append(
                words(
                    "context_row",
                    retriever=one.retriever,
                    recall=plain_number(float(recall[place])),
                    size=f"{sizes[place]:,.0f}",
                    unit=unit,
                )
            )
    return "; ".join(said) + "." if said else words("chart_nothing")
