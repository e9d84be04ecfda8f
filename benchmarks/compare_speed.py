"""Time the statistics of a large comparison: scores of retrievers on queries by measures.

    python benchmarks/compare_speed.py [retrievers] [queries] [measures]

Prints seconds, the memory that each step adds to the peak, and the machine. ``intervals and
tests`` is what ``ragscore compare`` does by default: intervals of all means (Wilson or BCa with
10,000 resamples) and of all differences to the first retriever (t), and their p-values by 10,000
sign flips; the aim is under 10 s for 10 x 10,000 x 8. ``the same, all by BCa`` takes the bootstrap
for 0/1 measures and for differences too.
"""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.difference_intervals import difference_intervals
from ragscore.stats.intervals import mean_intervals
from ragscore.stats.paired import paired_tests

RESAMPLES = 10_000


def generated(measures: int, retrievers: int, queries: int) -> NDArray[np.float64]:
    """Scores float64[M, S, Q]: two 0/1 measures, two like RR, the rest like nDCG; retrievers that
    agree on most queries.
    """
    random = np.random.default_rng(0)
    hardness = random.beta(2, 1, (1, 1, queries))
    noise = random.normal(0, 0.1, (measures, retrievers, queries))
    quality = np.linspace(0, 0.02, retrievers)[None, :, None]
    scores = np.clip(hardness + quality + noise * (random.random(noise.shape) < 0.4), 0, 1)
    scores[:2] = scores[:2] > 0.5
    scores[2:4] = 1 / np.ceil(1 / np.maximum(scores[2:4], 0.1))
    return scores


def timed(name: str, call: Callable[[], object]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    call()
    seconds = time.perf_counter() - began
    added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{name:<44} {seconds:6.2f} s   +{added:,.0f} MiB")


def main() -> None:
    """Print a line a step."""
    retrievers, queries, measures = (
        int(sys.argv[place]) if len(sys.argv) > place else usual
        for place, usual in ((1, 10), (2, 10_000), (3, 8))
    )
    scores = generated(measures, retrievers, queries)
    columns = scores.reshape(-1, queries)
    differences = (scores[:, 1:] - scores[:, :1]).reshape(-1, queries)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"{platform.platform()}, {cores} cores, numpy {np.__version__}")
    print(f"{retrievers} retrievers x {queries:,} queries x {measures} measures")

    def intervals_and_tests() -> None:
        mean_intervals(columns, resamples=RESAMPLES)
        difference_intervals(differences)
        paired_tests(differences, resamples=RESAMPLES)

    def the_same_all_by_bca() -> None:
        mean_intervals(columns, resamples=RESAMPLES, binary=False)
        difference_intervals(differences, method="bca", resamples=RESAMPLES)
        paired_tests(differences, resamples=RESAMPLES)

    timed(f"intervals and tests, {RESAMPLES:,} resamples", intervals_and_tests)
    timed("the same, all by BCa", the_same_all_by_bca)
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
