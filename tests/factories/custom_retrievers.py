"""Custom retrievers of every form."""

from __future__ import annotations

import asyncio
from typing import Any

from ragscore.dataset import Corpus, Ids, Queries

CORPUS = Corpus(Ids(["a", "b", "c", "d"]), ["rent", "deposit", "pets", "keys"])
QUERIES = Queries.from_texts({"q1": "rent and deposit", "q2": "keys"})


def words_in_common(text: str, k: int) -> list[tuple[str, float]]:
    wanted = set(text.split())
    scored = [(passage.id, float(len(wanted & {passage.text}))) for passage in CORPUS]
    return [pair for pair in scored if pair[1]][:k]


class Batch:
    """Indexes first; answers all queries at once."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor
        self.texts: dict[str, str] = {}

    def index(self, corpus: Corpus) -> None:
        self.texts = {passage.id: passage.text for passage in corpus}

    def retrieve(self, queries: list[str], k: int) -> list[list[tuple[str, float]]]:
        return [
            [(id, self.factor) for id, text in self.texts.items() if text in query][:k]
            for query in queries
        ]


class AsyncBatch(Batch):
    async def index(self, corpus: Corpus) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        super().index(corpus)

    async def retrieve(self, queries: list[str], k: int) -> Any:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().retrieve(queries, k)


class Called:
    """An instance that is called like a function."""

    def __call__(self, text: str, k: int) -> list[tuple[str, float]]:
        return words_in_common(text, k)
