"""Differences drawn in the cells of a table, on the axis that their column has."""

from __future__ import annotations

from ragscore.elements import Axis
from ragscore.elements.numbers import BAND, BELOW_MARGIN, DECIDED, EQUAL
from ragscore.estimate import Estimate
from ragscore.messages import Text
from ragscore.report.charts.scale import Scale, inside, present, tick_texts, ticks
from ragscore.report.charts.style import colour_class, mark
from ragscore.report.charts.svg import element, escape
from ragscore.report.charts.text_room import widest

_ENDS = (5.0, 95.0)
"""Where the axis begins and ends, in percent of the cell's width."""
_LEAST = 240.0
"""The narrowest cell, in pixels; ticks leave their labels room in it."""


def bar(
    difference: Estimate | None, sign: str, axis: Axis, retriever: int | None, words: Text = ""
) -> str:
    """A cell's drawing: 0, the margin, and a difference with its interval.

    Args:
        difference: what is drawn; None for 0 alone.
        sign: the mark of what is decided of it: filled if it is, with a dot if it is below the
            margin, else hollow.
        axis: of the column.
        retriever: its number, which gives colour and shape.
        words: what stands beside 0 where there is no difference.
    """
    scale = _scale(axis)
    parts = []
    if axis.margin:
        start, end = scale(-axis.margin), scale(axis.margin)
        place = {"x": f"{start:.1f}%", "y": "0", "width": f"{end - start:.1f}%", "height": "100%"}
        parts.append(element("rect", class_="margin", **place))
    parts.append(_line("zero", scale(0), scale(0), "0", "100%"))
    if difference is not None and present(difference.value):
        inside_cell = [*_interval(difference, scale), *_mark(difference, sign, scale, retriever)]
        group = element("g", *inside_cell, class_=colour_class(retriever or 0))
        parts.append(element("svg", group, y="50%", overflow="visible"))
    elif words:
        on_right = scale(0) < 50
        beside = scale(axis.margin if on_right else -axis.margin)
        room = (100 - beside if on_right else beside) / 100 * _LEAST
        x = f"{beside if room >= widest([str(words)], 12) + 8 else scale(0):.1f}%"
        place = {"x": x, "y": "50%", "dx": "8" if on_right else "-8", "dy": ".35em"}
        anchor = "start" if on_right else "end"
        parts.append(
            element("text", escape(str(words)), class_="tick", text_anchor=anchor, **place)
        )
    return element("svg", *parts, class_="chart bar-cell", aria_hidden="true")


def _interval(difference: Estimate, scale: Scale) -> list[str]:
    if not (present(difference.low) and present(difference.high)):
        return []
    low, high = scale(difference.low), scale(difference.high)
    caps = [_line("bar", end, end, "-4", "4") for end in (low, high)]
    return [_line("bar", low, high, "0", "0"), *caps]


def _mark(difference: Estimate, sign: str, scale: Scale, retriever: int | None) -> list[str]:
    marks = _signs(sign, retriever or 0)
    return [element("svg", *marks, x=f"{scale(difference.value):.1f}%", overflow="visible")]


def _signs(sign: str, retriever: int, at: float = 0) -> list[str]:
    """Filled if it is decided, with a dot if it is below the margin, else hollow; with a dash if
    both are equal."""
    marks = [mark(retriever, at, at, 4.6, hollow=sign != DECIDED)]
    if sign == EQUAL:
        dash = {"x1": at - 2.2, "x2": at + 2.2, "y1": at, "y2": at}
        marks.append(element("line", class_="bar", **dash))
    return marks + [mark(retriever, at, at, 2)] * (sign == BELOW_MARGIN)


def _line(role: str, x1: float, x2: float, y1: str, y2: str) -> str:
    return element("line", class_=role, x1=f"{x1:.1f}%", x2=f"{x2:.1f}%", y1=y1, y2=y2)


def axis_head(axis: Axis) -> str:
    """The scale above the cells: 0 and the ends, where there is room for them."""
    scale = _scale(axis)
    marks = inside(ticks(axis.low, axis.high), axis.low, axis.high)
    shown = [0.0]
    for end in sorted({min(marks), max(marks)} - {0.0}):
        room = widest(tick_texts([0.0, end], sign=True), 12) + 8
        shown += [end] if abs(scale(end) - scale(0)) / 100 * _LEAST >= room else []
    parts = []
    for at, label in zip(shown, tick_texts(shown, sign=True), strict=True):
        place, half = scale(at), widest([label], 12) / 2
        anchor = "start" if place * _LEAST / 100 < half else "middle"
        anchor = "end" if (100 - place) * _LEAST / 100 < half else anchor
        x = f"{place:.1f}%"
        parts.append(element("text", label, class_="tick", x=x, y="11", text_anchor=anchor))
        parts.append(_line("axis", scale(at), scale(at), "14", "18"))
    return element("svg", *parts, class_="chart bar-head", aria_hidden="true")


def sign_key(sign: str) -> str:
    """What a mark looks like in the cells, for the key above the table."""
    if sign == BAND:
        place = {"x": "1", "y": "1", "width": "12", "height": "12"}
        return element(
            "svg",
            element("rect", class_="margin", **place),
            class_="chart-key sign",
            aria_hidden="true",
        )
    group = element("g", *_signs(sign, 0, 7), class_="plain-mark")
    return element("svg", group, class_="chart-key sign", aria_hidden="true")


def _scale(axis: Axis) -> Scale:
    return Scale(axis.low, axis.high, *_ENDS)
