"""Populations of queries that samples are drawn from, so that the true mean is known.

Scores of retrievers come from rankings that are simulated, not from a formula for the scores: a
query has 1 to 8 relevant passages among 500 others; the others score N(0, 1), the relevant ones
N(skill + query, 1) with a query effect of its own. Two retrievers share the query and half of the
variance of each relevant passage, and are exchangeable where their skill is equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

SIZE = 200_000
OTHERS = 500
MOST = 8
SEED = 20240917

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Population:
    """Values of one measure, or differences of two retrievers, one for each of N queries."""

    name: str
    values: Floats

    @property
    def mean(self) -> float:
        """The truth that an interval should hold."""
        return float(self.values.mean())

    @property
    def nonzero(self) -> float:
        """Share of the values that are not 0."""
        return float((np.abs(self.values) > 1e-12).mean())

    @property
    def skew(self) -> float:
        """Third standardised moment."""
        centred = self.values - self.values.mean()
        return float((centred**3).mean() / (centred**2).mean() ** 1.5)

    def samples(self, count: int, queries: int, seed: int) -> Floats:
        """float64[count, queries], drawn independently."""
        at = np.random.default_rng(seed).integers(0, len(self.values), (count, queries))
        drawn: Floats = self.values[at]
        return drawn


@cache
def scores(measure: str, skills: tuple[float, ...], seed: int = SEED) -> Floats:
    """float64[systems, SIZE]: a measure of retrievers of these skills on the same queries.

    Args:
        measure: ``AP``, ``RR@10``, ``nDCG@10`` or ``Success@K``.
        skills: how far relevant passages stand above others, in standard deviations.
        seed: of the queries and rankings.
    """
    rng = np.random.default_rng(seed)
    n_relevant = np.minimum(1 + rng.poisson(1.5, SIZE), MOST)
    query = rng.normal(0, 1, SIZE)
    shared = rng.normal(0, 1, (SIZE, MOST))
    return np.array(
        [_measured(measure, _ranks(rng, n_relevant, query + skill, shared), n_relevant)
         for skill in skills]
    )  # fmt: skip


def _ranks(
    rng: np.random.Generator, n_relevant: NDArray[np.int64], level: Floats, shared: Floats
) -> Floats:
    """Ranks of the relevant passages, best first: float64[SIZE, MOST], inf past the last."""
    scored = level[:, None] + np.sqrt(0.5) * (shared + rng.normal(0, 1, shared.shape))
    scored[np.arange(MOST) >= n_relevant[:, None]] = -np.inf
    scored = -np.sort(-scored, axis=1)
    ranks = np.full(scored.shape, np.inf)
    above, left = np.zeros(SIZE, dtype=np.int64), np.ones(SIZE)
    for place in range(MOST):
        there = place < n_relevant
        below = ndtr(np.where(there, scored[:, place], 0.0))
        chance = np.where(there, np.clip(1 - below / left, 0, 1), 0.0)
        above = above + rng.binomial(OTHERS - above, chance)
        left = np.where(there, np.maximum(below, 1e-300), left)
        ranks[there, place] = (place + 1 + above)[there]
    return ranks


def _measured(measure: str, ranks: Floats, n_relevant: NDArray[np.int64]) -> Floats:
    places = np.arange(1, MOST + 1)
    family, _, cutoff = measure.partition("@")
    k = float(cutoff or np.inf)
    if family == "AP":
        values = (places / ranks).sum(axis=1) / n_relevant
    elif family == "RR":
        values = np.where(ranks[:, 0] <= k, 1 / ranks[:, 0], 0.0)
    elif family == "Success":
        values = (ranks[:, 0] <= k).astype(float)
    else:
        gains = np.where(ranks <= k, 1 / np.log2(ranks + 1), 0.0).sum(axis=1)
        ideal = np.where(places <= n_relevant[:, None], 1 / np.log2(places + 1), 0.0)
        values = gains / ideal.sum(axis=1)
    return np.asarray(values, dtype=np.float64)


def mean_of(measure: str, skill: float) -> Population:
    """One retriever's values."""
    return Population(measure, scores(measure, (skill,))[0])


def difference_of(measure: str, skill: float, gain: float = 0.0) -> Population:
    """Differences of two retrievers, the first of which has more skill by ``gain``."""
    one, other = scores(measure, (skill + gain, skill))
    better = ", one better" if gain else ""
    return Population(f"{measure} near {other.mean():.2f}{better}", one - other)


def mixture(name: str, nonzero: float, steps: Floats) -> Population:
    """A share of the queries differs, by steps drawn alike from those given."""
    rng = np.random.default_rng(SEED)
    values = np.where(rng.random(SIZE) < nonzero, rng.choice(steps, SIZE), 0.0)
    return Population(name, values)
