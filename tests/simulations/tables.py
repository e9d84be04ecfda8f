"""The tables of docs/statistics.md: ``python -m tests.simulations.tables`` prints them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.stats import binom

from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.gaps import gap_tests
from ragscore.stats.paired import TESTS, paired_tests
from ragscore.stats.power import detectable_difference
from tests.simulations import rates
from tests.simulations.few_tables import cluster_means, sparse, sparse_power
from tests.simulations.gate_tables import gate_queries, gate_tests, gates
from tests.simulations.populations import (
    Floats,
    Population,
    difference_of,
    mean_of,
    mixture,
)
from tests.simulations.rates import QUERIES, SIMULATIONS
from tests.simulations.sweep_tables import best_sets, choices, sweeps
from tests.simulations.table import Table
from tests.stats.one_column import equivalence, wilson


def _random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@cache
def shares() -> Table:
    """Wilson's interval of a 0/1 measure; beside it what the binomial distribution says."""
    rows = []
    for percent in range(50, 100, 5):
        p = percent / 100
        population = Population("share", (np.arange(100) < percent).astype(np.float64))
        hits = np.arange(QUERIES + 1)
        held = [wilson(float(hit), QUERIES) for hit in hits]
        inside = np.array([one.low <= p <= one.high for one in held])
        exact = float(binom.pmf(hits, QUERIES, p)[inside].sum())
        rows.append((f"{p:.2f}", rates.mean_coverage(population, "bca"), exact))
    return Table("shares", ("p", "Wilson, simulated", "exact"), tuple(rows))


@cache
def means() -> Table:
    """Intervals of means of AP and RR, from poor to nearly perfect retrievers."""
    skills = {
        "AP": (1.0, 2.0, 3.0, 4.0, 4.5, 5.0, 5.5),
        "RR@10": (1.0, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0),
    }
    rows: list[tuple[str | float, ...]] = []
    for measure, several in skills.items():
        for skill in several:
            population = mean_of(measure, skill)
            found = [
                rates.mean_coverage(population, method, binary=False)
                for method in ("bca", "percentile", "t")
            ]
            rows.append((measure, f"{population.mean:.3f}", *found))
    return Table("means", ("measure", "true mean", "BCa", "percentile", "t"), tuple(rows))


@cache
def symmetric() -> tuple[Population, ...]:
    """Differences that are roughly symmetric, 30 % or more of them not 0."""
    steps = _random(5)
    of_scores = [
        difference_of(measure, skill, gain)
        for measure in ("AP", "nDCG@10", "RR@10")
        for skill, gain in ((1.0, 0.0), (3.0, 0.0), (3.0, 0.3))
    ]
    return (
        *of_scores,
        mixture("normal", 1.0, steps.normal(0, 0.2, 100_000)),
        mixture("30 % differ, normal", 0.3, steps.normal(0, 0.2, 100_000)),
        mixture("30 % differ, Laplace", 0.3, steps.laplace(0, 0.2, 100_000)),
        mixture("30 % differ, +1 or -1", 0.3, np.array([1.0, -1.0])),
        mixture("30 % differ, +1 or -1 as 3:2", 0.3, np.array([1.0, 1, 1, -1, -1])),
    )


@cache
def differences() -> Table:
    """Intervals of paired differences."""
    rows = [
        (
            population.name,
            population.nonzero,
            f"{population.skew:+.2f}",
            *(rates.difference_coverage(population, way) for way in ("t", "bca", "percentile")),
        )
        for population in symmetric()
    ]
    header = ("differences of", "not 0", "skew", "t", "BCa", "percentile")
    return Table("differences", header, tuple(rows))


@cache
def exchangeable() -> Table:
    """How often each test rejects where the labels are exchangeable for every query."""
    rows: list[tuple[str | float, ...]] = []
    for population in symmetric():
        if "better" not in population.name and "3:2" not in population.name:
            samples = rates.exchanged(population)
            found = [rates.rejected(samples, test) for test in TESTS]
            rows.append((population.name, population.nonzero, *found))
    return Table("exchangeable", ("differences of", "not 0", *TESTS), tuple(rows))


@cache
def few() -> Table:
    """The same where few queries differ, each by the same step, as with 0/1 measures."""
    cases = {}
    for differing in (4, 5, 6, 7, 8, 10, 15, 20):
        signs = _random(6).choice([-1.0, 1.0], (SIMULATIONS, differing))
        cases[f"{differing}"] = np.pad(signs, ((0, 0), (0, QUERIES - differing)))
    for percent in (5, 10, 20):
        differing_at_random = mixture("", percent / 100, np.array([-1.0, 1.0]))
        cases[f"{percent} % of the population"] = rates.exchanged(differing_at_random)
    rows = [
        (name, *(rates.rejected(samples, test) for test in TESTS))
        for name, samples in cases.items()
    ]
    return Table("few", (f"of {QUERIES} differ", *TESTS), tuple(rows))


@cache
def skewed() -> Table:
    """How often each test rejects where the means are equal and the differences skewed."""
    random = _random(7)
    lognormal = random.lognormal(0, 1, 200_000)
    shapes = {
        "exponential": random.exponential(0.2, 200_000),
        "lognormal": lognormal,
        "9 of 10 a little worse, 1 much better": np.repeat([-0.05, 0.45], [9, 1]),
        "19 of 20 a little worse, 1 much better": np.repeat([-0.05, 0.95], [19, 1]),
    }
    rows: list[tuple[str | float, ...]] = []
    for name, values in shapes.items():
        population = Population(name, values - values.mean())
        for queries in (50, 200):
            samples = population.samples(SIMULATIONS, queries, seed=8)
            found = [rates.rejected(samples, test) for test in TESTS]
            rows.append((name, f"{population.skew:+.1f}", str(queries), *found))
    return Table("skewed", ("differences", "skew", "queries", *TESTS), tuple(rows))


@cache
def clusters() -> Table:
    """25 clusters of 4 queries, half of the variance between clusters, and none between."""
    labels = np.repeat(np.arange(25), 4)
    rows: list[tuple[str | float, ...]] = []
    for name, between in (("half", 0.5), ("none", 0.0)):
        random = _random(10)
        own = random.normal(0, 1, (SIMULATIONS, 25))[:, labels]
        noise = random.normal(0, 1, own.shape)
        samples = np.sqrt(between) * own + np.sqrt(1 - between) * noise
        for known, given in (("yes", labels), ("no", None)):
            cover, reject = [], dict.fromkeys(TESTS, 0)
            for seed, part in rates.chunks(samples):
                cover += difference_intervals(part, clusters=given)
                for test in TESTS:
                    found = paired_tests(part, method=test, seed=seed, clusters=given)
                    reject[test] += sum(one.p < 0.05 for one in found)
            shares_of = [count / SIMULATIONS for count in reject.values()]
            rows.append((name, known, rates.covered(cover, 0.0), *shares_of))
    header = ("variance between", "clusters given", "t interval holds", *TESTS)
    return Table("clusters", header, tuple(rows))


@cache
def gaps() -> Table:
    """How often a gap test rejects where the means inside and outside are equal."""
    rows: list[tuple[str | float, ...]] = []
    alike = difference_of("RR@10", 2.5)
    for inside in (10, 15, 25):
        member = (np.arange(QUERIES) < inside)[None]

        def p_values(part: Floats, seed: int, member: np.ndarray = member) -> Floats:
            return gap_tests(part, member, permutations=1000, seed=seed).p[:, 0]

        samples = alike.samples(SIMULATIONS, QUERIES, seed=11)
        wider = _random(12).normal(0, 1, samples.shape) * np.where(member, 3.0, 1.0)
        narrower = _random(13).normal(0, 1, samples.shape) * np.where(member, 1.0, 3.0)
        found = [rates.rejections(each, p_values) for each in (samples, wider, narrower)]
        rows.append((f"{inside} of {QUERIES}", *found))
    header = ("inside", "RR@10, alike", "spread 3 times as wide inside", "3 times as wide outside")
    return Table("gaps", header, tuple(rows))


@cache
def margins() -> Table:
    """Equivalence at the margin, and power at the detectable difference."""
    sd, samples = 0.2, _random(14).normal(0, 0.2, (SIMULATIONS, QUERIES))
    detectable = detectable_difference(sd, QUERIES)
    found = {test: rates.rejected(samples + detectable, test) for test in TESTS}
    shown = [equivalence(row, 0.1) for row in samples - 0.1]
    rows: list[tuple[str | float, ...]] = [
        (f"{test} rejects at the difference that 80 % power is stated for ({detectable:.3f})", rate)
        for test, rate in found.items()
    ]
    rows += [
        ('"equivalent" where the true difference is the margin', _share(shown, "equivalent")),
        ('"non-inferior" where it is minus the margin', _share(shown, "non_inferior")),
    ]
    return Table("margins", ("normal differences, sd 0.2", "how often"), tuple(rows))


def _share(shown: Sequence[object], name: str) -> float:
    return float(np.mean([getattr(one, name) for one in shown]))


TABLES: tuple[Callable[[], Table], ...] = (
    shares, means, differences, sparse, exchangeable, few, skewed, clusters, cluster_means,
    gaps, margins, sparse_power, sweeps, choices, best_sets, gates,
    gate_queries, gate_tests,
)  # fmt: skip


if __name__ == "__main__":
    for make in TABLES:
        table = make()
        print(f"<!-- {table.name} -->\n{table.markdown()}\n", flush=True)
