"""Cells and columns that several tables of the report have."""

from __future__ import annotations

from ragscore.blocks import Cell, Column
from ragscore.blocks.cells import difference_cell, record_cell
from ragscore.comparison.cells import decided_mark
from ragscore.comparison.model import ALPHA, Difference
from ragscore.comparison.sections import CORRECTIONS
from ragscore.measures import parse_measure
from ragscore.report.data import Panel, ReportData
from ragscore.report.means import lower_is_better
from ragscore.strings import Strings


def compared_cell(one: Difference, words: Strings, *, retriever: str | None = None) -> Cell:
    """A difference with its sign, its interval, and a mark where it is decided."""
    hint = one.interval.note
    if one.disagrees:
        by_test = "not_after_correction" if one.test.p < ALPHA else "not_by_test"
        hint = words("interval_includes_zero" if one.p_adjusted < ALPHA else by_test)
    return difference_cell(
        one.value, one.interval, words, mark=decided_mark(one), retriever=retriever, hint=hint
    )


def compared_record(one: Difference) -> Cell:
    """Queries on which it is better, worse, the same."""
    return record_cell(one.wins, one.losses, one.ties)


def retriever_column(data: ReportData) -> Column:
    """Names of retrievers."""
    return Column("retriever", data.words("column_retriever"), "text")


def measure_column(measure: str, label: str, words: Strings, *, interval: bool = True) -> Column:
    """Means of a measure."""
    lower = lower_is_better(measure)
    return Column(
        measure,
        words("lower_label", label=label) if lower else label,
        hint=parse_measure(measure).summary,
        interval=interval,
        better="low" if lower else "high",
    )


def correction_label(data: ReportData, panel: Panel) -> str:
    """What stands over corrected p-values."""
    if panel.options.correction == "none":
        return data.words("column_p_raw")
    return data.words("column_p", correction=CORRECTIONS[panel.options.correction])
