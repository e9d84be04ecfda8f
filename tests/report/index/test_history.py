"""A measure over time leads to the reports of its results."""

from __future__ import annotations

import re

from ragscore.report.index.finder import Mean
from ragscore.report.index.history import DatedMean, HistoryLine, history


def test_history_leads_to_reports_in_the_order_of_time():
    results = [
        DatedMean("2026-03-01", Mean("P", 0.3), href="third.html"),
        DatedMean("2026-01-01", Mean("P", 0.1), href="javascript:alert(1)"),
        DatedMean("2026-02-01", Mean("P", None), href="second.html"),
    ]
    figure = history(str, [HistoryLine("a", 1, results)], id="h", label="P")
    assert re.findall('href="([^"]*)"', figure.drawing.markup) == ["third.html"]
    assert "from 0.100 to 0.300 over 2 results" in figure.description
