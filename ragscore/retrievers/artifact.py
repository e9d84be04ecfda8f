"""What the cache keeps between the texts of a corpus and a run: tokens, vectors, indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragscore.encoders import EncoderSpec

What = Literal["tokens", "vectors", "index"]


@dataclass(frozen=True)
class Artifact:
    """One entry of the cache that building a retriever makes, or reuses.

    Attributes:
        what: the kind of artifact: tokens, vectors or index.
        key: its key; of vectors, the key of the encoder that makes them.
        kind: its kind of entry; empty for vectors, which are found by text.
        texts: what is encoded, for vectors; empty if that is known only when a model cuts it.
        dimension: numbers of a vector; None if unknown yet.
        encoder: that makes vectors; None if that is no spec of its own.
    """

    what: What
    key: str
    kind: str = ""
    texts: Sequence[str] = ()
    dimension: int | None = None
    encoder: EncoderSpec | None = None
