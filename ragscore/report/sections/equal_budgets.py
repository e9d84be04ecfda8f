"""What fits in the same context: chunkers compared by what a reader gets, not by the number of
chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from ragscore.elements import Cell, Column, Section, Table
from ragscore.elements.cells import name_cell, nothing, retriever_column
from ragscore.elements.numbers import count_text
from ragscore.elements.tables import table
from ragscore.messages import Text, _, few_names
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.stats.bands import Band
from ragscore.tuning.options import UNITS
from ragscore.tuning.record import ContextCurve
from ragscore.tuning.text import estimate_cell
from ragscore.tuning.tuning_input import BUDGETS

Row: TypeAlias = tuple[str, ContextCurve]
"""A retriever, and what contexts of its passages hold."""
BANDS: Mapping[str, Callable[[ContextCurve], Band]] = {
    "R": lambda context: context.recall,
    "Complete": lambda context: context.complete,
    "P": lambda context: context.precision,
}
"""By measure, where a context has its values."""


def equal_budgets(report: Report, panel: DatasetResult) -> Section | None:
    """Of retrievers with different chunkers, what the same context holds."""
    tables = tuple(budget_tables(panel))
    return Section("budgets", _("What the same context holds"), tables) if tables else None


def budget_tables(panel: DatasetResult) -> Iterator[Table]:
    """Recall, Complete and precision of each retriever at some sizes of the context; nothing if
    all search the same passages, or if their contexts are measured in different units.

    A context ends before the first passage that does not fit. Text that several passages share
    counts for each, because the reader gets it each time.
    """
    if not panel.chunked_apart:
        return
    curves = panel.curves.items()
    found = {name: tuning.by_context for name, tuning in curves if tuning.by_context}
    units = {panel.curves[name].unit for name in found}
    if len(units) != 1:
        return
    unit = UNITS[units.pop() or "words"]
    columns: list[tuple[Column, Callable[[Row], Cell]]] = [
        (retriever_column(), lambda row: name_cell(row[0])),
        *(_column(measure, limit, unit) for limit in BUDGETS for measure in BANDS),
    ]
    notes = [
        _(
            "Recall, the share of queries with every need covered (Complete), and precision of "
            "the first passages that fit together, so large chunks have no advantage over small "
            "ones. A context ends before the first passage that does not fit. Text that several "
            "passages share counts once for each."
        )
    ]
    if short := [name for name, of in found.items() if int(of.limits[-1]) <= BUDGETS[-1]]:
        notes.append(
            _(
                "{retrievers}: all recorded passages fit in {limit} {unit}; a larger depth would "
                "fill the context.",
                retrievers=few_names(short),
                limit=count_text(BUDGETS[-1]),
                unit=unit,
            )
        )
    title = _("What fits in a context, by its size in {unit}", unit=unit)
    yield table(named(panel, "equal-budgets"), title, columns, found.items(), notes)


def _column(measure: str, limit: int, unit: Text) -> tuple[Column, Callable[[Row], Cell]]:
    head = _("{measure} in {limit} {unit}", measure=measure, limit=count_text(limit), unit=unit)

    def cell(row: Row) -> Cell:
        at = row[1].at(limit)
        return nothing() if at is None else estimate_cell(BANDS[measure](row[1]).at(at))

    return Column(f"{measure}@{limit}", head, better="high"), cell
