"""The sections of the report: one file each, and one visible table.

To add one: a file with a function of :data:`SectionBuilder`'s form, and a line in
:data:`SECTIONS`. A package of your own names its sections as entry points of the group
``ragscore.report_sections`` (see :mod:`ragscore.report.sections.custom`).
"""

from __future__ import annotations

from collections.abc import Callable

from ragscore.blocks import Section
from ragscore.plugins import Catalogue
from ragscore.report.data import ReportData
from ragscore.report.sections.changes import changes
from ragscore.report.sections.computed import computed
from ragscore.report.sections.curves import curves
from ragscore.report.sections.differences import differences
from ragscore.report.sections.failures import failures
from ragscore.report.sections.judgments import judgments
from ragscore.report.sections.measures import measures
from ragscore.report.sections.queries import queries
from ragscore.report.sections.slices import slices
from ragscore.report.sections.verdict import verdict
from ragscore.results import DatasetResult

SectionBuilder = Callable[[ReportData, DatasetResult], Section | None]
"""What makes a section of a panel; None where there is nothing to say."""

SECTIONS: Catalogue[SectionBuilder] = Catalogue(
    "ragscore.report_sections",
    "section",
    {
        "verdict": verdict,
        "changes": changes,
        "curves": curves,
        "differences": differences,
        "failures": failures,
        "queries": queries,
        "slices": slices,
        "judgments": judgments,
        "measures": measures,
        "computed": computed,
    },
    wanted="a function of the report's data and a panel",
    fits=lambda name, thing: callable(thing),
)
"""By name, in the order of the page."""
