"""The queries one by one: the explorer on the page, the worst ones everywhere else."""

from __future__ import annotations

from ragscore.blocks import Section
from ragscore.plugins import in_korean
from ragscore.report.explorer.worst import worst_queries
from ragscore.report.model import Explorer, WithoutScript
from ragscore.report.report import Report
from ragscore.results import DatasetResult


@in_korean("질의 탐색기; 종이와 다른 형식에서는 가장 나쁜 질의")
def queries(report: Report, panel: DatasetResult) -> Section | None:
    """The explorer of queries; on paper and in other formats the worst queries."""
    if not panel.runs:
        return None
    worst = WithoutScript(tuple(worst_queries(report, panel)))
    return Section("queries", report.strings("queries"), (Explorer(panel.index), worst))
