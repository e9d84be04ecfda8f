"""The bars of causes lead to their queries."""

from __future__ import annotations

import re

from ragscore.report.charts import causes_bars


def test_causes_lead_to_their_queries():
    counts = {"ret & <1>": {"below_k": 4, "nowhere": 1}, "가": {"duplicate": 2}}
    numbers = {"ret & <1>": 0, "가": 1}
    first, other = (
        causes_bars(
            str,
            counts,
            numbers=numbers,
            total=10,
            id="c",
            k=5,
            panel=panel,
        ).drawing.markup
        for panel in (0, 1)
    )
    assert re.findall(r'<a href="([^"]*)"', first) == [
        "#cause=below_k&amp;s=ret%20%26%20%3C1%3E",
        "#cause=nowhere&amp;s=ret%20%26%20%3C1%3E",
        "#cause=duplicate&amp;s=%EA%B0%80",
    ]
    assert "#d=1&amp;cause=nowhere" in other
    by_role = re.findall(r'<rect class="cause(\d)"[^>]* width="([\d.]+)" height="22"', first)
    sizes = [(role, float(width) + 1) for role, width in by_role]
    unit = sizes[0][1] / 5
    assert [(role, round(size / unit)) for role, size in sizes] == [
        ("0", 5),
        ("1", 4),
        ("4", 1),
        ("0", 8),
        ("2", 2),
    ]
