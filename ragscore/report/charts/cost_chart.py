"""The chart of quality against cost: each retriever a mark, the best at its cost on a line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ragscore.elements.numbers import interval_text, latency_text, number_text
from ragscore.estimate import Estimate
from ragscore.messages import Say, _
from ragscore.report.charts.scale import (
    Plot,
    Scale,
    finite,
    grid,
    inside,
    log_ticks,
    present,
    ticks,
    x_axis,
)
from ragscore.report.charts.style import LABEL, SMALL, WIDTH, mark, retriever_group
from ragscore.report.charts.svg import element, polyline, text, title
from ragscore.report.charts.text_room import Boxes, clipped, text_width
from ragscore.report.model import Drawing, Figure
from ragscore.stats.pareto import pareto_front

HEIGHT, LEFT, TOP, FOOT, RIGHT, NAMES = 300.0, 46.0, 26.0, 44.0, 44.0, 100.0
"""Sizes in pixels; ``NAMES`` is kept free at the right where many names have to be written."""
REACH = (1e-9, 1e15)
"""The costs that are drawn: no real one is smaller or larger."""
SPANS = 4.0
"""From this many times the least cost on the axis is logarithmic."""
MAX_TICKS = 7
FEW = 8
"""With more points than this, intervals are drawn faintly, and there is room for more names."""
_NAME = 150.0
"""The widest that a name may be beside its mark."""
_STRONG = 1.15
"""How much wider the names of the best are, which are bold."""
_AWAY = (0.0, 13.0, 26.0, 39.0, 52.0)
"""How much higher or lower than beside its mark a name may stand; a thin line then leads to it."""
_ROWS = 14
"""Names that are written; with more points only those on the line have theirs."""


Place = tuple[float, float]
"""x and y in pixels."""


@dataclass(frozen=True)
class CostPoint:
    """One retriever, or one configuration of it: what it costs, and how good it is.

    Attributes:
        name, number: the retriever's; its number gives colour and shape.
        cost: in any unit; one outside of :data:`REACH`, such as 0, is not drawn.
        mean: how good, with its 95 % interval.
        spent: the cost as sentences name it; by default in milliseconds.
    """

    name: str
    number: int
    cost: float
    mean: Estimate
    spent: str = ""

    @property
    def drawable(self) -> bool:
        """Whether it has a place on the chart."""
        return present(self.mean.value) and REACH[0] <= self.cost <= REACH[1]


def best_at_cost(points: Sequence[CostPoint], *, lower_is_better: bool = False) -> list[bool]:
    """Which points are on the line: no other is as good or better at no more cost.

    Args:
        points: those that have no place on the chart are never on it.
        lower_is_better: small values are good.
    """
    sign = -1.0 if lower_is_better else 1.0
    values = np.array([sign * point.mean.value if point.drawable else np.nan for point in points])
    costs = np.array([point.cost if point.drawable else np.nan for point in points])
    return [bool(best) for best in pareto_front(values, costs)]


def cost_chart(
    say: Say,
    points: Sequence[CostPoint],
    *,
    id: str,
    title: str,
    label: str,
    axis: str,
    lower_is_better: bool = False,
) -> Figure:
    """Quality against cost.

    Args:
        points: the retrievers, or configurations of some; those without a cost or a value are left
            out.
        id: of the figure.
        title: of the figure.
        label: of the measure.
        axis: what the cost is, with its unit.
        say: writes a text in the reader's language.
        lower_is_better: small values of the measure are good.
    """
    best = best_at_cost(points, lower_is_better=lower_is_better)
    shown = [(point, on) for point, on in zip(points, best, strict=True) if point.drawable]
    plot, log = _plot([point for point, _ in shown])
    marks = _ticks(plot.x)
    steps = _steps([point for point, on in shown if on], plot)
    many = "many" if len(shown) > FEW else None
    better = say(_("(lower is better)")) if lower_is_better else say(_("(higher is better)"))
    parts = [
        text(0, 13, clipped(f"{label} {better}", WIDTH, SMALL), "note"),
        grid(plot),
        x_axis(plot, marks, [format(tick, ",.6g") for tick in marks], title=axis),
        element("path", class_="front", d=polyline(steps)) if steps else "",
        element("g", *_points(shown, steps, plot, say), class_=many),
    ]
    sentences = "; ".join(_point_sentence(point, on, say) for point, on in shown)
    start = say(_("{label} against cost ({axis}).", label=label, axis=axis))
    notes = [say(_("Filled, with a ring, on the dashed line: nothing as good costs less."))]
    if any(present(point.mean.low) for point, _ in shown):
        notes.append(say(_("Bars: 95 % intervals.")))
    if log:
        notes.append(say(_("Logarithmic axis.")))
    return Figure(
        id=id,
        title=title,
        description=f"{start} {sentences}."
        if sentences
        else f"{start} {say(_('Nothing to show.'))}",
        drawing=Drawing(WIDTH, HEIGHT, "".join(parts)),
        note=" ".join(notes),
    )


def _plot(points: Sequence[CostPoint]) -> tuple[Plot, bool]:
    """The scales, and whether x is logarithmic."""
    values = finite(
        v for point in points for v in (point.mean.value, point.mean.low, point.mean.high)
    )
    levels = ticks(min(values, default=0.0), max(values, default=1.0), 5)
    costs = [point.cost for point in points]
    low, high = min(costs, default=1.0), max(costs, default=1.0)
    log = high / low >= SPANS
    # Room on both sides, so that no mark stands on the edge.
    room = (high / low) ** 0.06
    first, last = (low / room, high * room) if log else (0.0, high * 1.08)
    plot = Plot(
        Scale(first, last, LEFT + 6, WIDTH - (NAMES if len(points) > FEW else RIGHT), log=log),
        Scale(levels[0], levels[-1], HEIGHT - FOOT, TOP),
        levels,
    )
    return plot, log


def _ticks(scale: Scale) -> list[float]:
    """As many round numbers as there is room for."""
    if not scale.log:
        return inside(ticks(scale.low, scale.high, MAX_TICKS - 1), scale.low, scale.high)
    marks = log_ticks(scale.low, scale.high, MAX_TICKS)
    return marks[:: math.ceil(len(marks) / MAX_TICKS)]


def _steps(best: Sequence[CostPoint], plot: Plot) -> list[Place]:
    """The line from each of the best to the next dearer one, in steps: between them nothing was
    measured."""
    ordered = sorted(best, key=lambda point: point.cost)
    if not ordered:
        return []
    steps: list[Place] = []
    for point in ordered:
        x, y = plot.x(point.cost), plot.y(point.mean.value)
        if steps:
            steps.append((x, steps[-1][1]))
        steps.append((x, y))
    return [*steps, (plot.right, steps[-1][1])]


def _points(
    shown: Sequence[tuple[CostPoint, bool]], line: Sequence[Place], plot: Plot, say: Say
) -> Iterator[str]:
    """Each point with its interval, those on the line last, and on top of all their names, which
    stand beside the line."""
    taken = Boxes()
    taken.take_line([x for x, _ in line], [y for _, y in line])
    places = [(plot.x(point.cost), plot.y(point.mean.value)) for point, _ in shown]
    for x, y in places:
        taken.take(x - 7, y - 7, x + 7, y + 7)
    names = {
        number: _name(point.name, on, number, places, plot, taken)
        for number, (point, on) in sorted(enumerate(shown), key=lambda item: not item[1][1])
        if on or len(shown) <= _ROWS
    }
    order = sorted(range(len(shown)), key=lambda number: shown[number][1])
    yield from (_point(*shown[number], plot, say) for number in order)
    for number, name in names.items():
        if name:
            yield retriever_group(shown[number][0].number, name)


def _point(point: CostPoint, best: bool, plot: Plot, say: Say) -> str:
    x, y = plot.x(point.cost), plot.y(point.mean.value)
    parts = [title(_point_sentence(point, best, say))]
    if present(point.mean.low + point.mean.high):
        low, high = plot.y(point.mean.low), plot.y(point.mean.high)
        caps = polyline([(x - 3, low), (x + 3, low)]) + polyline([(x - 3, high), (x + 3, high)])
        parts.append(element("path", class_="range", d=polyline([(x, low), (x, high)]) + caps))
    if best:
        parts.append(element("circle", class_="ring", cx=x, cy=y, r=8))
    parts.append(mark(point.number, x, y, 4.5, hollow=not best))
    return retriever_group(
        point.number,
        *parts,
        tabindex="0",
        data_cost=repr(point.cost),
        data_value=repr(point.mean.value),
        data_best="true" if best else "false",
    )


def _name(
    name: str, best: bool, own: int, places: Sequence[Place], plot: Plot, taken: Boxes
) -> str:
    """The name of the mark ``own`` where nothing is in its way: beside the mark and nearer to it
    than to any other, or further away with a thin line to it; none where there is no such place."""
    name = clipped(name, _NAME, LABEL)
    width, (x, y) = text_width(name, LABEL) * (_STRONG if best else 1.0), places[own]
    right, left = x + 12, x - 12 - width
    for away in _AWAY:
        heights = (y - 5 - away, y + 14 + away, *((y + 4,) if not away else ()))
        for base, start in product(heights, (right, left)):
            box = (start - 1, base - 11, start + width + 1, base + 3)
            fits = box[0] >= plot.left and box[2] <= WIDTH and box[1] >= plot.top - 8
            if not (fits and base <= plot.bottom - 3 and taken.free(*box)):
                continue
            near = [_distance(box, place) for place in places]
            if min(near) < near[own] * (0.7 if away else 1.0):
                continue
            taken.take(*box)
            role = "label strong halo" if best else "label halo"
            # Anchored on the side of its mark: how wide a font is, is known about.
            end, anchor = (start, None) if start == right else (start + width, "end")
            gap = -2 if anchor is None else 2
            leader = element("path", class_="leader", d=polyline([(x, y), (end + gap, base - 4)]))
            return (leader if away else "") + text(end, base, name, role, anchor)
    return ""


def _distance(box: tuple[float, float, float, float], place: Place) -> float:
    left, top, right, bottom = box
    x, y = place
    return math.hypot(max(left - x, x - right, 0.0), max(top - y, y - bottom, 0.0))


def _point_sentence(point: CostPoint, best: bool, say: Say) -> str:
    value = number_text(point.mean.value)
    interval = interval_text(point.mean.low, point.mean.high)
    sentence = (
        _("{retriever}: {value} at {cost}, the best at this cost")
        if best
        else _("{retriever}: {value} at {cost}")
    )
    return say(
        sentence.given(
            retriever=point.name,
            value=f"{value} {interval}" if interval else value,
            cost=point.spent or f"{latency_text(point.cost)} ms",
        )
    )
