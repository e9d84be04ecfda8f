"""What a gate decides about a drop that is known: at the allowance, beyond it, and none."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from ragscore.stats.drops import drop_test
from ragscore.stats.one_sided import ALPHA
from ragscore.stats.paired_power import PairedPower, unknown_spreads
from ragscore.stats.units import units_of
from tests.simulations.few_tables import tilted
from tests.simulations.populations import Floats, Population, difference_of, mixture
from tests.simulations.table import Table

SAMPLES = 1_000
ALLOWANCE, BEYOND = 0.02, 0.05
VERDICTS = ("FAIL", "PASS", "UNDECIDED")


@cache
def changes() -> tuple[Population, ...]:
    """Differences of two settings: of all sizes, of 0/1 values, and where few queries differ."""
    own = {measure: difference_of(measure, 2.5) for measure in ("nDCG@10", "RR@10", "Success@10")}
    steps = own["nDCG@10"].values[np.abs(own["nDCG@10"].values) > 1e-12]
    return (
        *own.values(),
        mixture("nDCG@10, 20 % differ", 0.2, steps),
        mixture("nDCG@10, 10 % differ", 0.1, steps),
        mixture("Success, 15 % differ", 0.15, np.array([1.0, -1.0])),
        mixture("1 of 20 falls by 0.6", 0.05, np.array([-0.6])),
        mixture("1 of 20 rises by 0.6, the others vary by 0.05", 1.0, _rises()),
    )


def _rises() -> Floats:
    small = np.random.default_rng(40).normal(-0.03, 0.05, 190_000)
    return np.concatenate([small, np.full(10_000, 0.6)])


def drawn(population: Population, mean: float, queries: int, seed: int) -> Floats:
    """float64[SAMPLES, queries] of the population, tilted as little as gives it this mean."""
    values = population.values
    if values.min() < mean < values.max():
        chances = tilted(values, mean)
        return np.random.default_rng(seed).choice(values, (SAMPLES, queries), p=chances)
    return population.samples(SAMPLES, queries, seed) + mean - population.mean


def verdicts(samples: Floats, allowance: float = ALLOWANCE) -> dict[str, float]:
    """How often each verdict is given, of a gate with one condition."""
    counts: Counter[str] = Counter()
    for sample in samples:
        found = drop_test(sample, allowance, bounded=True)
        passes = found.basis == "unchanged" or found.p_pass < ALPHA
        counts["FAIL" if found.p_fail < ALPHA else "PASS" if passes else "UNDECIDED"] += 1
    return {verdict: counts[verdict] / len(samples) for verdict in VERDICTS}


def stated_power(samples: Floats) -> float:
    """The chance of showing a drop so far beyond the allowance, as the samples state it."""
    units = units_of(samples, None)
    known = [row for row, why in enumerate(unknown_spreads(units)) if not why]
    stated = [one.power(BEYOND, 2 * ALPHA) for one in PairedPower.of(units.only(known))]
    return float(np.median(stated)) * len(known) / len(samples)


@cache
def gates() -> Table:
    """What a gate with an allowance of 0.02 says."""
    rows: list[tuple[str | float, ...]] = []
    for population in changes():
        for queries in (40, 100, 300):
            at = verdicts(drawn(population, -ALLOWANCE, queries, seed=41))
            beyond = drawn(population, -ALLOWANCE - BEYOND, queries, seed=42)
            none = verdicts(drawn(population, 0.0, queries, seed=43))
            rows.append(
                (
                    population.name,
                    str(queries),
                    at["FAIL"],
                    at["PASS"],
                    verdicts(beyond)["FAIL"],
                    stated_power(beyond),
                    none["FAIL"],
                    none["PASS"],
                    none["UNDECIDED"],
                )
            )
    header = (
        *("differences of", "queries", "FAIL at the allowance", "PASS at the allowance"),
        *("FAIL 0.05 beyond", "stated power", "no drop: FAIL", "PASS", "UNDECIDED"),
    )
    return Table("gates", header, tuple(rows))
