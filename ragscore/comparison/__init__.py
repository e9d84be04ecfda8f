"""compare(scores) -> Comparison: which retriever is better, by how much, and how sure is that.

Everything is computed from the per-query values of scores; nothing is retrieved again. The first
measure is primary: the verdict reads it. The comparisons with the baseline on it form one family,
whose p-values are corrected together; each other measure is a family of its own, secondary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.comparison.comparing import compare
    from ragscore.comparison.document import Comparison
    from ragscore.comparison.model import (
        INTERVAL_LABEL,
        DatasetComparison,
        Difference,
        MeanWithInterval,
        MeasureComparison,
        PairDifference,
    )
    from ragscore.comparison.options import CompareOptions
    from ragscore.comparison.verdict_lines import Verdict, VerdictLine

# The options are a part of every experiment; what computes is loaded when it is asked for.
_HOMES = {
    "ragscore.comparison.comparing": ("compare",),
    "ragscore.comparison.document": ("Comparison",),
    "ragscore.comparison.model": (
        "INTERVAL_LABEL",
        "DatasetComparison",
        "Difference",
        "MeanWithInterval",
        "MeasureComparison",
        "PairDifference",
    ),
    "ragscore.comparison.options": ("CompareOptions",),
    "ragscore.comparison.verdict_lines": ("Verdict", "VerdictLine"),
}

__all__ = [
    "INTERVAL_LABEL",
    "CompareOptions",
    "Comparison",
    "DatasetComparison",
    "Difference",
    "MeanWithInterval",
    "MeasureComparison",
    "PairDifference",
    "Verdict",
    "VerdictLine",
    "compare",
]

__getattr__ = lazily(__name__, _HOMES)
