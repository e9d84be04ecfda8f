"""One-sided paired tests, and what a drop against an allowance rests on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp

from ragscore.stats.drops import drop_test
from ragscore.stats.equivalence import equivalences
from ragscore.stats.one_sided import one_sided_tests, p_excluded, queries_that_exclude

RANDOM = np.random.default_rng(1)
DENSE = RANDOM.normal(-0.03, 0.2, 80)


def test_both_directions_are_scipys_one_sided_t() -> None:
    [found] = one_sided_tests([DENSE], [-0.02])
    below = ttest_1samp(DENSE, -0.02, alternative="less").pvalue
    above = ttest_1samp(DENSE, -0.02, alternative="greater").pvalue
    assert (found.p_below, found.p_above) == pytest.approx((below, above), rel=1e-9)


def test_non_inferiority_is_the_same_test() -> None:
    [margin] = equivalences([DENSE], [0.05])
    drop = drop_test(DENSE, 0.05, bounded=True)
    assert margin.p_non_inferior == drop.p_pass
    assert -drop.interval.high == margin.bound95


def test_the_exclusion_is_the_binomial_test() -> None:
    expected = binomtest(2, 300, 0.02, alternative="less").pvalue
    assert p_excluded(2, 300, 0.02) == pytest.approx(expected)
    needed = queries_that_exclude(0.02, 0.05)
    assert needed == 149
    assert p_excluded(0, needed, 0.02) < 0.05 <= p_excluded(0, needed - 1, 0.02)


@pytest.mark.parametrize(
    ("differences", "basis", "fails", "passes"),
    [
        ([0.0] * 40, "unchanged", False, False),
        ([-1.0] * 5 + [0.0] * 35, "few differ", False, False),
        ([-0.1] * 3 + [0.0] * 497, "few differ", False, True),
        ([-1.0] * 40, "no spread", True, False),
        ([0.1] * 40, "no spread", False, True),
        ([-1.0] * 12 + [0.0] * 28, "t", True, False),
        ([*np.linspace(-0.01, 0.01, 40)], "t", False, True),
    ],
)
def test_what_a_verdict_rests_on(
    differences: list[float], basis: str, fails: bool, passes: bool
) -> None:
    found = drop_test(np.array(differences), 0.02, bounded=True)
    assert found.basis == basis
    assert (found.p_fail < 0.05, found.p_pass < 0.05) == (fails, passes)


def test_neither_clusters_nor_unbounded_measures_are_excluded_by_counting() -> None:
    few = np.array([-0.1] * 3 + [0.0] * 497)
    assert drop_test(few, 0.02, bounded=False).p_pass == 1.0
    assert drop_test(few, 0.02, bounded=True, clusters=np.arange(500) // 2).p_pass == 1.0


def test_clusters_widen_the_tests() -> None:
    once = RANDOM.normal(-0.1, 0.2, 20)
    repeated = np.repeat(once, 4)
    alone = drop_test(repeated, 0.02, bounded=True)
    together = drop_test(repeated, 0.02, bounded=True, clusters=np.repeat(np.arange(20), 4))
    assert alone.p_fail < together.p_fail
    assert together.p_fail == pytest.approx(drop_test(once, 0.02, bounded=True).p_fail)


def test_more_queries_are_needed_for_more_conditions_and_none_suffice_for_no_allowance() -> None:
    found = drop_test(DENSE, 0.02, bounded=True)
    one, ten = found.needed(), found.needed(10)
    assert one is not None
    assert ten is not None
    assert 80 < one < ten
    assert drop_test(DENSE, 0.0, bounded=True).needed() is None
