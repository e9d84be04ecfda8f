"""A result of twenty queries whose experiment a test chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragscore.results import DatasetResult, open_result
from tests.factories.results import Row, bm25, ran, written

Made = Callable[[str], Path]
PASSAGES: list[Row] = [
    {"id": f"p{number}", "text": f"word{number} word{number % 4} shared and more of it {number}"}
    for number in range(24)
]
QUERIES: list[Row] = [
    {
        "id": f"q{number}",
        "text": f"word{number} word{number % 3}",
        "tags": [f"kind:{'ab'[number % 2]}"],
        "metadata": {"part": f"part {number // 2}", "own": f"value {number}", "all": "same"},
    }
    for number in range(20)
]
TRUTH: list[Row] = [
    {"query_id": f"q{number}", "passages": {f"p{number}": 1, f"p{number % 4}": number % 2}}
    for number in range(4, 20)
]
TWO: dict[str, Row] = {"one": bm25(), "two": bm25(k1=0.2, b=0.9)}


def tiny(folder: Path, **parts: Any) -> Path:
    """The result of a small experiment; its dataset stands in ``folder / "data"``."""
    written(folder / "data", PASSAGES, QUERIES, TRUTH)
    given = {"retrievers": TWO, "measures": ["RR@5", "P@3"], "depth": 10, "latency": False}
    return ran(folder, "tiny", [folder / "data"], **{**given, **parts})


def panel_of(folder: Path) -> DatasetResult:
    (panel,) = open_result(folder).dataset_results
    return panel
