"""Texts for an embeddings service, and its spec as tests write it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from ragscore import Dataset, Endpoint
from ragscore.encoders import Static
from ragscore.encoders.base import Role, Vectors
from tests.factories.systems.embedding_server import EmbeddingServer

TEXTS = [f"The rent of house {at} is due. " * (1 + at % 5) for at in range(40)]
IDS = [f"p{at}" for at in range(len(TEXTS))]

DATASET = Dataset.from_rows(
    {f"p{at}": text for at, text in enumerate(TEXTS)},
    {f"q{at}": f"When is the rent of house {at} due?" for at in range(6)},
    {f"q{at}": [f"p{at}"] for at in range(6)},
)

LIMITS = count(10**6)
"""No limits that a test meets; but encoders of other options are not shared between tests, which
a traceback may hold."""


def endpoint(server: EmbeddingServer, **options: Any) -> Endpoint:
    usual = {"url": server.url, "model": "tiny", "batch_size": 8, "rate_limit": next(LIMITS)}
    return Endpoint(**{**usual, **options})


def directly(model: Static, texts: Sequence[str] = TEXTS) -> Vectors:
    """The vectors of the model that the service runs."""
    return model.open().encode(IDS[: len(texts)], texts, "passage")


def encoded(spec: Endpoint, role: Role = "passage") -> Vectors:
    return spec.open().vectors(IDS, TEXTS, role)
