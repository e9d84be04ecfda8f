"""Stacked bars: how a retriever's queries or passages are split, a bar for each retriever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragscore.elements.numbers import count_text
from ragscore.messages import Say, _
from ragscore.report.charts.style import LABEL, SMALL, WIDTH, retriever_group, retriever_name
from ragscore.report.charts.svg import link, rectangle, text, title
from ragscore.report.charts.text_room import text_width, widest
from ragscore.report.model import Drawing, Figure

_BAR, _STEP, _FOOT = 22.0, 34.0, 22.0
_NAMES = 140.0


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes:
        retriever: whose it is.
        number: of the retriever.
        parts: how many each part holds.
        total: what a whole bar holds.
        links: where a part leads; parts without one lead nowhere.
    """

    retriever: str
    number: int
    parts: Mapping[str, int]
    total: int
    links: Mapping[str, str | None] = field(default_factory=dict)


def stacked_bars(
    say: Say,
    bars: Sequence[Bar],
    labels: Mapping[str, str],
    *,
    id: str,
    heading: str,
    counted: str,
    note: str = "",
) -> Figure:
    """The bars and a key of their colours.

    Args:
        bars: from the top.
        labels: by part, in the order of the segments, at most seven; the first is always named, the
            others where a bar has them. A part's place is the number of its class.
        id, heading: of the figure.
        counted: what the bars count.
        note: under the bars on the page.
        say: writes a text in the reader's language.
    """
    left = min(widest([bar.retriever for bar in bars], LABEL), _NAMES) + 26
    there = {part for bar in bars for part, n in bar.parts.items() if n}
    key, top = _key(labels, there)
    parts, sentences = [key], []
    for place, bar in enumerate(bars):
        y = top + place * _STEP
        held = {part: n for part in labels if (n := bar.parts.get(part, 0))}
        values = ", ".join(f"{labels[part]} {count_text(n)}" for part, n in held.items())
        about = _("{retriever}: {values}", retriever=bar.retriever, values=values)
        sentences.append(f"{say(about)}.")
        segments = []
        x = left
        for number, part in enumerate(labels):
            n = max(bar.parts.get(part, 0), 0)
            width = (WIDTH - left) * n / max(bar.total, 1)
            if n:
                hint = _(
                    "{retriever}: {part}: {n} of {total} {counted}",
                    retriever=bar.retriever,
                    part=labels[part],
                    n=count_text(n),
                    total=count_text(bar.total),
                    counted=counted,
                )
                segment = _segment(number, x, y, width, n)
                segments.append(link(bar.links.get(part), title(say(hint)), segment))
            x += width
        name = retriever_name(bar.number, bar.retriever, y + _BAR / 2, left - 26)
        parts.append(retriever_group(bar.number, name, *segments, tabindex="0"))
    if bars and note:
        parts.append(text(0, top + _STEP * len(bars) + 6, note, "note on-page"))
    height = top + _STEP * len(bars) - (_STEP - _BAR) + _FOOT
    return Figure(
        id=id,
        title=heading,
        description=" ".join(sentences) or say(_("Nothing to show.")),
        drawing=Drawing(WIDTH, max(height, top), "".join(parts)),
    )


def _segment(number: int, x: float, y: float, width: float, n: int) -> str:
    # Neighbours stand a pixel apart, and even the smallest count can be seen.
    shown = max(width - 1, 0.8)
    parts = [rectangle(x, y, shown, _BAR, f"cause{number}")]
    label = count_text(n)
    if text_width(label, SMALL) + 6 <= shown:
        role = f"value on-cause{number}"
        parts.append(text(x + shown / 2, y + _BAR / 2 + 4, label, role, "middle"))
    return "".join(parts)


def _key(labels: Mapping[str, str], there: set[str]) -> tuple[str, float]:
    """What the colours mean, in the order of the segments; and where the bars begin."""
    parts = []
    x, y = 0.0, 13.0
    for number, (part, label) in enumerate(labels.items()):
        if number and part not in there:
            continue
        width = 16 + text_width(label, SMALL) + 10
        if x and x + width > WIDTH:
            x, y = 0.0, y + 18
        parts.append(rectangle(x, y - 9, 11, 11, f"cause{number}"))
        parts.append(text(x + 16, y, label, "value"))
        x += width
    return "".join(parts), y + 14
