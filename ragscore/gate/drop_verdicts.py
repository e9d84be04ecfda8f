"""The drops of a gate, judged together: Holm over all of them, in each direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragscore.gate.condition_judging import UntestedDrop
from ragscore.gate.model import ConditionOutcome, GateVerdict, Reason
from ragscore.stats.corrections import adjust
from ragscore.stats.drops import Basis, DropTest, drop_tests
from ragscore.stats.one_sided import ALPHA
from ragscore.stats.units import SAME

REASONS: dict[Basis, Reason] = {
    "bounded": "",
    "t": "",
    "few differ": "few differ",
    "no spread": "no spread",
    "unchanged": "unchanged",
}


def judged_drops(
    conditions: Sequence[ConditionOutcome | UntestedDrop], *, strict: bool
) -> Iterator[ConditionOutcome]:
    """The conditions in order, each drop with its verdict.

    Args:
        conditions: those that are judged already, and drops.
        strict: judge the observed drops.
    """
    untested = [each for each in conditions if isinstance(each, UntestedDrop)]
    tests = drop_tests([condition.drop for condition in untested])
    found = zip(
        tests,
        adjust([test.p_fail for test in tests]).tolist(),
        adjust([test.p_pass for test in tests]).tolist(),
        strict=True,
    )
    for condition in conditions:
        if isinstance(condition, ConditionOutcome):
            yield condition
        else:
            yield _judged(condition.outcome, *next(found), len(tests), strict=strict)


def _judged(
    outcome: ConditionOutcome,
    test: DropTest,
    p_fail: float,
    p_pass: float,
    count: int,
    *,
    strict: bool,
) -> ConditionOutcome:
    tested = replace(
        outcome,
        interval=test.interval,
        reason=REASONS[test.basis],
        p_fail=test.p_fail,
        p_pass=test.p_pass,
        p_fail_adjusted=p_fail,
        p_pass_adjusted=p_pass,
    )
    if tested.reason == "unchanged":
        return replace(tested, verdict="PASS")
    if strict:
        within = tested.value <= tested.threshold + SAME
        return replace(tested, verdict="PASS" if within else "FAIL", reason="strict")
    verdict: GateVerdict = "FAIL" if p_fail < ALPHA else "PASS" if p_pass < ALPHA else "UNDECIDED"
    if verdict != "UNDECIDED":
        return replace(tested, verdict=verdict)
    return replace(
        tested,
        verdict=verdict,
        needed=test.needed(count),
        detectable=test.detectable(count),
    )
