"""The sections of the report: one file each, and the catalogue of them.

To add one: a file with a function of :data:`SectionBuilder`'s form, and a line in
:data:`SECTIONS`. A package of your own names its sections as entry points of the group
``ragscore.report_sections`` (see :mod:`ragscore.report.sections.added_sections`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragscore.elements import Section
from ragscore.messages import _
from ragscore.plugins import Catalogue

SectionBuilder = Callable[[Any, Any], Section | None]
"""Makes a section of a Report and a DatasetResult; None if it has nothing to show."""

SECTIONS: Catalogue[SectionBuilder] = Catalogue(
    "ragscore.report_sections",
    "section",
    {
        "verdict": "ragscore.report.sections.verdict:verdict",
        "gate": "ragscore.report.sections.gate:gate",
        "changes": "ragscore.report.sections.changes:changes",
        "budgets": "ragscore.report.sections.equal_budgets:equal_budgets",
        "curves": "ragscore.report.sections.curves:curves",
        "sweep": "ragscore.report.sections.sweep:sweep",
        "differences": "ragscore.report.sections.differences:differences",
        "stages": "ragscore.report.sections.stages:stages",
        "failures": "ragscore.report.sections.failures:failures",
        "evidence": "ragscore.report.sections.drawn_evidence:evidence",
        "leaks": "ragscore.report.sections.leaks:leaks",
        "queries": "ragscore.report.sections.queries:queries",
        "slices": "ragscore.report.sections.slices:slices",
        "judgments": "ragscore.report.sections.judgments:judgments",
        "measures": "ragscore.report.sections.measures:measures",
        "cost": "ragscore.report.sections.cost:cost",
        "computed": "ragscore.report.sections.computed:computed",
    },
    wanted="a function of the report's data and a panel",
    fits=lambda name, thing: callable(thing),
)
"""By name, in the order of the page; each is imported when a report is built."""
TITLES = {
    "curves": _("Precision and recall against k"),
    "sweep": _("Sweep: the best settings"),
    "differences": _("Where they differ"),
    "stages": _("Where relevant {items} were lost"),
    "failures": _("Failures by cause"),
    "evidence": _("Evidence in its documents"),
    "slices": _("Slices"),
    "measures": _("All measures, all pairs"),
}
"""Titles of the sections that may hold nothing but notes."""
