"""Lines with bands and their names at the right end: what curves, context and history share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.report.charts.axes import Plot
from ragscore.report.charts.element import element, polyline, text, title
from ragscore.report.charts.labels import clipped, spread, text_width
from ragscore.report.charts.style import LABEL, colour_class, dash, mark

MANY = 5
"""With more lines than this their bands are faint until one is focused."""
LABEL_GAP = 13.0
MOST_LABELS = 16
_NAMES = 132.0
"""The widest that a name may be at the end of its line."""


@dataclass(frozen=True, eq=False)
class Path:
    """A line ready to be drawn.

    Attributes:
        name, number: the retriever's.
        hint: what a browser shows on hover.
        x, y: pixels: [P].
        low, high: the band in pixels; None where there is none.
        marks: where its shape stands, pixels.
        rings: where a ring stands, pixels.
    """

    name: str
    number: int
    hint: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    marks: Sequence[tuple[float, float]] = ()
    rings: Sequence[tuple[float, float]] = ()


def label_room(names: Iterable[str]) -> float:
    """How much room the names at the ends of lines take, with their shapes."""
    given = list(names)
    if not given or len(given) > MOST_LABELS:
        return 12.0
    return 26 + min(max(text_width(one, LABEL) for one in given), _NAMES)


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


def bands(paths: Sequence[Path]) -> str:
    """The bands of all lines, which stand below the lines."""
    drawn = [
        element("g", _band(path), class_=colour_class(path.number), data_r=str(path.number))
        for path in paths
        if path.low is not None and path.high is not None and _band(path)
    ]
    if not drawn:
        return ""
    return element("g", *drawn, class_="many" if len(paths) > MANY else None)


def _band(path: Path) -> str:
    """Each stretch without a gap is a shape of its own."""
    assert path.low is not None
    assert path.high is not None
    whole = np.isfinite(path.low) & np.isfinite(path.high) & np.isfinite(path.x)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], whole.astype(np.int8), [0]))))
    shapes = []
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        part = slice(start, stop)
        upper = list(zip(path.x[part], path.high[part], strict=True))
        lower = list(zip(path.x[part], path.low[part], strict=True))
        if len(upper) > 1:
            shapes.append(polyline([*upper, *reversed(lower)]) + "z")
    return element("path", class_="band", d="".join(shapes)) if shapes else ""


def drawn(paths: Sequence[Path], plot: Plot) -> str:
    """The lines with shapes, rings, and their names at the right where there is room."""
    places = _label_places(paths, plot) if len(paths) <= MOST_LABELS else {}
    return "".join(_line(path, plot, places.get(i)) for i, path in enumerate(paths))


def _label_places(paths: Sequence[Path], plot: Plot) -> dict[int, float]:
    ends = {i: end for i, path in enumerate(paths) if (end := _end(path)) is not None}
    places = spread([y for _, y in ends.values()], LABEL_GAP, plot.top, plot.bottom)
    return dict(zip(ends, places, strict=True))


def _end(path: Path) -> tuple[float, float] | None:
    """The last point that is there."""
    there = np.flatnonzero(np.isfinite(path.x) & np.isfinite(path.y))
    if not there.size:
        return None
    return float(path.x[there[-1]]), float(path.y[there[-1]])


def _line(path: Path, plot: Plot, label_y: float | None) -> str:
    points = list(zip(path.x.tolist(), path.y.tolist(), strict=True))
    parts = [title(path.hint)]
    if data := polyline(points):
        parts.append(element("path", class_="line", d=data, stroke_dasharray=dash(path.number)))
    parts += [mark(path.number, x, y, 3.2) for x, y in path.marks]
    parts += [element("circle", class_="ring", cx=x, cy=y, r=6.5) for x, y in path.rings]
    end = _end(path)
    if label_y is not None and end is not None:
        start = plot.right + 8
        parts.append(element("path", class_="leader", d=polyline([end, (start, label_y)])))
        parts.append(mark(path.number, start + 5, label_y, 3.6))
        parts.append(text(start + 14, label_y + 4, clipped(path.name, _NAMES, LABEL)))
    return element(
        "g",
        *parts,
        class_=colour_class(path.number),
        data_r=str(path.number),
        tabindex="0",
    )
