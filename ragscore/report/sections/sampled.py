"""The trust row's item on a sampled corpus, and the effect on scores if it is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ragscore.elements import Column, Element, Paragraph
from ragscore.elements.cells import number_cell, signed_cell
from ragscore.messages import _, joined
from ragscore.report.model import TrustItem
from ragscore.report.ranking import lower_is_better
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.report.sections.trust_items import trust_item
from ragscore.results import DatasetResult

MAX_MEASURES = 3
"""Measures that the table shows; `whole` of a retriever in the manifest has them all."""


def sampled(panel: DatasetResult) -> TrustItem | None:
    """How much of the corpus was searched, and the effect on scores; None if all of it was."""
    sample = panel.entry.sample
    if sample is None:
        return None
    value = _("{passages} of {of} passages", **sample.facts)
    detail = (*_bias(panel), Paragraph(joined([sample.note(), "."], "")))
    return trust_item(panel, "sample", _("Sample of the corpus"), value, "poor", *detail)


def _bias(panel: DatasetResult) -> Iterator[Element]:
    """The pool retrievers' values on the sample and on the whole corpus."""
    entries = {name: panel.entries[name].whole for name in panel.retrievers}
    found = {name: whole.means for name, whole in entries.items() if whole is not None}
    shown = [name for name in panel.measures if all(name in means for means in found.values())]
    shown = shown[:MAX_MEASURES]
    if not found or not shown:
        return
    columns = []
    for measure in shown:
        label = panel.labels[measure]
        better: Literal["low", "high"] = "low" if lower_is_better(measure) else "high"
        columns += [
            Column(measure, _("{measure}, sample", measure=label), better=better),
            Column(f"whole {measure}", _("{measure}, whole corpus", measure=label), better=better),
            Column(f"difference {measure}", _("Difference")),
        ]
    cells = {
        name: [
            cell
            for measure in shown
            for own in [panel.scores[name].mean(measure)]
            for cell in (
                number_cell(own),
                number_cell(means[measure]),
                signed_cell(own - means[measure]),
            )
        ]
        for name, means in found.items()
    }
    title = _("The retrievers of the pool on the sample and on the whole corpus")
    note = _(
        "The difference is the sample's bias for these retrievers, whose best passages it keeps. "
        "For other retrievers the bias is unknown, and usually larger."
    )
    yield retriever_table(named(panel, "sample"), title, columns, cells, [note])
