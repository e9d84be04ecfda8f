"""A gate on leaks: with ``confident`` by the exact one-sided bound of the share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from scipy import stats

from ragscore import Result, evaluate, open_result
from ragscore.elements import as_text
from ragscore.gate import ConditionOutcome

LEAK = {"Leak@2": 0.01}


@cache
def result(queries: int, leaking: int) -> Result:
    """Of so many queries, each of which forbids a passage, so many get it."""

    def search(query: str, k: int) -> list[str]:
        return [f"p{query}", f"x{query}"] if int(query) < leaking else [f"p{query}"]

    numbers = range(queries)
    data = {
        "passages": {f"{letter}{at}": "text" for letter in "px" for at in numbers},
        "queries": {f"q{at}": str(at) for at in numbers},
        "ground_truth": [
            {"query_id": f"q{at}", "passages": {f"p{at}": 1}, "forbidden": [f"x{at}"]}
            for at in numbers
        ],
    }
    return evaluate(data, {"mine": search}, ["RR", "Leak@2"])


def only(of: Result, **options: object) -> ConditionOutcome:
    (condition,) = of.gate(**options).conditions  # type: ignore[arg-type]
    return condition


@pytest.mark.parametrize(
    ("queries", "leaking", "confident", "verdict", "needed"),
    [
        (298, 0, True, "UNDECIDED", 299),
        (300, 0, True, "PASS", None),
        (300, 1, True, "UNDECIDED", 1_000),
        (300, 4, True, "FAIL", None),
        (20, 0, False, "PASS", None),
        (20, 1, False, "FAIL", None),
        (20, 1, True, "FAIL", None),
    ],
)
def test_verdicts(
    queries: int, leaking: int, confident: bool, verdict: str, needed: int | None
) -> None:
    condition = only(result(queries, leaking), max=LEAK, confident=confident)
    assert condition.verdict == verdict
    assert condition.now == leaking / queries
    assert condition.interval is not None
    assert condition.interval.method == "clopper-pearson"
    upper = stats.beta.ppf(0.95, leaking + 1, queries - leaking)
    assert condition.interval.high == pytest.approx(upper, abs=1e-12)
    if needed is None or leaking == 0:
        assert condition.needed == needed
    else:  # of the same share
        assert condition.needed is not None
        at, share = condition.needed, leaking / queries

        def bound(n: int) -> float:
            return float(stats.beta.ppf(0.95, n * share + 1, n - n * share))

        assert bound(at) <= 0.01 < bound(at - 1)


def test_none_of_300_still_allows_one_percent() -> None:
    condition = only(result(300, 0), max=LEAK, confident=True)
    assert condition.value == pytest.approx(1 - 0.05 ** (1 / 300), abs=1e-12)
    assert round(condition.value, 5) == 0.00994


def test_what_the_gate_says(tmp_path: Path) -> None:
    undecided = result(20, 0).gate(max=LEAK, confident=True)
    assert undecided.exit_code == 6
    text = as_text(undecided.elements(), language="en")
    assert "20 queries can't rule out a share above 0.01." in text
    assert "299 queries with the same share would." in text
    never = as_text(result(20, 0).gate(max={"Leak@2": 0}, confident=True).elements(), language="en")
    assert "No number of queries could" in never
    result(20, 0).save(tmp_path / "saved")
    again = open_result(tmp_path / "saved").gate(max=LEAK, confident=True)
    assert again.conditions == undecided.conditions
