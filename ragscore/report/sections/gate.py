"""The gate's verdict: what has to hold of the result, and whether it does."""

from __future__ import annotations

from ragscore.elements import Section
from ragscore.gate.record import read_gate
from ragscore.gate.text import gate_elements
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult


def gate(report: Report, panel: DatasetResult) -> Section | None:
    """The gate: PASS, FAIL or UNDECIDED, every condition with the number that was compared."""
    found = read_gate(report.result)
    here = None if found is None else found.on_dataset(panel.dataset)
    return None if here is None else gate_elements(here, id=named(panel, "gate"))
