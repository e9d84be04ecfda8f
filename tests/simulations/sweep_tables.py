"""What is said of the best of many configurations, and of choosing it."""

from __future__ import annotations

from functools import cache

import numpy as np

from ragscore.stats.best_set import best_set
from ragscore.stats.cross_validation import choose_by_cross_validation, held_out_gain
from ragscore.stats.intervals import mean_intervals
from tests.simulations.configurations import populations
from tests.simulations.populations import Floats
from tests.simulations.rates import covered
from tests.simulations.table import Table

CASES = ((20, 50, 1_000), (100, 100, 400), (500, 225, 100))
"""Configurations, queries, simulations."""
TRUTH = 0.325
"""The mean of each configuration over all queries there are."""
FLIPS = 1_000
SAMPLES, QUERIES = 1_000, 60
"""Of the populations of configurations; of these, 60 are clusters where there are any."""


def equal(configurations: int, queries: int, random: np.random.Generator) -> Floats:
    """Values of configurations and, last, of the file's settings: found by chance, at some rank.

    Queries differ in difficulty; the scores of a query are permuted over the configurations.
    """
    easy = random.beta(1.2, 1.2, queries)
    shape = (configurations + 1, queries)
    values = np.where(random.random(shape) < easy, random.uniform(0.3, 1.0, shape), 0.0)
    return random.permuted(values, axis=0)


@cache
def sweeps() -> Table:
    """The best of equal configurations: its own value, and that on queries that did not choose."""
    rows: list[tuple[str | float, ...]] = []
    for configurations, queries, simulations in CASES:
        random = np.random.default_rng(15)
        off, counts = np.zeros(2), np.zeros(3)
        for seed in range(simulations):
            *values, written = equal(configurations, queries, random)
            done = choose_by_cross_validation(np.array(values), seed=seed, unit_interval=True)
            off += done.in_sample - TRUTH, done.mean - TRUTH
            within = best_set(np.array(values), flips=FLIPS, seed=seed).within.all()
            counts += (
                done.interval.low <= TRUTH <= done.interval.high,
                not within,
                held_out_gain(done, written).decided,
            )
        means = [f"{mean:+.3f}" for mean in (off / simulations).tolist()]
        shares = (counts / simulations).tolist()
        rows.append((str(configurations), str(queries), *means, *shares))
    header = (
        "equal configurations",
        "queries",
        "value of the best is off by",
        "held-out value is off by",
        "its interval holds",
        "any is called worse than the best",
        "choosing is called better or worse than the file",
    )
    return Table("sweeps", header, tuple(rows))


@cache
def choices() -> Table:
    """What choosing is worth elsewhere: how often its interval holds the truth, and how often one
    that takes the repeats' mean of each query as one sample would."""
    rows: list[tuple[str | float, ...]] = []
    for population in populations():
        random, truths, intervals = np.random.default_rng(22), [], []
        unit = population.values.min() >= 0 and population.values.max() <= 1
        for seed in range(SAMPLES):
            values, clusters = population.sample(QUERIES, random)
            done = choose_by_cross_validation(
                values, seed=seed, clusters=clusters, unit_interval=bool(unit)
            )
            truths.append(float(done.times @ population.means) / done.times.sum())
            averaged = done.out_of_fold.mean(axis=0, keepdims=True)
            [plain] = mean_intervals(averaged, method="t", clusters=clusters)
            intervals.append((plain, done.interval))
        truth = float(np.mean(truths))  # the procedure's, over samples
        plain, corrected = (covered([pair[at] for pair in intervals], truth) for at in (0, 1))
        rows.append((population.name, plain, corrected))
    header = ("settings", "t of the means over repeats holds", "the printed interval holds")
    return Table("choices", header, tuple(rows))


@cache
def best_sets() -> Table:
    """Within noise of the best: how often a truly best configuration is left out, and how often
    any interval of a difference to the best misses."""
    rows: list[tuple[str | float, ...]] = []
    for population in populations():
        random, truth = np.random.default_rng(23), population.means
        best = truth > truth.max() - 1e-9
        counts, sizes = np.zeros(3), 0
        for seed in range(SAMPLES):
            values, clusters = population.sample(QUERIES, random)
            found = best_set(values, flips=FLIPS, seed=seed, clusters=clusters)
            gaps = truth[found.best] - truth
            missed = (found.low > gaps + 1e-9) | (found.high < gaps - 1e-9)
            counts += (not found.within[best].all(), not found.within[best].any(), missed.any())
            sizes += int(found.within.sum())
        shares = (counts / SAMPLES).tolist()
        rows.append((population.name, *shares, f"{sizes / SAMPLES:.1f}"))
    header = (
        "configurations",
        "one of the truly best is left out",
        "all of the truly best are left out",
        "any interval misses",
        "within noise, of 20",
    )
    return Table("best_sets", header, tuple(rows))
