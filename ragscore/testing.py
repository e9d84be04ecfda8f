"""Retrieval in a test suite: an assertion that fails where a result is worse than its baseline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragscore.elements import as_text
from ragscore.gate import Baseline, GateOptions, GateResult, baseline_for, judge_gate
from ragscore.gate.printed import printed_gate
from ragscore.results import Result, open_result
from ragscore.validation.findings import from_options


def assert_not_worse(
    result: Result | str | Path,
    baseline: Baseline | Result | str | Path,
    max_drop: Mapping[str, float],
    *,
    texts: bool = True,
    **changes: Any,
) -> GateResult:
    """Fail the test where a measure fell below the baseline by more than is allowed.

    It fails, too, where the queries are too few to exclude such a drop (UNDECIDED);
    ``undecided="pass"`` lets these pass, ``strict=True`` judges the observed drop.

    Args:
        result: what retrieval reaches now, or the folder of a result.
        baseline: a file that ``ragscore baseline save`` wrote, or an earlier result.
        max_drop: how far each measure may fall, in its own units: ``{"nDCG@10": 0.02}``.
        texts: whether the message shows texts of queries.
        changes: other fields of :class:`~ragscore.GateOptions`: ``min={"R@10": 0.6}``.

    Returns:
        What the gate says, condition by condition.

    Raises:
        AssertionError: the gate does not pass; its message is what ``ragscore gate`` prints.
        ConfigError: an option is wrong.
        DataError: result or baseline cannot be read, or have other data.
    """
    __tracebackhide__ = True
    opened = open_result(result) if isinstance(result, str | Path) else result
    options = from_options(GateOptions, {"max_drop": max_drop, **changes})
    before = baseline_for(opened, options, baseline=baseline)
    gated = judge_gate(opened, options, before)
    if not gated.passed:
        raise AssertionError("\n" + as_text(printed_gate(gated, opened, before, texts=texts)))
    return gated
