"""compare(scores) -> Comparison: which retriever is better, by how much, and how sure is that.

Everything is computed from the per-query values of scores; nothing is retrieved again. The first
measure is primary and decides the verdict. The comparisons with the baseline on it form one family,
whose p-values are corrected together; each other measure is a family of its own, secondary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.comparison.comparing import Comparison as Comparison
    from ragscore.comparison.comparing import DatasetComparison as DatasetComparison
    from ragscore.comparison.comparing import MeasureComparison as MeasureComparison
    from ragscore.comparison.comparing import compare as compare
    from ragscore.comparison.differences import Difference as Difference
    from ragscore.comparison.options import CompareOptions as CompareOptions
    from ragscore.comparison.verdict import Verdict as Verdict
else:
    # The options are a part of every experiment; what computes is loaded when it is asked for.
    _HOMES = {
        "ragscore.comparison.comparing": (
            "compare",
            "Comparison",
            "DatasetComparison",
            "MeasureComparison",
        ),
        "ragscore.comparison.differences": ("Difference",),
        "ragscore.comparison.options": ("CompareOptions",),
        "ragscore.comparison.verdict": ("Verdict",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
