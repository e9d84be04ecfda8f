"""Gaffke's bound: exact where it is known to be, and never too bold where that is a conjecture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import beta, binom

from ragscore.stats.bounded_means import BoundedMeans, chances_at_most_zero
from ragscore.stats.bounded_power import score_at_most_zero
from ragscore.stats.one_sided import intervals90, one_sided_tests
from ragscore.stats.units import units_of


def means(*rows: list[float], clusters: np.ndarray | None = None) -> BoundedMeans:
    """Of samples with values in [-1, 1]."""
    return BoundedMeans.of(units_of(np.array(rows), clusters), 1.0)


@pytest.mark.parametrize("count", [1, 2, 5, 7, 20, 40, 300])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_of_two_sizes_it_is_clopper_and_pearson(count: int, share: float) -> None:
    fallen = int(share * count)
    sample = means([-1.0] * fallen + [0.0] * (count - fallen))
    for limit in (-0.02, -0.1, -0.6):
        expected = beta.sf(-limit, fallen + 1, count - fallen)
        chance = sample.chances(np.array([limit, -limit]))[0]
        assert chance == pytest.approx(expected, rel=2e-5, abs=1e-12)
        assert chance == pytest.approx(binom.cdf(fallen, count, -limit), rel=2e-5, abs=1e-12)
    bound = sample.bounds(0.05)[0]
    assert bound == pytest.approx(-beta.isf(0.05, fallen + 1, count - fallen), abs=1e-6)


def test_it_is_the_chance_under_random_weights() -> None:
    random = np.random.default_rng(5)
    values = np.where(random.random(30) < 0.4, random.normal(-0.1, 0.3, 30), 0.0)
    weights = random.dirichlet(np.ones(31), 40_000)
    drawn = weights @ np.append(values, -1.0)
    for limit in (-0.3, -0.1, -0.02):
        chance = means(values.tolist()).chances(np.array([limit, limit]))[0]
        assert chance == pytest.approx((drawn <= limit).mean(), abs=0.01)


@pytest.mark.parametrize("count", [5, 25])
def test_its_level_holds_for_all_populations_of_two_values(count: int) -> None:
    """The exact level: each possible sample of two values, with its binomial chance."""
    fallen = np.arange(count + 1)
    shares = np.array([0.005, 0.02, 0.1, 0.3, 0.5, 0.8, 0.97])
    chances = binom.pmf(fallen, count, shares[:, None])
    worst = 0.0
    for low in (-1.0, -0.3, -0.03):
        for high in (0.0, 0.1, 1.0):
            samples = np.where(np.arange(count) < fallen[:, None], low, high)
            truths = np.repeat(shares * low + (1 - shares) * high, len(samples))
            tests = one_sided_tests(np.tile(samples, (len(shares), 1)), truths.tolist(), reach=1.0)
            for side in ("p_above", "p_below"):
                shown = np.array([getattr(one, side) <= 0.05 for one in tests])
                wrong = (chances * shown.reshape(chances.shape)).sum(axis=1)
                worst = max(worst, float(wrong.max()))
    assert 0.03 < worst <= 0.05


values = st.lists(
    st.one_of(st.just(0.0), st.floats(-1, 1, allow_subnormal=False), st.sampled_from([-1.0, 1.0])),
    min_size=1,
    max_size=40,
)


@settings(max_examples=20)
@given(values, st.floats(0.001, 0.9))
def test_both_sides_mirror_each_other_and_go_by_the_interval(
    sample: list[float], threshold: float
) -> None:
    array = np.array([sample])
    [interval] = intervals90(array, reach=1.0)
    mean = float(array.mean())
    assert -1 <= interval.low <= mean + 1e-9
    assert mean - 1e-9 <= interval.high <= 1
    [one] = one_sided_tests(array, [-threshold], reach=1.0)
    [other] = one_sided_tests(-array, [threshold], reach=1.0)
    assert (one.p_above, one.p_below) == pytest.approx((other.p_below, other.p_above), abs=1e-9)
    if abs(one.p_above - 0.05) > 1e-4:
        assert (one.p_above < 0.05) == (interval.low > -threshold)
    if abs(one.p_below - 0.05) > 1e-4:
        assert (one.p_below < 0.05) == (interval.high < -threshold)


def test_samples_side_by_side_are_as_each_alone_and_the_order_plays_no_part() -> None:
    random = np.random.default_rng(6)
    rows = random.normal(-0.05, 0.2, (7, 90)).clip(-1, 1)
    together = one_sided_tests(rows, [-0.02] * 7, reach=1.0)
    alone = [one_sided_tests([row], [-0.02], reach=1.0)[0] for row in rows]
    assert intervals90(rows, reach=1.0) == [intervals90([row], reach=1.0)[0] for row in rows]
    turned = one_sided_tests(rows[:, ::-1], [-0.02] * 7, reach=1.0)
    for one, other, third in zip(together, alone, turned, strict=True):
        assert one == other
        assert one.p_above == pytest.approx(third.p_above, rel=1e-9)


def test_clusters_count_as_one_and_an_unseen_one_is_the_largest() -> None:
    once = [-0.3, 0.1, 0.2, -0.4, 0.0, 0.3, -0.2, 0.1]
    pairs = np.repeat(once, 2).tolist()
    twice = means(pairs, clusters=np.repeat(np.arange(8), 2))
    limits = np.array([-0.02, 0.02])
    assert twice.chances(limits) == pytest.approx(means(once).chances(limits))
    uneven = means(pairs, clusters=np.array([*range(12), 12, 12, 12, 12]))
    assert uneven.sizes.tolist() == [1.0] * 12 + [4.0, 4.0]
    assert uneven.totals[:, -1].tolist() == [-4.0, -4.0]


def test_the_score_that_power_goes_by_is_nearly_that_of_the_chance() -> None:
    random = np.random.default_rng(7)
    for count in (10, 40, 300):
        steps = np.where(random.random(count) < 0.3, random.normal(-0.02, 0.3, count), 0.0)
        for limit in (-0.3, -0.1, -0.03, 0.02):
            values = np.append(steps - limit, -1 - limit)
            [chance] = chances_at_most_zero(values[None])
            score = score_at_most_zero(values, np.ones(count + 1))
            assert ndtr(score) == pytest.approx(chance, rel=0.05)


def test_the_ends_of_the_range_are_reached() -> None:
    every = means([-1.0] * 10)
    assert every.chances(np.array([-1.0, 1.0])).tolist() == [1.0, 1.0]
    assert every.chances(np.array([-1.1, 0.99])).tolist() == [
        0.0,
        pytest.approx(0.995**10, rel=1e-4),
    ]
    assert intervals90([[-1.0] * 10], reach=1.0)[0].low == -1.0
