"""Sparse differences of real retrievers, drawn from as populations.

``python -m tests.simulations.real`` prints what docs/statistics.md says of them; it needs
RAGSCORE_CONFORMANCE_DATA, searches three collections with BM25 and takes two minutes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from ragscore import BM25, evaluate
from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.few_differ import TOO_FEW
from tests.simulations.few_tables import decided
from tests.simulations.populations import Population
from tests.simulations.rates import covered
from tests.stats.one_column import equivalence, paired_power

COLLECTIONS = ("xquad-en", "cranfield", "autorag-ko-finance")
SETTINGS = ((1.5, 0.75), (1.2, 0.75), (0.9, 0.4), (1.5, 0.6), (3.0, 0.75), (0.5, 0.3))
MEASURES = ("nDCG@10", "RR@10", "AP@10", "R@10", "Success@1", "Success@5", "P@5")
SHARES = (0.015, 0.3)
LEAST_DIFFERING = 12
SAMPLES, PILOTS = 600, 60


def populations(folder: Path) -> Iterator[Population]:
    """Every second pair and measure of which few queries differ, turned so that the mean is up."""
    retrievers = {f"{k1} {b}": BM25(k1=k1, b=b) for k1, b in SETTINGS}
    found = []
    for name in COLLECTIONS:
        result = evaluate(folder / "collections" / name, retrievers, MEASURES, depth=20)
        for one, other in combinations(result.scores.entries, 2):
            for at, measure in enumerate(MEASURES):
                values = one.values[at] - other.values[at]
                values[np.abs(values) <= 1e-12] = 0.0
                population = Population(f"{name} {measure}", values * np.sign(values.sum() or 1))
                count = np.count_nonzero(values)
                if count >= LEAST_DIFFERING and SHARES[0] <= population.nonzero <= SHARES[1]:
                    found.append(population)
    yield from found[::2]


def main() -> None:
    """Print one line for each population and size, then what the documentation quotes."""
    rows = []
    for population in populations(Path(os.environ["RAGSCORE_CONFORMANCE_DATA"])):
        truth = population.mean
        for queries in (50, 100, 200):
            samples = population.samples(SAMPLES, queries, seed=31)
            found = difference_intervals(samples)
            wrong = np.mean([one.estimable and not one.low <= truth <= one.high for one in found])
            student = 1 - covered(difference_intervals(samples, method="t"), truth)
            equal = np.nan
            if truth > 0:
                equal = np.mean([equivalence(one, truth).equivalent for one in samples[:300]])
            stated = [
                paired_power(one).detectable(0.05)
                for one in samples[:PILOTS]
                if np.count_nonzero(one) > TOO_FEW
            ]
            known = [one for one in stated if one is not None]
            power = np.nan
            if len(known) >= PILOTS / 4 and np.median(known) < population.values.max():
                power = decided(population, float(np.median(known)), queries)
            rows.append((wrong, student, equal, power))
            print(population.name, queries, *(f"{value:.3f}" for value in rows[-1]), flush=True)
    wrong, student, equal, power = np.array(rows, dtype=float).T
    print(f"{len(rows) // 3} populations; wrong: mean {wrong.mean():.3f}, most {wrong.max():.3f}")
    print(
        f"t is wrong: mean {student.mean():.3f}; equal at the margin: most {np.nanmax(equal):.3f}"
    )
    shares = np.nanquantile(power, [0, 0.1, 0.5, 0.9])
    print("power: least, tenth, median, nine tenths", *(f"{share:.2f}" for share in shares))


if __name__ == "__main__":
    main()
