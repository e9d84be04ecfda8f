"""Results: runs and scores with everything computed from them, in memory, folders and run files.

:class:`Result` is the same wherever it comes from. This package alone writes and reads the folder
of a result: :class:`~ragscore.results.manifest.Manifest` is what it says of itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.results.dataset_result import DatasetResult as DatasetResult
    from ragscore.results.opening import open_result as open_result
    from ragscore.results.opening import score_runs as score_runs
    from ragscore.results.result import Result as Result
else:
    _HOMES = {
        "ragscore.results.dataset_result": ("DatasetResult",),
        "ragscore.results.opening": ("open_result", "score_runs"),
        "ragscore.results.result": ("Result",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
