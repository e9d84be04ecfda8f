"""Rows of numbers with intervals: the forest plot, and what each parameter of a sweep does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragscore.comparison import Difference
from ragscore.elements.cells import interval_words
from ragscore.elements.numbers import number_text, plain_number, signed_text
from ragscore.estimate import Estimate
from ragscore.messages import Message, Say, _
from ragscore.report.charts.scale import (
    Plot,
    Scale,
    finite,
    inside,
    present,
    tick_texts,
    ticks,
    x_axis,
)
from ragscore.report.charts.style import LABEL, SMALL, WIDTH, mark, retriever_group, retriever_name
from ragscore.report.charts.svg import element, line, polyline, rectangle, text, title
from ragscore.report.charts.text_room import clipped, widest
from ragscore.report.model import Drawing, Figure
from ragscore.sweeps.model import Setting, value_text
from ragscore.sweeps.record import ParameterEffect

_FOOT = 42.0
_HEAD, _NAMES = 26.0, (40.0, 140.0)
"""Of a forest plot: room above the rows, the narrowest and the widest column of names."""
_STEP, _TITLE, _TOP, _VALUES = 20.0, 24.0, 4.0, (40.0, 150.0)
"""Of parameters: the height of a row and of a name, room above them, the column of values."""


@dataclass(frozen=True)
class ChartRow:
    """A row of a chart.

    Attributes:
        name: of a retriever, or a value of a parameter.
        number: of the retriever, which gives colour and shape.
        estimate: what is drawn, and its interval; NaN for what is not known.
        filled: decided, or of the best configuration; others are hollow.
        below_margin: decided, and smaller than the margin: drawn hollow with a dot in it.
    """

    name: str
    number: int
    estimate: Estimate
    filled: bool = False
    below_margin: bool = False


def difference_row(name: str, number: int, found: Difference) -> ChartRow:
    """A retriever's row in a forest plot: its difference, and whether that is decided."""
    estimate = Estimate(found.value, found.interval.low, found.interval.high)
    return ChartRow(name, number, estimate, found.decided, found.below_margin)


def forest(
    say: Say,
    rows: Sequence[ChartRow],
    *,
    id: str,
    label: str,
    baseline: str,
    margin: float | None,
    heading: str,
) -> Figure:
    """Differences from the baseline, a row for each retriever, in the order given.

    Args:
        rows: the retrievers.
        id: of the figure.
        label: of the measure.
        baseline: its name.
        margin: differences within it do not matter: the grey band; None if none is set.
        say: writes a text in the reader's language.
        heading: of the figure.
    """
    margin = margin if present(margin) and margin else None
    step = 34.0 if len(rows) <= 5 else 26.0
    intervals = widest((_interval(row, say) for row in rows), SMALL)
    names = widest((row.name for row in rows), LABEL)
    left = min(max(names, _NAMES[0]), _NAMES[1]) + 22
    values = WIDTH - max(intervals, 70) - 9
    plot = _plot(rows, margin, left, values - 58, _HEAD + step * len(rows) + 4)
    parts = [_behind(plot, margin, say)]
    for place, row in enumerate(rows):
        parts.append(_difference(row, plot, _HEAD + step * (place + 0.5), values, say))
    marks, texts = _ticks(plot)
    room = 2 * min((plot.left + plot.right) / 2, WIDTH - (plot.left + plot.right) / 2)
    axis = clipped(say(_("difference in {label}", label=label)), room, SMALL)
    parts.append(x_axis(plot, marks, texts, title=axis))
    start = _(
        "Mean paired difference in {label} from {baseline}; above 0 is better.",
        label=label,
        baseline=baseline,
    )
    sentences = "; ".join(_sentence(row, say) for row in rows)
    notes = [_("Filled: decided; hollow: not decided.")]
    if any(row.below_margin for row in rows):
        notes.append(_("With a dot: decided, but smaller than the margin."))
    band = _("Grey band: the margin, ±{margin}.", margin=plain_number(margin)) if margin else None
    ends = [band] if band else []
    return Figure(
        id=id,
        title=heading,
        description=" ".join([say(start), f"{sentences}.", *map(say, ends)]),
        drawing=Drawing(WIDTH, plot.bottom + _FOOT, "".join(parts)),
        note=" ".join(map(say, [*notes, *ends])),
    )


def _plot(
    rows: Sequence[ChartRow], margin: float | None, left: float, right: float, bottom: float
) -> Plot:
    spread = [*_ends(rows), 0.0, margin or 0.0, -(margin or 0.0)]
    low, high = min(spread), max(spread)
    if high == low:
        low, high = -0.1, 0.1
    pad = (high - low) * 0.06
    return Plot(Scale(low - pad, high + pad, left, right), Scale(0, 1, bottom, _HEAD))


def _ends(rows: Sequence[ChartRow]) -> list[float]:
    """All that has to be on the axis."""
    estimates = [row.estimate for row in rows]
    return finite(end for found in estimates for end in (found.value, found.low, found.high))


def _ticks(plot: Plot) -> tuple[list[float], list[str]]:
    """Round differences, as many as have room; at least 0."""
    low, high = plot.x.low, plot.x.high
    most: tuple[list[float], list[str]] = [0.0], ["0"]
    for count in (2, 3, 4, 5):
        marks = inside(ticks(low, high, count), low, high)
        texts = tick_texts(marks, sign=True)
        if len(marks) > len(most[0]):
            apart = plot.x(marks[1]) - plot.x(marks[0])
            most = (marks, texts) if apart >= widest(texts, SMALL) + 2 else most
    return most


def _behind(plot: Plot, margin: float | None, say: Say) -> str:
    """The band of the margin, the line at 0, and what is on its two sides."""
    band, zero = "", plot.x(0)
    if margin:
        start, end = plot.x(-margin), plot.x(margin)
        band = rectangle(start, plot.top, end - start, plot.bottom - plot.top, "margin")
    return (
        band
        + line(zero, plot.top - 4, zero, plot.bottom, "zero")
        + text(zero - 8, 14, say(_("← worse")), "note", "end")
        + text(zero + 8, 14, say(_("better →")), "note")
        + text(WIDTH, 14, say(_("mean [95 % CI]")), "note", "end")
    )


def _difference(row: ChartRow, plot: Plot, y: float, values: float, say: Say) -> str:
    role = "label strong" if row.filled else "label"
    name = retriever_name(row.number, row.name, y, plot.left - 22, role)
    parts = [title(_sentence(row, say)), name]
    parts.append(_interval_bar(row.estimate, plot, y, 4))
    if present(row.estimate.value):
        x = plot.x(row.estimate.value)
        parts.append(mark(row.number, x, y, 5, hollow=not row.filled or row.below_margin))
        if row.below_margin:
            parts.append(mark(row.number, x, y, 2))
    value = signed_text(row.estimate.value)
    parts.append(text(values, y + 4, value, role.replace("label", "value"), "end"))
    parts.append(text(WIDTH, y + 4, _interval(row, say), "tick", "end"))
    # Without a filled place between its marks, a row would lose the pointer there.
    filled = rectangle(0, y - 12, WIDTH, 24, "hit")
    return retriever_group(row.number, filled, *parts, tabindex="0")


def _interval_bar(found: Estimate, plot: Plot, y: float, cap: float) -> str:
    if not (present(found.low) and present(found.high)):
        return ""
    low, high = plot.x(found.low), plot.x(found.high)
    caps = (polyline([(end, y - cap), (end, y + cap)]) for end in (low, high))
    return element("path", class_="bar", d=polyline([(low, y), (high, y)]) + "".join(caps))


def _interval(row: ChartRow, say: Say) -> str:
    found = row.estimate
    return say(interval_words(found, sign=True)) if present(found.value) else ""


def _sentence(row: ChartRow, say: Say) -> str:
    if not present(row.estimate.value):
        return say(_("{retriever}: no value", retriever=row.name))
    state: Message = _("decided") if row.filled else _("not decided")
    if row.below_margin:
        state = _("decided, but smaller than the margin")
    return say(
        _(
            "{retriever}: {value}, 95 % CI {interval}, {state}",
            retriever=row.name,
            value=signed_text(row.estimate.value),
            interval=_interval(row, say),
            state=say(state),
        )
    )


def effect_chart(
    say: Say,
    effects: Sequence[ParameterEffect],
    chosen: Setting,
    *,
    retriever: str,
    number: int,
    id: str,
    label: str,
) -> Figure:
    """The mean over all configurations with each value of a parameter.

    Args:
        effects: the parameters of one retriever's configurations.
        chosen: the settings of the best of them.
        retriever: whose they are.
        number: of the retriever, which gives colour and shape.
        id: of the figure.
        label: of the measure.
        say: writes a text in the reader's language.
    """
    averages = [_average(effect) for effect in effects]
    groups = [_values(effect, chosen, number) for effect in effects]
    rows = [row for group in groups for row in group]
    values = _ends(rows)
    low, high = min(values, default=0.0), max(values, default=1.0)
    pad = (high - low) * 0.06 or 0.05
    left = min(max(widest((row.name for row in rows), LABEL), _VALUES[0]), _VALUES[1]) + 14
    right = WIDTH - 2 * widest([number_text(high)], SMALL)
    height = _TITLE * len(groups) + _STEP * len(rows)
    plot = Plot(Scale(low - pad, high + pad, left, right), Scale(0, 1, _TOP + height + 4, _TOP))
    parts, sentences, y = [], [], _TOP
    for effect, average, group in zip(effects, averages, groups, strict=True):
        parts.append(text(0, y + 16, clipped(effect.parameter, WIDTH, LABEL), "label strong"))
        if present(average):
            x, bottom = plot.x(average), y + _TITLE + _STEP * len(group)
            parts.append(line(x, y + _TITLE - 4, x, bottom - 4, "mean"))
        for place, row in enumerate(group):
            sentences.append(_effect_sentence(effect.parameter, row, say))
            at = y + _TITLE + _STEP * (place + 0.5)
            parts.append(_effect(effect.parameter, row, plot, at, sentences[-1]))
        y += _TITLE + _STEP * len(group)
    marks = inside(ticks(plot.x.low, plot.x.high, 4), plot.x.low, plot.x.high)
    parts.append(x_axis(plot, marks, tick_texts(marks), title=clipped(label, right - left, SMALL)))
    facts = {"label": label, "retriever": retriever}
    start = _(
        "Mean {label} of {retriever} for each value of a parameter, over all configurations with "
        "that value.",
        **facts,
    )
    note = _(
        "Filled: the value in this retriever's best configuration. Dashed: the parameter's "
        "average. Bars: 95 % intervals of the difference from it; a bar that does not cross the "
        "dashed line shows an effect."
    )
    return Figure(
        id=id,
        title=say(_("{label} by parameter of {retriever}", **facts)),
        description=f"{say(start)} {'; '.join(sentences)}.",
        drawing=Drawing(WIDTH, plot.bottom + _FOOT, "".join(parts)),
        note=say(note),
    )


def _average(effect: ParameterEffect) -> float:
    return float(np.mean([each.mean - each.effect.value for each in effect.values]))


def _values(effect: ParameterEffect, chosen: Setting, number: int) -> list[ChartRow]:
    rows, average = [], _average(effect)
    for each in effect.values:
        estimate = Estimate(each.mean, average + each.effect.low, average + each.effect.high)
        best = effect.parameter in chosen and chosen[effect.parameter] == each.value
        rows.append(ChartRow(value_text(each.value), number, estimate, filled=best))
    return rows


def _effect(parameter: str, row: ChartRow, plot: Plot, y: float, sentence: str) -> str:
    role, mean = "label strong" if row.filled else "label", row.estimate.value
    parts = [
        title(sentence),
        text(plot.left - 10, y + 4, clipped(row.name, plot.left - 12, LABEL), role, "end"),
        _interval_bar(row.estimate, plot, y, 3),
    ]
    if present(mean):
        parts.append(mark(row.number, plot.x(mean), y, 4, hollow=not row.filled))
    parts.append(text(WIDTH, y + 4, number_text(mean), role.replace("label", "value"), "end"))
    return retriever_group(
        row.number,
        *parts,
        tabindex="0",
        data_parameter=parameter,
        data_value=row.name,
        data_mean=repr(mean),
    )


def _effect_sentence(parameter: str, row: ChartRow, say: Say) -> str:
    sentence = (
        _("{parameter} = {value} (best configuration): {mean} {interval}")
        if row.filled
        else _("{parameter} = {value}: {mean} {interval}")
    )
    return say(
        sentence.given(
            parameter=parameter,
            value=row.name,
            mean=number_text(row.estimate.value),
            interval=interval_words(row.estimate),
        )
    )
