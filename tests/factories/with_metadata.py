"""A small corpus whose passages have years, labels and parents, and queries that ask for years."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from ragscore.dataset import Corpus, Queries
from ragscore.encoders import Precomputed
from ragscore.models import Passage, Query

WORDS = [f"word{number}" for number in range(30)]
PARENTS = 12


def corpus(passages: int = 80, seed: int = 5) -> Corpus:
    """Children with a year (but every ninth), labels and a parent; then the parents, empty."""
    draw = random.Random(seed)
    rows = []
    for number in range(passages):
        metadata: dict[str, Any] = {
            "year": draw.randint(2000, 2005),
            "labels": draw.sample(["law", "tax", "rent"], 2),
            "place": draw.choice(["Bonn", "Basel"]),
            "parent": f"d{draw.randrange(PARENTS):02}",
        }
        if number % 9 == 0:
            del metadata["year"]
        text = " ".join(draw.choices(WORDS, k=draw.randint(1, 8)))
        rows.append(Passage(id=f"p{number:03}", text=text, metadata=metadata))
    rows += [Passage(id=f"d{number:02}", text="") for number in range(PARENTS)]
    return Corpus.from_passages(rows)


def queries(count: int = 24, seed: int = 6) -> Queries:
    """Every fifth has no year."""
    draw = random.Random(seed)
    return Queries.from_rows(
        Query(
            id=f"q{number}",
            text=" ".join(draw.choices(WORDS, k=3)),
            metadata={"year": draw.randint(1999, 2006), "years": draw.sample(range(2000, 2006), 2)}
            if number % 5
            else {},
        )
        for number in range(count)
    )


def encoder(folder: Path, passages: Corpus, asked: Queries) -> Precomputed:
    """Random vectors, some of them equal, so that there are ties."""
    draw = np.random.default_rng(7)
    vectors = draw.integers(-2, 3, size=(len(passages), 3)).astype(np.float32) + 0.5
    np.save(folder / "passages.npy", vectors)
    np.save(folder / "queries.npy", draw.standard_normal((len(asked), 3)).astype(np.float32))
    for name, ids in (("passages", passages.ids), ("queries", asked.ids)):
        (folder / f"{name}.txt").write_text("\n".join(ids), encoding="utf-8")
    return Precomputed(
        passages=str(folder / "passages.npy"),
        passage_ids=str(folder / "passages.txt"),
        queries=str(folder / "queries.npy"),
        query_ids=str(folder / "queries.txt"),
    )


FUNCTION = """\
import zlib

def search(query, k):
    ids = [f"p{number:03}" for number in range(80)]
    return sorted(ids, key=lambda id: zlib.crc32((query + id).encode()))[:k]
"""
"""A module whose retriever returns ids without scores."""
