"""What a sweep found: the best configuration, what is as good, and what the choice is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.sweeps.analysis import analyze_sweep as analyze_sweep
    from ragscore.sweeps.record import SweepDocument as SweepDocument
    from ragscore.sweeps.record import SweepResult as SweepResult
    from ragscore.sweeps.text import sweep_headline as sweep_headline
else:
    # Results without a sweep load none of it: they import this package, and read its names.
    _HOMES = {
        "ragscore.sweeps.analysis": ("analyze_sweep",),
        "ragscore.sweeps.record": ("SweepDocument", "SweepResult"),
        "ragscore.sweeps.text": ("sweep_headline",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
