"""Does a hybrid with tuned weights beat both of its parts, on queries that did not tune it?

    RAGSCORE_CONFORMANCE_DATA=... python benchmarks/tuned_hybrid.py

Sweeps the weights of BM25 and of exact search with minilm, by reciprocal ranks and by scores, on
the shipped English set and, where the environment variable names it, on Cranfield. Prints nDCG@10
of both parts as they are; of the hybrid, with the settings that nested cross-validation chose on
the other queries (5 folds, 10 times); and by how much that is better, with 95 % intervals. Runs
are taken from the cache.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ragscore import BM25, Cache, Experiment, Faiss, MiniLM, run_experiment
from ragscore.formats import DatasetSpec
from ragscore.retrievers import Fusion
from ragscore.stats.cross_validation import choose_by_cross_validation, held_out_gain

MEASURE = "nDCG@10"
WEIGHTS = [[8, 1], [4, 1], [2, 1], [1, 1], [1, 2], [1, 4], [1, 8]]


def tuned(folder: Path, output: Path) -> None:
    """Print what tuning is worth on one dataset."""
    experiment = Experiment(
        datasets=[DatasetSpec(path=str(folder))],
        retrievers={
            "bm25": BM25(),
            "minilm": Faiss(encoder=MiniLM()),
            "hybrid": Fusion(retrievers=["bm25", "minilm"]),
        },
        measures=[MEASURE],
        latency=False,
        compare=False,
        report=False,
        sweep={"hybrid": {"weights": WEIGHTS, "method": ["rrf", "min-max", "z-score"]}},
    )
    result = run_experiment(experiment, output=output, overwrite=True, cache=Cache.default())
    (part,) = result
    found = part.sweep
    assert found is not None
    done = choose_by_cross_validation(found.swept.values, unit_interval=True)
    print(f"{folder.name}, {found.queries} queries, {len(found.configurations)} configurations")
    print(f"  chosen on all queries: {found.configurations[0].label}")
    print(f"  hybrid on held-out queries: {done.mean:.3f}")
    for name in ("bm25", "minilm", "hybrid"):
        values = result.scores[name].per_query(MEASURE)
        other = np.array([values[query] for query in found.swept.query_ids])
        gain = held_out_gain(done, other)
        print(
            f"  minus {name} as it is, {np.nanmean(other):.3f}: {gain.difference:+.3f} "
            f"[{gain.interval.low:+.3f}, {gain.interval.high:+.3f}]"
        )


def main() -> None:
    """Both datasets."""
    import tempfile

    folders = [Path(__file__).parents[1] / "datasets" / "harbour-tenancy"]
    if collections := os.environ.get("RAGSCORE_CONFORMANCE_DATA"):
        folders.append(Path(collections) / "collections" / "cranfield")
    with tempfile.TemporaryDirectory() as place:
        for folder in folders:
            tuned(folder, Path(place) / folder.name)


if __name__ == "__main__":
    main()
