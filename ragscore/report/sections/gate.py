"""The gate's outcome: what has to hold of the result, and whether it does."""

from __future__ import annotations

from dataclasses import replace

from ragscore.elements import Section
from ragscore.gate.gate_elements import gate_elements
from ragscore.gate.model import worst
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult


def gate(report: Report, panel: DatasetResult) -> Section | None:
    """The gate: PASS, FAIL or UNDECIDED, every condition with the number that was compared."""
    found = report.result.gated
    if found is None:
        return None
    own = tuple(condition for condition in found.conditions if condition.dataset == panel.dataset)
    if not own:
        return None
    here = replace(found, conditions=own, verdict=worst(condition.verdict for condition in own))
    return gate_elements(here, id=named(panel, "gate"))
