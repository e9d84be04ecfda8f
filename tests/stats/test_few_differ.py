"""Few differing queries: which interval, which claims, and that they agree with the sign flips."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragscore.stats.few_differ import TOO_FEW
from tests.stats.one_column import difference_interval, equivalence, paired_test

Z = 1.959963984540054


def steps(wins: int, losses: int, n: int, size: float = 1.0) -> np.ndarray:
    values = np.zeros(n)
    values[:wins], values[wins : wins + losses] = size, -size
    return values


@pytest.mark.parametrize("size", [1.0, 0.2])
def test_of_equal_steps_it_is_bonett_and_price_in_thousands_of_queries(size: float) -> None:
    wins, losses, n = 14, 5, 20_000
    found = difference_interval(steps(wins, losses, n, size))
    won, lost = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = Z * math.sqrt((won + lost - (won - lost) ** 2) / (n + 2))
    assert found.method == "plus-two"
    assert found.low == pytest.approx(size * (won - lost - half), abs=1e-3 * size * half)
    assert found.high == pytest.approx(size * (won - lost + half), abs=1e-3 * size * half)


@pytest.mark.parametrize("n", [40, 100, 1_000, 20_000])
@pytest.mark.parametrize(("wins", "losses"), [(6, 0), (7, 0), (8, 1), (10, 2), (9, 2), (8, 2)])
def test_it_excludes_0_where_the_exact_test_of_as_many_queries_does(
    wins: int, losses: int, n: int
) -> None:
    values = steps(wins, losses, n)
    found = difference_interval(values)
    assert (found.low > 0) == (paired_test(values).p < 0.05)


def test_5_or_fewer_of_many_have_no_interval_and_show_no_equality() -> None:
    for count in range(1, TOO_FEW + 1):
        values = steps(count, 0, 100, 0.05)
        found = difference_interval(values)
        assert not found.estimable
        several = "queries differ"
        assert str(found.note) == f"not estimable: only {count} of 100 {several}"
        within = equivalence(values, 0.005)
        assert (within.equivalent, within.non_inferior, within.p_tost) == (False, False, 1.0)
        assert "differ" in str(within.note)


def test_equality_is_shown_by_the_same_interval() -> None:
    values = steps(6, 4, 100, 0.1)
    wide = difference_interval(values, level=0.9)
    for margin in (abs(wide.low) * 1.001, abs(wide.low) * 0.999, wide.high * 1.001):
        found = equivalence(values, margin)
        assert found.interval90 == wide
        assert found.equivalent == (wide.low > -margin and wide.high < margin)
        assert found.equivalent == (found.p_tost < 0.05)
        assert found.non_inferior == (found.p_non_inferior < 0.05)


def test_who_names_a_method_gets_it_and_many_that_differ_take_t() -> None:
    assert difference_interval(steps(2, 0, 100), method="t").method == "t"
    assert difference_interval(steps(2, 0, 100), method="t").estimable
    assert difference_interval(steps(7, 2, 17)).method == "t"
    assert difference_interval(steps(40, 20, 200)).method == "t"
    assert difference_interval(steps(40, 20, 2_000)).method == "plus-two"


def test_clusters_count_as_queries_do() -> None:
    values = steps(7, 1, 60, 0.5)
    twice, labels = np.repeat(values, 2), np.arange(120) // 2
    once, found = difference_interval(values), difference_interval(twice, clusters=labels)
    assert found.method == "plus-two"
    assert (found.low, found.high) == pytest.approx((once.low, once.high))
    assert str(found.note) == "only 8 of 60 clusters differ"


def test_turning_the_signs_turns_the_interval_to_the_last_digit() -> None:
    random = np.random.default_rng(4)
    for _ in range(50):
        values = np.where(random.random(80) < 0.15, random.normal(0.05, 0.2, 80), 0.0)
        one, other = difference_interval(values), difference_interval(-values)
        if one.estimable:
            assert (one.low, one.high) == (-other.high, -other.low)
