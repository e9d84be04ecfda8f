"""How often intervals hold the truth and tests reject, over many simulated samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.intervals import Interval, Method, mean_intervals
from ragscore.stats.paired import Test, paired_tests
from tests.simulations.populations import Population

SAMPLES = 4_000
"""Samples behind every coverage: its standard error at 95 % is 0.34 points."""
SIMULATIONS = 10_000
"""Samples behind every rate of rejection: its standard error at 5 % is 0.22 points."""
QUERIES = 50
ALPHA = 0.05
TOGETHER = 500
"""Samples that share their resamples or sign flips, so that memory stays bounded."""

Floats = NDArray[np.float64]


def chunks(samples: Floats) -> Iterator[tuple[int, Floats]]:
    """Parts of the samples, each with a seed of its own."""
    for start in range(0, len(samples), TOGETHER):
        yield 1000 + start, samples[start : start + TOGETHER]


def covered(intervals: list[Interval], truth: float) -> float:
    """Share of the intervals that hold the truth; one that cannot be estimated does not."""
    return float(np.mean([one.low <= truth <= one.high for one in intervals]))


def mean_coverage(
    population: Population, method: Method, *, queries: int = QUERIES, binary: bool | None = None
) -> float:
    """Coverage of the 95 % interval of a mean."""
    samples = population.samples(SAMPLES, queries, seed=1)
    found: list[Interval] = []
    for seed, part in chunks(samples):
        found += mean_intervals(part, method=method, seed=seed, binary=binary)
    return covered(found, population.mean)


def difference_coverage(population: Population, method: Method) -> float:
    """Coverage of the 95 % interval of a mean difference."""
    samples = population.samples(SAMPLES, QUERIES, seed=2)
    found: list[Interval] = []
    for seed, part in chunks(samples):
        found += difference_intervals(part, method=method, seed=seed)
    return covered(found, population.mean)


def rejected(samples: Floats, method: Test) -> float:
    """Share of the samples float64[n, Q] in which a paired test has p < .05."""
    count = 0
    for seed, part in chunks(samples):
        tests = paired_tests(part, method=method, seed=seed)
        count += sum(test.p < ALPHA for test in tests)
    return count / len(samples)


def exchanged(population: Population, queries: int = QUERIES, seed: int = 3) -> Floats:
    """Differences of two retrievers whose labels are exchanged at random for every query:
    float64[SIMULATIONS, queries]."""
    samples = population.samples(SIMULATIONS, queries, seed)
    signs = np.random.default_rng(seed + 1).choice([-1.0, 1.0], samples.shape)
    return samples * signs


def rejections(samples: Floats, p_values: Callable[[Floats, int], Floats]) -> float:
    """The same for any test that takes float64[n, Q] and a seed and gives n p-values."""
    found = [p_values(part, seed) for seed, part in chunks(samples)]
    return float((np.concatenate(found) < ALPHA).mean())
