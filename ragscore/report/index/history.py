"""A measure over time: one line for each retriever, one point for each result folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import numpy as np

from ragscore.elements.numbers import minute, number_text
from ragscore.estimate import Estimate
from ragscore.messages import Say, _
from ragscore.report.charts.line_chart import Frame, Line, Link, XAxis, YAxis, line_chart, range_of
from ragscore.report.charts.scale import Scale, ticks
from ragscore.report.model import Figure

FRAME = Frame(width=720.0, height=240.0, left=50.0, top=14.0, foot=28.0)
MIN_APART = 76.0
"""The least distance between two dates on the axis, in pixels."""
HALF_A_DAY = 43_200.0
_SCHEMES = ("", "file", "http", "https")


@dataclass(frozen=True)
class HistoryLine:
    """One retriever's results over time, in any order.

    Attributes:
        name, number: the retriever's name, and its number, which gives colour and shape.
        results: one for each: when it was made, ISO 8601; its mean of the measure; the address of
            its report, None if it has none.
    """

    name: str
    number: int
    results: Sequence[tuple[str, Estimate, str | None]]


def history(say: Say, series: Sequence[HistoryLine], *, id: str, label: str) -> Figure:
    """A measure over time.

    Args:
        say: writes a text in the reader's language.
        series: one line for each retriever.
        id: of the figure.
        label: of the measure.
    """
    lines = [_line(retriever, say) for retriever in series]
    times = sorted({when for line in lines for when in line.x.tolist()})
    low, high = (times[0], times[-1]) if times else (0.0, 0.0)
    if low == high:
        low, high = low - HALF_A_DAY, high + HALF_A_DAY
    values = range_of(lines)
    return line_chart(
        say,
        lines,
        XAxis(low, high, lambda scale: _dates(times, scale)),
        YAxis(ticks(min(values, default=0.0), max(values, default=1.0))),
        id=id,
        title=say(_("{label} over time", label=label)),
        description="; ".join(_first_and_last(line, say) for line in lines)
        or say(_("Nothing to show.")),
        frame=FRAME,
    )


def _line(series: HistoryLine, say: Say) -> Line:
    results = sorted(series.results, key=lambda result: _seconds(result[0]))
    means = [mean for _when, mean, _href in results]
    links = []
    for at, (when, mean, href) in enumerate(results):
        facts = {"when": minute(when), "value": number_text(mean.value)}
        hint = say(_("{name}, {when}: {value}", name=series.name, **facts))
        links.append(Link(at, hint, href if href and urlsplit(href).scheme in _SCHEMES else None))
    return Line(
        series.name,
        series.number,
        np.array([_seconds(when) for when, _mean, _href in results], dtype=np.float64),
        np.array([mean.value for mean in means], dtype=np.float64),
        np.array([mean.low for mean in means], dtype=np.float64),
        np.array([mean.high for mean in means], dtype=np.float64),
        drawn=range(len(results)),
        marks=(),
        links=links,
    )


def _seconds(when: str) -> float:
    """Since 1970."""
    moment = datetime.fromisoformat(when)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _dates(times: Sequence[float], scale: Scale) -> tuple[list[float], list[str]]:
    """The days of results, as many as there is room for; the hours where all are of one day."""
    style = "%Y-%m-%d"
    if times and len({datetime.fromtimestamp(t, UTC).date() for t in times}) == 1:
        style = "%H:%M"
    marks: list[float] = []
    texts: list[str] = []
    for moment in times:
        date = datetime.fromtimestamp(moment, UTC).strftime(style)
        if texts and (texts[-1] == date or scale(moment) - scale(marks[-1]) < MIN_APART):
            continue
        marks.append(moment)
        texts.append(date)
    return marks, texts


def _first_and_last(line: Line, say: Say) -> str:
    values = line.y[np.isfinite(line.y)].tolist()
    first, last = (values[0], values[-1]) if values else (None, None)
    return say(
        _(
            "{name}: from {first} to {last} over {n} results",
            name=line.name,
            first=number_text(first),
            last=number_text(last),
            n=len(values),
        )
    )
