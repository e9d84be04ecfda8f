"""A verdict says "best" where its rule, computed by hand, holds, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragscore.comparison import compare
from tests.factories.scores import Values, scored
from tests.factories.thorough import THOROUGH
from tests.factories.verdict_cases import ndcg, verdict


def drawn(generator: np.random.Generator, systems: int, spread: float) -> Values:
    base = generator.random(int(generator.integers(6, 40)))
    shifts = generator.normal(0, spread, systems)
    return ndcg(
        **{
            f"r{number}": base + shift * generator.random(len(base)) + generator.normal(0, 0.05)
            * (generator.random(len(base)) < 0.6)
            for number, shift in enumerate(shifts)
        }
    )  # fmt: skip


def decided_by_hand(better: np.ndarray, worse: np.ndarray, p_adjusted: float) -> bool:
    """An adjusted p below .05, and scipy's t interval above 0."""
    differences = better - worse
    if np.ptp(differences) < 1e-12:
        return p_adjusted < 0.05
    low = stats.ttest_1samp(differences, 0).confidence_interval(0.95).low
    return bool(p_adjusted < 0.05 and low > 0)


@pytest.mark.slow
def test_best_is_never_said_otherwise() -> None:
    generator = np.random.default_rng(7)
    said = {"best": 0, "not": 0}
    for _ in range(100 if THOROUGH else 50):
        values = drawn(generator, int(generator.integers(2, 5)), 0.15)
        comparison = compare(scored(values), resamples=200)
        one = comparison.datasets[0]
        found = one.verdict
        claims = found.state in ("CLEAR", "SMALL")
        assert (found.state == "CLEAR") == ("the best of" in str(found))
        assert claims == ("Open:" not in str(found) and found.state != "EQUAL")
        assert claims == (len(found.tied) == 1)
        arrays = {name: np.asarray(row) for name, row in values["nDCG@10"].items()}
        means = {name: row.mean() for name, row in arrays.items()}
        assert means[found.leader] == max(means.values())
        every = all(
            decided_by_hand(arrays[d.retriever], arrays[d.baseline], d.p_adjusted)
            for d in one.leader
        )
        few = one.leader[0].differing <= 5
        assert claims == (every and not few)
        said["best" if claims else "not"] += 1
    assert min(said.values()) > (15 if THOROUGH else 5)


@pytest.mark.slow
def test_among_equals_best_is_rarely_said() -> None:
    generator = np.random.default_rng(11)
    claims = 0
    for _ in range(100 if THOROUGH else 50):
        values = ndcg(**{name: generator.normal(0.5, 0.1, 25) for name in "abcd"})
        claims += verdict(scored(values), resamples=200).state in ("CLEAR", "SMALL")
    assert claims <= (5 if THOROUGH else 3)
