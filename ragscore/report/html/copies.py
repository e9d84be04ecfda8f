"""What the copy buttons copy: every table as CSV and LaTeX, made once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragscore.blocks import Table


def copies(tables: Mapping[str, Table]) -> dict[str, dict[str, str]]:
    """By key of a table: its CSV and its LaTeX."""
    from ragscore.blocks.csv import csv_text
    from ragscore.blocks.latex import latex_table

    return {
        key: {"csv": csv_text(table), "latex": latex_table(table)} for key, table in tables.items()
    }
