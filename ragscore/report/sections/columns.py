"""Columns that several tables have."""

from __future__ import annotations

from ragscore.blocks import Column
from ragscore.report.data import Panel, ReportData
from ragscore.report.sections.means import lower_is_better
from ragscore.strings import Strings


def retriever_column(data: ReportData) -> Column:
    """Names of retrievers."""
    return Column("retriever", data.words("column_retriever"), "text")


def measure_column(measure: str, label: str, words: Strings, *, interval: bool = True) -> Column:
    """Means of a measure."""
    from ragscore.measures import parse_measure

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
    from ragscore.comparison.sections import CORRECTIONS

    if panel.options.correction == "none":
        return data.words("column_p_raw")
    return data.words("column_p", correction=CORRECTIONS[panel.options.correction])
