"""The leaderboard: the retrievers, the best on the chosen measure first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragscore.blocks import Cell, Column, Table
from ragscore.blocks.cells import (
    EARLIER,
    RECORD,
    latency_cell,
    mean_cell,
    name_cell,
    nothing,
    p_cell,
)
from ragscore.blocks.numbers import BELOW_MARGIN, DECIDED
from ragscore.comparison.model import DatasetComparison, Difference
from ragscore.comparison.wording import family_name
from ragscore.report.data import Panel, ReportData
from ragscore.report.means import (
    decided_best,
    difference_label,
    measure_notes,
    ranked,
    timed_earlier,
)
from ragscore.report.sections.arrangement import named
from ragscore.report.sections.table_parts import (
    compared_cell,
    compared_record,
    correction_label,
    measure_column,
    retriever_column,
)

OTHERS, ALONE = 3, 7
"""Measures beside the chosen one: more do not fit beside the forest plot, or alone."""


def leaderboard(data: ReportData, panel: Panel, baseline: str, measure: str) -> Table:
    """Means, latency, and the differences to the baseline on one measure."""
    words = data.words
    comparison = panel.comparisons.get((baseline, measure))
    others = [one for one in panel.measures if one != measure]
    shown = [measure, *others[: OTHERS if comparison is not None else ALONE]]
    against = {}
    if comparison is not None:
        against = {one.retriever: one for one in comparison[measure].differences}
    columns = [
        retriever_column(data),
        *(measure_column(one, panel.labels[one], words) for one in shown),
    ]
    if panel.latency:
        hint = words("hint_latency")
        columns.append(
            Column("latency p50 ms", words("column_latency"), hint=hint, unit="ms", better="low")
        )
    if comparison is not None:
        columns += _difference_columns(data, panel, comparison, measure)
    best = {one: decided_best(panel, baseline, one) for one in shown}
    rows = []
    for retriever in ranked(panel, measure):
        row = [name_cell(retriever)]
        for one in shown:
            mean = panel.means[one][retriever]
            strong = best[one] == retriever
            row.append(
                mean_cell(mean.value, mean.interval, words, strong=strong, retriever=retriever)
            )
        if panel.latency:
            timed = panel.latency.get(retriever)
            row.append(latency_cell(timed, earlier=timed_earlier(panel, retriever)))
        if comparison is not None:
            if comparison.same(retriever, baseline):
                same = words("same_as", baseline=baseline)
                row += [nothing(same, retriever=retriever), *_empty(2)]
            else:
                row += _difference_cells(data, against.get(retriever), retriever)
        rows.append(tuple(row))
    for retriever, error in panel.failures.items():
        failed = Cell(None, words("failed"), hint=error, level="poor")
        rows.append((name_cell(retriever, hint=error), failed, *_empty(len(columns) - 2)))
    notes = [words("note_intervals")]
    if comparison is not None:
        notes = mark_notes(data, panel, comparison, tuple(against.values()))
    notes += _notes(data, panel, [best[one] for one in shown])
    if comparison is not None:
        notes += measure_notes(comparison, shown)
    title = words("leaderboard_title")
    return Table(named(panel, "leaderboard"), title, tuple(columns), tuple(rows), tuple(notes))


def _difference_columns(
    data: ReportData, panel: Panel, comparison: DatasetComparison, measure: str
) -> tuple[Column, ...]:
    words, baseline = data.words, comparison.baseline
    family = family_name(comparison.family, words.language)
    label = difference_label(panel, measure)
    return (
        Column(
            "difference",
            words("column_difference"),
            hint=words("hint_difference", label=label, baseline=baseline),
            interval=True,
            better="high",
        ),
        Column("W/L/T", words("column_record"), "text", words("hint_record"), parts=RECORD),
        Column(
            "p corrected",
            correction_label(data, panel),
            hint=words(f"hint_p{_raw(panel)}", baseline=baseline, family=family),
            better="low",
        ),
    )


def _difference_cells(data: ReportData, one: Difference | None, retriever: str) -> tuple[Cell, ...]:
    if one is None:  # the baseline itself
        return nothing(data.words("baseline"), retriever=retriever), nothing(""), nothing("")
    return (
        compared_cell(one, data.words, retriever=retriever),
        compared_record(one),
        p_cell(one.p_adjusted),
    )


def _raw(panel: Panel) -> str:
    """What the keys of words on p-values that are not corrected end with."""
    return "_raw" if panel.options.correction == "none" else ""


def _empty(count: int) -> tuple[Cell, ...]:
    return (nothing(""),) * count


def mark_notes(
    data: ReportData,
    panel: Panel,
    comparison: DatasetComparison,
    differences: Sequence[Difference],
) -> list[str]:
    """What the marks of differences mean, and which comparisons they are corrected over."""
    words = data.words
    family = family_name(comparison.family, words.language)
    kind = _raw(panel) if comparison.family.m > 1 else "_one"
    notes = [words(f"note_leaderboard{kind}", mark=DECIDED, family=family)]
    if any(one.below_margin for one in differences):
        margin = f"{differences[0].margin:g}"
        notes.append(words("note_below_margin", mark=BELOW_MARGIN, margin=margin))
    outside = (one for one in differences if math.isnan(one.p_adjusted))
    if not all(comparison.same(one.retriever, one.baseline) for one in outside):
        notes.append(words("note_outside_family", family=family))
    return notes


def _notes(data: ReportData, panel: Panel, best: list[str | None]) -> list[str]:
    words, notes = data.words, []
    if any(best):
        notes.append(words("note_bold"))
    if any(timed_earlier(panel, one) for one in panel.latency):
        notes.append(words("note_timed_earlier", mark=EARLIER))
    notes += [
        words("retriever_failed", retriever=retriever, error=error)
        for retriever, error in panel.failures.items()
    ]
    return notes
