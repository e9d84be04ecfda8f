"""Columns of tables of settings, each with the cell that it has at a setting of a tuned run.

The command, a notebook and the report show the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ragscore.elements import Cell, Column
from ragscore.elements.cells import mean_cell, nothing, number_cell, share_cell
from ragscore.measures import Measure
from ragscore.messages import Text, _
from ragscore.scoring.score_tables import measure_column
from ragscore.stats.bands import Band
from ragscore.tuning.options import UNITS
from ragscore.tuning.tuned_run import TunedRun

SettingColumns = dict[Column, Callable[[TunedRun, int], Cell]]


def cells_at(columns: SettingColumns, tuning: TunedRun, at: int) -> tuple[Cell, ...]:
    """A row: what the columns have at one setting."""
    return tuple(cell(tuning, at) for cell in columns.values())


def cut_columns(tuning: TunedRun) -> SettingColumns:
    """What is cut; of a score cut also the share of queries that get a passage."""
    by = tuning.thresholds.by

    def cut_cell(tuning: TunedRun, at: int) -> Cell:
        cut = float(tuning.thresholds.values[at])
        return Cell(int(cut) if by == "k" else cut, tuning.thresholds.shown(at))

    if by == "k":
        return {Column("k", "k"): cut_cell}
    relation = tuning.thresholds.label(0).rpartition(" ")[0]
    answered = Column("answered", _("Answered"), hint=_("Queries that get at least one passage"))
    return {
        Column(by, relation): cut_cell,
        answered: lambda tuning, at: share_cell(float(tuning.passages.answered.mean[at])),
    }


def measure_label(tuning: TunedRun, measure: Measure) -> Text:
    """A measure as people read it; by score precision is that of the answered."""
    if tuning.thresholds.by != "k" and type(measure) is type(tuning.precision):
        return _("{label} of the answered", label=measure.label)
    return measure.label


def measure_columns(tuning: TunedRun, measures: Iterable[Measure]) -> SettingColumns:
    """Means of measures with their intervals; nothing where a run has no such curve."""

    def of(measure: Measure) -> Callable[[TunedRun, int], Cell]:
        return lambda tuning, at: band_cell(tuning.curves.get(measure), at)

    return {
        measure_column(measure, measure_label(tuning, measure)): of(measure) for measure in measures
    }


def band_cell(band: Band | None, at: int) -> Cell:
    """What a curve has at one of its settings."""
    if band is None:
        return nothing()
    found = band.at(at)
    return mean_cell(found.mean, found)


def context_columns(tuning: TunedRun) -> SettingColumns:
    """The mean size of what one query gets."""

    def context_cell(tuning: TunedRun, at: int) -> Cell:
        return number_cell(float(tuning.context[at]) if tuning.context is not None else None, 0)

    label = _("Context, {unit}", unit=UNITS[tuning.unit or "words"])
    column = Column(
        "context",
        label,
        hint=_("Mean size of the passages that one query gets at this k or cut"),
        better="low",
    )
    return {column: context_cell}
