"""tune: how many passages to take, and how sure that is, from runs that are recorded.

One run holds every k. The setting that is recommended was chosen on all queries; beside it stands
what the choosing is worth on queries that it did not choose on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.tune.cross_validation import CrossValidated, choose_by_cross_validation
    from ragscore.tune.every import tune_result, tune_runs, tuning_document
    from ragscore.tune.options import Budget, TuneOptions, tune_options
    from ragscore.tune.tune import tune
    from ragscore.tune.tuning import Tuning

_HOMES = {
    "ragscore.tune.cross_validation": ("CrossValidated", "choose_by_cross_validation"),
    "ragscore.tune.every": ("tune_result", "tune_runs", "tuning_document"),
    "ragscore.tune.options": ("Budget", "TuneOptions", "tune_options"),
    "ragscore.tune.tune": ("tune",),
    "ragscore.tune.tuning": ("Tuning",),
}

__all__ = [
    "Budget",
    "CrossValidated",
    "TuneOptions",
    "Tuning",
    "choose_by_cross_validation",
    "tune",
    "tune_options",
    "tune_result",
    "tune_runs",
    "tuning_document",
]

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
