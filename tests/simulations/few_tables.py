"""Tables of what few differing queries and few clusters can carry."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import ndtr

from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.intervals import mean_intervals
from ragscore.stats.paired import paired_tests
from ragscore.stats.power import detectable_difference
from tests.simulations.populations import (
    Floats,
    Population,
    difference_of,
    mean_of,
    mixture,
)
from tests.simulations.rates import covered
from tests.simulations.table import Table
from tests.stats.one_column import equivalence, paired_power

SAMPLES = 1_500
"""Behind each rate here; its standard error at 95 % is 0.6 points."""
PILOTS, TRIALS = 100, 600
"""Samples that state what is detectable, and samples that show how often that is found."""


@cache
def sparse_populations() -> tuple[Population, ...]:
    """A share of the queries differs, as two settings of one retriever do: more are won than
    lost, by the steps of a measure."""
    kinds = {"Success": np.array([1.0, 1.0, 1.0, -1.0])}
    for measure in ("RR@10", "nDCG@10"):
        values = difference_of(measure, 3.0, 0.6).values
        kinds[measure] = values[np.abs(values) > 1e-12]
    return tuple(
        mixture(f"{kind}, {share:.0%} differ".replace("%", " %"), share, steps)
        for kind, steps in kinds.items()
        for share in (0.02, 0.05, 0.1, 0.2)
    )


@cache
def sparse() -> Table:
    """Intervals of sparse differences, and how often two are wrongly shown equal."""
    rows: list[tuple[str | float, ...]] = []
    for population in sparse_populations():
        truth = population.mean
        for queries in (50, 100, 200):
            samples = population.samples(SAMPLES, queries, seed=21)
            found = difference_intervals(samples)
            wrong = [one.estimable and not one.low <= truth <= one.high for one in found]
            equal = [equivalence(row, abs(truth)).equivalent for row in samples[:750]]
            rows.append(
                (
                    population.name,
                    str(queries),
                    covered(difference_intervals(samples, method="t"), truth),
                    float(np.mean([one.estimable for one in found])),
                    float(np.mean(wrong)),
                    float(np.mean(equal)),
                )
            )
    header = (
        *("differences of", "queries", "t holds", "an interval is shown"),
        *("it is wrong", '"equal" at the margin itself'),
    )
    return Table("sparse", header, tuple(rows))


@cache
def sparse_power() -> Table:
    """How often a difference is decided that is as large as the detectable one."""
    rows: list[tuple[str | float, ...]] = []
    for population in sparse_populations():
        for queries in (50, 200):
            pilots = population.samples(PILOTS, queries, seed=22)
            enough = (np.abs(pilots) > 1e-12).sum(axis=1) > TOO_FEW
            if enough.sum() < PILOTS / 4:
                continue
            stated = [paired_power(pilot).detectable(0.05) for pilot in pilots[enough]]
            ours = float(np.median([one for one in stated if one is not None]))
            students = float(
                np.median(
                    [
                        detectable_difference(paired_power(pilot).sd, queries)
                        for pilot in pilots[enough]
                    ]
                )
            )
            rows.append(
                (
                    population.name,
                    str(queries),
                    f"{students:.3f}",
                    decided(population, students, queries),
                    f"{ours:.3f}",
                    decided(population, ours, queries),
                )
            )
    header = (
        *("differences of", "queries", "Student's", "is decided"),
        *("detectable", "is decided"),
    )
    return Table("sparse_power", header, tuple(rows))


def decided(population: Population, difference: float, queries: int) -> float:
    """How often such a true difference is decided: p below .05, and an interval above 0."""
    values = population.values
    chances = tilted(values, difference)
    random = np.random.default_rng(23)
    samples = random.choice(values, (TRIALS, queries), p=chances)
    tests = paired_tests(samples, resamples=1_000)
    intervals = difference_intervals(samples)
    return float(
        np.mean([test.p < 0.05 and one.low > 0 for test, one in zip(tests, intervals, strict=True)])
    )


def tilted(values: Floats, mean: float) -> Floats:
    """Chances of the values, changed as little as gives them another mean (in relative entropy):
    exponential in the value."""
    low, high = -100.0, 100.0
    chances = np.full(len(values), 1 / len(values))
    for _ in range(50):
        middle = (low + high) / 2
        chances = np.exp(middle * values - (middle * values).max())
        chances /= chances.sum()
        low, high = (middle, high) if chances @ values < mean else (low, middle)
    return chances


@cache
def cluster_means() -> Table:
    """Intervals of means over few clusters, half of whose variance lies between them."""
    rows: list[tuple[str | float, ...]] = []
    random = np.random.default_rng(24)
    for population in (mean_of("AP", 3.0), mean_of("RR@10", 3.0), mean_of("Success@10", 2.0)):
        ordered = np.sort(population.values)
        for sizes in ((4,), (1, 1, 2, 6, 10)):
            for count in (5, 10, 15, 25):
                labels = np.repeat(np.arange(count), np.resize(sizes, count))
                own = random.normal(0, 1, (SAMPLES, count))[:, labels]
                level = np.sqrt(0.5) * (own + random.normal(0, 1, own.shape))
                at = (ndtr(level) * len(ordered)).astype(int)
                samples = ordered[np.minimum(at, len(ordered) - 1)]
                bca = mean_intervals(
                    samples, method="bca", clusters=labels, resamples=1_000, binary=False
                )
                found = [
                    covered(way, population.mean)
                    for way in (bca, mean_intervals(samples, clusters=labels))
                ]
                name = f"{population.name} {population.mean:.2f}"
                rows.append((name, str(count), ", ".join(map(str, sizes)), *found))
    header = ("mean of", "clusters", "queries in each", "BCa", "default: t, or Wilson for 0/1")
    return Table("cluster_means", header, tuple(rows))
