"""Precision among the answered queries against the share that a score cut answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragscore.report.charts import lines as drawing
from ragscore.report.charts.axes import Plot, grid, x_axis
from ragscore.report.charts.curves import CurveLine, note, path_of
from ragscore.report.charts.element import text
from ragscore.report.charts.numbers import plain_number
from ragscore.report.charts.scale import Scale, tick_texts, ticks
from ragscore.report.charts.style import WIDTH
from ragscore.report.model import Drawing, Figure
from ragscore.report.words import Words

HEIGHT = 330.0
_LEFT, _TOP, _FOOT = 46.0, 26.0, 44.0


def precision_by_coverage(lines: Sequence[CurveLine], *, id: str, words: Words) -> Figure:
    """Precision among the answered against coverage, both from 0 to 1.

    Args:
        lines: x is the share of the queries answered, mean the precision among these.
        id: of the figure.
        words: the report's.
    """
    right = WIDTH - drawing.label_room(one.retriever for one in lines)
    marks = ticks(0.0, 1.0)
    across = Scale(marks[0], marks[-1], _LEFT, right)
    plot = Plot(across, Scale(marks[0], marks[-1], HEIGHT - _FOOT, _TOP), marks)
    paths = [path_of(one, plot, words, by_k=False) for one in lines]
    parts = [
        text(0, 13, words("coverage_precision"), "note"),
        grid(plot),
        x_axis(plot, marks, tick_texts(marks), title=words("coverage_axis")),
        drawing.bands(paths),
        drawing.drawn(paths, plot),
    ]
    return Figure(
        id=id,
        title=words("coverage_title"),
        description=_description(lines, words),
        drawing=Drawing(WIDTH, HEIGHT, "".join(parts)),
        note=note(lines, words("coverage_note_ring"), words),
    )


def _description(lines: Sequence[CurveLine], words: Words) -> str:
    rows = []
    for line in lines:
        coverage = np.asarray(line.x, dtype=np.float64)
        precision = np.asarray(line.mean, dtype=np.float64)
        there = np.flatnonzero(np.isfinite(precision))
        for at in dict.fromkeys(there[[0, there.size // 2, -1]].tolist() if there.size else []):
            rows.append(
                words(
                    "coverage_row",
                    retriever=line.retriever,
                    precision=plain_number(float(precision[at])),
                    coverage=plain_number(float(coverage[at])),
                )
            )
    return "; ".join(rows) + "." if rows else words("chart_nothing")
