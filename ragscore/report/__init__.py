"""The report of a result: one page to open, send and archive, and the same in other formats.

``report_data`` names the result and its datasets, ``build`` makes sections of plain blocks of
them, and each renderer shows the same blocks: a page, Markdown, LaTeX, CSV, a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.report.build import Report as Report
    from ragscore.report.data import ReportData as ReportData
    from ragscore.report.make import make_report as make_report
    from ragscore.report.options import ReportOptions as ReportOptions
    from ragscore.report.write import Written as Written
    from ragscore.report.write import write_report as write_report
    from ragscore.results import DatasetResult as DatasetResult
else:
    # The options are a part of every experiment; what makes a report is loaded when asked for.
    _HOMES = {
        "ragscore.report.build": ("Report",),
        "ragscore.report.data": ("ReportData",),
        "ragscore.report.make": ("make_report",),
        "ragscore.report.options": ("ReportOptions",),
        "ragscore.report.write": ("Written", "write_report"),
        "ragscore.results": ("DatasetResult",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
