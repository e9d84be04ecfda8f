"""How long MMR takes to compare the passages of a query with each other, on a busy machine.

One product of all passages is given to several threads, which wait for each other; ragscore
multiplies in pieces that stay in one. Run it while other programs use every core, and without
OMP_NUM_THREADS.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ragscore.encoders import Vectors
from ragscore.retrievers.rerank.mmr import similarities

SHAPES = ((1, 50, 384), (1, 100, 768), (1, 200, 1024), (16, 100, 768))
"""Queries, passages of each, dimensions."""
TURNS = 100
WAYS: dict[str, Callable[[Vectors], object]] = {
    "pieces": similarities,
    "one product": lambda vectors: vectors @ vectors.transpose(0, 2, 1),
    "einsum": lambda vectors: np.einsum("qnd,qmd->qnm", vectors, vectors, optimize=True),
}


def main() -> None:
    """Print the 50th and the 95th percentile and the longest time."""
    numbers = np.random.default_rng(7)
    for shape in SHAPES:
        vectors = numbers.normal(size=shape).astype(np.float32)
        for name, way in WAYS.items():
            way(vectors)
            times = np.zeros(TURNS)
            for turn in range(TURNS):
                began = time.perf_counter()
                way(vectors)
                times[turn] = 1000 * (time.perf_counter() - began)
            p50, p95 = np.percentile(times, [50, 95])
            print(f"{shape} {name}: p50 {p50:.3f} ms, p95 {p95:.3f} ms, longest {times.max():.1f}")


if __name__ == "__main__":
    main()
