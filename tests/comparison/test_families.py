"""compare(): families of comparisons, and their corrections by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ragscore.comparison import compare
from ragscore.comparison.differences import Family
from ragscore.scoring import RetrieverScores, Scores
from tests.factories.compared import QUICK, array, holm
from tests.factories.scores import entry, scores_of


def test_each_measure_is_a_family_corrected_by_itself() -> None:
    for correction, by_hand in CORRECTIONS.items():
        one = compare(scores_of(systems=4), QUICK, correction=correction, baseline="r0").datasets[0]
        assert one.family == Family("r0", 3)
        for measure in one.measures:
            p = [found.test.p for found in measure.differences]
            assert [found.p_adjusted for found in measure.differences] == pytest.approx(by_hand(p))
            assert {found.m for found in measure.differences} == {3}


def test_without_a_named_baseline_the_family_is_all_pairs() -> None:
    for correction, by_hand in CORRECTIONS.items():
        one = compare(scores_of(systems=4), QUICK, correction=correction).datasets[0]
        assert (one.family, one.baseline) == (Family(None, 6), "r0")
        for measure in one.measures:
            p = [pair.test.p for pair in one.all_pairs(measure.measure)]
            assert [found.p_adjusted for found in measure.differences] == pytest.approx(
                by_hand(p)[:3]  # r0 against each
            )
            assert {found.m for found in measure.differences} == {6}


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    ranked = sorted(p)
    return [
        min(
            1.0, *(value * len(p) / (rank + 1) for rank, value in enumerate(ranked) if value >= own)
        )
        for own in p
    ]


CORRECTIONS: dict[Any, Any] = {
    "holm": holm,
    "bonferroni": lambda p: [min(1.0, value * len(p)) for value in p],
    "bh": benjamini_hochberg,
    "none": list,
}


def test_the_leader_is_held_against_others_in_the_one_family() -> None:
    scores = scores_of(systems=4)
    one = compare(scores, QUICK).datasets[0]
    names = ["r0", "r1", "r2", "r3"]
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    raw = {}
    for a, b in pairs:
        two = Scores((scores[a], scores[b]))
        raw[a, b] = compare(two, QUICK).datasets[0].measures[0].differences[0].test.p
    over_all = dict(zip(pairs, holm(list(raw.values())), strict=True))
    assert {found.retriever for found in one.leader} == {"r3"}
    by_other = {found.baseline: found for found in one.leader}
    for other in ("r0", "r1", "r2"):
        assert by_other[other].p_adjusted == pytest.approx(over_all[other, "r3"])
        assert by_other[other].m == 6
    # Where the experiment names a baseline, nothing is said of a pair without it.
    named = compare(scores, QUICK, baseline="r0").datasets[0]
    family = dict(zip(names[1:], holm([raw["r0", b] for b in names[1:]]), strict=True))
    assert named.measures[0].differences[2].p_adjusted == pytest.approx(family["r3"])
    tested = {found.baseline: found.p_adjusted for found in named.leader}
    assert tested.pop("r0") == pytest.approx(family["r3"])
    assert all(map(math.isnan, tested.values()))
    assert not any(found.decided for found in named.leader if found.baseline != "r0")
    # Where the named baseline leads, the family of comparisons with it is all there is.
    leading = compare(scores, QUICK, baseline="r3").datasets[0]
    for own, found in zip(leading.leader, reversed(leading.measures[0].differences), strict=True):
        assert own.baseline == found.retriever
        assert (own.value, own.p_adjusted) == (-found.value, found.p_adjusted)
        assert (own.interval.low, own.wins) == (-found.interval.high, found.losses)


def test_two_retrievers_need_no_correction() -> None:
    found = compare(scores_of(systems=2), QUICK).datasets[0].measures[0].differences[0]
    assert (found.m, found.p_adjusted) == (1, found.test.p)


def test_power_is_planned_at_alpha_over_m_and_not_from_what_was_seen() -> None:
    scores = scores_of(systems=3)
    given = {"margin": 0.02, "baseline": "r0"}
    found = compare(scores, QUICK, **given).datasets[0].measures[0].differences[0]
    differences = array(scores, "r1") - array(scores, "r0")

    def power(difference: float, n: int) -> float:
        noncentrality = difference / differences.std(ddof=1) * np.sqrt(n)
        critical = stats.t.isf(0.05 / 2 / 2, n - 1)
        reached = stats.nct.sf(critical, n - 1, noncentrality)
        return float(reached + stats.nct.cdf(-critical, n - 1, noncentrality))

    assert found.detectable is not None
    assert found.needed is not None
    assert power(found.detectable, 60) == pytest.approx(0.8, abs=1e-6)
    assert power(0.02, found.needed) >= 0.8 > power(0.02, found.needed - 1)
    better = Scores((scores["r0"], shifted(scores["r1"], 0.3), shifted(scores["r2"], 0.3)))
    again = compare(better, QUICK, **given).datasets[0].measures[0].differences[0]
    assert again.needed == found.needed
    assert again.detectable == pytest.approx(found.detectable)


def shifted(one: RetrieverScores, by: float) -> RetrieverScores:
    rows = dict(zip(map(str, one.measures), one.values + by, strict=True))
    return entry(one.retriever, rows, dataset=one.dataset)


def test_all_pairs_are_corrected_together_whatever_the_baseline() -> None:
    scores = scores_of(systems=3)
    plain = compare(scores, QUICK).datasets[0]
    assert plain.pairs is None
    for baseline in (None, "r1"):
        one = compare(scores, QUICK, all_pairs=True, baseline=baseline).datasets[0]
        assert one.pairs is not None
        assert list(one.pairs) == ["nDCG@10", "R@10"]
        for measure, pairs in one.pairs.items():
            assert [(pair.retriever, pair.baseline) for pair in pairs] == [
                ("r0", "r1"), ("r0", "r2"), ("r1", "r2"),
            ]  # fmt: skip
            assert [pair.p_adjusted for pair in pairs] == pytest.approx(
                holm([pair.test.p for pair in pairs])
            )
            assert pairs == plain.all_pairs(measure)
    first = plain.all_pairs("nDCG@10")[0]
    assert first.value == pytest.approx(array(scores, "r0").mean() - array(scores, "r1").mean())
