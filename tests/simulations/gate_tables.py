"""What a gate decides about a drop that is known: at the allowance, beyond it, and none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from ragscore.stats.drops import REACH, drop_test
from ragscore.stats.one_sided import ALPHA, one_sided_tests
from tests.simulations.few_tables import tilted
from tests.simulations.populations import Floats, Population, difference_of, mixture
from tests.simulations.rival_tests import RIVALS
from tests.simulations.table import Table

SAMPLES = 1_000
STATED = 60
"""Samples that state a power or a number of queries, of which the median is taken."""
ALLOWANCE, BEYOND = 0.02, 0.05
VERDICTS = ("FAIL", "PASS", "unchanged", "UNDECIDED")
SIZES = (1, 2, 3, 4, 5)
"""Of clusters."""
QUERIES = (40, 100, 300)


@cache
def changes() -> tuple[Population, ...]:
    """Differences of two settings: of all sizes, of 0/1 values, where few queries differ, and
    where few large ones hide from samples."""
    own = {measure: difference_of(measure, 2.5) for measure in ("nDCG@10", "RR@10", "Success@10")}
    steps = own["nDCG@10"].values[np.abs(own["nDCG@10"].values) > 1e-12]
    return (
        *own.values(),
        mixture("nDCG@10, 20 % differ", 0.2, steps),
        mixture("nDCG@10, 10 % differ", 0.1, steps),
        mixture("Success, 15 % differ", 0.15, np.array([1.0, -1.0])),
        mixture("1 of 20 falls by 0.6", 0.05, np.array([-0.6])),
        mixture("1 of 20 rises by 0.6, the others vary by 0.05", 1.0, _rises(0.6, 0.05)),
        mixture("1 of 50 rises by 1, the others fall by 0.03", 1.0, _rises(1.0, 0.02, 50)),
    )


def clustered() -> tuple[Population, ...]:
    """The queries of a cluster change alike."""
    first, rises = changes()[0], changes()[-2]
    return tuple(replace(one, name=f"{one.name}, clusters of 1 to 5") for one in (first, rises))


def _rises(height: float, spread: float, of: int = 20) -> Floats:
    count = 200_000 // of
    small = np.random.default_rng(40).normal(-0.03, spread, 200_000 - count)
    return np.concatenate([small, np.full(count, height)])


def drawn(
    population: Population, mean: float, queries: int, seed: int, samples: int = SAMPLES
) -> Floats:
    """float64[samples, queries] of the population, tilted as little as gives it this mean."""
    values = population.values
    if values.min() < mean < values.max():
        at = np.random.default_rng(seed).random((samples, queries))
        return values[np.minimum(np.searchsorted(below(population, mean), at), len(values) - 1)]
    return population.samples(samples, queries, seed) + mean - population.mean


@cache
def below(population: Population, mean: float) -> Floats:
    """The tilted chance of each value or one before it."""
    return tilted(population.values, mean).cumsum()


def verdicts(samples: Floats, clusters: np.ndarray | None = None) -> dict[str, float]:
    """How often each verdict is given, of a gate with one condition: as
    :func:`ragscore.stats.drops.drop_test` has it, without the intervals."""
    tests = one_sided_tests(samples, [-ALLOWANCE] * len(samples), clusters=clusters, reach=REACH)
    fails = np.array([one.p_below < ALPHA for one in tests])
    passes = np.array([one.p_above < ALPHA for one in tests])
    unchanged = ~samples.any(axis=1) & ~passes
    found = dict(zip(VERDICTS, (fails, passes, unchanged), strict=False))
    found["UNDECIDED"] = ~(fails | passes | unchanged)
    return {verdict: float(found[verdict].mean()) for verdict in VERDICTS}


def stated_power(samples: Floats, clusters: np.ndarray | None = None) -> float:
    """The chance of showing a drop so far beyond the allowance, as the samples state it."""
    changed = samples[samples.any(axis=1)][:STATED]
    tests = [drop_test(one, ALLOWANCE, clusters=clusters, bounded=True) for one in changed]
    return float(np.median([one.power(ALLOWANCE + BEYOND) for one in tests]))


@cache
def gates() -> Table:
    """What a gate with an allowance of 0.02 says."""
    rows: list[tuple[str | float, ...]] = []
    for population in (*changes(), *clustered()):
        for queries in QUERIES:
            clusters, units = None, queries
            if population.name.endswith("clusters of 1 to 5"):
                units = len(SIZES) * queries // sum(SIZES)
                clusters = np.repeat(np.arange(units), np.resize(SIZES, units))
            parts = [
                drawn(population, mean, units, seed)
                for seed, mean in ((41, -ALLOWANCE), (42, -ALLOWANCE - BEYOND), (43, 0.0))
            ]
            if clusters is not None:
                parts = [part[:, clusters] for part in parts]
            at, beyond, none = (verdicts(part, clusters) for part in parts)
            rows.append(
                (
                    population.name,
                    str(queries),
                    *(at[verdict] for verdict in VERDICTS[:3]),
                    beyond["FAIL"],
                    stated_power(parts[1], clusters),
                    *(none[verdict] for verdict in VERDICTS),
                )
            )
    header = (
        *("differences of", "queries", "at the allowance: FAIL", "PASS", "unchanged"),
        *("0.05 beyond: FAIL", "stated power", "no drop: FAIL", *VERDICTS[1:]),
    )
    return Table("gates", header, tuple(rows))


@cache
def gate_queries() -> Table:
    """How often the stated number of queries excludes the allowance, and how often a drop fails
    that is as large as the stated detectable one."""
    rows: list[tuple[str | float, ...]] = []
    for population in changes():
        pilots = drawn(population, 0.0, 100, seed=44, samples=STATED)
        tests = [drop_test(one, ALLOWANCE, bounded=True) for one in pilots if one.any()]
        stated = [one.needed() for one in tests]
        needed = int(np.median([count for count in stated if count is not None]))
        shown = [one.detectable() for one in tests]
        detectable = float(np.median([drop for drop in shown if drop is not None]))
        enough = verdicts(drawn(population, 0.0, needed, seed=45, samples=400))
        fallen = verdicts(drawn(population, -detectable, 100, seed=46, samples=400))
        rows.append(
            (population.name, str(needed), enough["PASS"], f"{detectable:.3f}", fallen["FAIL"])
        )
    header = ("differences of", "queries needed", "PASS", "detectable drop", "FAIL")
    return Table("gate_queries", header, tuple(rows))


@cache
def gate_tests() -> Table:
    """Tests that a gate could go by: how often they are wrong at worst, and what they show."""
    rows: list[tuple[str | float, ...]] = []
    ordinary = {"nDCG@10 near 0.54": "nDCG@10", "nDCG@10, 10 % differ": "10 % differ"}
    for name, test in RIVALS.items():
        for queries in QUERIES:
            fails, passes, shown = [], [], []
            for population in changes():
                at = drawn(population, -ALLOWANCE, queries, seed=41, samples=400)
                fails.append(float((test(-at, ALLOWANCE) < ALPHA).mean()))
                passes.append(float((test(at, -ALLOWANCE) < ALPHA).mean()))
                if population.name in ordinary:
                    beyond = drawn(population, -ALLOWANCE - BEYOND, queries, seed=42, samples=400)
                    none = drawn(population, 0.0, queries, seed=43, samples=400)
                    shown.append(float((test(-beyond, ALLOWANCE) < ALPHA).mean()))
                    shown.append(float((test(none, -ALLOWANCE) < ALPHA).mean()))
            rows.append((name, str(queries), max(fails), max(passes), *shown))
    header = (
        *("test", "queries", "wrong FAIL, at most", "wrong PASS, at most"),
        *(f"{one}: {what}" for one in ordinary.values() for what in ("FAIL 0.05 beyond", "PASS")),
    )
    return Table("gate_tests", header, tuple(rows))
