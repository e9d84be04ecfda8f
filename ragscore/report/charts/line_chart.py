"""The chart of lines: curves against k, trades of two measures, a measure over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.messages import Say, Text
from ragscore.report.charts.scale import Plot, Scale, finite, grid, x_axis
from ragscore.report.charts.style import LABEL, SMALL, WIDTH, dash, mark, retriever_group
from ragscore.report.charts.svg import element, link, number, polyline, text, title
from ragscore.report.charts.text_room import Boxes, clipped, spread, text_width, widest
from ragscore.report.model import Drawing, Figure

MANY = 5
"""With more lines than this their bands are faint until one is focused."""
LABEL_GAP = 13.0
MAX_LABELS = 16
_NAMES = 132.0
"""The widest that a name may be at the end of its line."""
_APART = 36.0
"""A text at a point is not written again nearer than this to where a better line has it."""

Point = tuple[float, float]
"""x and y in pixels."""
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


@dataclass(frozen=True)
class Link:
    """A point of a line that is drawn by itself.

    Attributes:
        point: its place in the line.
        hint: what a browser shows on hover.
        href: where it leads; None for nowhere.
    """

    point: int
    hint: str
    href: str | None


@dataclass(frozen=True, eq=False)
class Line:
    """One retriever's line.

    Attributes:
        name, number: the retriever's; its number gives colour, shape and dashes.
        x, y: its points: float64[P]; a NaN leaves a gap.
        low, high: its 95 % band: float64[P]; None if it has none.
        ring: the point that is recommended, marked by a ring; None if none is.
        hint: what a browser shows on hover; by default the name.
        drawn: the points that the line runs through; None for as many as there are pixels for.
        marks: the points at which its shape stands; None for some at even distances.
        texts: what is written at points, where there is room.
        links: points that are drawn by themselves, each with its own hint.
    """

    name: str
    number: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    ring: int | None = None
    hint: Text = ""
    drawn: Sequence[int] | None = None
    marks: Sequence[int] | None = None
    texts: Mapping[int, str] = field(default_factory=dict)
    links: Sequence[Link] = ()


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
    right = frame.width - _label_room(line.name for line in lines)
    plot = Plot(
        Scale(x.low, x.high, frame.left, right, log=x.log),
        Scale(y.levels[0], y.levels[-1], frame.height - frame.foot, frame.top),
        y.levels,
    )
    paths = [_path_of(line, plot) for line in lines]
    parts = [
        text(0, 13, str(y.title), "note") if y.title else "",
        grid(plot),
        x_axis(plot, *x.ticks(plot.x), title=x.title),
        _bands(paths),
        _ring_ticks(lines, plot) if x.rings else "",
        _drawn_lines(paths, plot),
        _texts(paths, plot),
        *(_links(path) for path in paths if path.line.links),
    ]
    drawing = Drawing(frame.width, frame.height, "".join(parts))
    return Figure(id=id, title=title, description=description, drawing=drawing, note=note)


@dataclass(frozen=True, eq=False)
class DrawnLine:
    """A line in pixels; ``run`` are the points that it is drawn through."""

    line: Line
    points: NDArray[np.float64]
    run: NDArray[np.float64]
    band: NDArray[np.float64] | None
    marks: Sequence[Point]
    ring: Point | None


def range_of(lines: Iterable[Line]) -> list[float]:
    """Every y of some lines and their bands that is finite."""
    return finite(
        v
        for line in lines
        for part in (line.y, line.low, line.high)
        if part is not None
        for v in part.tolist()
    )


def thinned(x: ArrayLike, least: float = 2.0) -> NDArray[np.intp]:
    """Which points of a line to draw so that neighbours are some pixels apart; first and last stay.

    >>> thinned([0.0, 1.0, 2.0, 2.5, 9.0]).tolist()
    [0, 2, 4]
    """
    places = np.asarray(x, dtype=np.float64)
    kept: list[int] = []
    for i, place in enumerate(places.tolist()):
        if not kept or not place - places[kept[-1]] < least:
            kept.append(i)
    last = len(places) - 1
    if kept and kept[-1] != last:
        # The last point tells where the line ends; its near neighbour does not matter.
        if len(kept) > 1 and places[last] - places[kept[-1]] < least:
            kept.pop()
        kept.append(last)
    return np.asarray(kept, dtype=np.intp)


def _path_of(line: Line, plot: Plot) -> DrawnLine:
    """A line in the pixels of a plot."""
    across = plot.x.places(line.x)
    points = np.stack((across, plot.y.places(line.y)), axis=1)
    run = thinned(across) if line.drawn is None else np.asarray(line.drawn, dtype=np.intp)
    band = None
    if line.low is not None and line.high is not None:
        low, high = plot.y.places(line.low), plot.y.places(line.high)
        band = np.stack((across, low, high), axis=1)[run]
    marks = thinned(across, 64).tolist() if line.marks is None else line.marks
    return DrawnLine(
        line,
        points,
        points[run],
        band,
        [(x, y) for x, y in points[list(marks)].tolist() if np.isfinite((x, y)).all()],
        None if line.ring is None else _point_at(points, line.ring),
    )


def _point_at(points: NDArray[np.float64], place: int) -> Point | None:
    """A point; None if a coordinate is missing."""
    x, y = points[place].tolist()
    return (x, y) if np.isfinite((x, y)).all() else None


def _label_room(names: Iterable[str]) -> float:
    """How much room the names at the ends of lines take, with their shapes."""
    given = list(names)
    if not given or len(given) > MAX_LABELS:
        return 12.0
    return 26 + min(widest(given, LABEL), _NAMES)


def _bands(paths: Sequence[DrawnLine]) -> str:
    """The bands of all lines, drawn below the lines."""
    groups = [retriever_group(path.line.number, band) for path in paths if (band := _band(path))]
    if not groups:
        return ""
    return element("g", *groups, class_="many" if len(paths) > MANY else None)


def _band(path: DrawnLine) -> str:
    """Each stretch without a gap is a shape of its own."""
    if path.band is None:
        return ""
    whole = np.isfinite(path.band).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], whole.astype(np.int8), [0]))))
    shapes = []
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if stop - start > 1:
            upper, lower = path.band[start:stop, [0, 2]], path.band[start:stop, :2]
            shapes.append(polyline([*upper.tolist(), *lower[::-1].tolist()]) + "z")
    return element("path", class_="band", d="".join(shapes)) if shapes else ""


def _ring_ticks(lines: Sequence[Line], plot: Plot) -> str:
    """A short tick at the ring's x, standing on the axis; equal ones stand on each other."""
    stacked: dict[float, int] = {}
    parts = []
    for line in lines:
        if line.ring is None:
            continue
        place = float(line.x[line.ring])
        level = stacked.get(place, 0)
        stacked[place] = level + 1
        start = f"M{number(plot.x(place))},{number(plot.bottom - 7 * level)}v-6"
        tick = element("path", class_="bar", d=start)
        parts.append(retriever_group(line.number, tick))
    return "".join(parts)


def _drawn_lines(paths: Sequence[DrawnLine], plot: Plot) -> str:
    """The lines with shapes, rings, and their names at the right where there is room."""
    places = _label_places(paths, plot) if len(paths) <= MAX_LABELS else {}
    return "".join(_drawn(path, plot, places.get(i)) for i, path in enumerate(paths))


def _label_places(paths: Sequence[DrawnLine], plot: Plot) -> dict[int, float]:
    ends = {i: end for i, path in enumerate(paths) if (end := _end(path)) is not None}
    places = spread([y for _, y in ends.values()], LABEL_GAP, plot.top, plot.bottom)
    return dict(zip(ends, places, strict=True))


def _end(path: DrawnLine) -> Point | None:
    """The last point that is there."""
    there = np.flatnonzero(np.isfinite(path.run).all(axis=1))
    return _point_at(path.run, there[-1]) if there.size else None


def _drawn(path: DrawnLine, plot: Plot, label_y: float | None) -> str:
    """A line with its shapes, its ring, and its name at the right where there is room."""
    line = path.line
    parts = [title(str(line.hint or line.name))]
    if data := polyline(path.run.tolist()):
        parts.append(element("path", class_="line", d=data, stroke_dasharray=dash(line.number)))
    parts += [mark(line.number, x, y, 3.2) for x, y in path.marks]
    if path.ring is not None:
        x, y = path.ring
        parts.append(element("circle", class_="ring", cx=x, cy=y, r=6.5))
    end = _end(path)
    if label_y is not None and end is not None:
        start = plot.right + 8
        parts.append(element("path", class_="leader", d=polyline([end, (start, label_y)])))
        parts.append(mark(line.number, start + 5, label_y, 3.6))
        parts.append(text(start + 14, label_y + 4, clipped(line.name, _NAMES, LABEL)))
    return retriever_group(line.number, *parts, tabindex="0")


def _texts(paths: Sequence[DrawnLine], plot: Plot) -> str:
    """What is written at points, where nothing is in the way."""
    if not any(path.line.texts for path in paths):
        return ""
    taken = Boxes()
    for path in paths:
        for x, y in path.marks:
            taken.take(x - 4, y - 4, x + 4, y + 4)
        if path.ring is not None:
            x, y = path.ring
            taken.take(x - 7, y - 7, x + 7, y + 7)
        taken.take_line(*path.run.T)
    parts = []
    written: dict[str, list[Point]] = {}
    for path, label, x, y, away in _wanted(paths):
        if any(math.hypot(x - left, y - top) < _APART for left, top in written.get(label, ())):
            continue
        width = text_width(label, SMALL)
        around = ((x + away, y - 4), (x - away - width, y + 13), (x - away - width, y - 4))
        for left, base in (*around, (x + away, y + 13)):
            # A little air all around: numbers that touch read as one.
            box = (left - 2, base - 11, left + width + 2, base + 2)
            if taken.free(*box) and left + width < plot.right and base < plot.bottom:
                taken.take(*box)
                written.setdefault(label, []).append((x, y))
                shown = text(left, base, label, "tick halo")
                parts.append(element("g", shown, data_r=str(path.line.number)))
                break
    return "".join(parts)


def _wanted(paths: Sequence[DrawnLine]) -> Iterator[tuple[DrawnLine, str, float, float, float]]:
    """(path, text, x, y, how far away it stands): those at rings first, the best line first."""
    best = sorted(paths, key=_area, reverse=True)
    for at_rings in (True, False):
        for path in best:
            for place, label in path.line.texts.items():
                point = _point_at(path.points, place)
                if point is not None and (place == path.line.ring) == at_rings:
                    yield path, label, *point, 9.0 if at_rings else 6.0


def _area(path: DrawnLine) -> float:
    """How good a line is where both axes are better at their far ends: the largest x times y."""
    return max(finite((path.line.x * path.line.y).tolist()), default=0.0)


def _links(path: DrawnLine) -> str:
    """The points of a line that are drawn by themselves, above all lines."""
    parts = [
        link(linked.href, title(linked.hint), mark(path.line.number, *point, 4))
        for linked in path.line.links
        if (point := _point_at(path.points, linked.point)) is not None
    ]
    return retriever_group(path.line.number, *parts)
