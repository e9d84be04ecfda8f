"""One retriever's line: its points, and where they stand in the pixels of a plot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.messages import Text
from ragscore.report.charts.axes import Plot
from ragscore.report.charts.scale import finite

Point = tuple[float, float]
"""x and y in pixels."""


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


def path_of(line: Line, plot: Plot) -> DrawnLine:
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
        None if line.ring is None else point_at(points, line.ring),
    )


def point_at(points: NDArray[np.float64], place: int) -> Point | None:
    """A point; None if a coordinate is missing."""
    x, y = points[place].tolist()
    return (x, y) if np.isfinite((x, y)).all() else None
