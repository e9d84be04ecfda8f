"""The vectors of all queries that are asked of a corpus in blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ragscore import canonical
from ragscore.cache import Cache, entry_key, open_or_make
from ragscore.canonical import Metric
from ragscore.dataset import Queries
from ragscore.encoders import EncodedTexts, EncoderSpec, OpenEncoder, RowBuffers, Vectors
from ragscore.encoders.encoding_parts import compare_with_earlier
from ragscore.progress import Progress
from ragscore.retrievers.prepared_vectors import QueryVectors

KIND = "query-vectors"
"""The cache's kind of entry."""
FORMAT = 1
"""Raise this when the meaning of these entries changes, so that old ones are not found."""
FILE = "vectors.npy"
TOKENS = "tokens.txt"
AS_ENCODED: Metric = "ip"
"""The metric that needs vectors as the encoder made them; they are kept so, for all metrics."""


@dataclass(frozen=True, eq=False)
class AskedVectors:
    """What the searches of all blocks for some queries have in common.

    Attributes:
        vectors: of the queries, ready for comparisons: float32[Q, d].
        encoder: that made them, for blocks whose vectors are looked up.
        passages: of the whole corpus.
        tokens: of the queries, as a service counted them; None if none did.
        zeros: by the first row of a block that was searched, how many of its vectors have no
            direction.
        buffers: what the vectors of blocks are read into.
    """

    vectors: Vectors
    encoder: OpenEncoder
    passages: int
    tokens: int | None = None
    zeros: dict[int, int] = field(default_factory=dict)
    buffers: RowBuffers = field(default_factory=RowBuffers)

    @property
    def digest(self) -> str:
        """Nothing: what is found depends on the encoder and the queries alone."""
        return ""


def asked_vectors(
    encoder: EncoderSpec,
    metric: Metric,
    queries: Queries,
    passages: int,
    cache: Cache,
    name: str,
    progress: Progress,
) -> AskedVectors:
    """Vectors of queries: from the cache, where these are kept, or made now.

    Args:
        encoder: turns queries into vectors.
        metric: of the comparisons.
        queries: all that are asked.
        passages: of the whole corpus.
        cache: where they are kept, unless they were made elsewhere.
        name: of the retriever, for messages.
        progress: reports the queries to encode.

    Raises:
        RetrieverError: a vector is not finite; names the query.
    """
    opened = encoder.open(progress)
    compare_with_earlier(encoder, opened, cache)

    def make() -> EncodedTexts:
        made = QueryVectors(opened, AS_ENCODED, name, progress)
        made.prepare(queries)
        vectors = made.of(queries)
        return EncodedTexts(vectors, made.tokens)

    kept_in = cache if encoder.slow else None
    key = entry_key(FORMAT, [encoder.vector_key("query"), AS_ENCODED], queries.digest)
    found = open_or_make(kept_in, KIND, key, make, _write, _read, progress=progress)
    if metric == "cosine":
        canonical.normalise(found.value.vectors)
    return AskedVectors(found.value.vectors, opened, passages, found.value.tokens)


def _write(encoded: EncodedTexts, folder: Path) -> None:
    np.save(folder / FILE, encoded.vectors)
    if encoded.tokens is not None:
        (folder / TOKENS).write_text(str(encoded.tokens), encoding="ascii")


def _read(folder: Path) -> EncodedTexts:
    vectors: Vectors = np.load(folder / FILE, allow_pickle=False)
    counted = folder / TOKENS
    tokens = int(counted.read_text(encoding="ascii")) if counted.is_file() else None
    return EncodedTexts(vectors, tokens)
