"""What each parameter does: the mean over all configurations with each of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragscore.elements.numbers import interval_text, number_text
from ragscore.messages import Say, _
from ragscore.report.charts.axes import Plot, x_axis
from ragscore.report.charts.scale import Scale, finite, inside, present, tick_texts, ticks
from ragscore.report.charts.style import LABEL, SMALL, WIDTH, mark, retriever_group
from ragscore.report.charts.svg import element, line, polyline, text, title
from ragscore.report.charts.text_room import clipped, widest
from ragscore.report.model import Drawing, Figure

_STEP, _TITLE, _TOP, _FOOT = 20.0, 24.0, 4.0, 42.0
_NAMES = 150.0
"""The widest column of values."""


@dataclass(frozen=True)
class EffectRow:
    """One value of a parameter.

    Attributes:
        value: as people read it.
        mean: over the configurations with it; NaN if unknown.
        low, high: where the mean may lie for the average query; NaN if it can't be estimated.
        chosen: the best configuration has this value.
    """

    value: str
    mean: float
    low: float
    high: float
    chosen: bool


@dataclass(frozen=True)
class EffectGroup:
    """One parameter: its name, the average over its values, and a row for each."""

    parameter: str
    average: float
    rows: Sequence[EffectRow]


def effect_chart(
    say: Say,
    groups: Sequence[EffectGroup],
    *,
    number: int,
    id: str,
    retriever: str,
    label: str,
) -> Figure:
    """Marginal means: a group of rows for each parameter.

    Args:
        groups: the parameters.
        number: of the retriever, which gives colour and shape.
        id: of the figure.
        retriever: whose configurations these are.
        label: of the measure.
        say: writes a text in the reader's language.
    """
    values = finite(
        v for group in groups for row in group.rows for v in (row.mean, row.low, row.high)
    )
    low, high = min(values, default=0.0), max(values, default=1.0)
    pad = (high - low) * 0.06 or 0.05
    names = widest((row.value for group in groups for row in group.rows), LABEL)
    left = min(max(names, 40.0), _NAMES) + 14
    right = WIDTH - 2 * widest([number_text(high)], SMALL)
    height = sum(_TITLE + _STEP * len(group.rows) for group in groups)
    plot = Plot(Scale(low - pad, high + pad, left, right), Scale(0, 1, _TOP + height + 4, _TOP))
    parts, y = [], _TOP
    for group in groups:
        parts.append(_group(group, plot, y, number, say))
        y += _TITLE + _STEP * len(group.rows)
    marks = inside(ticks(plot.x.low, plot.x.high, 4), plot.x.low, plot.x.high)
    parts.append(x_axis(plot, marks, tick_texts(marks), title=clipped(label, right - left, SMALL)))
    sentences = "; ".join(
        _row_sentence(group.parameter, row, say) for group in groups for row in group.rows
    )
    start = say(
        _(
            "Mean {label} of {retriever} for each value of a parameter, over all configurations "
            "with that value.",
            label=label,
            retriever=retriever,
        )
    )
    return Figure(
        id=id,
        title=say(_("{label} by parameter of {retriever}", label=label, retriever=retriever)),
        description=f"{start} {sentences}."
        if sentences
        else f"{start} {say(_('Nothing to show.'))}",
        drawing=Drawing(WIDTH, plot.bottom + _FOOT, "".join(parts)),
        note=say(
            _(
                "Filled: the value in this retriever's best configuration. Dashed: the "
                "parameter's average. Bars: 95 % intervals of the difference from it; a bar that "
                "does not cross the dashed line shows an effect."
            )
        ),
    )


def _group(group: EffectGroup, plot: Plot, y: float, number: int, say: Say) -> str:
    bottom = y + _TITLE + _STEP * len(group.rows)
    parts = [text(0, y + 16, clipped(group.parameter, WIDTH, LABEL), "label strong")]
    if present(group.average):
        x = plot.x(group.average)
        parts.append(line(x, y + _TITLE - 4, x, bottom - 4, "mean"))
    for place, row in enumerate(group.rows):
        parts.append(
            _row(group.parameter, row, plot, y + _TITLE + _STEP * (place + 0.5), number, say)
        )
    return "".join(parts)


def _row(parameter: str, row: EffectRow, plot: Plot, y: float, number: int, say: Say) -> str:
    role = "label strong" if row.chosen else "label"
    parts = [
        title(_row_sentence(parameter, row, say)),
        text(plot.left - 10, y + 4, clipped(row.value, plot.left - 12, LABEL), role, "end"),
    ]
    if present(row.low) and present(row.high):
        low, high = plot.x(row.low), plot.x(row.high)
        caps = polyline([(low, y - 3), (low, y + 3)]) + polyline([(high, y - 3), (high, y + 3)])
        parts.append(element("path", class_="bar", d=polyline([(low, y), (high, y)]) + caps))
    if present(row.mean):
        x = plot.x(row.mean)
        parts.append(mark(number, x, y, 4, hollow=not row.chosen))
    parts.append(text(WIDTH, y + 4, number_text(row.mean), role.replace("label", "value"), "end"))
    return retriever_group(
        number,
        *parts,
        tabindex="0",
        data_parameter=parameter,
        data_value=row.value,
        data_mean=repr(row.mean),
    )


def _row_sentence(parameter: str, row: EffectRow, say: Say) -> str:
    sentence = (
        _("{parameter} = {value} (best configuration): {mean} {interval}")
        if row.chosen
        else _("{parameter} = {value}: {mean} {interval}")
    )
    return say(
        sentence.given(
            parameter=parameter,
            value=row.value,
            mean=number_text(row.mean),
            interval=interval_text(row.low, row.high) or _("not estimable"),
        )
    )
