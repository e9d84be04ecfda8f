"""Intervals of means: equal to scipy, to statsmodels and to figures by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.stats._resampling import BootstrapResult

from ragscore.stats import resampling
from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.intervals import (
    METHODS,
    Interval,
    Method,
    mean_intervals,
    queries_to_exclude,
)
from ragscore.stats.resampling import resampled_means
from ragscore.stats.units import checked_values, units_of
from tests.stats.one_column import difference_interval, mean_interval, wilson

RECORDED = json.loads((Path(__file__).parent / "recorded" / "wilson.json").read_text())
NOT_WILSON: list[Method] = ["bca", "percentile", "t"]


def drawn(shape: str, n: int, seed: int = 0) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    of: dict[str, NDArray[np.float64]] = {
        "symmetric": random.normal(0.1, 0.3, n),
        "like AP": random.beta(0.7, 0.9, n),
        "like RR": 1.0 / random.geometric(0.5, n),
        "skewed": random.exponential(2.0, n) ** 2,
        "tied": random.integers(0, 4, n) / 3,
    }
    return of[shape]


SHAPES = ["symmetric", "like AP", "like RR", "skewed", "tied"]


def bounds(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def scipys(
    values: NDArray[np.float64], method: str, clusters: NDArray[np.int64] | None = None, **draw: Any
) -> tuple[float, float]:
    """What scipy makes of the very means that ragscore resampled, or of its own."""
    units = units_of(checked_values(values), clusters)
    if draw:
        kept = None
    else:
        means = resampled_means(units, 10_000, 1234).means[0]
        kept = BootstrapResult(None, means, 0.0)
    found = stats.bootstrap(
        (units.totals[0], units.sizes),
        lambda totals, sizes, axis: totals.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        vectorized=True,
        method=method,
        **({"n_resamples": 0, "bootstrap_result": kept} if kept else draw),
    ).confidence_interval
    return float(found.low), float(found.high)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 50, 400])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_bootstrap_equals_scipy_on_the_same_resamples(method: Method, shape: str, n: int) -> None:
    # In 1024ths sums are exact: scipy would miss resamples that tie with the mean but for rounding.
    values = np.round(drawn(shape, n) * 1024) / 1024
    ours = mean_interval(values, method=method)
    assert ours.method == method
    assert bounds(ours) == pytest.approx(scipys(values, method), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("clustered", [False, True], ids=["queries", "clusters"])
@pytest.mark.parametrize("shape", ["symmetric", "like AP", "skewed"])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_bootstrap_equals_scipys_own_resamples(method: Method, shape: str, clustered: bool) -> None:
    values = drawn(shape, 60)
    clusters = np.random.default_rng(3).integers(0, 15, 60) if clustered else None
    ours = mean_interval(values, method=method, clusters=clusters, resamples=2_000, seed=5)
    same_seed = scipys(
        values, method, clusters, n_resamples=2_000, rng=np.random.default_rng(5), batch=500
    )
    assert bounds(ours) == pytest.approx(same_seed, rel=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("shape", SHAPES)
def test_t_equals_scipy(shape: str, level: float) -> None:
    values = drawn(shape, 30)
    theirs = stats.t.interval(level, 29, loc=values.mean(), scale=stats.sem(values))
    assert bounds(difference_interval(values, level=level)) == pytest.approx(theirs, rel=1e-12)


def test_wilson_equals_statsmodels() -> None:
    for successes, n, level, low, high in RECORDED["rows"]:
        ours = wilson(successes, int(n), level)
        assert bounds(ours) == pytest.approx((low, high), abs=1e-12), (successes, n, level)
        values = np.repeat([1.0, 0.0], [int(successes), int(n - successes)])
        assert bounds(mean_interval(values, level=level)) == pytest.approx(bounds(ours), abs=1e-15)


def test_zero_one_values_take_wilson_unless_told_otherwise() -> None:
    values = np.repeat([1.0, 0.0], [30, 20])
    assert mean_interval(values).method == "wilson"
    assert mean_interval(values, binary=True).method == "wilson"
    assert mean_interval(values, method="t").method == "t"
    assert mean_interval(values, binary=False).method == "bca"
    assert difference_interval(values, method="bca").method == "bca"
    assert mean_interval(values / 2).method == "bca"


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("method", NOT_WILSON)
@pytest.mark.parametrize("shape", SHAPES)
def test_shift_and_scale_move_the_interval_along(
    shape: str, method: Method, clustered: bool
) -> None:
    values = drawn(shape, 40)
    clusters = np.arange(40) // 3 if clustered else None
    low, high = bounds(mean_interval(values, method=method, clusters=clusters))
    moved = mean_interval(3.7 * values - 11, method=method, clusters=clusters)
    assert bounds(moved) == pytest.approx((3.7 * low - 11, 3.7 * high - 11), rel=1e-9)
    mirrored = mean_interval(-values, method=method, clusters=clusters)
    assert bounds(mirrored) == pytest.approx((-high, -low), rel=1e-9)


@pytest.mark.parametrize("method", NOT_WILSON)
def test_wider_for_a_higher_level_and_around_the_mean(method: Method) -> None:
    values = drawn("like AP", 50)
    found = [mean_interval(values, method=method, level=level) for level in (0.5, 0.9, 0.99)]
    lows, highs = [each.low for each in found], [each.high for each in found]
    assert lows == sorted(lows, reverse=True)
    assert highs == sorted(highs)
    assert lows[0] < values.mean() < highs[0]


@pytest.mark.parametrize("clusters", [None, np.arange(37) % 12], ids=["queries", "clusters"])
@pytest.mark.parametrize("method", NOT_WILSON)
def test_many_at_once_are_each_alone_to_the_digit(
    method: Method, clusters: NDArray[np.int64] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.stack([drawn(shape, 37) for shape in SHAPES] + [np.arange(37.0) % 2, np.ones(37)])
    settings: dict[str, Any] = {"method": method, "clusters": clusters, "resamples": 999}
    together = mean_intervals(values, **settings)
    assert [str(each) for each in together] == [
        str(mean_interval(row, **settings)) for row in values
    ]
    # Nor does it matter in what portions the resamples are drawn.
    monkeypatch.setattr(resampling, "_CHUNK", 100)
    monkeypatch.setattr(resampling, "_CACHED", 50)
    assert str(mean_intervals(values, **settings)) == str(together)
    differences = difference_intervals(values, **settings)
    assert [str(each) for each in differences] == [
        str(difference_interval(row, **settings)) for row in values
    ]


def test_the_seed_fixes_the_digits_and_another_moves_them_a_little() -> None:
    values = drawn("like AP", 50)
    first, again, other = (mean_interval(values, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert bounds(first) == pytest.approx(bounds(other), abs=0.1 * values.std() / math.sqrt(50))


def test_resampled_means_have_the_moments_of_the_bootstrap() -> None:
    values = drawn("like AP", 25)
    means = resampled_means(units_of(checked_values(values), None), 40_000, 7).means[0]
    error = values.std() / 5
    assert means.mean() == pytest.approx(values.mean(), abs=4 * error / 200)
    assert means.std() == pytest.approx(error, rel=0.02)


def test_every_draw_is_equally_likely() -> None:
    drawn_means = resampled_means(units_of(np.array([[0.0, 1.0, 10.0]]), None), 54_000, 1).means[0]
    sums, counts = np.unique(np.round(drawn_means * 3), return_counts=True)
    assert sums.tolist() == [0, 1, 2, 3, 10, 11, 12, 20, 21, 30]
    expected = np.array([1, 3, 3, 1, 3, 6, 3, 3, 3, 1]) * 2000
    assert stats.chisquare(counts, expected).pvalue > 0.001


def test_ties_with_the_observed_mean_count_half() -> None:
    # Thirds and tenths have no exact double, and yet 1/3 + 1/3 + 1/3 is 1.
    units = units_of(np.array([[1 / 3, 1 / 3, 1 / 3, 1.0, 0.0, 0.1, 0.2, 0.3]]), None)
    in_sixtieths = units_of(np.array([[20.0, 20, 20, 60, 0, 6, 12, 18]]), None)
    ours, exact = (resampled_means(each, 5_000, 1).below for each in (units, in_sixtieths))
    assert ours.tolist() == exact.tolist()


# Clusters


@pytest.mark.parametrize("method", METHODS)
def test_clusters_of_one_query_are_no_clusters(method: Method) -> None:
    values = drawn("like AP", 40) if method in NOT_WILSON else (np.arange(40) % 3 == 0) * 1.0
    labels = np.random.default_rng(2).permutation(40) * 7 - 90
    without, single = (mean_interval(values, method=method, clusters=c) for c in (None, labels))
    assert bounds(single) == pytest.approx(bounds(without), rel=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_the_numbers_of_the_clusters_do_not_matter(method: Method) -> None:
    values = (np.random.default_rng(4).random(60) < 0.3) * 1.0
    clusters = np.random.default_rng(5).integers(0, 14, 60)
    renamed = np.random.default_rng(6).permutation(14)[clusters] * 10
    assert mean_interval(values, method=method, clusters=clusters) == mean_interval(
        values, method=method, clusters=renamed
    )


@pytest.mark.parametrize("method", NOT_WILSON)
def test_copies_in_clusters_add_nothing(method: Method) -> None:
    values = drawn("like AP", 20)
    clusters = np.repeat(np.arange(20), 5)
    copied = mean_interval(np.repeat(values, 5), method=method, clusters=clusters)
    assert bounds(copied) == pytest.approx(bounds(mean_interval(values, method=method)), rel=1e-9)


def test_copies_in_clusters_make_wilson_no_narrower() -> None:
    values = np.repeat([1.0, 0.0], [13, 7])
    clusters = np.repeat(np.arange(20), 5)
    copied = mean_interval(np.repeat(values, 5), clusters=clusters)
    alone = wilson(13, 20)
    assert copied.low < alone.low < alone.high < copied.high
    # By hand (Korn and Graubard): 20 clusters of 5 equal values, deff = 99 / 19, t for 99 and 19.
    effective = 100 / (99 / 19) * (stats.t.ppf(0.975, 99) / stats.t.ppf(0.975, 19)) ** 2
    z2 = stats.norm.ppf(0.975) ** 2
    centre = (0.65 + z2 / (2 * effective)) / (1 + z2 / effective)
    assert copied.low + copied.high == pytest.approx(2 * centre, rel=1e-12)
    all_right = mean_interval(np.ones(100), clusters=clusters)
    assert bounds(all_right) == bounds(wilson(20, 20))


def test_t_of_clusters_by_hand() -> None:
    interval = difference_interval([1.0, 2.0, 6.0, 0.0], clusters=[0, 0, 1, 2])
    # Mean 9/4; residuals 3 - 4.5, 6 - 2.25, 0 - 2.25; CR2: their squares over 1/2, 3/4 and 3/4.
    error = math.sqrt(1.5**2 / 0.5 + (3.75**2 + 2.25**2) / 0.75) / 4
    half = stats.t.ppf(0.975, 1.8) * error
    assert bounds(interval) == pytest.approx((2.25 - half, 2.25 + half), rel=1e-12)


@pytest.mark.parametrize(("ones", "n"), [(0, 300), (1, 300), (0, 1), (3, 3), (17, 40), (59, 60)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_clopper_and_pearson_equal_scipy(ones: int, n: int, level: float) -> None:
    values = np.repeat([1.0, 0.0], [ones, n - ones])
    ours = mean_interval(values, method="clopper-pearson", level=level)
    theirs = stats.binomtest(ones, n).proportion_ci(level, method="exact")
    assert bounds(ours) == pytest.approx(tuple(theirs), abs=1e-12)
    assert ours.method == "clopper-pearson"
    assert mean_interval(values, level=level).method == "wilson"


def test_clopper_and_pearson_count_clusters_where_all_are_equal() -> None:
    values, clusters = np.zeros(300), np.arange(300) // 10
    ours = mean_interval(values, method="clopper-pearson", level=0.9, clusters=clusters)
    assert ours.high == pytest.approx(1 - 0.05 ** (1 / 30), abs=1e-12)


def test_so_many_queries_exclude_a_share() -> None:
    for limit, wanted in ((0.05, 59), (0.01, 299), (0.001, 2995), (1.0, 1), (0.0, None)):
        assert queries_to_exclude(limit, 0.0, 0.9) == wanted
    assert queries_to_exclude(0.1, 0.1, 0.9) is None
