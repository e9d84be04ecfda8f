"""What the command and a failing test print of a gate: its outcome, and the queries that fell."""

from __future__ import annotations

from ragscore.elements import Element
from ragscore.gate import Baseline, GateOutcome
from ragscore.gate.fallen_queries import fallen_elements
from ragscore.results.result import Result


def printed_gate(
    result: Result, outcome: GateOutcome, baseline: Baseline | None, *, texts: bool = True
) -> list[Element]:
    """The verdict, every condition, and the ten queries that fell most, folded.

    Args:
        result: what was judged.
        outcome: of its gate.
        baseline: what drops were measured from; see :meth:`Result.baseline_for`.
        texts: whether texts of queries and ids of passages are shown.
    """
    if not texts:
        outcome = outcome.without_texts()
    elements: list[Element] = outcome.elements()
    if baseline is not None:
        elements += fallen_elements(outcome, result, baseline, texts=texts)
    return elements
