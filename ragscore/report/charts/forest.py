"""The forest plot: the difference of each retriever to the baseline, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragscore.elements.numbers import interval_text, plain_number, signed_text
from ragscore.messages import Message, Say, _
from ragscore.report.charts.axes import Plot, x_axis
from ragscore.report.charts.scale import Scale, finite, inside, present, tick_texts, ticks
from ragscore.report.charts.style import LABEL, SMALL, WIDTH, mark, retriever_group, retriever_name
from ragscore.report.charts.svg import element, line, polyline, rectangle, text, title
from ragscore.report.charts.text_room import clipped, widest
from ragscore.report.model import Drawing, Figure

_HEAD, _FOOT = 26.0, 42.0
_NAMES = (40.0, 140.0)
"""The narrowest and the widest column of names."""


@dataclass(frozen=True)
class ForestRow:
    """One retriever against the baseline, positive where it is better.

    Attributes:
        retriever, number: its name, and its number, which gives colour and shape.
        value: the mean difference; None or NaN if unknown.
        low, high: its 95 % interval; None or NaN if it can't be estimated.
        decided: drawn filled; undecided ones are hollow.
        below_margin: decided, and smaller than the margin: drawn hollow with a dot in it.
        is_baseline: the row of the baseline itself, whose value is 0.
    """

    retriever: str
    number: int
    value: float | None
    low: float | None
    high: float | None
    decided: bool = False
    below_margin: bool = False
    is_baseline: bool = False


def forest(
    say: Say,
    rows: Sequence[ForestRow],
    *,
    id: str,
    label: str,
    baseline: str,
    margin: float | None,
    family: str = "",
    heading: str = "",
) -> Figure:
    """Differences from the baseline, a row for each retriever, in the order given.

    Args:
        rows: the retrievers, the baseline's row among them.
        id: of the figure.
        label: of the measure.
        baseline: its name.
        margin: differences within it do not matter: the grey band; None if none is set.
        say: writes a text in the reader's language.
        family: which comparisons decide, as sentences name them; empty if the note need not.
        heading: of the figure; by default it says whose differences from the baseline it shows.
    """
    margin = margin if present(margin) and margin else None
    step = 34.0 if len(rows) <= 5 else 26.0
    intervals = widest((_interval(row, say) for row in rows if not row.is_baseline), SMALL)
    names = widest((row.retriever for row in rows), LABEL)
    left = min(max(names, _NAMES[0]), _NAMES[1]) + 22
    values = WIDTH - max(intervals, 70) - 9
    right = values - 58
    plot = _plot(rows, margin, left, right, _HEAD + step * len(rows) + 4)
    parts = [_behind(plot, margin), _words(plot, say)]
    for place, row in enumerate(rows):
        parts.append(_row(row, plot, _HEAD + step * (place + 0.5), values, say))
    marks, texts = _ticks(plot)
    room = 2 * min((plot.left + plot.right) / 2, WIDTH - (plot.left + plot.right) / 2)
    axis = clipped(say(_("difference in {label}", label=label)), room, SMALL)
    parts.append(x_axis(plot, marks, texts, title=axis))
    return Figure(
        id=id,
        title=heading
        or say(_("Difference in {label} from {baseline}", label=label, baseline=baseline)),
        description=_description(rows, label, baseline, margin, say),
        drawing=Drawing(WIDTH, plot.bottom + _FOOT, "".join(parts)),
        note=_note(rows, margin, say, family),
    )


def _plot(
    rows: Sequence[ForestRow], margin: float | None, left: float, right: float, bottom: float
) -> Plot:
    extremes = finite(v for row in rows for v in (row.value, row.low, row.high))
    spread = [*extremes, 0.0, margin or 0.0, -(margin or 0.0)]
    low, high = min(spread), max(spread)
    if high == low:
        low, high = -0.1, 0.1
    pad = (high - low) * 0.06
    return Plot(Scale(low - pad, high + pad, left, right), Scale(0, 1, bottom, _HEAD))


def _ticks(plot: Plot) -> tuple[list[float], list[str]]:
    """Round differences, as many as have room; at least 0."""
    low, high = plot.x.low, plot.x.high
    most: tuple[list[float], list[str]] = [0.0], ["0"]
    for count in (2, 3, 4, 5):
        marks = inside(ticks(low, high, count), low, high)
        texts = tick_texts(marks, sign=True)
        if len(marks) > len(most[0]) and _have_room(marks, texts, plot):
            most = marks, texts
    return most


def _have_room(marks: Sequence[float], texts: Sequence[str], plot: Plot) -> bool:
    return plot.x(marks[1]) - plot.x(marks[0]) >= widest(texts, SMALL) + 2


def _behind(plot: Plot, margin: float | None) -> str:
    band = ""
    if margin:
        start, end = plot.x(-margin), plot.x(margin)
        band = rectangle(start, plot.top, end - start, plot.bottom - plot.top, "margin")
    return band + line(plot.x(0), plot.top - 4, plot.x(0), plot.bottom, "zero")


def _words(plot: Plot, say: Say) -> str:
    zero = plot.x(0)
    worse, better = say(_("← worse")), say(_("better →"))
    return (
        text(zero - 8, 14, worse, "note", "end")
        + text(zero + 8, 14, better, "note")
        + text(WIDTH, 14, say(_("mean [95 % CI]")), "note", "end")
    )


def _row(row: ForestRow, plot: Plot, y: float, values: float, say: Say) -> str:
    role = "label strong" if row.decided else "label"
    name = retriever_name(row.number, row.retriever, y, plot.left - 22, role)
    parts = [title(_row_sentence(row, say)), name]
    if row.is_baseline:
        parts.append(mark(row.number, plot.x(0), y, 4.5, hollow=True))
        parts.append(text(WIDTH, y + 4, say(_("baseline")), "note", "end"))
    else:
        parts.append(_interval_bar(row, plot, y))
        if present(row.value) and row.value is not None:
            hollow = not row.decided or row.below_margin
            parts.append(mark(row.number, plot.x(row.value), y, 5, hollow=hollow))
            if row.below_margin:
                parts.append(mark(row.number, plot.x(row.value), y, 2))
        value = signed_text(row.value)
        interval = _interval(row, say)
        role = "value strong" if row.decided else "value"
        parts.append(text(values, y + 4, value, role, "end"))
        parts.append(text(WIDTH, y + 4, interval, "tick", "end"))
    # Without a filled place between its marks, a row would lose the pointer there.
    filled = rectangle(0, y - 12, WIDTH, 24, "hit")
    return retriever_group(row.number, filled, *parts, tabindex="0")


def _interval_bar(row: ForestRow, plot: Plot, y: float) -> str:
    if row.low is None or row.high is None or not (present(row.low) and present(row.high)):
        return ""
    low, high = plot.x(row.low), plot.x(row.high)
    caps = polyline([(low, y - 4), (low, y + 4)]) + polyline([(high, y - 4), (high, y + 4)])
    return element("path", class_="bar", d=polyline([(low, y), (high, y)]) + caps)


def _interval(row: ForestRow, say: Say) -> str:
    if not present(row.value):
        return ""
    return interval_text(row.low, row.high, sign=True) or say(_("not estimable"))


def _row_sentence(row: ForestRow, say: Say) -> str:
    if row.is_baseline:
        return say(_("{retriever}: the baseline", retriever=row.retriever))
    if not present(row.value):
        return say(_("{retriever}: no value", retriever=row.retriever))
    return say(
        _(
            "{retriever}: {value}, 95 % CI {interval}, {state}",
            retriever=row.retriever,
            value=signed_text(row.value),
            interval=_interval(row, say),
            state=say(_state(row)),
        )
    )


def _state(row: ForestRow) -> Message:
    if row.below_margin:
        return _("decided, but smaller than the margin")
    return _("decided") if row.decided else _("not decided")


def _description(
    rows: Sequence[ForestRow], label: str, baseline: str, margin: float | None, say: Say
) -> str:
    sentences = [_row_sentence(row, say) for row in rows if not row.is_baseline]
    start = say(
        _(
            "Mean paired difference in {label} from {baseline}; above 0 is better.",
            label=label,
            baseline=baseline,
        )
    )
    ends = (
        [say(_("Grey band: the margin, ±{margin}.", margin=plain_number(margin)))] if margin else []
    )
    return " ".join([start, "; ".join(sentences) + ".", *ends])


def _note(rows: Sequence[ForestRow], margin: float | None, say: Say, family: str) -> str:
    notes = [
        say(_("Filled: decided among {family}; hollow: not decided.", family=family))
        if family
        else say(_("Filled: decided; hollow: not decided."))
    ]
    if any(row.below_margin for row in rows):
        notes.append(say(_("With a dot: decided, but smaller than the margin.")))
    if margin:
        notes.append(say(_("Grey band: the margin, ±{margin}.", margin=plain_number(margin))))
    return " ".join(notes)
