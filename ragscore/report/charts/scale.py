"""From values to places: linear and logarithmic scales, ticks at round numbers, and the frame of a
plot: thin grid lines, few ticks, titles of axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.messages import Text
from ragscore.report.charts.svg import element, line, number, text

LADDER = (1, 2, 3, 5)
"""Round numbers of each decade, for logarithmic axes."""


@dataclass(frozen=True)
class Scale:
    """A scale from ``low .. high`` to ``start .. end``; values outside are not cut.

    >>> Scale(0, 1, 100, 200)(0.5), Scale(1, 100, 0, 200, log=True)(10)
    (150.0, 100.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value; NaN stays NaN."""
        return float(self.places([value])[0])

    def places(self, values: ArrayLike) -> NDArray[np.float64]:
        """The places of values."""
        given = np.asarray(values, dtype=np.float64)
        low, high = self.low, self.high
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                given = np.log(np.where(given > 0, given, np.nan))
            low, high = math.log(low), math.log(high)
        share = (given - low) / (high - low) if high > low else np.where(given == given, 0.5, given)
        return np.asarray(self.start + share * (self.end - self.start), dtype=np.float64)


def finite(values: Iterable[float | None]) -> list[float]:
    """The values that are there and are finite."""
    return [float(v) for v in values if v is not None and math.isfinite(v)]


def present(value: float | None) -> bool:
    """Whether there is a number: neither None nor NaN nor infinite."""
    return value is not None and math.isfinite(value)


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Round numbers from the last one at or below low to the first at or above high.

    >>> ticks(0, 0.93), ticks(-0.09, 0.15)
    ([0.0, 0.25, 0.5, 0.75, 1.0], [-0.1, 0.0, 0.1, 0.2])
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return [0.0, 1.0]
    if high <= low:
        pad = abs(low) * 0.1 or 0.1
        low, high = low - pad, high + pad
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(n * step, 12) + 0.0 for n in range(first, last + 1)]


def inside(marks: Sequence[float], low: float, high: float) -> list[float]:
    """The ticks that lie within an axis."""
    slack = (high - low) * 1e-9
    return [mark for mark in marks if low - slack <= mark <= high + slack]


def log_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Round numbers of a logarithmic axis: of each decade as many as there is room for.

    >>> log_ticks(1, 100)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        marks = inside([float(s * 10.0**d) for d in decades for s in steps], low, high)
        if len(marks) <= most:
            break
    return marks if len(marks) > 1 else [low, high]


def on_ladder(k: float) -> bool:
    """Whether k is one of 1, 2, 3, 5, 10, 20, 30, 50, ...

    >>> [k for k in range(1, 60) if on_ladder(k)]
    [1, 2, 3, 5, 10, 20, 30, 50]
    """
    if k < 1 or k != int(k):
        return False
    return k / 10 ** math.floor(math.log10(k) + 1e-9) in LADDER


def tick_texts(marks: Sequence[float], *, sign: bool = False) -> list[str]:
    """Ticks with as many decimals as they need, thousands with a comma.

    >>> tick_texts([0, 0.25, 0.5]), tick_texts([-0.1, 0, 0.1], sign=True)
    (['0', '0.25', '0.50'], ['-0.1', '0', '+0.1'])
    """
    decimals = next((d for d in range(7) if all(abs(m - round(m, d)) < 1e-9 for m in marks)), 7)
    style = f"{'+' if sign else ''},.{decimals}f"
    return ["0" if mark == 0 else format(mark, style) for mark in marks]


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
