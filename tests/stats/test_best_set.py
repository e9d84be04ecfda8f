"""Which systems are within noise of the best: the largest of all pairs, and intervals by it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ragscore.errors import ConfigError, DataError
from ragscore.stats.best_set import best_set
from ragscore.stats.resampling import flipped_sums
from ragscore.stats.units import units_of

RANDOM = np.random.default_rng(3)
QUERIES = 60
HARD = RANDOM.normal(0.5, 0.2, QUERIES)
EQUAL = HARD + RANDOM.normal(0, 0.05, (6, QUERIES))
WORSE = HARD - 0.1 + RANDOM.normal(0, 0.05, (2, QUERIES))
VALUES = np.concatenate([EQUAL, WORSE])


def test_what_is_clearly_worse_is_left_out_and_what_is_equal_is_not() -> None:
    found = best_set(VALUES)
    assert found.within.tolist() == [True] * 6 + [False] * 2
    assert found.best == int(VALUES.mean(axis=1).argmax())
    assert found.p[found.best] == 1.0
    assert found.difference == pytest.approx(VALUES.mean(axis=1).max() - VALUES.mean(axis=1))
    outside = ~found.within
    assert (found.low[outside] > 0).all()
    assert (found.low <= found.difference).all()
    assert (found.difference <= found.high).all()


@pytest.mark.parametrize("clusters", [None, np.arange(QUERIES) // 4])
def test_p_values_are_those_of_all_pairs_counted_one_by_one(clusters) -> None:
    flips = 200
    found = best_set(VALUES, flips=flips, clusters=clusters)
    units = units_of(VALUES - VALUES.mean(axis=0), clusters)
    largest = np.zeros(flips)
    sums = np.concatenate(list(flipped_sums(units.totals, flips, 1234)))
    for one, other in itertools.combinations(range(len(VALUES)), 2):
        norm = np.linalg.norm(units.totals[one] - units.totals[other])
        largest = np.maximum(largest, np.abs(sums[:, one] - sums[:, other]) / norm)
    for system in range(len(VALUES)):
        if system == found.best:
            continue
        gap = units.totals[found.best] - units.totals[system]
        reached = gap.sum() / np.linalg.norm(gap)
        wanted = (np.sum(largest >= reached - 1e-5) + 1) / (flips + 1)
        assert found.p[system] == pytest.approx(wanted, abs=1e-12)


def test_more_systems_leave_fewer_outside() -> None:
    slightly = HARD - 0.02 + RANDOM.normal(0, 0.05, QUERIES)
    two = np.stack([EQUAL[0], slightly])
    many = np.concatenate([two, HARD - 0.02 + RANDOM.normal(0, 0.05, (80, QUERIES))])
    best, alone = best_set(many), best_set(two)
    assert (best.high - best.low)[1] > 1.3 * (alone.high - alone.low)[1]


def test_systems_that_score_the_same_differ_by_0() -> None:
    found = best_set(np.stack([EQUAL[0], EQUAL[0], EQUAL[1]]))
    twin = 1 - found.best if found.best < 2 else 0
    assert found.within.all()
    if found.best < 2:
        assert (found.low[twin], found.high[twin], found.differing[twin]) == (0.0, 0.0, 0)


def test_five_differing_queries_show_nothing() -> None:
    lost = np.ones((2, 100))
    lost[1, :5] = 0.0
    found = best_set(lost)
    assert found.within.all()
    assert np.isnan(found.low[1])
    assert found.differing.tolist() == [0, 5]
    lost[1, :40] = 0.0
    assert best_set(lost).within.tolist() == [True, False]


def test_whole_clusters_change_their_sign_together() -> None:
    # 8 clusters of 10 queries each: as queries, the differences would be sure.
    own = np.repeat([0.3, -0.2, 0.3, -0.2, 0.3, -0.2, 0.3, 0.1], 10)
    values = np.stack([0.5 + own, np.full(80, 0.5)])
    assert not best_set(values).within.all()
    assert best_set(values, clusters=np.repeat(np.arange(8), 10)).within.all()


def test_intervals_exclude_0_where_the_test_rejects_and_nowhere_else() -> None:
    clusters = np.repeat(np.arange(30), [1, 1, 2, 3, 1, 4] * 5)
    random = np.random.default_rng(8)
    falling = np.linspace(0, 0.3, 30)[:, None]
    values = random.normal(0.5, 0.2, QUERIES) - falling + random.normal(0, 0.2, (30, QUERIES))
    for labels in (None, clusters):
        found = best_set(values, clusters=labels)
        others = np.arange(30) != found.best
        assert ((found.p <= 0.05) == (found.low > 0))[others].all()
        assert 2 < found.within.sum() < 28


def test_of_one_cluster_nothing_is_claimed() -> None:
    found = best_set(VALUES, clusters=np.zeros(QUERIES, dtype=np.int64))
    assert found.within.all()
    assert np.isnan(np.delete(found.low, found.best)).all()


def test_one_system_is_the_best() -> None:
    found = best_set(np.array([[0.1, 0.2, 0.3]]))
    assert (found.best, found.within.tolist(), found.p.tolist()) == (0, [True], [1.0])


def test_what_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(ConfigError, match="level"):
        best_set(VALUES, level=1.0)
    with pytest.raises(ConfigError, match="resamples"):
        best_set(VALUES, flips=10)
    with pytest.raises(DataError, match="not defined"):
        best_set(np.array([[0.1, np.nan], [0.2, 0.3]]))
