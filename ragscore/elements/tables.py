"""A table from rows and columns that read them: each column stands beside what fills its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ragscore.elements.model import Cell, Column, Table
from ragscore.messages import Text

Row = TypeVar("Row")


def table(
    id: str,
    title: Text,
    columns: Iterable[tuple[Column, Callable[[Row], Cell]] | None],
    rows: Iterable[Row],
    notes: Iterable[Text] = (),
) -> Table:
    """A table.

    Args:
        id, title, notes: see :class:`Table`.
        columns: each with the function that makes its cell of a row; None is left out.
        rows: what the functions read.
    """
    shown = [column for column in columns if column is not None]
    cells = tuple(tuple(cell(row) for _, cell in shown) for row in rows)
    return Table(id, title, tuple(column for column, _ in shown), cells, tuple(notes))
