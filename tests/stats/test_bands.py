"""Intervals at every setting: against scipy, against stats.intervals, and what cannot be told."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragscore.stats.bands import SettingValues
from ragscore.stats.intervals import mean_intervals
from tests.stats.one_column import mean_interval, wilson


def band_of(values: np.ndarray, labels: np.ndarray | None = None, **options: bool):
    return SettingValues.of(values, labels, **options).band()


def test_t_as_scipy_has_it() -> None:
    values = np.random.default_rng(0).random((40, 5))
    band = band_of(values)
    for at in range(5):
        column = values[:, at]
        low, high = stats.t.interval(
            0.95, 39, loc=column.mean(), scale=column.std(ddof=1) / np.sqrt(40)
        )
        assert (band.low[at], band.high[at]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("successes", [0, 1, 17, 30])
def test_wilson_for_zero_and_one(successes: int) -> None:
    values = (np.arange(30) < successes).astype(float)[:, None]
    band = band_of(values)
    wanted = wilson(successes, 30)
    assert (band.low[0], band.high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


@pytest.mark.parametrize("clustered", [False, True])
def test_exact_shares_are_those_of_single_means(clustered: bool) -> None:
    """None of 300 still allows 1 %, at each setting and in each part of the queries."""
    leaks = np.zeros((300, 3))
    leaks[:7, 1], leaks[:, 2] = 1, 1
    labels = np.arange(300) // 3 if clustered else None
    values = SettingValues.of(leaks, labels, share_method="clopper-pearson")
    parts = np.ones((2, 300), dtype=bool)
    parts[1, 150:] = False
    bands = values.bands(parts)
    for row, part in enumerate(parts):
        for at in range(3):
            own = None if labels is None else labels[part]
            (wanted,) = mean_intervals(
                leaks[part, at][None], clusters=own, method="clopper-pearson"
            )
            got = bands.low[row, at], bands.high[row, at]
            assert got == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    assert bands.high[0, 0] == pytest.approx(1 - 0.025 ** (1 / (100 if clustered else 300)))


def test_precision_of_queries_with_one_relevant_passage_is_recall_by_a_number() -> None:
    hit = (np.arange(30) < 18).astype(float)
    band = band_of(np.stack([hit, hit / 5], axis=1), one_relevant=True)
    assert band.low[1] == pytest.approx(band.low[0] / 5, abs=1e-15)
    assert band.high[1] == pytest.approx(band.high[0] / 5, abs=1e-15)


def test_one_value_for_all_is_not_estimable_and_never_a_band_of_no_width() -> None:
    band = band_of(np.full((20, 1), 0.3))
    assert np.isnan(band.low[0])
    assert np.isnan(band.high[0])
    assert band.mean[0] == pytest.approx(0.3)


def test_means_lie_inside_their_bands_and_bands_between_0_and_1() -> None:
    random = np.random.default_rng(1)
    for shape in (0.1, 0.5, 3.0):
        values = random.beta(shape, 0.2, (12, 50))
        band = band_of(values)
        assert (band.low <= band.mean).all()
        assert (band.mean <= band.high).all()
        assert band.low.min() >= 0
        assert band.high.max() <= 1


def test_clusters_of_one_query_are_no_clusters() -> None:
    values = np.random.default_rng(2).random((25, 3))
    alone, apart = band_of(values), band_of(values, np.arange(25)[::-1])
    assert apart.low == pytest.approx(alone.low, abs=1e-12)
    assert apart.high == pytest.approx(alone.high, abs=1e-12)


def test_bands_of_clusters_are_the_t_intervals_of_their_means() -> None:
    random = np.random.default_rng(6)
    labels = np.repeat(np.arange(12), random.integers(1, 9, 12))
    values = 0.5 + 0.01 * random.normal(size=(len(labels), 4))  # nothing is cut at 0 or 1
    found = band_of(values, labels)
    for at, column in enumerate(values.T):
        wanted = mean_interval(column, method="t", clusters=labels)
        assert found.low[at] == pytest.approx(wanted.low, abs=1e-12)
        assert found.high[at] == pytest.approx(wanted.high, abs=1e-12)


def test_queries_that_do_not_count_are_none_of_their_cluster() -> None:
    random = np.random.default_rng(7)
    labels = np.repeat(np.arange(10), 4)
    values = 0.5 + 0.01 * random.normal(size=(40, 3))
    counts = (random.random((40, 3)) < 0.7).astype(np.float64)
    counts[labels == 3, 1] = 0.0
    found = SettingValues.of(values, labels, weights=counts).band()
    for at in range(3):
        own = counts[:, at] > 0
        wanted = mean_interval(values[own, at], method="t", clusters=labels[own])
        assert found.low[at] == pytest.approx(wanted.low, abs=1e-12)
        assert found.high[at] == pytest.approx(wanted.high, abs=1e-12)


def test_copied_queries_in_one_cluster_widen_nothing_and_narrow_nothing() -> None:
    values = np.random.default_rng(3).random((25, 1))
    once = band_of(values)
    copied = band_of(np.repeat(values, 4, axis=0), np.repeat(np.arange(25), 4))
    assert copied.low == pytest.approx(once.low, abs=1e-12)
    fooled = band_of(np.repeat(values, 4, axis=0))
    assert fooled.low[0] > once.low[0] + 0.01


def test_parts_are_the_bands_of_their_queries_alone() -> None:
    random = np.random.default_rng(4)
    values = np.column_stack([random.random(30), random.random(30) < 0.5])
    parts = random.random((4, 30)) < 0.6
    labels = np.repeat(np.arange(10), 3)
    whole = np.repeat(random.random((4, 10)) < 0.6, 3, axis=1)
    for wanted, clusters in ((parts, None), (whole, labels)):
        got = SettingValues.of(values, clusters).bands(wanted)
        for at, part in enumerate(wanted):
            alone = band_of(values[part], None if clusters is None else clusters[part])
            assert got.mean[at] == pytest.approx(alone.mean, abs=1e-12)
            assert got.low[at] == pytest.approx(alone.low, abs=1e-12)
            assert got.high[at] == pytest.approx(alone.high, abs=1e-12)


def test_coverage_of_the_band_of_recall() -> None:
    # 50 queries with 1 to 4 relevant passages each, 1,500 samples: Student t on their recall.
    random = np.random.default_rng(5)
    chance, inside = 0.6, 0
    relevant = random.integers(1, 5, (1_500, 50))
    for row in relevant:
        recall = random.binomial(row, chance) / row
        band = band_of(recall[:, None])
        inside += band.low[0] <= chance <= band.high[0]
    assert 0.93 <= inside / 1_500 <= 0.97
