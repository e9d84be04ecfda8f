"""Folds: balanced, stratified, clusters whole, seeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.errors import ConfigError, DataError
from ragscore.stats.folds import folds
from tests.factories.thorough import examples


def sizes(fold_of: np.ndarray, k: int) -> np.ndarray:
    return np.bincount(fold_of, minlength=k)


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), st.integers(2, 7), st.integers(7, 60))
def test_fold_sizes_and_strata_differ_by_at_most_one(data: Any, k: int, n: int) -> None:
    strata = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=n, max_size=n))
    dealt = folds(n, k=k, repeats=3, strata=strata)
    assert dealt.test_of.shape == (3, n)
    assert dealt.test_of.dtype == np.int64
    counted = {name: strata.count(name) for name in sorted(set(strata))}
    assert dealt.merged == tuple(name for name, count in counted.items() if count < k)
    pooled = np.array(["other" if name in dealt.merged else name for name in strata])
    for fold_of in dealt.test_of:
        assert np.ptp(sizes(fold_of, k)) <= 1
        assert sizes(fold_of, k).min() >= 1
        for name in set(pooled.tolist()):
            assert np.ptp(sizes(fold_of[pooled == name], k)) <= 1


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), st.integers(2, 5))
def test_a_cluster_is_never_split_and_sizes_differ_by_no_more_than_the_largest(
    data: Any, k: int
) -> None:
    cluster_sizes = data.draw(st.lists(st.integers(1, 9), min_size=k, max_size=30))
    numbers = np.random.default_rng(0).permutation(len(cluster_sizes)) * 10 - 5
    clusters = np.random.default_rng(1).permutation(np.repeat(numbers, cluster_sizes))
    for fold_of in folds(len(clusters), k=k, repeats=3, clusters=clusters).test_of:
        homes = [set(fold_of[clusters == cluster].tolist()) for cluster in numbers]
        assert all(len(home) == 1 for home in homes)
        assert np.ptp(np.bincount([home.pop() for home in homes], minlength=k)) <= 1
        assert np.ptp(sizes(fold_of, k)) <= max(cluster_sizes)


def test_a_cluster_is_in_the_stratum_of_most_of_its_queries() -> None:
    clusters = np.repeat(np.arange(12), 3)
    strata = ["a", "b", "b"] * 6 + ["a", "a", "b"] * 6
    dealt = folds(36, k=3, strata=strata, clusters=clusters)
    assert dealt.merged == ()
    for fold_of in dealt.test_of:
        of_cluster = fold_of[::3]
        assert sizes(of_cluster[:6], 3).tolist() == sizes(of_cluster[6:], 3).tolist() == [2, 2, 2]
    # By clusters there are too few of "a", though by queries there are 6.
    few = folds(36, k=3, strata=["a"] * 6 + ["b"] * 30, clusters=clusters)
    assert few.merged == ("a",)


def test_seeded_and_every_repeat_deals_anew() -> None:
    first, again, other = (folds(40, seed=seed).test_of for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert first.shape == (10, 40)
    partitions = {
        frozenset(frozenset(np.flatnonzero(fold_of == fold).tolist()) for fold in range(5))
        for fold_of in first
    }
    assert len(partitions) == 10


def test_clusters_of_all_sizes_are_dealt_anew_as_well() -> None:
    clusters = np.repeat(np.arange(10), np.arange(1, 11))
    test_of = folds(len(clusters), k=5, clusters=clusters).test_of
    beside_the_first = {tuple((fold_of == fold_of[0]).tolist()) for fold_of in test_of}
    assert len(beside_the_first) > 1


def test_which_queries_go_together_is_left_to_chance() -> None:
    test_of = folds(20, k=2, repeats=2000, strata=["a", "b"] * 10).test_of
    together = (test_of[:, :1] == test_of).mean(axis=0)
    # 10 of each label, 5 in each fold: 4/9 with another "a", 1/2 with a "b".
    assert np.abs(together[2::2] - 4 / 9).max() < 0.05
    assert np.abs(together[1::2] - 1 / 2).max() < 0.05


@pytest.mark.parametrize(
    ("n", "options", "error", "says"),
    [
        (3, {}, DataError, "5 folds need at least 5 queries; there are 3"),
        (1, {"k": 2}, DataError, "there is 1"),
        (0, {}, DataError, "there are 0"),
        (9, {"clusters": np.arange(9) // 3}, DataError, "at least 5 clusters"),
        (9, {"k": 1}, ConfigError, "At least 2"),
        (9, {"repeats": 0}, ConfigError, "1 or more"),
        (9, {"seed": -1}, ConfigError, "seed"),
        (9, {"strata": ["a"] * 8}, DataError, "8 strata labels for 9 queries"),
        (9, {"clusters": np.zeros(4, dtype=np.int64)}, DataError, "4 clusters labels for 9"),
    ],
)
def test_wrong_asks(n: int, options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        folds(n, **options)
