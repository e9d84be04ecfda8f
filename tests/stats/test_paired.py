"""Paired tests: equal to counting by hand, to scipy, and to themselves."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from ragscore.errors import ConfigError, DataError
from ragscore.stats import resampling
from ragscore.stats.paired import TESTS, Test, paired_tests
from ragscore.stats.resampling import flips_as_far, share_as_far
from tests.stats.one_column import paired_test


def drawn(kind: str, n: int, seed: int = 0) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    plain = random.normal(0.15, 0.5, n)
    of: dict[str, NDArray[np.float64]] = {
        "continuous": plain,
        "with zeros": plain * (random.random(n) < 0.6),
        "tied": random.integers(1, 6, n) * random.choice([-1.0, 1.0], n),
        "tied with zeros": random.integers(-3, 5, n).astype(np.float64),
        "skewed": random.exponential(1.0, n) - 0.7,
    }
    return of[kind]


KINDS = ["continuous", "with zeros", "tied", "tied with zeros", "skewed"]


def counted(differences: NDArray[np.float64]) -> float:
    """Every sign pattern, one at a time."""
    observed = abs(differences.sum()) - 1e-9
    patterns = list(product([-1, 1], repeat=len(differences)))
    return float(np.mean([abs(np.dot(signs, differences)) >= observed for signs in patterns]))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_exact_sign_flips_equal_counting(kind: str, n: int) -> None:
    differences = drawn(kind, n, seed=n)
    test = paired_test(differences)
    assert test.p == counted(differences)
    assert (test.exact, test.resamples, test.n) == (True, None, n)
    assert test.nonzero == np.count_nonzero(differences)


def test_exact_sign_flips_equal_scipy() -> None:
    differences = drawn("continuous", 13)
    theirs = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert paired_test(differences).p == pytest.approx(theirs.pvalue, abs=1e-15)


def test_ties_by_rounding_count() -> None:
    # In tenths 3 - 1 - 2 - 1 ties with many patterns; as doubles none of them is equal.
    differences = np.array([0.8 - 0.5, 0.4 - 0.5, 0.1 - 0.3, 0.2 - 0.3, 0.7 - 0.1])
    assert paired_test(differences).p == counted(np.array([3.0, -1, -2, -1, 6]))
    assert paired_test([0.1, 0.2, -0.3]).p == 1.0


def test_few_differences_cannot_be_significant() -> None:
    assert [paired_test([0.1] * k + [0.0] * 30).p for k in (1, 5, 6)] == [1, 1 / 16, 1 / 32]
    assert paired_test([0.1] * 20).p == 2.0**-19


def test_queries_without_a_difference_do_not_matter_to_exact_flips() -> None:
    differences = drawn("skewed", 18)
    padded = np.r_[np.zeros(50), differences, np.full(20, 1e-17)]
    assert paired_test(padded).p == paired_test(differences).p
    assert paired_test(padded).nonzero == 18


@pytest.mark.parametrize("kind", KINDS)
def test_random_flips_are_near_exact_ones(kind: str) -> None:
    differences = drawn(kind, 20, seed=3)
    exact = share_as_far(differences[differences != 0])
    random = flips_as_far(differences[None], 50_000, 9)[0] / 50_000
    assert random == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 50_000) + 1e-9)


def test_random_flips_never_give_zero() -> None:
    test = paired_test(np.linspace(0.5, 1, 60), resamples=999)
    assert (test.p, test.exact, test.resamples) == (1 / 1000, False, 999)


def test_random_flips_have_the_moments_of_fair_signs() -> None:
    bits = np.concatenate(list(resampling._random_bits(70, 20_000, 1))).astype(float)
    assert bits.shape == (20_000, 70)
    assert bits.mean(axis=0) == pytest.approx(0.5, abs=4.5 * 0.5 / math.sqrt(20_000))
    apart = np.corrcoef(bits.T)[~np.eye(70, dtype=bool)]
    assert np.abs(apart).max() < 5 / math.sqrt(20_000)


@pytest.mark.parametrize("n", [2, 5, 50, 3000])
@pytest.mark.parametrize("kind", KINDS)
def test_t_equals_scipy(kind: str, n: int) -> None:
    baseline = np.random.default_rng(1).random(n)
    other = baseline + drawn(kind, n, seed=n)
    test = paired_test(other - baseline, method="t")
    assert test.p == pytest.approx(stats.ttest_rel(other, baseline).pvalue, rel=1e-12, abs=1e-300)
    assert not test.exact


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    # scipy counts all signs of 13 with ties, which takes it a second.
    "n",
    [2, 5, 10, pytest.param(13, marks=pytest.mark.slow), 14, 50, 51, 400],
)
def test_wilcoxon_equals_scipy(kind: str, n: int) -> None:
    differences = drawn(kind, n, seed=n)
    test = paired_test(differences, method="wilcoxon")
    assert test.p == pytest.approx(stats.wilcoxon(differences).pvalue, rel=1e-9)
    assert test.exact == (n <= 13 or (n <= 50 and kind in ("continuous", "skewed")))


@pytest.mark.parametrize("n", [15, 45])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", TESTS)
def test_sign_and_scale_change_nothing(method: Test, kind: str, n: int) -> None:
    differences = drawn(kind, n)
    p = paired_test(differences, method=method).p
    assert paired_test(-differences, method=method).p == pytest.approx(p, rel=1e-13)
    assert paired_test(differences * 3.7, method=method).p == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("clusters", [None, np.arange(45) % 30], ids=["queries", "clusters"])
@pytest.mark.parametrize("method", TESTS)
def test_many_at_once_are_each_alone_to_the_digit(
    method: Test, clusters: NDArray[np.int64] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences = np.stack([drawn(kind, 45) for kind in KINDS] + [np.zeros(45), np.eye(45)[3]])
    settings: dict[str, Any] = {"method": method, "clusters": clusters, "resamples": 1001}
    together = paired_tests(differences, **settings)
    assert together == [paired_test(row, **settings) for row in differences]
    monkeypatch.setattr(resampling, "_CHUNK", 100)
    assert paired_tests(differences, **settings) == together


def test_the_seed_fixes_the_digits() -> None:
    differences = drawn("continuous", 40)
    first, again, other = (paired_test(differences, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


# Clusters


@pytest.mark.parametrize("n", [18, 40])
@pytest.mark.parametrize("method", TESTS)
def test_clusters_of_one_query_are_no_clusters(method: Test, n: int) -> None:
    differences = drawn("continuous", n)
    labels = np.random.default_rng(2).permutation(n) - 5
    assert paired_test(differences, method=method, clusters=labels) == paired_test(
        differences, method=method
    )


@pytest.mark.parametrize("method", ["randomization", "wilcoxon"])
def test_clusters_are_flipped_and_ranked_by_their_sums(method: Test) -> None:
    differences = drawn("continuous", 60)
    clusters = np.random.default_rng(1).integers(0, 12, 60)
    sums = np.bincount(clusters, differences)
    test = paired_test(differences, method=method, clusters=clusters)
    assert test.p == pytest.approx(paired_test(sums, method=method).p, rel=1e-12)
    assert (test.n, test.nonzero, test.exact) == (12, 12, True)


def test_t_of_clusters_by_hand() -> None:
    test = paired_test([1.0, 2.0, 6.0, 0.0], method="t", clusters=[9, 9, 4, 7])
    error = math.sqrt(1.5**2 / 0.5 + (3.75**2 + 2.25**2) / 0.75) / 4
    assert test.p == pytest.approx(2 * stats.t.sf(2.25 / error, 1.8), rel=1e-12)
    assert (test.n, test.nonzero) == (3, 2)


@pytest.mark.parametrize("method", TESTS)
def test_copies_in_clusters_add_nothing(method: Test) -> None:
    differences = drawn("continuous", 19)
    clusters = np.repeat(np.arange(19), 4)
    copied = paired_test(np.repeat(differences, 4), method=method, clusters=clusters)
    assert copied.p == pytest.approx(paired_test(differences, method=method).p, rel=1e-9)


# Nothing to test, and wrong asks


@pytest.mark.parametrize("method", TESTS)
def test_all_zero_and_one_query_give_one(method: Test) -> None:
    assert paired_test(np.zeros(30), method=method).p == 1.0
    assert paired_test([1e-17, 0.0, -1e-16], method=method).nonzero == 0
    assert paired_test([0.4], method=method).p == 1.0
    assert paired_test([0.4, 0.2, 0.1], method=method, clusters=[1, 1, 1]).p == 1.0


def test_t_of_one_difference_everywhere() -> None:
    assert paired_test([0.25] * 8, method="t").p == 0.0


@pytest.mark.parametrize(
    ("differences", "wrong", "error", "words"),
    [
        ([], {}, DataError, "no differences: not one query"),
        ([0.1, math.nan, 0.3], {}, DataError, "1 of 3 queries have differences that are not"),
        ([[0.1]], {}, DataError, r"shape \[columns, queries\]"),
        ([0.1, 0.2], {"clusters": [1]}, DataError, "clusters must be 2 whole numbers"),
        ([0.1, 0.2], {"resamples": 10}, ConfigError, "at least 100"),
        ([0.1, 0.2], {"seed": -3}, ConfigError, "seed is -3"),
        ([0.1, 0.2], {"method": "willcoxon"}, ConfigError, "Did you mean 'wilcoxon'"),
    ],
)
def test_wrong_asks(
    differences: Any, wrong: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        paired_test(differences, **wrong)


def test_no_columns_have_no_tests() -> None:
    for method in TESTS:
        assert paired_tests(np.empty((0, 5)), method=method) == []
