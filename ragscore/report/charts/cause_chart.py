"""Why queries fail: how many by each cause, a bar for each retriever."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.blocks.numbers import count_text
from ragscore.report.charts.element import link, rectangle, text, title
from ragscore.report.charts.style import LABEL, SMALL, WIDTH, retriever_group, retriever_name
from ragscore.report.charts.text_room import text_width, widest
from ragscore.report.model import Drawing, Figure, explorer_link
from ragscore.strings import Strings

_BAR, _STEP, _FOOT = 22.0, 34.0, 22.0
_NAMES = 140.0

FOUND = "found"
FAILED = ("below_k", "duplicate", "not_returned", "nowhere")
"""The causes, from what a larger k mends to what no retriever here does."""
ORDER = (FOUND, *FAILED)
"""A cause's place is the number of its class."""


def causes_bars(
    counts: Mapping[str, Mapping[str, int]],
    *,
    numbers: Mapping[str, int],
    total: int,
    id: str,
    strings: Strings,
    k: int,
    panel: int = 0,
) -> Figure:
    """Stacked bars; a segment leads to these queries in the explorer.

    Args:
        counts: by retriever: queries by cause (``ragscore.diagnose.CAUSES``).
        numbers: of the retrievers.
        total: queries; those without a cause are found.
        id: of the figure.
        strings: the report's.
        k: the cutoff at which a query counts as found.
        panel: number of the dataset in the report.
    """
    named = {FOUND: strings("column_found", k=k)}
    named |= {cause: strings(f"failure_{cause}", k=k) for cause in FAILED}
    left = min(widest(counts, LABEL), _NAMES) + 26
    there = {cause for by_cause in counts.values() for cause, n in by_cause.items() if n}
    key, top = _key(named, there)
    parts, said = [key], []
    for place, (retriever, by_cause) in enumerate(counts.items()):
        whole = {FOUND: total - sum(by_cause.get(cause, 0) for cause in FAILED), **by_cause}
        y = top + place * _STEP
        said.append(_said(retriever, whole, named, strings))
        bar = []
        x = left
        for number, cause in enumerate(ORDER):
            n = max(whole.get(cause, 0), 0)
            width = (WIDTH - left) * n / max(total, 1)
            if n:
                hint = strings(
                    "causes_segment",
                    retriever=retriever,
                    cause=named[cause],
                    n=count_text(n),
                    total=count_text(total),
                )
                part = _segment(number, x, y, width, n)
                href = (
                    None
                    if cause == FOUND
                    else explorer_link(panel, cause=cause, retriever=retriever)
                )
                bar.append(link(href, title(hint), part))
            x += width
        parts.append(
            retriever_group(
                numbers[retriever],
                retriever_name(numbers[retriever], retriever, y + _BAR / 2, left - 26),
                *bar,
                tabindex="0",
            )
        )
    if parts[1:]:
        parts.append(text(0, top + _STEP * len(counts) + 6, strings("causes_note"), "note on-page"))
    height = top + _STEP * len(counts) - (_STEP - _BAR) + _FOOT
    return Figure(
        id=id,
        title=strings("causes_title"),
        description=" ".join(said) or strings("chart_nothing"),
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


def _key(named: Mapping[str, str], there: set[str]) -> tuple[str, float]:
    """What the colours mean, in the order of the segments; and where the bars begin."""
    parts = []
    x, y = 0.0, 13.0
    for number, cause in enumerate(ORDER):
        if cause != FOUND and cause not in there:
            continue
        width = 16 + text_width(named[cause], SMALL) + 10
        if x and x + width > WIDTH:
            x, y = 0.0, y + 18
        parts.append(rectangle(x, y - 9, 11, 11, f"cause{number}"))
        parts.append(text(x + 16, y, named[cause], "value"))
        x += width
    return "".join(parts), y + 14


def _said(
    retriever: str, whole: Mapping[str, int], named: Mapping[str, str], strings: Strings
) -> str:
    values = ", ".join(f"{named[c]} {count_text(whole[c])}" for c in ORDER if whole.get(c))
    return strings("causes_row", retriever=retriever, values=values) + "."
