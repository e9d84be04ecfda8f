"""A measure over time leads to the reports of its results."""

from __future__ import annotations

import math
import re

from ragscore.estimate import Estimate
from ragscore.report.index.history import HistoryLine, history


def test_history_leads_to_reports_in_the_order_of_time():
    results = [
        ("2026-03-01", Estimate(0.3), "third.html"),
        ("2026-01-01", Estimate(0.1), "javascript:alert(1)"),
        ("2026-02-01", Estimate(math.nan), "second.html"),
    ]
    figure = history(str, [HistoryLine("a", 1, results)], id="h", label="P")
    assert re.findall('href="([^"]*)"', figure.drawing.markup) == ["third.html"]
    assert "from 0.100 to 0.300 over 2 results" in figure.description
