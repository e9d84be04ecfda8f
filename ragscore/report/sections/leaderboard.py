"""The leaderboard: the retrievers, the best on the chosen measure first."""

from __future__ import annotations

from ragscore.blocks import Cell, Table
from ragscore.blocks.cells import (
    latency_cell,
    latency_column,
    mean_cell,
    name_cell,
    nothing,
    retriever_column,
)
from ragscore.blocks.numbers import EARLIER
from ragscore.comparison.cells import brief_cells
from ragscore.comparison.tables import brief_columns, mark_notes, measure_column
from ragscore.report.data import ReportData
from ragscore.report.ranking import (
    decided_best,
    measure_notes,
    ranked,
    timed_earlier,
)
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult

OTHERS, ALONE = 3, 7
"""Measures beside the chosen one: more do not fit beside the forest plot, or alone."""


def leaderboard(data: ReportData, panel: DatasetResult, baseline: str, measure: str) -> Table:
    """Means, latency, and the differences to the baseline on one measure."""
    words = data.words
    comparison = panel.comparisons.get((baseline, measure))
    others = [one for one in panel.measures if one != measure]
    shown = [measure, *others[: OTHERS if comparison is not None else ALONE]]
    against = {}
    if comparison is not None:
        against = {one.retriever: one for one in comparison[measure].differences}
    columns = [
        retriever_column(data.words),
        *(measure_column(one, words) for one in shown),
    ]
    if panel.latency:
        columns.append(latency_column(words))
    if comparison is not None:
        columns += brief_columns(comparison, measure, panel.options, words)
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
                row += (
                    brief_cells(against[retriever], words)
                    if retriever in against
                    else (nothing(words("baseline"), retriever=retriever), *_empty(2))
                )
        rows.append(tuple(row))
    for retriever, error in panel.failures.items():
        failed = Cell(None, words("failed"), hint=error, level="poor")
        rows.append((name_cell(retriever, hint=error), failed, *_empty(len(columns) - 2)))
    notes = [words("note_intervals")]
    if comparison is not None:
        differences = tuple(against.values())
        marks, *others_noted = mark_notes(comparison, differences, panel.options, words)
        notes = [f"{notes[0]} {marks}", *others_noted]
    notes += _notes(data, panel, [best[one] for one in shown])
    if comparison is not None:
        notes += measure_notes(comparison, shown, words)
    title = words("leaderboard_title")
    return Table(named(panel, "leaderboard"), title, tuple(columns), tuple(rows), tuple(notes))


def _empty(count: int) -> tuple[Cell, ...]:
    return (nothing(""),) * count


def _notes(data: ReportData, panel: DatasetResult, best: list[str | None]) -> list[str]:
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
