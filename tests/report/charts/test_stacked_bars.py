"""The parts of a bar are as wide as their counts, and lead to their queries."""

from __future__ import annotations

import re

from ragscore.report.charts.stacked_bars import Bar, stacked_bars
from ragscore.report.model import explorer_link

LABELS = {name: name for name in ("found", "below_k", "duplicate", "not_returned", "nowhere")}


def test_parts_lead_to_their_queries() -> None:
    counts = {
        "ret & <1>": {"found": 5, "below_k": 4, "nowhere": 1},
        "가": {"found": 8, "duplicate": 2},
    }

    def markup(panel: int) -> str:
        def bar(name: str) -> Bar:
            links = {
                cause: explorer_link(panel, cause=cause, retriever=name)
                for cause in LABELS
                if cause != "found"
            }
            return Bar(name, 0, counts[name], 10, links)

        bars = [bar(name) for name in counts]
        figure = stacked_bars(str, bars, LABELS, id="c", heading="", counted="queries")
        return figure.drawing.markup

    assert re.findall(r'<a href="([^"]*)"', markup(0)) == [
        "#cause=below_k&amp;s=ret%20%26%20%3C1%3E",
        "#cause=nowhere&amp;s=ret%20%26%20%3C1%3E",
        "#cause=duplicate&amp;s=%EA%B0%80",
    ]
    assert "#d=1&amp;cause=nowhere" in markup(1)
    assert "ret &amp; &lt;1&gt;: below_k: 4 of 10 queries" in markup(0)
    by_role = re.findall(r'<rect class="cause(\d)"[^>]* width="([\d.]+)" height="22"', markup(0))
    sizes = [(role, float(width) + 1) for role, width in by_role]
    unit = sizes[0][1] / 5
    assert [(role, round(size / unit)) for role, size in sizes] == [
        ("0", 5),
        ("1", 4),
        ("4", 1),
        ("0", 8),
        ("2", 2),
    ]
