"""Scoring runs over chunks by the evidence that they hold, beside the same runs judged flat.

    python -m benchmarks.spans [SPANS] [QUERIES]

Chunks of 400 characters, apart from each other and overlapping by half, of documents of 5,000
words. Prints the best of seven rounds of each step in seconds of processor time, which a busy
machine changes little, and its ratio to the flat path: the same run and the same judged passages,
without needs and places in documents.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ragscore.dataset import Chunks, Dataset, Documents, EvidenceColumns, Ids, Qrels, Queries
from ragscore.run import Run
from ragscore.scoring import score

FLAT = ["nDCG@10", "R@10", "P@10", "AP"]
SPANS = ["SpanR@10", "SpanP@10", "SpanF1@10", "IoU@10"]
DEPTH, SIZE, WORDS = 100, 400, 5_000


def best_of(count: int, work: Callable[[], Any]) -> tuple[float, Any]:
    taken, made = [], None
    for _ in range(count):
        began = time.process_time()
        made = work()
        taken.append(time.process_time() - began)
    return min(taken), made


def some_dataset(spans: int, queries: int, random: np.random.Generator) -> Dataset:
    """Documents of short words; each query has a piece of evidence or a few, every other of the
    further ones right behind the first, so that a chunk may hold both."""
    count = max(spans // 50, 1)
    words = np.array(["rent", "harbour", "of", "the", "winter", "tide", "key", "crane"])
    texts = [" ".join(words[random.integers(0, len(words), WORDS)]) for _ in range(count)]
    documents = Documents(Ids(f"d{at}" for at in range(count)), texts)
    asked = Queries.from_texts({f"q{at}": "?" for at in range(queries)})
    query = np.concatenate([np.arange(queries), random.integers(0, queries, spans - queries)])
    document = random.integers(0, count, spans)
    start = random.integers(0, documents.lengths[document] - 600)
    near = slice(queries, None, 2)
    document[near], start[near] = document[query[near]], start[query[near]] + 200
    end = start + random.integers(20, 300, spans)
    evidence = EvidenceColumns.of(
        asked.ids,
        query=query,
        document=document,
        start=start,
        end=end,
    )
    nothing = Qrels.from_dict({}, queries=asked.ids)
    return Dataset("spans", None, asked, nothing, documents=documents, evidence=evidence)


def cut(documents: Documents, overlap: int) -> Chunks:
    """Chunks of some characters, each sharing so many with the one before it."""
    counts = -(-documents.lengths // (SIZE - overlap))
    document = np.repeat(np.arange(len(documents)), counts)
    place = np.arange(len(document)) - np.repeat(np.cumsum(counts) - counts, counts)
    start = place * (SIZE - overlap)
    return Chunks.of(document, start, np.minimum(start + SIZE, documents.lengths[document]))


def some_run(data: Dataset, random: np.random.Generator) -> Run:
    """Any chunks, among them those of a stretch around the query's judged ones."""
    assert data.corpus is not None
    count, qrels = len(data.corpus), data.qrels
    rows = random.integers(0, count, (len(data.queries), DEPTH), dtype=np.int64)
    judged = np.full(len(data.queries), 0)
    known = np.flatnonzero(qrels.judged)
    judged[known] = qrels.rows[qrels.indptr[known]]
    near = (judged[:, None] + np.arange(-10, 10)) % count
    rows[:, random.permutation(DEPTH)[:20]] = near
    rows.sort(axis=1)
    twice = np.zeros(rows.shape, dtype=bool)
    twice[:, 1:] = rows[:, 1:] == rows[:, :-1]
    rows[twice] = -1
    rows = np.take_along_axis(rows, random.random(rows.shape).argsort(axis=1), axis=1)
    order = np.argsort(rows < 0, axis=1, kind="stable")
    scores = np.sort(random.random(rows.shape), axis=1)[:, ::-1]
    rows = np.take_along_axis(rows, order, axis=1).astype(np.int32)
    return Run.make(data.queries.ids, data.corpus.ids, rows, np.ascontiguousarray(scores))


def main(spans: int = 100_000, queries: int = 50_000) -> None:
    random = np.random.default_rng(1)
    given = some_dataset(spans, queries, random)
    assert given.documents is not None
    print(f"{spans:,} spans of {queries:,} queries, runs to depth {DEPTH}")
    for overlap in (0, SIZE // 2):
        chunks = cut(given.documents, overlap)
        seconds, data = best_of(3, partial(given.chunked, {"some": chunks}))
        run = some_run(data, random)
        pairs = np.repeat(np.arange(queries), data.qrels.judgments), data.qrels.rows
        assert data.corpus is not None
        flat = Qrels.from_rows(*pairs, data.qrels.grades, data.queries.ids, data.corpus.ids)
        print(f"{len(chunks):,} chunks that share {overlap} characters")
        print(f"  chunks and their judgments: {seconds:.2f} s")
        plain = replace(data, qrels=replace(data.qrels, spans=None))
        by_words = [text.replace("@", "(unit=words)@") for text in SPANS]
        steps = {
            "flat": (flat, FLAT),
            "needs": (plain, FLAT),
            "needs, places known": (data, FLAT),
            "span measures": (data, SPANS),
            "span measures by words": (data, by_words),
        }
        taken = dict.fromkeys(steps, math.inf)
        for _ in range(7):  # side by side, so that what else the machine does is shared
            for name, (judged, measures) in steps.items():
                taken[name] = min(taken[name], best_of(1, partial(score, run, judged, measures))[0])
        for name, best in taken.items():
            print(f"  score, {name}: {best:.3f} s, {best / taken['flat']:.2f} x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
