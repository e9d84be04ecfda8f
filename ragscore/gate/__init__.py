"""gate: does a result keep its conditions? PASS, FAIL or UNDECIDED.

A drop below the baseline fails where the queries show that it is larger than the allowance, and
passes where they exclude one of that size; between the two they cannot decide.

- ``options``, ``condition_judging``, ``drop_verdicts``, ``judging``: what is asked, and what the
  queries say.
- ``model``, ``gate_outcome``, ``gate_elements``: what comes of it, and how it is printed.
- ``baseline``: what was reached before, one value for each query, in a file of a repository;
  ``baseline_file``: how that file is written and read; ``baseline_changes``: what a new
  baseline would lower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.gate.baseline import Baseline as Baseline
    from ragscore.gate.gate_outcome import GateOutcome as GateOutcome
    from ragscore.gate.judging import judge_gate as judge_gate
    from ragscore.gate.model import ConditionOutcome as ConditionOutcome
    from ragscore.gate.options import GateOptions as GateOptions
else:
    _HOMES = {
        "ragscore.gate.baseline": ("Baseline",),
        "ragscore.gate.judging": ("judge_gate",),
        "ragscore.gate.model": ("ConditionOutcome",),
        "ragscore.gate.options": ("GateOptions",),
        "ragscore.gate.gate_outcome": ("GateOutcome",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
