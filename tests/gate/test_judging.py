"""What a gate decides: PASS, FAIL or UNDECIDED, and a condition that sees nothing fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from ragscore import BM25, Query, Result, evaluate
from ragscore.elements import as_text
from ragscore.elements.numbers import number_text
from ragscore.errors import ConfigError, DataError
from ragscore.gate import Baseline, GateCondition, GateOptions, GateResult, gate_result
from ragscore.run import QueryFailure

QUERIES = 60
SEED = 3


def _system(found: float) -> Callable[[str, int], list[str]]:
    """Finds the passage of so many queries first, of the others second."""
    first = np.random.default_rng(SEED).random(QUERIES) < found

    def answer(query: str, k: int) -> list[str]:
        row = int(query)
        own, other = f"p{row}", f"p{(row + 1) % QUERIES}"
        return [own, other] if first[row] else [other, own]

    return answer


def _broken(query: str, k: int) -> list[str]:
    raise OSError("gone")


@cache
def result(broken: bool = False, **shares: float) -> Result:
    """A result of systems that find this share of the passages first."""
    kinds = ["exact" if row % 3 else "prose" for row in range(QUERIES)]
    data = {
        "passages": {f"p{row}": f"text {row}" for row in range(QUERIES)},
        "queries": [
            Query(id=f"q{row}", text=str(row), metadata={"kind": kinds[row]})
            for row in range(QUERIES)
        ]
        + [Query(id="none", text="0", metadata={"kind": "unanswerable"}, answerable=False)],
        "ground_truth": {f"q{row}": [f"p{row}"] for row in range(QUERIES)},
    }
    systems: dict[str, Any] = {name: _system(share) for name, share in shares.items()}
    return evaluate(data, {**systems, **({"broken": _broken} if broken else {})}, ["RR", "R@1"])


def judged(before: float | None, now: float, **options: Any) -> GateResult:
    """The gate of one system."""
    baseline = None if before is None else Baseline.from_result(result(mine=before))
    return gate_result(result(mine=now), baseline=baseline, **options)


def only(outcome: GateResult) -> GateCondition:
    """The only condition."""
    (condition,) = outcome.conditions
    return condition


@pytest.mark.parametrize(
    ("before", "now", "verdict", "code"),
    [
        (0.9, 0.5, "FAIL", 5),
        (0.9, 0.9, "PASS", 0),
        (0.9, 0.8, "UNDECIDED", 6),
        (0.3, 0.9, "PASS", 0),
    ],
)
def test_a_drop_fails_passes_or_is_undecided(
    before: float, now: float, verdict: str, code: int
) -> None:
    outcome = judged(before, now, max_drop={"R@1": 0.05})
    assert (outcome.verdict, outcome.exit_code) == (verdict, code)
    condition = only(outcome)
    assert condition.value == pytest.approx(condition.before - condition.now)
    assert condition.n == QUERIES
    assert (condition.needed is not None) == (verdict == "UNDECIDED")


def test_undecided_is_mapped_and_strict_goes_by_the_value() -> None:
    drop = {"max_drop": {"R@1": 0.05}}
    assert judged(0.9, 0.8, **drop, undecided="fail").exit_code == 5
    assert judged(0.9, 0.8, **drop, undecided="pass").exit_code == 0
    observed = only(judged(0.9, 0.8, **drop)).value
    assert judged(0.9, 0.8, max_drop={"R@1": observed}, strict=True).verdict == "PASS"
    assert judged(0.9, 0.8, max_drop={"R@1": observed - 1e-6}, strict=True).verdict == "FAIL"


def test_a_minimum_goes_by_the_value() -> None:
    value = only(judged(None, 0.8, min={"RR": 0.5})).value
    assert judged(None, 0.8, min={"RR": value}).verdict == "PASS"
    assert judged(None, 0.8, min={"RR": value + 1e-6}).verdict == "FAIL"


def test_with_confident_the_interval_decides_and_what_it_holds_is_undecided() -> None:
    interval = only(judged(None, 0.8, min={"RR": 0.5})).interval
    assert interval is not None
    for limit, verdict, quantity in (
        (interval.low - 1e-6, "PASS", "lower bound"),
        (interval.low + 1e-6, "UNDECIDED", "value"),
        (interval.high - 1e-6, "UNDECIDED", "value"),
        (interval.high + 1e-6, "FAIL", "upper bound"),
    ):
        condition = only(judged(None, 0.8, min={"RR": limit}, confident=True))
        assert (condition.verdict, condition.quantity) == (verdict, quantity)
        assert condition.within_noise == (verdict == "UNDECIDED")
    failed = judged(None, 0.8, min={"RR": interval.high + 1e-3}, confident=True)
    value = number_text(only(failed).now)
    assert f"{number_text(only(failed).value)} (value {value})" in str(failed)


def test_a_value_within_noise_of_its_limit_says_so_and_how_many_queries_would_decide() -> None:
    value = only(judged(None, 0.8, min={"RR": 0.5})).value
    near = judged(None, 0.8, min={"RR": value - 0.01})
    assert near.verdict == "PASS"
    assert re.search(r"mine: mRR is 0\.\d+ \(observed\); at least 0\.\d+ is required\.", str(near))
    assert re.search(r"Open: it is within noise of 0\.\d+ \(0\.\d+ to 0\.\d+\)", str(near))
    both = judged(None, 0.8, min={"RR": value - 0.01, "R@1": 0.3})
    assert "All 2 conditions hold; one is within noise of its limit." in str(both)
    undecided = judged(None, 0.8, min={"RR": value - 0.01}, confident=True)
    needed = only(undecided).needed
    assert needed is not None
    assert needed > QUERIES
    said = f"about {needed - QUERIES:,} more questions would decide it if it stayed the same."
    assert said in str(undecided)


def test_options_that_no_condition_goes_by_are_noted() -> None:
    drop, least = {"max_drop": {"R@1": 0.05}}, {"min": {"RR": 0.5}}
    assert not judged(0.9, 0.8, **drop, **least, strict=True, confident=True).notes
    [strict] = judged(None, 0.8, **least, strict=True).notes
    assert str(strict) == "strict has no effect: it applies to drops, and the gate has no max_drop."
    [confident] = judged(0.9, 0.8, **drop, confident=True).notes
    assert str(confident).startswith("confident has no effect")


def test_each_slice_is_a_condition_of_its_own_and_unanswerable_ones_are_none() -> None:
    outcome = judged(0.9, 0.5, max_drop={"R@1": 0.02}, by=("kind",))
    assert [one.slice for one in outcome.conditions] == ["", "kind: exact", "kind: prose"]
    assert [one.n for one in outcome.conditions] == [60, 40, 20]
    alone = only(judged(0.9, 0.5, max_drop={"R@1": 0.02}))
    assert outcome.conditions[0].p_fail == alone.p_fail
    assert outcome.conditions[0].p_fail_adjusted == pytest.approx(3 * alone.p_fail_adjusted)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_drop": {"R@1": 0.02}, "retrievers": ("broken",)}, "retriever failed"),
        ({"max_drop": {"R@1": 0.02}, "retrievers": ("absent",)}, "no such retriever"),
        ({"max_drop": {"RR": 0.02}, "retrievers": ("mine",)}, "not in the baseline"),
        ({"max": {"failed": 0.5}, "retrievers": ("broken",)}, "retriever failed"),
    ],
)
def test_a_condition_with_nothing_to_look_at_fails_and_says_so(
    options: dict[str, Any], reason: str
) -> None:
    baseline = Baseline.from_result(result(mine=0.9), ["R@1"])
    outcome = gate_result(result(broken=True, mine=0.9), baseline=baseline, **options)
    assert outcome.verdict == "FAIL"
    assert only(outcome).reason == reason
    assert "no data for" in str(outcome)


def test_without_texts_the_error_of_a_retriever_is_hidden() -> None:
    outcome = gate_result(result(broken=True, mine=0.9), min={"RR": 0.1}, retrievers=("broken",))
    assert "gone" in str(outcome)
    assert "gone" not in str(outcome.without_texts())
    assert "gone" not in str(outcome.without_texts().to_dict())


@pytest.mark.parametrize(
    ("leaves_out", "said"), [(True, "are left out; only"), (False, "as empty answers")]
)
def test_queries_that_failed_are_counted_and_said(leaves_out: bool, said: str) -> None:
    made = evaluate(
        {"passages": {"p": "a"}, "queries": {"q": "1"}, "ground_truth": {"q": ["p"]}},
        {"mine": lambda query, k: ["p"]},
        ["RR"],
    )
    (entry,) = made.manifest.retrievers
    failed = {"failed": (QueryFailure("q", "lost", 1),), "leaves_out": leaves_out}
    entries = (entry.model_copy(update=failed),)
    made.parts.manifest = made.manifest.model_copy(update={"retrievers": entries})
    outcome = gate_result(made, min={"RR": 0.1}, max={"failed": 0.5})
    assert [each.verdict for each in outcome.conditions] == ["PASS", "FAIL"]
    assert outcome.conditions[1].value == 1.0
    (note,) = outcome.notes
    assert "mine: 1 of 1 queries failed" in str(note)
    assert said in str(note)


def test_a_slice_whose_queries_nobody_judged_fails() -> None:
    queries = [Query(id=f"q{at}", text=str(at), metadata={"kind": "ab"[at]}) for at in range(2)]
    data = {"passages": {"p": "a"}, "queries": queries, "ground_truth": {"q0": ["p"]}}
    outcome = gate_result(
        evaluate(data, {"mine": lambda query, k: ["p"]}, ["RR"]), min={"RR": 0.1}, by=("kind",)
    )
    found = [(each.slice, each.verdict, each.reason) for each in outcome.conditions]
    assert found[1:] == [("kind: a", "PASS", ""), ("kind: b", "FAIL", "no query in the slice")]


def test_times_are_those_of_single_queries_or_of_the_calls_of_the_run() -> None:
    data = {
        "passages": {"p1": "apples", "p2": "boats"},
        "queries": {"q1": "apples", "q2": "boats"},
        "ground_truth": {"q1": ["p1"]},
    }
    made = evaluate(data, {"bm25": BM25(), "mine": lambda query, k: ["p2"]}, ["RR"])
    untimed = gate_result(made, max={"p95_ms": 1_000}, retrievers=("bm25",))
    assert (untimed.verdict, only(untimed).reason) == ("FAIL", "not measured")
    called = gate_result(made, max={"p95_ms": 1_000}, retrievers=("mine",))
    assert (called.verdict, only(called).n) == ("PASS", 2)
    assert "Timed on the run's 2 questions, with retries and waits, up to 1 at" in str(called)


def test_a_measure_that_is_defined_for_no_query_fails() -> None:
    data = {
        "passages": {"p1": "a", "p2": "b"},
        "queries": {"q1": "1"},
        "ground_truth": {"q1": ["p1"]},
    }
    lost = evaluate(data, {"mine": lambda query, k: ["p2"]}, ["MR"])
    for options in ({"max": {"MR": 5}}, {"max_drop": {"MR": 5}, "baseline": lost}):
        outcome = gate_result(lost, **options)  # type: ignore[arg-type]
        assert (outcome.verdict, only(outcome).reason) == ("FAIL", "undefined")
        assert "defined for no question" in str(outcome)


def test_an_unknown_slice_and_a_retriever_that_went_away_fail() -> None:
    outcome = judged(0.9, 0.9, min={"RR": 0.1}, by=("language",))
    assert [one.reason for one in outcome.conditions] == ["", "no such slice"]
    before = Baseline.from_result(result(mine=0.9, other=0.9))
    gone = gate_result(result(mine=0.9), baseline=before, max_drop={"RR": 0.1})
    assert [(one.retriever, one.verdict) for one in gone.conditions] == [
        ("mine", "PASS"),
        ("other", "FAIL"),
    ]


def test_other_data_are_refused_or_said() -> None:
    data = {"passages": {"p1": "a"}, "queries": {"q1": "1"}, "ground_truth": {"q1": ["p1"]}}
    other = Baseline.from_result(evaluate(data, {"mine": lambda query, k: ["p1"]}, ["R@1"]))
    options = GateOptions(max_drop={"R@1": 0.02})
    with pytest.raises(DataError, match="changed since the baseline"):
        gate_result(result(mine=0.9), options, baseline=other)
    outcome = gate_result(result(mine=0.9), options, baseline=other, allow_intersect=True)
    assert only(outcome).n == 1
    assert "have changed" in str(outcome.notes[0])
    assert "패시지, 질의, 정답 라벨" in as_text(outcome.elements(), language="ko")


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"passages": {"p1": "b"}}, "the passages of"),
        ({"passages": {"p1": "a", "p2": "new"}}, "the passages of"),
        ({"queries": {"q1": "2"}}, "the queries of"),
        ({"ground_truth": {"q1": {"p1": 2}}}, "the judgments of"),
        ({"queries": {"q1": "2"}, "ground_truth": {"q1": {"p1": 2}}}, "queries and the judgments"),
    ],
)
def test_it_says_which_part_of_the_data_changed(changes: dict[str, Any], parts: str) -> None:
    data = {"passages": {"p1": "a"}, "queries": {"q1": "1"}, "ground_truth": {"q1": {"p1": 1}}}
    before, now = (
        evaluate(each, {"mine": lambda query, k: ["p1"]}, ["R@1"])
        for each in (data, {**data, **changes})
    )
    with pytest.raises(DataError, match=parts):
        gate_result(now, max_drop={"R@1": 0.02}, baseline=before)


def test_other_conventions_are_refused_and_another_version_is_said() -> None:
    baseline = Baseline.from_result(result(mine=0.9))
    drop = {"max_drop": {"R@1": 0.02}, "allow_intersect": True}
    with pytest.raises(DataError, match=r"profile 'ranx'.*'trec'.*baseline update"):
        gate_result(
            result(mine=0.9), baseline=baseline.model_copy(update={"profile": "ranx"}), **drop
        )
    versions = {**baseline.versions, "ragscore-eval": "0.0.1"}
    older = baseline.model_copy(update={"versions": versions})
    (note,) = gate_result(result(mine=0.9), baseline=older, **drop).notes
    assert "ragscore 0.0.1" in str(note)


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ConfigError, match="none is named"):
        gate_result(result(mine=0.9), max_drop={"R@1": 0.02})
    for options in (
        {},
        {"min": {"MR": 2}},
        {"max": {"R@1": 0.5}},
        {"max_drop": {"gmAP": 0.1}},
        {"max": {"p96_ms": 2}},
        {"max_drop": {"R@1": -0.1}},
    ):
        with pytest.raises(ConfigError):
            gate_result(result(mine=0.9), **options)  # type: ignore[arg-type]


def test_it_says_what_was_compared_and_is_its_own_json() -> None:
    outcome = judged(0.9, 0.5, max_drop={"R@1": 0.05}, min={"RR": 0.9})
    text = str(outcome)
    assert re.search(
        r"FAIL\. mine: R@1 fell from 0\.\d+ to 0\.\d+ since the baseline of 20[\d-]+; a fall of "
        r"0\.05 is allowed\. One more condition doesn't hold\.",
        text,
    )
    assert re.search(r"do not ship mine until R@1 is within 0\.05 of 0\.\d+ again\.", text)
    assert re.search(r"the change is -0\.\d+ \[.*\], a fall of more than the 0\.05 allowed", text)
    assert re.search(r"R@1 may fall by 0\.05 +-0\.\d+ \[.*\]", text)
    document = outcome.to_dict()
    assert document["schema"] == 1
    assert GateResult.from_dict(document).to_dict() == document


def test_holm_is_over_all_drops_those_without_a_change_too() -> None:
    before = Baseline.from_result(result(mine=0.9, other=0.9))
    outcome = gate_result(result(mine=0.5, other=0.9), baseline=before, max_drop={"RR": 0.02})
    mine, other = outcome.conditions
    assert mine.p_fail_adjusted == pytest.approx(min(1.0, 2 * (mine.p_fail or 0.0)))
    assert (other.verdict, other.reason, other.p_fail) == ("PASS", "unchanged", 1.0)
    assert other.p_pass == pytest.approx(0.98**QUERIES, rel=1e-4)


@pytest.mark.parametrize(("allowance", "said"), [(0.02, "too few to rule out"), (0.1, "changed.")])
def test_an_unchanged_result_passes_and_says_whether_that_excludes_the_allowance(
    allowance: float, said: str
) -> None:
    outcome = judged(0.9, 0.9, max_drop={"RR": allowance})
    assert outcome.verdict == "PASS"
    assert said in str(outcome)


def test_an_undecided_drop_says_what_these_queries_would_show() -> None:
    outcome = judged(0.9, 0.8, max_drop={"R@1": 0.05})
    shown = only(outcome).detectable
    assert shown is not None
    assert 0.1 < shown < 0.4
    assert f"A true change of {shown:.2f} would be detected 4 times in 5." in str(outcome)
    assert "다섯 번 중 네 번" in as_text(outcome.elements(), language="ko")


def test_what_would_settle_a_drop_settles_it() -> None:
    outcome = judged(0.9, 0.8, max_drop={"R@1": 0.05})
    said = re.search(
        r"about (\d+) more questions would rule .*; or allow a fall of (0\.\d+)\.",
        str(outcome).replace("\n", " "),
    )
    assert said is not None
    assert int(said[1]) == (only(outcome).needed or 0) - QUERIES
    assert judged(0.9, 0.8, max_drop={"R@1": float(said[2])}).verdict == "PASS"
    assert judged(0.9, 0.8, max_drop={"R@1": float(said[2]) - 0.002}).verdict == "UNDECIDED"


def test_of_a_measure_that_is_better_lower_a_rise_is_the_drop() -> None:
    ids = [f"q{at}" for at in range(40)]
    data = {
        "passages": {"p": "a", "x": "b"},
        "queries": dict(zip(ids, ids, strict=True)),
        "ground_truth": {query: ["p"] for query in ids},
    }
    before = evaluate(data, {"mine": lambda query, k: ["p", "x"]}, ["MR"])
    now = evaluate(data, {"mine": lambda query, k: ["x", "p"]}, ["MR"])
    text = str(gate_result(now, max_drop={"MR": 0.5}, baseline=before))
    assert "MR rose from 1.000 to 2.000 since" in text
    assert "a rise of 0.5 is allowed." in text
    assert re.search(r"MR may rise by 0\.5 +\+1\.000", text)
