"""Figures two by two: all of them as large, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragscore.report.model import Beside, Figure


def pairs(figures: Sequence[Figure]) -> Iterator[Beside]:
    """Rows of two; an odd last one has nothing beside it, so that it is no larger."""
    for at in range(0, len(figures), 2):
        row = [(one,) for one in figures[at : at + 2]]
        yield Beside((row[0], row[1] if len(row) > 1 else ()))
