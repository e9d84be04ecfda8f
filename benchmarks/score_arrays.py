"""Measure rankings in memory: integer ids as FAISS returns them, six measures at all cutoffs.

    python benchmarks/score_arrays.py [queries] [depth]

Beside it, for the first 20,000 queries, pytrec_eval and ranx on the same rankings as dicts and
objects that are built already (they have one cutoff a measure, ragscore has all).
"""

from __future__ import annotations

import sys
import time

import numpy as np

from ragscore import score

MEASURES = ["P@10", "R@100", "F1@10", "RR@10", "AP@100", "nDCG@10"]
PASSAGES = 1_000_000


def generated(queries: int, depth: int) -> tuple[np.ndarray, dict[int, dict[int, int]]]:
    """Rankings int64[queries, depth] and three judgments a query, one of them returned."""
    random = np.random.default_rng(0)
    found = random.integers(0, PASSAGES, (queries, depth))
    judged = random.integers(0, PASSAGES, (queries, 3))
    judged[:, 0] = found[np.arange(queries), random.integers(0, depth, queries)]
    grades = random.integers(1, 4, judged.shape)
    pairs = zip(judged.tolist(), grades.tolist(), strict=True)
    return found, {
        query: dict(zip(ids, worth, strict=True)) for query, (ids, worth) in enumerate(pairs)
    }


def seconds(call: object) -> float:
    """The best of three."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        call()  # type: ignore[operator]
        taken.append(time.perf_counter() - began)
    return min(taken)


def main() -> None:
    """Print seconds, passages a second, and the ratio."""
    queries = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    depth = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    found, judged = generated(queries, depth)
    from ragscore.scoring.inputs import numbered_qrels

    qrels = numbered_qrels(judged, queries, PASSAGES)
    ours = seconds(lambda: score(found, qrels, MEASURES, n_passages=PASSAGES))
    rate = queries * depth / ours / 1e6
    print(
        f"ragscore     {queries:>9,} x {depth}: {ours:.2f} s, {rate:.0f} million passages a second"
    )
    some = min(queries, 20_000)
    ours = seconds(lambda: score(found[:some], {q: judged[q] for q in range(some)}, MEASURES))
    try:
        import pytrec_eval
    except ImportError:
        return
    run = {
        str(query): {str(passage): float(depth - rank) for rank, passage in enumerate(row)}
        for query, row in enumerate(found[:some].tolist())
    }
    truth = {str(q): {str(p): g for p, g in judged[q].items()} for q in range(some)}
    names = {"ndcg_cut.10", "map_cut.100", "recip_rank", "P.10", "recall.100", "set_F"}
    evaluator = pytrec_eval.RelevanceEvaluator(truth, names)
    theirs = seconds(lambda: evaluator.evaluate(run))
    print(f"ragscore     {some:>9,} x {depth}: {ours:.3f} s from an array and a dict of judgments")
    print(f"pytrec_eval  {some:>9,} x {depth}: {theirs:.2f} s, {theirs / ours:.1f} times as long")
    try:
        from ranx import Qrels, Run, evaluate
    except ImportError:
        return
    ranx_run, ranx_qrels = Run(run), Qrels(truth)
    asked = ["precision@10", "recall@100", "f1@10", "mrr@10", "map@100", "ndcg@10"]
    evaluate(ranx_qrels, ranx_run, asked)  # compiles
    theirs = seconds(lambda: evaluate(ranx_qrels, ranx_run, asked))
    print(f"ranx, warm   {some:>9,} x {depth}: {theirs:.2f} s, {theirs / ours:.1f} times as long")


if __name__ == "__main__":
    main()
