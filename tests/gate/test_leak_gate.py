"""A gate on leaks: with ``confident`` by the exact one-sided bound of the share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from scipy import stats

from ragscore import Result, evaluate, open_result
from ragscore.gate import GateCondition, gate_result

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


def only(of: Result, **options: object) -> GateCondition:
    (condition,) = gate_result(of, **options).conditions  # type: ignore[arg-type]
    return condition


@pytest.mark.parametrize(
    ("queries", "leaking", "confident", "verdict", "needed"),
    [
        (298, 0, True, "UNDECIDED", 299),
        (300, 0, True, "PASS", None),
        (300, 1, True, "UNDECIDED", 1_000),
        (300, 4, True, "UNDECIDED", None),
        (300, 9, True, "FAIL", None),
        (20, 0, False, "PASS", None),
        (20, 1, False, "FAIL", None),
        (20, 1, True, "UNDECIDED", None),
        (20, 4, True, "FAIL", None),
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
    undecided = gate_result(result(20, 0), max=LEAK, confident=True)
    assert undecided.exit_code == 6
    assert str(undecided).startswith(
        "Gate\n\nUNDECIDED. mine: Leak@2 is 0.000 (observed); at most 0.01 is allowed.\n"
        "What to do: do not ship mine until this is settled, or accept the risk with the "
        "option undecided: pass."
        "\nOpen: it is within noise of 0.01 (0.000 to 0.139): other questions could decide the "
        "other way.\n"
        "To settle: about 279 more questions would decide it if it stayed the same.\n"
    )
    never = gate_result(result(20, 0), max={"Leak@2": 0}, confident=True)
    assert "No number of questions can show that it is 0" in str(never)
    result(20, 0).save(tmp_path / "saved")
    again = gate_result(open_result(tmp_path / "saved"), max=LEAK, confident=True)
    assert again.conditions == undecided.conditions
