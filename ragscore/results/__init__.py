"""Recorded results, read back: what ``ragscore run`` wrote, and plain run files with judgments.

Whatever is decided later (compare, tune) reads scores, runs and datasets from here, and never
retrieves again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.results.folder import RecordedResult
    from ragscore.results.opening import open_result
    from ragscore.results.runs import RecordedRuns, score_runs

_HOMES = {
    "ragscore.results.folder": ("RecordedResult",),
    "ragscore.results.opening": ("open_result",),
    "ragscore.results.runs": ("RecordedRuns", "score_runs"),
}

__all__ = ["RecordedResult", "RecordedRuns", "open_result", "score_runs"]

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
