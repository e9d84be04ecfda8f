"""The report of a result: one page to open, send and archive, and the same in other formats.

``report_data`` names the result and its datasets, ``build`` makes sections of plain blocks of
them, and each renderer shows the same blocks: a page, Markdown, LaTeX, CSV, a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.report.build import Report
    from ragscore.report.data import ReportData
    from ragscore.report.make import make_report
    from ragscore.report.options import ReportOptions
    from ragscore.report.write import Written, write_report
    from ragscore.results import DatasetResult

# The options are a part of every experiment; what makes a report is loaded when it is asked for.
_HOMES = {
    "ragscore.report.build": ("Report",),
    "ragscore.report.data": ("DatasetResult", "ReportData"),
    "ragscore.report.make": ("make_report",),
    "ragscore.report.options": ("ReportOptions",),
    "ragscore.report.write": ("Written", "write_report"),
}

__all__ = [
    "DatasetResult",
    "Report",
    "ReportData",
    "ReportOptions",
    "Written",
    "make_report",
    "write_report",
]

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
