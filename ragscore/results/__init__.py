"""Results: runs and scores with everything computed from them, in memory, folders and run files.

:class:`Result` is the same wherever it comes from. This package alone writes and reads the folder
of a result: :class:`~ragscore.results.manifest.Manifest` is what it says of itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.results.dataset_result import DatasetResult
    from ragscore.results.opening import open_result
    from ragscore.results.result import Result
    from ragscore.results.runs import score_runs

_HOMES = {
    "ragscore.results.dataset_result": ("DatasetResult",),
    "ragscore.results.opening": ("open_result",),
    "ragscore.results.result": ("Result",),
    "ragscore.results.runs": ("score_runs",),
}

__all__ = ["DatasetResult", "Result", "open_result", "score_runs"]

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
