"""What fits in the same context: chunkers compared by what a reader gets, not by the number of
chunks."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.elements import Cell, Column, Section, Table
from ragscore.elements.cells import nothing
from ragscore.elements.numbers import count_text
from ragscore.messages import _, few_names
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.results import DatasetResult
from ragscore.tuning import Tuning
from ragscore.tuning.cuts import BUDGETS
from ragscore.tuning.options import UNITS
from ragscore.tuning.text import band_cell


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
    tunings = {name: tuning for name, tuning in panel.curves.items() if tuning.by_context}
    units = {tuning.unit for tuning in tunings.values()}
    if len(units) != 1:
        return
    unit = UNITS[units.pop() or "words"]
    columns = [
        Column(
            f"{measure}@{limit}",
            _("{measure} in {limit} {unit}", measure=measure, limit=count_text(limit), unit=unit),
            better="high",
        )
        for limit in BUDGETS
        for measure in ("R", "Complete", "P")
    ]
    cells = {
        name: [cell for limit in BUDGETS for cell in _cells(tuning, limit)]
        for name, tuning in tunings.items()
    }
    notes = [
        _(
            "Recall, the share of queries with every need covered (Complete), and precision of "
            "the first passages that fit together, so large chunks have no advantage over small "
            "ones. A context ends before the first passage that does not fit. Text that several "
            "passages share counts once for each."
        )
    ]
    short = [name for name, tuning in tunings.items() if _all_fit(tuning, BUDGETS[-1])]
    if short:
        largest = count_text(BUDGETS[-1])
        facts = {"retrievers": few_names(short), "limit": largest, "unit": unit}
        notes.append(
            _(
                "{retrievers}: all recorded passages fit in {limit} {unit}; a larger depth would "
                "fill the context.",
                **facts,
            )
        )
    title = _("What fits in a context, by its size in {unit}", unit=unit)
    yield retriever_table(named(panel, "equal-budgets"), title, columns, cells, notes)


def _cells(tuning: Tuning, limit: int) -> list[Cell]:
    context = tuning.by_context
    assert context is not None
    at = context.at(limit)
    if at is None:  # not even one passage fits
        return [nothing(), nothing(), nothing()]
    bands = (context.recall, context.complete, context.precision)
    return [band_cell(band, at) for band in bands]


def _all_fit(tuning: Tuning, limit: int) -> bool:
    """Whether all recorded passages fit for every query, so that more would have fitted."""
    context = tuning.by_context
    return context is not None and int(context.limits[-1]) <= limit
