"""A table from rows and columns that read them: each column stands beside what fills its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias, TypeVar

from ragscore.elements.model import Cell, Column, Kind, Table
from ragscore.messages import Text

Row = TypeVar("Row")
Columns: TypeAlias = Sequence[tuple[Column, Callable[[Row], Cell]] | None]
"""Columns, each with the function that makes its cell of a row; None is left out."""


def column(
    name: str,
    label: Text,
    cell: Callable[[Row], Cell],
    kind: Kind = "number",
    *,
    hint: Text = "",
    interval: bool = False,
    better: Literal["high", "low", ""] = "",
) -> tuple[Column, Callable[[Row], Cell]]:
    """A column with the function that makes its cells; the rest as of :class:`Column`."""
    return Column(name, label, kind, hint, interval, better=better), cell


def table(
    id: str,
    title: Text,
    columns: Columns[Row],
    rows: Iterable[Row],
    notes: Iterable[Text] = (),
) -> Table:
    """A table.

    Args:
        id, title, notes: see :class:`Table`.
        columns: each with the function that makes its cell of a row.
        rows: what the functions read.
    """
    shown = [column for column in columns if column is not None]
    cells = tuple(tuple(cell(row) for _, cell in shown) for row in rows)
    return Table(id, title, tuple(column for column, _ in shown), cells, tuple(notes))
