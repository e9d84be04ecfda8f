"""How elements are placed: figures in pairs, a variant for each of the reader's choices, and
tables with a row per retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ragscore.elements import Cell, Column, Element, Table
from ragscore.elements.cells import name_cell, retriever_column
from ragscore.messages import Text
from ragscore.report.model import Beside, Chart, Choice, Swap
from ragscore.results import DatasetResult

Elements = tuple[Element, ...]


def by_both(panel: DatasetResult, make: Callable[[str, str], Elements]) -> Swap:
    """What depends on the baseline and on the measure; ``make(baseline, measure)``."""
    return Swap(
        {
            Choice(baseline, measure): make(baseline, measure)
            for baseline, measure in panel.comparisons
        },
        Choice(panel.baseline, panel.primary),
    )


def by_measure(panel: DatasetResult, make: Callable[[str], Elements]) -> Swap:
    """What depends on the measure alone."""
    return Swap(
        {Choice(measure=measure): make(measure) for measure in panel.primaries},
        Choice(measure=panel.primary),
    )


def named(panel: DatasetResult, name: str) -> str:
    """The id of a table or chart: its name, unique in a report of several datasets.

    The first dataset's have no prefix, as their sections have none.
    """
    return name if panel.index == 0 else f"d{panel.index}-{name}"


def pairs(figures: Sequence[Chart]) -> Iterator[Beside]:
    """Rows of two figures of the same size; an odd last one keeps its size beside an empty
    place."""
    for at in range(0, len(figures), 2):
        row = [(figure,) for figure in figures[at : at + 2]]
        yield Beside((row[0], row[1] if len(row) > 1 else ()))


def retriever_table(
    id: str,
    title: Text,
    columns: Iterable[Column],
    cells: Mapping[str, Iterable[Cell]],
    notes: Iterable[Text] = (),
) -> Table:
    """A table with one row for each retriever.

    Args:
        id, title, notes: of the table.
        columns: all but the first, which has the names.
        cells: by retriever.
    """
    rows = tuple((name_cell(name), *row) for name, row in cells.items())
    return Table(id, title, (retriever_column(), *columns), rows, tuple(notes))
