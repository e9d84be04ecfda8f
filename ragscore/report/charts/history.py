"""A measure over time: one line for each retriever, one point for each result folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ragscore.report.charts import lines as drawing
from ragscore.report.charts.axes import Plot, grid, x_axis
from ragscore.report.charts.element import element, title
from ragscore.report.charts.numbers import plain_number
from ragscore.report.charts.scale import Scale, finite, ticks
from ragscore.report.charts.style import colour_class, mark
from ragscore.report.model import Drawing, Figure
from ragscore.report.moment import minute
from ragscore.report.words import Words

WIDTH, HEIGHT = 720.0, 240.0
_LEFT, _TOP, _FOOT = 50.0, 14.0, 28.0
_SCHEMES = ("", "file", "http", "https")


@dataclass(frozen=True)
class HistoryLine:
    """One retriever's results over time.

    Attributes:
        name, number: the retriever's name, and its number, which gives colour and shape.
        when: of each result, ISO 8601.
        mean: of the measure; None where it has none.
        low, high: its 95 % interval; None where it can't be estimated.
        href: the address of each result's report; None where it has none.
    """

    name: str
    number: int
    when: Sequence[str]
    mean: Sequence[float | None]
    low: Sequence[float | None]
    high: Sequence[float | None]
    href: Sequence[str | None]


def history(series: Sequence[HistoryLine], *, id: str, label: str, words: Words) -> Figure:
    """A measure over time.

    Args:
        series: one line each, in any order of time.
        id: of the figure.
        label: of the measure.
        words: the report's.
    """
    series = [_sorted(one) for one in series]
    plot = _plot(series)
    paths = [_path(one, plot) for one in series]
    marks, texts = _dates([_seconds(when) for one in series for when in one.when], plot)
    parts = [
        grid(plot),
        x_axis(plot, marks, texts),
        drawing.bands(paths),
        drawing.drawn(paths, plot),
        *(_points(one, plot, words) for one in series),
    ]
    return Figure(
        id=id,
        title=words("history_title", label=label),
        description="; ".join(_said(one, words) for one in series) or words("chart_nothing"),
        drawing=Drawing(WIDTH, HEIGHT, "".join(parts)),
    )


def _sorted(one: HistoryLine) -> HistoryLine:
    order = sorted(range(len(one.when)), key=lambda i: _seconds(one.when[i]))
    return replace(
        one,
        when=[one.when[i] for i in order],
        mean=[one.mean[i] for i in order],
        low=[one.low[i] for i in order],
        high=[one.high[i] for i in order],
        href=[one.href[i] for i in order],
    )


def _seconds(when: str) -> float:
    moment = datetime.fromisoformat(when)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _plot(series: Sequence[HistoryLine]) -> Plot:
    times = [_seconds(when) for one in series for when in one.when] or [0.0]
    low, high = min(times), max(times)
    if low == high:
        low, high = low - 43_200, high + 43_200
    values = finite(v for one in series for part in (one.mean, one.low, one.high) for v in part)
    marks = ticks(min(values, default=0.0), max(values, default=1.0))
    right = WIDTH - drawing.label_room(one.name for one in series)
    return Plot(
        Scale(low, high, _LEFT, right), Scale(marks[0], marks[-1], HEIGHT - _FOOT, _TOP), marks
    )


def _path(one: HistoryLine, plot: Plot) -> drawing.Path:
    def heights(values: Sequence[float | None]) -> NDArray[np.float64]:
        return plot.y.places([np.nan if v is None else v for v in values])

    return drawing.Path(
        name=one.name,
        number=one.number,
        hint=one.name,
        x=plot.x.places([_seconds(when) for when in one.when]),
        y=heights(one.mean),
        low=heights(one.low),
        high=heights(one.high),
    )


def _dates(times: Sequence[float], plot: Plot) -> tuple[list[float], list[str]]:
    """The days of results, as many as there is room for; the hours where all are of one day."""
    style = "%Y-%m-%d"
    if times and len({datetime.fromtimestamp(t, UTC).date() for t in times}) == 1:
        style = "%H:%M"
    marks: list[float] = []
    texts: list[str] = []
    for moment in sorted(set(times)):
        words = datetime.fromtimestamp(moment, UTC).strftime(style)
        if texts and (texts[-1] == words or plot.x(moment) - plot.x(marks[-1]) < 76):
            continue
        marks.append(moment)
        texts.append(words)
    return marks, texts


def _points(one: HistoryLine, plot: Plot, words: Words) -> str:
    parts = []
    for when, value, href in zip(one.when, one.mean, one.href, strict=True):
        if value is None or not np.isfinite(value):
            continue
        hint = words(
            "history_point",
            name=one.name,
            when=minute(when),
            value=plain_number(value),
        )
        point = title(hint) + mark(one.number, plot.x(_seconds(when)), plot.y(value), 4)
        leads = href is not None and urlsplit(href).scheme in _SCHEMES
        parts.append(
            element("a", point, href=href, tabindex="-1") if leads else element("g", point)
        )
    return element("g", *parts, class_=colour_class(one.number), data_r=str(one.number))


def _said(one: HistoryLine, words: Words) -> str:
    values = [v for v in one.mean if v is not None and np.isfinite(v)]
    first, last = (values[0], values[-1]) if values else (None, None)
    return words(
        "history_row",
        name=one.name,
        first=plain_number(first),
        last=plain_number(last),
        n=len(values),
    )
