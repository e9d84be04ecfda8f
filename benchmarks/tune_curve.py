"""What every k costs beside one: six measures at one cutoff, at all, and tuned.

    python benchmarks/tune_curve.py [queries] [depth]

Each row is the best of five, in one process: judging included, so each is what a user waits for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ragscore import score
from ragscore.dataset import NumberedIds, Qrels
from ragscore.judge import Blocks, Found
from ragscore.measures import parse_measures
from ragscore.measures.cumulative import Cumulative
from ragscore.run import Run
from ragscore.tuning import TuneOptions, tune

FAMILIES = ("P", "R", "F1", "nDCG", "Success", "AP")
PASSAGES = 100_000


def generated(queries: int, depth: int) -> tuple[Run, Qrels]:
    """A run and three judgments a query, one of them returned."""
    random = np.random.default_rng(0)
    found = np.stack([random.choice(PASSAGES, depth, replace=False) for _ in range(queries)])
    scores = -np.sort(-random.random((queries, depth)))
    judged = random.integers(0, PASSAGES, (queries, 3))
    judged[:, 0] = found[np.arange(queries), random.integers(0, depth, queries)]
    truth = {
        str(query): {str(one): 1.0 for one in set(row)} for query, row in enumerate(judged.tolist())
    }
    ids, passages = NumberedIds(queries), NumberedIds(PASSAGES)
    run = Run.make(ids, passages, found, scores)
    return run, Qrels.from_dict(truth, queries=ids, passages=passages)


def means(run: Run, qrels: Qrels, k: int | None) -> NDArray[np.float64]:
    """Means at one cutoff [measures, 1], or at all [measures, depth], and nothing beside."""
    families = [measure.family() for measure in parse_measures([f"{one}@1" for one in FAMILIES])]
    sums = np.zeros((len(families), 1 if k else run.depth))
    for judge in Blocks(run, qrels):
        block = judge()
        for row, family in zip(sums, families, strict=True):
            if isinstance(block, Found) and isinstance(family, Cumulative):
                steps = family.steps(block)
                row += steps.at(k).sum() if k else steps.sums()[0]
            else:
                curve = family.curve(block.dense())
                row += curve[:, k - 1].sum() if k else curve.sum(axis=0)
    return sums / len(run)


def seconds(call: Callable[[], object]) -> float:
    """The best of five."""
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return min(taken)


def main() -> None:
    """Print seconds and ratios."""
    queries = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    depth = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    run, qrels = generated(queries, depth)
    single = [f"{family}@10" for family in FAMILIES]
    every = [f"{family}@{k}" for family in FAMILIES for k in range(1, depth + 1)]
    curves = score(run, qrels, single).entries[0].curves
    for row, family in zip(means(run, qrels, None), FAMILIES, strict=True):
        assert np.allclose(row, curves[family].mean, atol=1e-12), family

    print(f"{queries:,} queries, depth {depth}, {len(FAMILIES)} measures")

    def every_k() -> list[float]:
        entry = score(run, qrels, single).entries[0]
        return [mean for family in FAMILIES for mean in entry.curves[family].mean.tolist()]

    rows = (
        ("score() at one cutoff", lambda: score(run, qrels, single)),
        ("score() and the means at every k, off its curves", every_k),
        (f"score() with every query's value at {depth} cutoffs", lambda: score(run, qrels, every)),
        (
            "tune(): bands, marginal values, cross-validation",
            lambda: tune(run, qrels, TuneOptions(rule="best_f")),
        ),
        (
            "tune() by 200 score cuts",
            lambda: tune(run, qrels, TuneOptions(by="score", rule="best_f")),
        ),
        ("bare sums at one cutoff, no counts", lambda: means(run, qrels, 10)),
        ("bare sums at every k, no counts", lambda: means(run, qrels, None)),
    )
    first = 0.0
    for name, call in rows:
        taken = seconds(call)
        first = first or taken
        print(f"{name:<52}{taken:8.3f} s{taken / first:8.2f}")


if __name__ == "__main__":
    main()
