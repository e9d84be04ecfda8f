"""The frame of a plot: thin grid lines, few ticks, titles of axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragscore.messages import Text
from ragscore.report.charts.scale import Scale, inside, log_ticks, tick_texts, ticks
from ragscore.report.charts.svg import element, line, number, text


@dataclass(frozen=True)
class Plot:
    """A rectangle with two scales; y grows upwards in values and downwards in pixels.

    Attributes:
        x, y: the scales, in pixels.
        levels: the values of y that have a grid line.
    """

    x: Scale
    y: Scale
    levels: Sequence[float] = ()

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.x.start

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.x.end

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.y.end

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y.start


def grid(plot: Plot, *, sign: bool = False) -> str:
    """Horizontal lines at the levels of y, each with its number on the left."""
    marks = plot.levels
    path = "".join(
        f"M{number(plot.left)},{number(plot.y(mark))}H{number(plot.right)}" for mark in marks
    )
    numbers = (
        text(plot.left - 10, plot.y(mark) + 4, level, "tick", "end")
        for mark, level in zip(marks, tick_texts(marks, sign=sign), strict=True)
    )
    return element("path", class_="grid", d=path) + "".join(numbers) if path else ""


def x_axis(
    plot: Plot,
    marks: Sequence[float],
    texts: Sequence[str],
    *,
    title: Text = "",
) -> str:
    """The axis at the bottom with its ticks, their texts, and its title below them."""
    y = plot.bottom
    places = plot.x.places(marks)
    ticks_path = "".join(f"M{number(x)},{number(y)}v4" for x in places)
    path = f"M{number(plot.left)},{number(y)}H{number(plot.right)}{ticks_path}"
    labelled = zip(places, texts, strict=True)
    parts = [
        element("path", class_="axis", d=path),
        *(text(x, y + 17, tick, "tick", "middle") for x, tick in labelled),
    ]
    if title:
        parts.append(text((plot.left + plot.right) / 2, y + 33, str(title), "note", "middle"))
    return "".join(parts)


def x_marks(scale: Scale, most: int = 8, *, whole: bool = False) -> tuple[list[float], list[str]]:
    """Ticks of an x axis and their texts, at round numbers.

    Args:
        scale: of the axis.
        most: about how many ticks there is room for.
        whole: x is counted, as k is: only whole numbers, and the first of them.
    """
    if scale.log:
        marks = log_ticks(scale.low, scale.high, most)
    else:
        marks = inside(ticks(scale.low, scale.high, most - 2), scale.low, scale.high)
    if whole:
        marks = [mark for mark in marks if mark == int(mark)]
        if scale.low not in marks:
            marks = [scale.low, *(mark for mark in marks if mark > scale.low)]
    return marks, tick_texts(marks)


def zero_line(plot: Plot) -> str:
    """The horizontal line at 0."""
    return line(plot.left, plot.y(0), plot.right, plot.y(0), "zero")
