"""tune: how many passages to take, and how sure that is, from runs that are recorded.

One run holds every k. The setting that is recommended was chosen on all queries; beside it stands
what the choosing is worth on queries that it did not choose on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.stats.cross_validation import CrossValidated as CrossValidated
    from ragscore.stats.cross_validation import (
        choose_by_cross_validation as choose_by_cross_validation,
    )
    from ragscore.tuning.choose import tune as tune
    from ragscore.tuning.options import Budget as Budget
    from ragscore.tuning.options import TuneOptions as TuneOptions
    from ragscore.tuning.record import Tuning as Tuning
    from ragscore.tuning.record import TuningDocument as TuningDocument
else:
    _HOMES = {
        "ragscore.stats.cross_validation": ("CrossValidated", "choose_by_cross_validation"),
        "ragscore.tuning.options": ("Budget", "TuneOptions"),
        "ragscore.tuning.choose": ("tune",),
        "ragscore.tuning.record": ("Tuning", "TuningDocument"),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
