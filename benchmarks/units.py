"""Scoring runs judged by passages and by units of four passages: seconds, and how often as many
units take.

    python -m benchmarks.units [PASSAGES ...]

A line for each number of passages in the corpus and each depth; a run returns as many passages in
all as the corpus has. ``tied`` runs have scores of two decimals, so that most passages tie. The
files are a run in TREC's format and the dataset's, read and scored.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ragscore.dataset import Corpus, Ids, Qrels
from ragscore.dataset.judged_units import JudgedUnit, units_of
from ragscore.formats import load_dataset
from ragscore.judge import judge, numbered_alike
from ragscore.run import Run
from ragscore.scoring import score

MEASURES = ["nDCG@10", "R@100", "P@10", "RR", "AP"]
SHAPES = ((10, False), (100, False), (100, True), (1000, False))
TIMES = 9


def both(flat: Callable[[], Any], of_units: Callable[[], Any], count: int = TIMES) -> str:
    """The best of some times of two pieces of work, taken in turn, and their ratio."""
    best = [float("inf")] * 2
    for _ in range(count):
        for place, work in enumerate((flat, of_units)):
            began = time.perf_counter()
            work()
            best[place] = min(best[place], time.perf_counter() - began)
    return f"{best[0]:8.3f} {best[1]:8.3f} {best[1] / best[0]:6.2f}"


def corpus_of(passages: int) -> Corpus:
    ids = Ids(f"p{row}" for row in range(passages))
    metadata = {row: {"document": f"d{row // 4}"} for row in range(passages)}
    return Corpus(ids, [""] * passages, metadata=metadata)


def run_over(ids: Ids, depth: int, *, tied: bool) -> Run:
    random = np.random.default_rng(1)
    queries, passages = max(len(ids) // depth, 1), len(ids)
    rows = random.integers(0, passages, (queries, depth), dtype=np.int32)
    rows[:, 1::3] = rows[:, ::3][:, : rows[:, 1::3].shape[1]] ^ 1  # neighbours, of one unit
    scores = random.random(rows.shape)
    scores = np.round(scores, 2) if tied else np.sort(scores, axis=1)[:, ::-1]
    return Run.make(Ids(f"q{row}" for row in range(queries)), ids, rows % passages, scores)


def judgments(run: Run, target: Callable[[Any], Any], ids: Ids) -> Qrels:
    """Five judged passages of each query, of those that came back, or what they belong to."""
    query_of = np.repeat(np.arange(len(run)), 5)
    judged = target(run.rows[query_of, np.tile(np.arange(0, 10, 2), len(run)) * run.depth // 10])
    first = np.unique(query_of.astype(np.int64) * len(ids) + judged, return_index=True)[1]
    return Qrels.from_rows(query_of[first], judged[first], np.ones(len(first)), run.queries, ids)


def files(folder: Path, corpus: Corpus, run: Run, flat: Qrels, by_units: Qrels) -> None:
    returned = (
        f"{query} Q0 {corpus.ids[row]} {place} {score:.6f} r\n"
        for query, rows, scores in zip(run.queries, run.rows, run.scores, strict=True)  # type: ignore[arg-type]
        for place, (row, score) in enumerate(zip(rows.tolist(), scores.tolist(), strict=True))
        if row >= 0
    )
    (folder / "run.trec").write_text("".join(returned))
    passages = (
        {"id": id, "text": "", "metadata": corpus.metadata[row]}
        for row, id in enumerate(corpus.ids)
    )
    for name, qrels in (("flat", flat), ("units", by_units)):
        place = folder / name
        place.mkdir()
        texts = {
            "passages": passages,
            "queries": ({"id": query, "text": "?"} for query in run.queries),
            "ground_truth": (
                {"query_id": query, "passages": judged} for query, judged in qrels.to_dict().items()
            ),
        }
        for part, rows in texts.items():
            if part != "passages" or name == "flat":
                (place / f"{part}.jsonl").write_text(
                    "".join(json.dumps(row) + "\n" for row in rows)
                )
    (folder / "units" / "passages.jsonl").hardlink_to(folder / "flat" / "passages.jsonl")


def main(*sizes: int) -> None:
    print(f"{'passages':>9} {'depth':>6} {'':<12} {'flat s':>8} {'units s':>8} {'ratio':>6}")
    for passages in sizes or (250_000, 500_000, 1_000_000):
        corpus = corpus_of(passages)
        unit = JudgedUnit(field="document")
        names, units, problems = units_of(corpus, unit, allow_missing=False)
        assert not problems
        for depth, tied in SHAPES:
            run = run_over(corpus.ids, depth, tied=tied)
            flat = judgments(run, lambda rows: rows, corpus.ids)
            by_units = judgments(run, units.of.__getitem__, names).with_units(units)
            steps: dict[str, Callable[[Qrels], Any]] = {
                "score": lambda qrels, run=run: score(run, qrels, MEASURES),
                "judge": lambda qrels, run=run: judge(*numbered_alike(run, qrels)),
            }
            for step, work in steps.items():
                taken = both(partial(work, flat), partial(work, by_units))
                shape = f"{step}, tied" if tied else step
                print(f"{passages:9,} {depth:6} {shape:<12} {taken}", flush=True)
        run = run_over(corpus.ids, 100, tied=False)
        flat = judgments(run, lambda rows: rows, corpus.ids)
        by_units = judgments(run, units.of.__getitem__, names)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            files(folder, corpus, run, flat, by_units)
            reading = [
                partial(load_dataset, folder / "flat"),
                partial(load_dataset, folder / "units", unit="metadata.document"),
            ]
            print(f"{passages:9,} {'':6} {'dataset':<12} {both(*reading, 2)}", flush=True)
            read = [partial(score, folder / "run.trec", work(), MEASURES) for work in reading]
            print(f"{passages:9,} {100:6} {'run file':<12} {both(*read, 3)}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
