"""gate: does a result keep its conditions? PASS, FAIL or UNDECIDED.

- ``options``: what is asked. ``judging``: every condition, judged on a result. ``record``: the
  answer. ``text``: how it is printed; ``printed``: what the commands add, JUnit among it.
- ``baseline``: what was reached before, one value for each query, in a file of a repository, and
  what differs from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.lazy import lazily

if TYPE_CHECKING:
    from ragscore.gate.baseline import Baseline as Baseline
    from ragscore.gate.baseline import read_baseline as read_baseline
    from ragscore.gate.baseline import write_baseline as write_baseline
    from ragscore.gate.judging import baseline_for as baseline_for
    from ragscore.gate.judging import gate_options as gate_options
    from ragscore.gate.judging import gate_result as gate_result
    from ragscore.gate.judging import judge_gate as judge_gate
    from ragscore.gate.options import GateOptions as GateOptions
    from ragscore.gate.record import GateCondition as GateCondition
    from ragscore.gate.record import GateResult as GateResult
    from ragscore.gate.record import read_gate as read_gate
    from ragscore.gate.text import gate_headline as gate_headline
else:
    _HOMES = {
        "ragscore.gate.baseline": ("Baseline", "read_baseline", "write_baseline"),
        "ragscore.gate.judging": ("baseline_for", "gate_options", "gate_result", "judge_gate"),
        "ragscore.gate.options": ("GateOptions",),
        "ragscore.gate.record": ("GateCondition", "GateResult", "read_gate"),
        "ragscore.gate.text": ("gate_headline",),
    }
    __getattr__, __dir__, __all__ = lazily(__name__, _HOMES)
