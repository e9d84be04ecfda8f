"""TOST and non-inferiority: statsmodels' figures (recorded), and agreement with the intervals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.errors import ConfigError, DataError
from tests.stats.one_column import equivalence

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "recorded" / "equivalence.json").read_text(encoding="utf-8")
)["cases"]
WITHIN = 1e-9


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['differences'])} queries")
def test_as_statsmodels(case: dict[str, Any]) -> None:
    found = equivalence(case["differences"], case["margin"])
    assert found.p_tost == pytest.approx(case["p_tost"], abs=WITHIN)
    assert found.p_non_inferior == pytest.approx(case["p_above"], abs=WITHIN)
    assert found.interval90.low == found.bound95 == pytest.approx(case["low"], abs=WITHIN)
    assert found.interval90.high == pytest.approx(case["high"], abs=WITHIN)
    assert found.interval90.level == 0.9


def test_the_decision_the_p_value_and_the_interval_agree() -> None:
    random = np.random.default_rng(3)
    decided = set()
    for _ in range(200):
        differences = random.normal(random.normal(0, 0.02), 0.05, random.integers(3, 80))
        found = equivalence(differences, 0.03)
        assert found.equivalent == (found.p_tost < 0.05)
        assert found.non_inferior == (found.p_non_inferior < 0.05)
        assert found.equivalent <= found.non_inferior
        decided.add((found.equivalent, found.non_inferior))
    assert decided == {(True, True), (False, True), (False, False)}


def test_better_is_not_equal_but_not_inferior() -> None:
    found = equivalence([0.2, 0.25, 0.22, 0.18, 0.21], 0.01)
    assert (found.equivalent, found.non_inferior) == (False, True)
    assert found.p_tost > 0.99
    assert found.p_non_inferior < 0.001


def test_clusters_of_one_change_nothing_and_repeated_queries_add_nothing() -> None:
    differences = np.random.default_rng(0).normal(0, 0.03, 12)
    alone = equivalence(differences, 0.02)
    singles = equivalence(differences, 0.02, clusters=np.arange(12))
    assert singles.p_tost == pytest.approx(alone.p_tost, rel=1e-12)
    twice = equivalence(np.repeat(differences, 2), 0.02, clusters=np.arange(24) // 2)
    assert twice.p_tost == pytest.approx(alone.p_tost, rel=1e-9)
    assert twice.bound95 == pytest.approx(alone.bound95, rel=1e-9)
    assert equivalence(np.repeat(differences, 2), 0.02).p_tost < alone.p_tost


@pytest.mark.parametrize(
    ("differences", "clusters", "says"),
    [
        ([0.0] * 40, None, "the 40 differences are all the same"),
        ([0.1, 0.1, 0.1], None, "the 3 differences are all the same"),
        ([0.1], None, "only one difference"),
        ([0.1, 0.3], [7, 7], "only one cluster"),
        ([0.1, 0.3, 0.1, 0.3], [0, 0, 1, 1], "the 2 clusters are all the same"),
    ],
)
def test_without_spread_nothing_is_shown_and_that_is_said(
    differences: list[float], clusters: list[int] | None, says: str
) -> None:
    found = equivalence(differences, 0.05, clusters=clusters)
    assert (found.equivalent, found.non_inferior) == (False, False)
    assert (found.p_tost, found.p_non_inferior) == (1.0, 1.0)
    assert math.isnan(found.bound95)
    assert str(found.note).startswith("not estimable")
    assert says in str(found.note)


@pytest.mark.parametrize("margin", [0.0, -0.02, math.nan, math.inf])
def test_a_margin_must_be_above_0(margin: float) -> None:
    with pytest.raises(ConfigError, match="must be above 0"):
        equivalence([0.1, 0.2], margin)


@pytest.mark.parametrize("differences", [[], [0.1, math.nan]])
def test_what_cannot_be_compared(differences: list[float]) -> None:
    with pytest.raises(DataError, match="quer"):
        equivalence(differences, 0.1)
