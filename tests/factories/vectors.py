"""Vectors around a few centres, and FAISS over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.encoders import Vectors
from ragscore.retrievers.faiss import Faiss
from ragscore.run import Run

DIMENSIONS = 16
PASSAGES = 600
DEPTH = 10

Make = Callable[..., Faiss]


def clustered(count: int, seed: int) -> Vectors:
    """Vectors around a few centres, of different lengths."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(12, DIMENSIONS))
    vectors = centres[random.integers(0, 12, count)] + random.normal(size=(count, DIMENSIONS)) / 3
    return (vectors * random.uniform(0.5, 2, (count, 1))).astype(np.float32)


PASSAGE_VECTORS = clustered(PASSAGES, 1)
QUERY_VECTORS = clustered(20, 2)
CORPUS = Corpus(Ids(f"p{row}" for row in range(PASSAGES)), [""] * PASSAGES)
QUERIES = Queries.from_texts({f"q{row}": "" for row in range(20)})


def corpus_of(count: int) -> Corpus:
    return Corpus(Ids(CORPUS.ids[:count]), [""] * count)


def exact(metric: str) -> np.ndarray[Any, Any]:
    passages, queries = PASSAGE_VECTORS.astype(float), QUERY_VECTORS.astype(float)
    if metric == "l2":
        return -((queries[:, None] - passages[None]) ** 2).sum(axis=2)
    if metric == "cosine":
        passages = passages / np.linalg.norm(passages, axis=1, keepdims=True)
        queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    return queries @ passages.T


def overlap(run: Run, metric: str = "cosine") -> float:
    """Share of the exact top passages that the run returned."""
    best = np.argsort(-exact(metric), axis=1)[:, : run.depth]
    found = [len(set(a) & set(b)) for a, b in zip(best.tolist(), run.rows.tolist(), strict=True)]
    return sum(found) / best.size
