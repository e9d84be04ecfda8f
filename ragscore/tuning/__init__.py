"""tune: how many passages to take, and how sure that is, from runs that are recorded.

One run holds every k. The setting that is recommended was chosen on all queries; beside it stands
what the choosing is worth on queries that it did not choose on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.tuning.choose import tune
    from ragscore.tuning.cross_validation import CrossValidated, choose_by_cross_validation
    from ragscore.tuning.options import Budget, TuneOptions
    from ragscore.tuning.result import Tuning, TuningDocument

_HOMES = {
    "ragscore.tuning.cross_validation": ("CrossValidated", "choose_by_cross_validation"),
    "ragscore.tuning.options": ("Budget", "TuneOptions"),
    "ragscore.tuning.choose": ("tune",),
    "ragscore.tuning.result": ("Tuning", "TuningDocument"),
}

__all__ = [
    "Budget",
    "CrossValidated",
    "TuneOptions",
    "Tuning",
    "TuningDocument",
    "choose_by_cross_validation",
    "tune",
]

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
