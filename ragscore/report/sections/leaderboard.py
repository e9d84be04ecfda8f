"""The leaderboard: the retrievers, the best on the chosen measure first."""

from __future__ import annotations

from ragscore.comparison.difference_cells import brief_cells
from ragscore.comparison.measure_tables import brief_columns, mark_notes, measure_column
from ragscore.elements import Cell, Table
from ragscore.elements.cells import (
    latency_cell,
    latency_column,
    mean_cell,
    name_cell,
    nothing,
    retriever_column,
)
from ragscore.elements.numbers import EARLIER
from ragscore.messages import Text, _, joined
from ragscore.report.panels import failure
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


def leaderboard(panel: DatasetResult, baseline: str, measure: str) -> Table:
    """Means, latency, and the differences to the baseline on one measure."""
    comparison = panel.comparisons.get((baseline, measure))
    others = [name for name in panel.measures if name != measure]
    shown = [measure, *others[: OTHERS if comparison is not None else ALONE]]
    against = {}
    if comparison is not None:
        against = {found.retriever: found for found in comparison[measure].differences}
    columns = [
        retriever_column(),
        *(measure_column(name) for name in shown),
    ]
    if panel.latency:
        columns.append(latency_column())
    if comparison is not None:
        columns += brief_columns(comparison, measure, panel.options)
    best = {name: decided_best(comparison, name) for name in shown}
    rows = []
    for retriever in ranked(panel, measure):
        row = [name_cell(retriever)]
        for name in shown:
            mean = panel.means[name][retriever]
            strong = best[name] == retriever
            row.append(mean_cell(mean.value, mean, strong=strong, retriever=retriever))
        if panel.latency:
            timed = panel.latency.get(retriever)
            row.append(latency_cell(timed, earlier=timed_earlier(panel, retriever)))
        if comparison is not None:
            if comparison.same(retriever, baseline):
                same = _("same as {baseline}", baseline=baseline)
                row += [nothing(same, retriever=retriever), *_empty(2)]
            else:
                row += (
                    brief_cells(against[retriever])
                    if retriever in against
                    else (nothing(_("baseline"), retriever=retriever), *_empty(2))
                )
        rows.append(tuple(row))
    for retriever, error in panel.failures.items():
        failed = Cell(None, _("failed"), hint=error, level="poor")
        rows.append((name_cell(retriever, hint=error), failed, *_empty(len(columns) - 2)))
    notes: list[Text] = [_("In brackets: 95 % intervals, each taken alone.")]
    if comparison is not None:
        differences = tuple(against.values())
        marks, *others_noted = mark_notes(comparison, differences, panel.options)
        notes = [joined([notes[0], marks]), *others_noted]
    notes += _notes(panel, [best[name] for name in shown])
    if comparison is not None:
        notes += measure_notes(comparison, shown)
    title = _("Leaderboard")
    return Table(named(panel, "leaderboard"), title, tuple(columns), tuple(rows), tuple(notes))


def _empty(count: int) -> tuple[Cell, ...]:
    return (nothing(""),) * count


def _notes(panel: DatasetResult, best: list[str | None]) -> list[Text]:
    notes: list[Text] = []
    if any(best):
        notes.append(_("Bold: better than every other retriever, each difference decided."))
    if any(timed_earlier(panel, name) for name in panel.latency):
        notes.append(
            _(
                "{mark} timed in an earlier run; this run took the result from the cache.",
                mark=EARLIER,
            )
        )
    notes += [failure(*failed) for failed in panel.failures.items()]
    return notes
