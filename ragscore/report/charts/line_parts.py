"""The parts that a chart of lines is drawn from: bands, lines, rings, names, texts, links."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ragscore.report.charts.axes import Plot
from ragscore.report.charts.chart_lines import DrawnLine, Line, Point, point_at
from ragscore.report.charts.scale import finite
from ragscore.report.charts.style import LABEL, SMALL, dash, mark, retriever_group
from ragscore.report.charts.svg import element, link, number, polyline, text, title
from ragscore.report.charts.text_room import Boxes, clipped, spread, text_width, widest

MANY = 5
"""With more lines than this their bands are faint until one is focused."""
LABEL_GAP = 13.0
MAX_LABELS = 16
_NAMES = 132.0
"""The widest that a name may be at the end of its line."""
_APART = 36.0
"""A text at a point is not written again nearer than this to where a better line has it."""


def label_room(names: Iterable[str]) -> float:
    """How much room the names at the ends of lines take, with their shapes."""
    given = list(names)
    if not given or len(given) > MAX_LABELS:
        return 12.0
    return 26 + min(widest(given, LABEL), _NAMES)


def bands(paths: Sequence[DrawnLine]) -> str:
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


def ring_ticks(lines: Sequence[Line], plot: Plot) -> str:
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


def drawn(paths: Sequence[DrawnLine], plot: Plot) -> str:
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
    return point_at(path.run, there[-1]) if there.size else None


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


def texts(paths: Sequence[DrawnLine], plot: Plot) -> str:
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
                point = point_at(path.points, place)
                if point is not None and (place == path.line.ring) == at_rings:
                    yield path, label, *point, 9.0 if at_rings else 6.0


def _area(path: DrawnLine) -> float:
    """How good a line is where both axes are better at their far ends: the largest x times y."""
    return max(finite((path.line.x * path.line.y).tolist()), default=0.0)


def links(path: DrawnLine) -> str:
    """The points of a line that are drawn by themselves, above all lines."""
    parts = [
        link(linked.href, title(linked.hint), mark(path.line.number, *point, 4))
        for linked in path.line.links
        if (point := point_at(path.points, linked.point)) is not None
    ]
    return retriever_group(path.line.number, *parts)
