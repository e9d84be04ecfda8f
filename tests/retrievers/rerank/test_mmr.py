"""MMR against the paper's definition, a passage at a time."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragscore import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.retrievers import Rerank
from ragscore.retrievers.rerank.mmr import similarities
from ragscore.run import Run

NAMES = [f"p{number:02}" for number in range(30)]
CORPUS = Corpus(Ids(NAMES), ["text"] * 30)
QUERIES = Queries.from_texts({f"q{number}": "text" for number in range(12)})


def written(folder: Path, passages: NDArray[np.float32], queries: NDArray[np.float32]) -> object:
    """A precomputed encoder of these vectors."""
    np.save(folder / "passages.npy", passages)
    np.save(folder / "queries.npy", queries)
    paths = {name: str(folder / f"{name}.npy") for name in ("passages", "queries")}
    return {"kind": "precomputed", **paths}


def by_definition(
    pool: list[int], passages: NDArray[np.float64], query: NDArray[np.float64], relevance: float
) -> list[int]:
    def cosine(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
        return float(one @ two / np.linalg.norm(one) / np.linalg.norm(two))

    chosen: list[int] = []
    while len(chosen) < len(pool):
        values = {
            row: relevance * cosine(passages[row], query)
            - (1 - relevance)
            * max((cosine(passages[row], passages[other]) for other in chosen), default=0.0)
            for row in pool
            if row not in chosen
        }
        chosen.append(max(values, key=lambda row: values[row]))
    return chosen


@pytest.mark.parametrize("relevance", [0.0, 0.3, 0.7, 1.0])
def test_the_order_of_the_paper(tmp_path: Path, relevance: float) -> None:
    numbers = np.random.default_rng(7)
    passages = numbers.normal(size=(30, 5)).astype(np.float32)
    queries = numbers.normal(size=(12, 5)).astype(np.float32)
    drawn = random.Random(5)
    pools = {name: drawn.sample(range(30), drawn.randint(0, 20)) for name in QUERIES.ids}
    found = Run.from_dict(
        {name: [NAMES[row] for row in rows] for name, rows in pools.items()},
        queries=QUERIES.ids,
        passages=CORPUS.ids,
    )
    by = {"kind": "mmr", "encoder": written(tmp_path, passages, queries), "relevance": relevance}
    index = Rerank(retriever="x", n=20, by=by).build(CORPUS, Cache(tmp_path / "cache"))
    index.prepare(QUERIES)
    run = index.search(QUERIES, 20, {"x": found})
    for at, (name, rows) in enumerate(pools.items()):
        order = by_definition(
            rows, passages.astype(np.float64), queries[at].astype(np.float64), relevance
        )
        if relevance == 0 and rows:
            # Nothing but difference counts: of the first, all are equal, and the largest id wins.
            assert next(iter(run.to_dict()[name])) == NAMES[max(rows)]
            continue
        assert list(run.to_dict()[name]) == [NAMES[row] for row in order]
    alone = QUERIES.select([0])
    first = index.search(alone, 20, {"x": found.for_queries(alone.ids)})
    assert list(first.to_dict()["q0"]) == list(run.to_dict()["q0"])


def test_a_copy_of_what_stands_above_goes_down(tmp_path: Path) -> None:
    passages = np.array([[1, 0.2], [1, 0.21], [0.8, -0.6]], dtype=np.float32)
    queries = np.array([[1.0, 0.1]], dtype=np.float32)
    corpus = Corpus(Ids(["a", "copy", "other"]), ["text"] * 3)
    asked = Queries.from_texts({"q": "?"})
    found = Run.from_dict({"q": ["a", "copy", "other"]}, passages=corpus.ids)
    encoder = written(tmp_path, passages, queries)
    for relevance, wanted in ((1.0, ["a", "copy", "other"]), (0.4, ["a", "other", "copy"])):
        by = {"kind": "mmr", "encoder": encoder, "relevance": relevance}
        run = Rerank(retriever="x", by=by).build(corpus).search(asked, 3, {"x": found})
        assert list(run.to_dict()["q"]) == wanted


@pytest.mark.parametrize("shape", [(2, 60, 384), (1, 1, 5), (3, 7, 1), (1, 4, 300_000)])
def test_pieces_of_a_product_are_the_product(shape: tuple[int, int, int]) -> None:
    vectors = np.random.default_rng(3).normal(size=shape).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    wanted = np.einsum("qnd,qmd->qnm", vectors, vectors)
    np.testing.assert_allclose(similarities(vectors), wanted, atol=1e-5)
