"""What approximate indexes lose against exact search over the same vectors: a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ragscore.elements import Cell, Column, Element
from ragscore.elements.cells import nothing, number_cell, share_cell, signed_cell
from ragscore.messages import _
from ragscore.report.ranking import lower_is_better
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.results import DatasetResult
from ragscore.results.stages import ExactSearch

MAX_MEASURES = 3
"""Measures that the table shows; `exact` of a retriever in the manifest has them all."""


def exact_search(panel: DatasetResult) -> Iterator[Element]:
    """How close each approximate index comes to exact search, and what it loses; nothing if
    every index is exact."""
    entries = {name: panel.entries[name].exact for name in panel.retrievers}
    found = {name: exact for name, exact in entries.items() if exact is not None}
    if not found:
        return
    cutoffs = sorted({cutoff for exact in found.values() for cutoff in exact.overlap})
    shown = [panel.primary, *(measure for measure in panel.measures if measure != panel.primary)]
    shown = shown[:MAX_MEASURES]
    columns = [
        Column(
            f"overlap@{k}",
            _("Top {k} found", k=k),
            hint=_(
                "Share of exact search's top {k} that is also in the top {k} here, averaged over "
                "the queries",
                k=k,
            ),
            better="high",
        )
        for k in cutoffs
    ]
    for measure in shown:
        label = panel.labels[measure]
        hint = _("Gain in {measure} over exact search; negative is worse", measure=label)
        better: Literal["low", "high"] = "low" if lower_is_better(measure) else "high"
        columns += [
            Column(measure, label, better=better),
            Column(f"exact {measure}", _("{measure}, exact", measure=label), better=better),
            Column(f"difference {measure}", _("Difference"), hint=hint, better="high"),
        ]
    cells = {
        name: [
            *(share_cell(exact.overlap.get(k)) for k in cutoffs),
            *(cell for measure in shown for cell in _values(panel, name, exact, measure)),
        ]
        for name, exact in found.items()
    }
    title = _("Approximate indexes and candidate pools against exact search")
    note = _(
        "Exact search compares each query with all of the same vectors. What it misses is due to "
        "the encoder; the difference is due to the index or to the pool of candidates."
    )
    yield retriever_table(named(panel, "exact"), title, columns, cells, [note])


def _values(panel: DatasetResult, name: str, exact: ExactSearch, measure: str) -> Iterator[Cell]:
    """The value of an index, that of exact search, and the difference."""
    own, best = panel.scores[name].mean(measure), exact.means.get(measure)
    yield number_cell(own)
    yield number_cell(best)
    sign = -1 if lower_is_better(measure) else 1
    yield nothing() if best is None else signed_cell(sign * (own - best))
