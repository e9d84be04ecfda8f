"""Choosing on the queries that one reports flatters; the held-out value does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragscore.errors import DataError
from ragscore.messages import text_of
from ragscore.stats.cross_validation import choose_by_cross_validation, held_out_gain
from ragscore.stats.folds import folds
from tests.stats.one_column import wilson

SETS, RETRIEVERS, QUERIES = 4_000, 12, 64


@pytest.mark.slow
def test_equal_retrievers_are_flattered_by_choosing_and_not_by_the_held_out_value() -> None:
    # Twelve equal retrievers, 64 queries: values as of nDCG, correlated over the retrievers.
    random = np.random.default_rng(7)
    truth = 0.6
    dealt = folds(QUERIES, k=5, repeats=10, seed=1)
    in_sample, held_out = np.empty(SETS), np.empty(SETS)
    for at in range(SETS):
        hard = random.normal(0, 0.15, QUERIES)
        values = truth + hard + random.normal(0, 0.2, (RETRIEVERS, QUERIES))
        done = choose_by_cross_validation(values, folds=dealt)
        in_sample[at], held_out[at] = done.in_sample, done.mean
    assert in_sample.mean() - truth > 0.02
    assert abs(held_out.mean() - truth) < 0.003


def test_by_hand() -> None:
    # Setting 1 is best on all but the queries of fold 0, which are chosen for without them.
    values = np.array([[1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]])
    dealt = folds(6, k=3, repeats=2, seed=3)
    done = choose_by_cross_validation(values, folds=dealt)
    wanted = np.empty((2, 6))
    for repeat, test_of in enumerate(dealt.test_of):
        for fold in range(3):
            rest = values[:, test_of != fold].mean(axis=1)
            best = 0 if rest[0] >= rest[1] else 1
            wanted[repeat, test_of == fold] = values[best, test_of == fold]
    assert (done.out_of_fold == wanted).all()
    assert done.mean == pytest.approx(wanted.mean(), abs=1e-15)
    assert (done.setting, done.in_sample) == (1, pytest.approx(4 / 6))
    assert done.times.sum() == 6
    assert (done.folds, done.repeats) == (3, 2)


def test_the_interval_says_that_it_is_approximate() -> None:
    values = np.random.default_rng(0).random((3, 40))
    interval = choose_by_cross_validation(values).interval
    assert "approximate" in str(interval.note)
    assert interval.low < choose_by_cross_validation(values).mean < interval.high
    flat = choose_by_cross_validation(np.full((2, 10), 0.5)).interval
    assert np.isnan(flat.low)
    assert str(flat.note) == "not estimable"


def test_the_interval_of_a_measure_that_ends_at_1_does_too() -> None:
    values = np.ones((1, 40))
    values[0, 0] = 0.5
    done = choose_by_cross_validation(values, unit_interval=True)
    assert done.interval.low < done.mean < done.interval.high == 1.0
    assert choose_by_cross_validation(values).interval.high > 1.0


def test_the_interval_has_the_error_of_repeated_folds() -> None:
    values = np.random.default_rng(4).random((5, 60))
    done = choose_by_cross_validation(values, folds=5, repeats=10)
    error = np.sqrt(done.out_of_fold.var(axis=1, ddof=1).mean() / 60 * (1 / 10 + 5 / 4))
    half = stats.t.ppf(0.975, 59) * error
    assert (done.interval.low, done.interval.high) == pytest.approx(
        (done.mean - half, done.mean + half)
    )
    gain = held_out_gain(done, np.zeros(60))
    assert (gain.difference, gain.interval.low) == pytest.approx((done.mean, done.low))
    counted = choose_by_cross_validation(values, weights=np.ones_like(values))
    assert counted.interval.high == pytest.approx(done.interval.high)


def test_of_0_and_1_the_interval_is_that_of_a_share_of_fewer_queries() -> None:
    values = (np.random.default_rng(4).random((5, 60)) < 0.9) * 1.0
    done = choose_by_cross_validation(values, unit_interval=True)
    wanted = wilson(done.mean * 60 / 1.35, 60 / 1.35)
    assert (done.interval.low, done.interval.high) == pytest.approx((wanted.low, wanted.high))
    assert done.interval.method == "wilson"


def test_same_seed_same_digits_and_another_seed_other_folds() -> None:
    values = np.random.default_rng(0).random((5, 30))
    one, two = (choose_by_cross_validation(values, seed=5) for _ in range(2))
    assert one.mean == two.mean
    assert one.times.tolist() == two.times.tolist()
    assert choose_by_cross_validation(values, seed=6).mean != one.mean


def test_clusters_are_never_chosen_on_and_tried_on() -> None:
    # Every cluster has a setting of its own that is perfect for it and worth nothing elsewhere.
    clusters = np.repeat(np.arange(6), [10, 5, 5, 5, 5, 5])
    values = (np.arange(6)[:, None] == clusters).astype(float)
    together = choose_by_cross_validation(values, clusters=clusters)
    assert together.mean == 0.0
    apart = choose_by_cross_validation(values)
    assert apart.mean == pytest.approx(10 / 35)


def test_strata_that_are_too_small_are_merged_and_named() -> None:
    values = np.random.default_rng(0).random((2, 23))
    strata = ["large"] * 20 + ["odd", "rare", "rare"]
    assert choose_by_cross_validation(values, strata=strata).merged == ("odd", "rare")


def test_fewer_queries_than_folds_give_fewer_folds() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.4, 0.5]])
    done = choose_by_cross_validation(values)
    assert done.folds == 3
    assert done.mean == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.zeros((2, 1)), "only 1 query"),
        (np.zeros((2, 0)), "no queries"),
        (np.zeros((0, 5)), r"Expected \[settings, queries\]"),
        (np.array([[0.1, np.nan]]), "NaN"),
    ],
)
def test_wrong_asks(values: np.ndarray, said: str) -> None:
    with pytest.raises(DataError, match=said):
        choose_by_cross_validation(values)


def test_one_cluster_cannot_be_parted() -> None:
    with pytest.raises(DataError, match="only 1 cluster"):
        choose_by_cross_validation(np.zeros((2, 4)), clusters=np.zeros(4, dtype=np.int64))


def test_what_choosing_gains_has_the_error_of_repeated_folds() -> None:
    random = np.random.default_rng(2)
    values, other = random.random((5, 60)), random.random(60)
    done = choose_by_cross_validation(values, folds=5, repeats=10)
    gain = held_out_gain(done, other)
    differences = done.out_of_fold - other
    assert gain.difference == pytest.approx(differences.mean())
    variance = differences.var(axis=1, ddof=1).mean() / 60 * (1 / 10 + 5 / 4)
    t = differences.mean() / np.sqrt(variance)
    assert gain.p == pytest.approx(2 * stats.t.sf(abs(t), 59))
    assert gain.interval.high - gain.interval.low == pytest.approx(
        2 * stats.t.ppf(0.975, 59) * np.sqrt(variance)
    )
    assert (gain.differing, gain.n) == (60, 60)
    other[3] = np.nan
    assert held_out_gain(done, other).n == 59


def test_what_gains_nothing_is_not_decided() -> None:
    values = np.random.default_rng(2).random((1, 30))
    done = choose_by_cross_validation(values)
    same = held_out_gain(done, values[0])
    assert (same.p, same.differing, same.decided) == (1.0, 0, False)
    assert str(same.interval.note) == "not estimable"
    shifted = values[0].copy()
    shifted[:5] -= 0.5
    assert not held_out_gain(done, shifted).decided


def test_clusters_are_the_units_of_what_choosing_gains() -> None:
    random = np.random.default_rng(2)
    values, other = random.random((5, 60)), random.random(60)
    clusters = np.arange(60) // 6
    done = choose_by_cross_validation(values, clusters=clusters)
    assert held_out_gain(done, other).n == 10


def test_what_leaks_in_no_query_may_leak_in_others() -> None:
    """Of a share, the interval is the exact one of that many fewer queries where it has to be."""
    done = choose_by_cross_validation(
        np.zeros((2, 300)), unit_interval=True, share_method="clopper-pearson"
    )
    fewer = 300 / (1 / 10 + 5 / 4)
    assert (done.low, done.high) == (0, pytest.approx(1 - 0.025 ** (1 / fewer)))
    assert done.interval.method == "clopper-pearson"


def test_the_caution_about_its_interval_is_translated() -> None:
    values = np.array([[0.9, 0.4, 0.6, 0.7, 0.2, 0.5], [0.1, 0.5, 0.9, 0.3, 0.8, 0.4]])
    note = choose_by_cross_validation(values, folds=folds(6, k=3, repeats=2, seed=3)).interval.note
    assert str(note) == "approximate: folds share the queries that they choose on"
    assert text_of(note, "ko") == "근사치: 폴드마다 같은 질의가 선택에 겹쳐 쓰입니다"
