"""The report's charts: SVG of our own, no library at run time.

Each function takes plain data and returns a :class:`~ragscore.report.model.Figure`, whose markup
has classes for colours (see :mod:`ragscore.report.charts.style`), no ids and no style attributes,
so that it may stand on a page any number of times.
"""

from __future__ import annotations

from ragscore.report.charts.causes import causes_bars
from ragscore.report.charts.context import recall_by_context
from ragscore.report.charts.coverage import precision_by_coverage
from ragscore.report.charts.curves import CurveLine, CurvePanel, curves, curves_note
from ragscore.report.charts.differences import differences
from ragscore.report.charts.forest import ForestRow, forest
from ragscore.report.charts.history import HistoryLine, history
from ragscore.report.charts.precision_recall import TradeLine, precision_recall
from ragscore.report.charts.standalone import standalone

__all__ = [
    "CurveLine",
    "CurvePanel",
    "ForestRow",
    "HistoryLine",
    "TradeLine",
    "causes_bars",
    "curves",
    "curves_note",
    "differences",
    "forest",
    "history",
    "precision_by_coverage",
    "precision_recall",
    "recall_by_context",
    "standalone",
]
