"""One-sided paired tests, and what a drop against an allowance rests on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from ragscore.stats.drops import drop_test
from ragscore.stats.equivalence import equivalences
from ragscore.stats.one_sided import one_sided_tests

RANDOM = np.random.default_rng(1)
DENSE = RANDOM.normal(-0.03, 0.2, 80)


def test_both_directions_are_scipys_one_sided_t() -> None:
    [found] = one_sided_tests([DENSE], [-0.02])
    below = ttest_1samp(DENSE, -0.02, alternative="less").pvalue
    above = ttest_1samp(DENSE, -0.02, alternative="greater").pvalue
    assert (found.p_below, found.p_above) == pytest.approx((below, above), rel=1e-9)
    drop = drop_test(DENSE, 0.02, bounded=False)
    assert (drop.basis, drop.p_fail, drop.p_pass) == ("t", found.p_below, found.p_above)


def test_without_a_known_range_non_inferiority_is_the_same_test() -> None:
    [margin] = equivalences([DENSE], [0.05])
    drop = drop_test(DENSE, 0.05, bounded=False)
    assert margin.p_non_inferior == drop.p_pass
    assert -drop.interval.high == margin.bound95


@pytest.mark.parametrize(
    ("differences", "basis", "fails", "passes"),
    [
        ([0.0] * 40, "unchanged", False, False),
        ([0.0] * 149, "unchanged", False, True),
        ([-1.0] * 4 + [0.0] * 36, "bounded", False, False),
        ([-0.1] * 3 + [0.0] * 497, "bounded", False, True),
        ([-1.0] * 40, "bounded", True, False),
        ([0.1] * 400, "bounded", False, True),
        ([-1.0] * 12 + [0.0] * 28, "bounded", True, False),
        ([*np.linspace(-0.01, 0.01, 40)], "bounded", False, False),
        ([*np.linspace(-0.01, 0.01, 200)], "bounded", False, True),
        ([-1.0], "bounded", False, False),
        ([-1.0] * 5, "bounded", True, False),
        ([-0.02] * 40, "bounded", False, False),
    ],
)
def test_what_a_verdict_rests_on(
    differences: list[float], basis: str, fails: bool, passes: bool
) -> None:
    found = drop_test(np.array(differences), 0.02, bounded=True)
    assert found.basis == basis
    assert (found.p_fail < 0.05, found.p_pass < 0.05) == (fails, passes)


@pytest.mark.parametrize(
    ("differences", "basis", "fails"),
    [
        ([0.0] * 400, "unchanged", False),
        ([-9.0] * 5 + [0.0] * 400, "few differ", False),
        ([-9.0] * 40, "no spread", True),
        ([-9.0], "few differ", False),
    ],
)
def test_a_measure_without_a_known_range_shows_little_from_few(
    differences: list[float], basis: str, fails: bool
) -> None:
    found = drop_test(np.array(differences), 0.02, bounded=False)
    assert (found.basis, found.p_fail < 0.05, found.p_pass < 0.05) == (basis, fails, False)


def test_changes_that_cancel_within_their_clusters_are_changes() -> None:
    found = drop_test(
        np.array([0.5, -0.5] * 30), 0.02, bounded=True, clusters=np.repeat(np.arange(30), 2)
    )
    assert found.basis == "bounded"


def test_clusters_widen_the_tests() -> None:
    once = RANDOM.normal(-0.2, 0.2, 30)
    repeated = np.repeat(once, 4)
    alone = drop_test(repeated, 0.02, bounded=True)
    together = drop_test(repeated, 0.02, bounded=True, clusters=np.repeat(np.arange(30), 4))
    assert alone.p_fail < together.p_fail
    assert together.p_fail == pytest.approx(drop_test(once, 0.02, bounded=True).p_fail)
    needed = drop_test(once, 0.02, bounded=True).needed()
    assert needed is not None
    assert together.needed() == pytest.approx(4 * needed, rel=0.01)


def test_an_allowance_of_the_whole_range_holds_whatever_fell() -> None:
    assert drop_test(np.array([-1.0] * 5), 1.0, bounded=True).p_pass == 0.0


@pytest.mark.parametrize("bounded", [True, False])
def test_more_queries_are_needed_for_more_conditions_and_none_suffice_for_no_allowance(
    bounded: bool,
) -> None:
    found = drop_test(DENSE, 0.02, bounded=bounded)
    one, ten = found.needed(), found.needed(10)
    assert one is not None
    assert ten is not None
    assert 80 < one < ten
    shown, shown_of_ten = found.detectable(), found.detectable(10)
    assert shown is not None
    assert shown_of_ten is not None
    assert 0.02 < shown < shown_of_ten
    assert drop_test(DENSE, 0.0, bounded=bounded).needed() is None


@pytest.mark.parametrize("differences", [[-0.1] * 3 + [0.0] * 30, [0.1] * 20, [-1.0, 1.0, 0.0]])
def test_few_queries_of_one_sign_still_say_how_many_are_needed(differences: list[float]) -> None:
    found = drop_test(np.array(differences), 0.05, bounded=True)
    assert (found.needed() or 0) >= 58


def test_what_is_detectable_has_the_power_it_is_stated_for() -> None:
    found = drop_test(DENSE, 0.02, bounded=True)
    assert found.power(found.detectable() or 0.0) == pytest.approx(0.8, abs=0.01)
    assert found.power(0.05) < found.power(0.1) < found.power(0.15)
    few = drop_test(np.array([-0.1, 0.1, 0.0]), 0.02, bounded=True)
    assert few.detectable() is None
    assert few.power(0.05) == 0.0
