"""The gate's verdict: what has to hold of the result, and whether it does."""

from __future__ import annotations

from dataclasses import replace

from ragscore.elements import Section
from ragscore.gate.record import GateResult
from ragscore.gate.text import gate_elements
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult


def gate(report: Report, panel: DatasetResult) -> Section | None:
    """The gate: PASS, FAIL or UNDECIDED, every condition with the number that was compared."""
    here, sections = gate_on(report, panel), report.options.sections
    if here is None:
        return None
    shown = gate_elements(here, id=named(panel, "gate"))
    if sections is None or "verdict" in sections:  # which begins with the headline
        return replace(shown, elements=shown.elements[1:])
    return shown


def gate_on(report: Report, panel: DatasetResult) -> GateResult | None:
    """What the gate says of a dataset; None if nothing has to hold of it."""
    return None if report.gated is None else report.gated.on_dataset(panel.dataset)
