"""The report of a result: one page to open, send and archive, and the same in other formats.

A :class:`Report` makes sections of plain elements of a result, and each renderer shows the same
elements: a page, Markdown, LaTeX, CSV, a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.report.options import ReportOptions as ReportOptions
    from ragscore.report.report import Report as Report
    from ragscore.report.report import make_report as make_report
    from ragscore.report.write import Written as Written
    from ragscore.results import DatasetResult as DatasetResult
else:
    # The options are a part of every experiment; what makes a report is loaded when asked for.
    _HOMES = {
        "ragscore.report.options": ("ReportOptions",),
        "ragscore.report.report": ("Report", "make_report"),
        "ragscore.report.write": ("Written",),
        "ragscore.results": ("DatasetResult",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
