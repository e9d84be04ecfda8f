"""Sweeps of configurations that are all equally good: what is said of the best of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from ragscore.stats.best_set import best_set
from ragscore.stats.cross_validation import choose_by_cross_validation, held_out_gain
from tests.simulations.populations import Floats
from tests.simulations.table import Table

CASES = ((20, 50, 1_000), (100, 100, 400), (500, 225, 100))
"""Configurations, queries, simulations."""
TRUTH = 0.325
"""The mean of each configuration over all queries there are."""
FLIPS = 1_000


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
            off += done.optimistic - TRUTH, done.held_out - TRUTH
            within = best_set(np.array(values), flips=FLIPS, seed=seed).within.all()
            interval = held_out_gain(done, np.zeros(queries)).interval
            counts += (
                interval.low <= TRUTH <= interval.high,
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
