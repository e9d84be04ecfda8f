"""The page of a result, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragscore.report.html.page import page
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections import SECTIONS
from ragscore.results import open_result

OPTIONS: dict[str, dict[str, Any]] = {"korean": {"language": "ko"}, "5000": {"max_mb": 25}}
"""Of the pages, where they are not the defaults."""
SOME_ONLY = {"budgets", "changes", "gate", "evidence", "leaks", "stages", "sweep"}
"""Sections of results with an earlier one, several chunkers, retrievers built on others, a sweep or
a gate, and of ground truth with forbidden passages."""
SHOWN = tuple(name for name in SECTIONS if name not in SOME_ONLY)
"""The sections of a page of any other result."""
NEEDS_TWO = {"differences", "slices"}
"""Those of them that one retriever alone does not have."""


def write_page(result: Path, folder: Path, **options: Any) -> Path:
    """The report of a result as one HTML file."""
    text = page(Report(open_result(result), ReportOptions(**options)))
    written = folder / "report.html"
    written.write_text(text, encoding="utf-8", newline="\n")
    return written


PLAIN_LEADERBOARD = """
const table = [...document.querySelectorAll('[data-table="leaderboard"]')]
  .find(one => one.checkVisibility());
const shown = cell =>
  [...cell.querySelectorAll('.variant')].find(one => one.checkVisibility()) ?? cell;
return [...table.tBodies[0].rows].map(row => [...row.cells].map(shown)
  .map(cell => [cell.dataset.v === undefined ? null : Number(cell.dataset.v), cell.innerText]));
"""
"""What the page's leaderboard shows."""
