"""comparison.json: a comparison, its slices, and what pairs of runs find together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragscore.comparison.model import Comparison
from ragscore.comparison.overlap import Overlap
from ragscore.comparison.slice_model import Slices


@dataclass(frozen=True)
class ComparisonDocument(Comparison):
    """comparison.json."""

    slices: tuple[Slices, ...]
    """By tag or metadata; empty where none were asked for."""
    overlap: Mapping[str, tuple[Overlap, ...]]
    """By dataset, of each pair of runs; empty where the judgments are not known."""


def comparison_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of comparison.json."""
    return ComparisonDocument.json_schema("ragscore comparison")
