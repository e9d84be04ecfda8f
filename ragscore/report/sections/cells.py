"""Cells of what a comparison found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.blocks import Cell
from ragscore.blocks.cells import difference_cell, record_cell
from ragscore.comparison.cells import decided_mark
from ragscore.comparison.model import ALPHA

if TYPE_CHECKING:
    from ragscore.comparison.model import Difference
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
