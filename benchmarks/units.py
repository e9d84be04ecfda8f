"""Scoring a run over a million passages, judged by passages and by units of four passages.

    python benchmarks/units.py [PASSAGES] [QUERIES]

Prints the best of five times of each step in seconds, and the ratio of units to passages.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ragscore.dataset import Corpus, Ids, Qrels
from ragscore.dataset.judged_units import JudgedUnit, units_of
from ragscore.judge import judge, numbered_alike
from ragscore.run import Run
from ragscore.scoring import score

MEASURES = ["nDCG@10", "R@100", "P@10", "RR", "AP"]
DEPTH = 100


def best_of(count: int, work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def main(passages: int = 1_000_000, queries: int = 10_000) -> None:
    random = np.random.default_rng(1)
    ids = Ids(f"p{row}" for row in range(passages))
    metadata = {row: {"document": f"d{row // 4}"} for row in range(passages)}
    corpus = Corpus(ids, [""] * passages, metadata=metadata)
    asked = Ids(f"q{row}" for row in range(queries))
    rows = random.integers(0, passages, (queries, DEPTH), dtype=np.int32)
    rows[:, 1::3] = rows[:, ::3][:, : rows[:, 1::3].shape[1]] ^ 1  # neighbours, of one unit
    rows = np.minimum(rows, passages - 1)
    scores = np.sort(random.random((queries, DEPTH)), axis=1)[:, ::-1]
    run = Run.make(asked, ids, rows, scores)
    query_of = np.repeat(np.arange(queries), 5)
    judged = rows[query_of, np.tile(np.arange(0, 50, 10), queries)]
    grades = np.ones(len(judged))
    first = np.unique(query_of.astype(np.int64) * passages + judged, return_index=True)[1]
    flat = Qrels.from_rows(query_of[first], judged[first], grades[first], asked, ids)

    began = time.perf_counter()
    names, units, problems = units_of(corpus, JudgedUnit(field="document"), allow_missing=False)
    made = time.perf_counter() - began
    assert not problems
    of = units.of[judged]
    first = np.unique(query_of.astype(np.int64) * len(names) + of, return_index=True)[1]
    by_units = Qrels.from_rows(query_of[first], of[first], grades[first], asked, names)
    by_units = by_units.with_units(units)
    print(f"{passages:,} passages, {queries:,} queries to depth {DEPTH}")
    print(f"units made in {made:.2f} s")
    steps: dict[str, Callable[[Qrels], Any]] = {
        "judge": lambda qrels: judge(*numbered_alike(run, qrels)),
        "score": lambda qrels: score(run, qrels, MEASURES),
    }
    for name, step in steps.items():
        plain, of_units = (best_of(5, partial(step, qrels)) for qrels in (flat, by_units))
        print(f"{name}: {plain:.3f} s flat, {of_units:.3f} s units, {of_units / plain:.2f} x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
