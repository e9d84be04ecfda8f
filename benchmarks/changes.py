"""How much processor time ``changes`` takes for two runs of 20,000 queries with 100 passages each,
and how much memory it needs beside the runs.

``python benchmarks/changes.py``
"""

from __future__ import annotations

import resource
import time

import numpy as np

import ragscore
from ragscore import Ids, Run

QUERIES, DEPTH, PASSAGES = 20_000, 100, 100_000


def random_run(seed: int) -> Run:
    """Rows without repetition, with scores that fall; half of each query's are those of seed 0."""
    shared = np.random.default_rng(0).integers(0, PASSAGES // DEPTH, (QUERIES, DEPTH))
    own = np.random.default_rng(seed).integers(0, PASSAGES // DEPTH, (QUERIES, DEPTH))
    block = np.where(np.arange(DEPTH) % 2, shared, own)
    rows = block + np.arange(DEPTH) * (PASSAGES // DEPTH)
    scores = np.random.default_rng(seed).random((QUERIES, DEPTH))
    queries = Ids(f"q{at}" for at in range(QUERIES))
    passages = Ids(f"p{at}" for at in range(PASSAGES))
    return Run.make(queries, passages, rows, scores, name="bm25")


def main() -> None:
    """Print seconds and megabytes."""
    before, after = random_run(1), random_run(2)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = ragscore.changes(before, after)
    seconds = time.process_time() - start
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used
    queries = found.datasets[0].n
    megabytes = f"{more / 1024:.0f} MB more at peak"
    print(f"{queries:,} queries x {DEPTH}: {seconds:.2f} s of one core, {megabytes}")


if __name__ == "__main__":
    main()
