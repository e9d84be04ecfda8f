"""Per-query differences of two retrievers, sorted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.arrays import distinct
from ragscore.elements.numbers import count_text, signed_text
from ragscore.messages import Say, _
from ragscore.report.charts.scale import Plot, Scale, finite, grid, inside, ticks, zero_line
from ragscore.report.charts.style import LABEL, WIDTH
from ragscore.report.charts.svg import element, line, number, rectangle, text
from ragscore.report.charts.text_room import spread, widest
from ragscore.report.model import Drawing, Figure

HEIGHT = 246.0
_LEFT, _RIGHT, _TOP, _FOOT = 54.0, 4.0, 40.0, 28.0
MAX_STEPS = 280
"""The most steps that are drawn, each of two vertices, however many queries there are."""
EQUAL = 1e-12
"""Differences nearer to 0 than this are rounding errors: both retrievers are as good."""


def differences(
    say: Say,
    values: ArrayLike,
    *,
    first: str,
    second: str,
    numbers: tuple[int, int],
    label: str,
    id: str,
    reach: tuple[float, float] | None = None,
) -> Figure:
    """The differences of every query, the largest first.

    Args:
        values: of each query, positive where ``first`` is better: [Q], in any order; NaN if
            a query has no value for both.
        first, second: the retrievers.
        numbers: theirs.
        label: of the measure.
        id: of the figure.
        say: writes a text in the reader's language.
        reach: lowest and highest difference that the axis must reach, so that charts beside each
            other share it.
    """
    given = np.asarray(values, dtype=np.float64)
    ordered = np.sort(given[np.isfinite(given)])[::-1]
    sides = (
        int((ordered > EQUAL).sum()),
        int((np.abs(ordered) <= EQUAL).sum()),
        int((ordered < -EQUAL).sum()),
    )
    plot = _plot(ordered, finite(reach or ()))
    mean = float(ordered.mean()) if ordered.size else None
    group = element(
        "g",
        _areas(ordered, plot, sides),
        class_="queries",
        data_first=str(numbers[0]),
        data_second=str(numbers[1]),
        data_n=str(ordered.size),
        data_x0=number(plot.left),
        data_x1=number(plot.right),
    )
    facts = {"first": first, "second": second, "label": label}
    parts = [
        _counts(sides, plot, say),
        grid(plot, sign=True),
        group,
        zero_line(plot),
        _mean(mean, plot, say),
        text(
            plot.left,
            HEIGHT - 8,
            say(_("queries, sorted by difference (n = {n})", n=count_text(ordered.size))),
            "note",
        ),
    ]
    return Figure(
        id=id,
        title=say(_("{label} by query: {first} against {second}", **facts)),
        description=say(
            _(
                "{first} against {second} on {label}, query by query: {better} better, {worse} "
                "worse, {same} same. The mean difference is {mean}; differences range from {low} "
                "to {high}.",
                **facts,
                better=sides[0],
                same=sides[1],
                worse=sides[2],
                mean=signed_text(mean),
                low=signed_text(float(ordered[-1]) if ordered.size else None),
                high=signed_text(float(ordered[0]) if ordered.size else None),
            )
        ),
        drawing=Drawing(WIDTH, HEIGHT, "".join(parts)),
    )


def _plot(ordered: NDArray[np.float64], reach: list[float]) -> Plot:
    extremes = [*reach, *ordered[[0, -1]].tolist(), 0.0] if ordered.size else [-1.0, 1.0]
    low, high = min(extremes), max(extremes)
    pad = (high - low) * 0.04 or 0.1
    low, high = (low - pad if low else 0.0), (high + pad if high else 0.0)
    if low == high:
        low, high = -pad, pad
    return Plot(
        Scale(0, max(ordered.size, 1), _LEFT, WIDTH - _RIGHT),
        Scale(low, high, HEIGHT - _FOOT, _TOP),
        inside(ticks(low, high), low, high),
    )


def _areas(ordered: NDArray[np.float64], plot: Plot, sides: tuple[int, int, int]) -> str:
    """The two sides of zero: each an outline of steps down to the line at 0."""
    better, same, worse = sides
    return "".join(
        element("path", class_=role, d=_steps(ordered, start, stop, plot))
        for role, start, stop in (
            ("better", 0, better),
            ("worse", better + same, better + same + worse),
        )
        if stop > start
    )


def _steps(ordered: NDArray[np.float64], start: int, stop: int, plot: Plot) -> str:
    """Steps from query start to query stop; equal neighbours are one step."""
    share = max(round(MAX_STEPS * (stop - start) / len(ordered)), 2)
    edges = distinct(np.linspace(start, stop, min(share, stop - start) + 1).round().astype(int))
    # A step of several queries stands at the one in its middle; the ends keep the extremes.
    middle = (edges[:-1] + edges[1:] - 1) // 2
    middle[0], middle[-1] = (
        start if start == 0 else middle[0],
        (stop - 1 if stop == len(ordered) else middle[-1]),
    )
    heights = [number(y) for y in plot.y.places(ordered[middle])]
    path = [f"M{number(plot.x(start))},{number(plot.y(0))}"]
    for place, height in enumerate(heights):
        if place == 0 or height != heights[place - 1]:
            path.append(f"V{height}")
            path.append("")
        path[-1] = f"H{number(plot.x(float(edges[place + 1])))}"
    return "".join(path) + f"V{number(plot.y(0))}z"


def _counts(sides: tuple[int, int, int], plot: Plot, say: Say) -> str:
    """A strip with the share of each side, its count above it."""
    better, same, worse = map(count_text, sides)
    texts = (
        say(_("{n} better", n=better)),
        say(_("{n} same", n=same)),
        say(_("{n} worse", n=worse)),
    )
    edges = np.concatenate(([0], np.cumsum(sides))).astype(float)
    parts = []
    wanted, shown = [], []
    for place, (role, n) in enumerate(zip(("better", "same", "worse"), sides, strict=True)):
        if not n:
            continue
        start, end = plot.x(edges[place]), plot.x(edges[place + 1])
        parts.append(rectangle(start, 20, max(end - start - 1, 1), 4, role))
        wanted.append((start + end) / 2)
        shown.append(texts[place])
    width = widest(shown, LABEL)
    half = width / 2
    places = spread(wanted, width + 8, plot.left + half, plot.right - half)
    parts += [text(x, 14, share, "label", "middle") for x, share in zip(places, shown, strict=True)]
    return "".join(parts)


def _mean(mean: float | None, plot: Plot, say: Say) -> str:
    if mean is None:
        return ""
    y = plot.y(mean)
    label = say(_("mean {mean}", mean=signed_text(mean)))
    # Behind the better queries there is room above 0, before the worse ones below it.
    if mean >= 0:
        written = text(plot.right, y - 5, label, "note halo", "end")
    else:
        written = text(plot.left + 4, y + 13, label, "note halo")
    return line(plot.left, y, plot.right, y, "mean") + written
