"""Populations of queries with the values of many configurations, whose true means are known.

A configuration's value is that of its query, which all share, and its own; how the own ones are
spread, and how alike those of neighbours are, is what the populations differ in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.simulations.populations import Floats

SIZE = 20_000
"""Queries of a population, whole clusters of which are drawn."""


@dataclass(frozen=True, eq=False)
class Configurations:
    """float64[C, SIZE] and, where they belong together, int64[SIZE] clusters of queries."""

    name: str
    values: Floats
    clusters: np.ndarray | None = None

    @property
    def means(self) -> Floats:
        """float64[C]: the truth."""
        return np.asarray(self.values.mean(axis=1))

    def sample(self, queries: int, random: np.random.Generator) -> tuple[Floats, np.ndarray | None]:
        """Values of queries drawn independently, or of whole clusters with their labels."""
        if self.clusters is None:
            return self.values[:, random.integers(0, SIZE, queries)], None
        starts = np.flatnonzero(np.diff(self.clusters, prepend=-1))
        sizes = np.diff(starts, append=SIZE)
        drawn = random.integers(0, len(starts), queries)
        at = np.concatenate([starts[one] + np.arange(sizes[one]) for one in drawn])
        return self.values[:, at], np.repeat(np.arange(queries), sizes[drawn])


def _of(
    name: str, own: Floats, means: Floats, clusters: np.ndarray | None = None
) -> Configurations:
    """Own values moved to these true means, around queries of different difficulty."""
    easy = np.random.default_rng(20).normal(0.5, 0.2, SIZE)
    own = own - own.mean(axis=1, keepdims=True) + means[:, None]
    return Configurations(name, easy + own, clusters)


@cache
def populations() -> tuple[Configurations, ...]:
    """Twenty configurations each, unless their name says otherwise."""
    random, count = np.random.default_rng(21), 20
    normal = random.normal(0, 0.2, (count, SIZE))
    steps = random.normal(0, 0.05, (count, SIZE)).cumsum(axis=0)
    spreads = np.geomspace(0.02, 0.5, count)[:, None] * random.normal(0, 1, (count, SIZE))
    skewed = random.exponential(0.2, (count, SIZE))
    few = np.where(
        random.random((count, SIZE)) < 0.06, random.choice([-0.5, 0.5], (count, SIZE)), 0
    )
    one = (random.random((count, SIZE)) < 0.5) * 1.0
    sizes = np.tile([1, 1, 2, 6, 10], SIZE // 20)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    together = random.normal(0, 0.2, (count, len(sizes)))[:, clusters]
    equal, near = np.zeros(count), np.linspace(0, 0.03, count)
    # The last is as good as the first, and both better than the others, by little or clearly.
    two_best = np.where(np.isin(np.arange(count), (0, count - 1)), 0.05, 0.0)
    clear = np.where(np.arange(count) == 3, 0.2, 0.0)
    return (
        _of("equal", normal, equal),
        _of("nearly equal: means up to .03 apart", normal, near),
        _of("nearly equal, neighbours alike", steps, near),
        _of("two equal ones are better by .05", normal, two_best),
        _of("one is better by .2", normal, clear),
        _of("equal, spreads from .02 to .5", spreads, equal),
        _of("equal, skewed (exponential)", skewed, equal),
        _of("equal, each differs from the rest on 6 % of queries", few, equal),
        _of("half of the variance in clusters of 1 to 10", normal + together, equal, clusters),
        Configurations("nearly equal, all values 0 or 1", one),
        Configurations("F1 at k = 1 to 20", _f1_by_k(random)),
    )


def _f1_by_k(random: np.random.Generator) -> Floats:
    """float64[20, SIZE]: F1 at each k of rankings with 1 to 5 relevant passages, likelier first."""
    relevant = random.integers(1, 6, SIZE)
    rank = np.arange(1, 21)[:, None]
    hits = (random.random((20, SIZE)) < 0.12 + 0.4 / rank).cumsum(axis=0)
    return 2 * np.minimum(hits, relevant) / (rank + relevant)
