"""Time a sweep of BM25's k1 and b against bm25s, which makes an index for each pair.

    RAGSCORE_CONFORMANCE_DATA=... python benchmarks/sweep_bm25.py [--k1 20] [--b 10] [--bare 5]

Searches and scores every pair on Cranfield (1,400 passages, 225 queries), with an empty cache and
the times of single queries, as ``ragscore run`` does; then again with the cache that this left.
bm25s tokenises once, and is timed on some of the pairs: index and search, no scores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import bm25s
import Stemmer

from ragscore import Cache, Experiment, run_experiment
from ragscore.formats import DatasetSpec, load_dataset
from ragscore.retrievers import BM25

LIMIT = 60.0
"""Seconds that 200 pairs may take on two cores."""


def experiment(folder: Path, k1: int, b: int) -> Experiment:
    """The sweep; the report and the comparison are left out."""
    return Experiment(
        datasets=[DatasetSpec(path=str(folder))],
        retrievers={"bm25": BM25()},
        measures=["nDCG@10", "R@100"],
        compare=False,
        report=False,
        sweep={
            "bm25": {
                "k1": {"from": 0.2, "to": 4.0, "steps": k1},
                "b": {"from": 0.1, "to": 1.0, "steps": b},
            }
        },
    )


def bare(folder: Path, pairs: int) -> float:
    """Seconds that bm25s takes for one pair."""
    dataset = load_dataset(folder)
    assert dataset.corpus is not None
    stemmer = Stemmer.Stemmer("english")
    options = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    passages = bm25s.tokenize(dataset.corpus.content(), **options)
    queries = bm25s.tokenize(dataset.queries.texts, **options)
    began = time.perf_counter()
    for pair in range(pairs):
        index = bm25s.BM25(k1=0.9 + pair / 10, backend="numpy", csc_backend="numpy")
        index.index(passages, show_progress=False)
        index.retrieve(queries, k=100, show_progress=False, backend_selection="numpy")
    return (time.perf_counter() - began) / pairs


def main() -> int:
    """Print the times; return 1 where the sweep is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k1", type=int, default=20)
    parser.add_argument("--b", type=int, default=10)
    parser.add_argument("--bare", type=int, default=5)
    arguments = parser.parse_args()
    collections = os.environ.get("RAGSCORE_CONFORMANCE_DATA")
    if not collections:
        print("RAGSCORE_CONFORMANCE_DATA is not set: nothing to measure")
        return 0
    folder = Path(collections) / "collections" / "cranfield"
    swept = experiment(folder, arguments.k1, arguments.b)
    pairs = arguments.k1 * arguments.b
    with tempfile.TemporaryDirectory() as place:
        for what in ("an empty cache", "all of it in the cache"):
            began = time.perf_counter()
            cache = Cache(Path(place) / "cache")
            run_experiment(swept, output=Path(place) / what.replace(" ", "-"), cache=cache)
            seconds = time.perf_counter() - began
            print(f"{pairs} pairs of k1 and b, {what}: {seconds:.1f} s")
            if what == "an empty cache":
                first = seconds
    each = bare(folder, arguments.bare)
    alone = each * pairs
    print(f"bm25s, {each:.3f} s a pair: {alone:.1f} s for {pairs}: {alone / first:.1f} times")
    return int(pairs == 200 and first > LIMIT)


if __name__ == "__main__":
    raise SystemExit(main())
