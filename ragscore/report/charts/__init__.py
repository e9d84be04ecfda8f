"""The report's charts: SVG of our own, no library at run time.

Each function takes plain data and returns a :class:`~ragscore.report.model.Figure`, whose markup
has classes for colours (see :mod:`ragscore.report.charts.style`), no ids and no style attributes,
so that it may stand on a page any number of times.
"""

from __future__ import annotations

from ragscore.report.charts.cost_chart import CostPoint, best_at_cost, cost_chart
from ragscore.report.charts.difference_chart import differences
from ragscore.report.charts.forest import ForestRow, forest
from ragscore.report.charts.line_chart import LOW, Frame, Line, Link, XAxis, YAxis, line_chart
from ragscore.report.charts.stacked_bars import Bar, stacked_bars
from ragscore.report.charts.standalone import standalone

__all__ = [
    "LOW",
    "Bar",
    "CostPoint",
    "ForestRow",
    "Frame",
    "Line",
    "Link",
    "XAxis",
    "YAxis",
    "best_at_cost",
    "cost_chart",
    "differences",
    "forest",
    "line_chart",
    "stacked_bars",
    "standalone",
]
