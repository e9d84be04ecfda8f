"""The chart of lines: curves against k, trades of two measures, a measure over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragscore.messages import Say, Text
from ragscore.report.charts.axes import Plot, grid, x_axis
from ragscore.report.charts.chart_lines import Line, path_of
from ragscore.report.charts.line_parts import bands, drawn, label_room, links, ring_ticks, texts
from ragscore.report.charts.scale import Scale
from ragscore.report.charts.style import WIDTH
from ragscore.report.charts.svg import text
from ragscore.report.model import Drawing, Figure

Ticks = Callable[[Scale], tuple[Sequence[float], Sequence[str]]]
"""From a scale in pixels to the values that have a tick, and their texts."""


@dataclass(frozen=True)
class Frame:
    """The size of a drawing, and the room around its plot, in pixels."""

    width: float
    height: float
    left: float
    top: float
    foot: float


LOW = Frame(WIDTH, 284.0, 46.0, 14.0, 44.0)
"""The frame of charts that stand side by side."""
HIGH = Frame(WIDTH, 330.0, 46.0, 26.0, 44.0)
"""The frame of a single chart, with room for a title above the plot."""


@dataclass(frozen=True)
class XAxis:
    """The axis at the bottom.

    Attributes:
        low, high: its ends.
        ticks: which values have a tick.
        title: below it; empty for none.
        log: logarithmic.
        rings: the place of each ring has a short tick of the line's colour.
    """

    low: float
    high: float
    ticks: Ticks
    title: Text = ""
    log: bool = False
    rings: bool = False


@dataclass(frozen=True)
class YAxis:
    """The axis on the left.

    Attributes:
        levels: the values that have a grid line, from its lowest end to its highest.
        title: above it; empty for none.
    """

    levels: Sequence[float]
    title: Text = ""


def line_chart(
    say: Say,
    lines: Sequence[Line],
    x: XAxis,
    y: YAxis,
    *,
    id: str,
    title: str,
    description: str,
    note: str = "",
    frame: Frame = HIGH,
) -> Figure:
    """A chart of lines.

    Args:
        say: not needed: all texts come from outside.
        lines: one for each retriever.
        x, y: the axes.
        id: of the figure.
        title: of the figure.
        description: what the drawing shows, for those who do not see it.
        note: below the drawing.
        frame: the size of the drawing.
    """
    right = frame.width - label_room(line.name for line in lines)
    plot = Plot(
        Scale(x.low, x.high, frame.left, right, log=x.log),
        Scale(y.levels[0], y.levels[-1], frame.height - frame.foot, frame.top),
        y.levels,
    )
    paths = [path_of(line, plot) for line in lines]
    parts = [
        text(0, 13, str(y.title), "note") if y.title else "",
        grid(plot),
        x_axis(plot, *x.ticks(plot.x), title=x.title),
        bands(paths),
        ring_ticks(lines, plot) if x.rings else "",
        drawn(paths, plot),
        texts(paths, plot),
        *(links(path) for path in paths if path.line.links),
    ]
    drawing = Drawing(frame.width, frame.height, "".join(parts))
    return Figure(id=id, title=title, description=description, drawing=drawing, note=note)
