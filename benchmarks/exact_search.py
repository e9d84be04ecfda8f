"""Exact search with canonical scores against FAISS alone, over the same vectors.

    python benchmarks/exact_search.py             # a million vectors of 384 dimensions
    python benchmarks/exact_search.py 200000

FAISS's ``IndexFlatIP`` and ragscore search in turns, 1,000 queries, to depth 100 and 1,000. The
medians of seconds and of processor seconds are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import faiss
import numpy as np

from ragscore import canonical
from ragscore.dataset.ids import NumberedIds
from ragscore.retrievers.faiss.vectors_in_place import VectorsInPlace

DIMENSIONS, QUERIES, ROUNDS = 384, 1_000, 5


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of all processors."""
    clock, processors = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processors


def main() -> None:
    """Print a line for each depth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("passages", type=int, nargs="?", default=1_000_000)
    count = parser.parse_args().passages
    draw = np.random.default_rng(7)
    vectors, asked = (
        draw.standard_normal((rows, DIMENSIONS), dtype=np.float32) for rows in (count, QUERIES)
    )
    for rows in (vectors, asked):
        canonical.normalise(rows)
    index: Any = faiss.IndexFlatIP(DIMENSIONS)
    index.add(vectors)
    exact, ids = VectorsInPlace(vectors, "cosine", unit=True), NumberedIds(count)
    for depth in (100, 1_000):
        taken = [
            (
                seconds(lambda depth=depth: index.search(asked, depth)),
                seconds(lambda depth=depth: exact.best(asked, depth, ids)),
            )
            for _ in range(ROUNDS)
        ]
        alone, ours = (
            [median(times) for times in zip(*turns, strict=True)]
            for turns in zip(*taken, strict=True)
        )
        print(
            f"depth {depth:,}: FAISS {alone[0]:.2f} s, ragscore {ours[0]:.2f} s: "
            f"{ours[0] / alone[0]:.2f}, of processors {ours[1] / alone[1]:.2f}"
        )


if __name__ == "__main__":
    main()
