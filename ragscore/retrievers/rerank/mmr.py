"""MMR: what is near to the query and unlike what stands above it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore import canonical
from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.encoders import (
    EncodedPassages,
    OpenEncoder,
    Truncation,
    Vectors,
    encode_passages,
    truncations_of,
)
from ragscore.errors import Problem
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.answering import NO_INPUTS
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.encoder_option import EncoderOption
from ragscore.retrievers.prepared_vectors import QueryVectors, prepare_passages
from ragscore.retrievers.rerank.base import Pool, PoolScores, Reranker, RerankerSpec
from ragscore.run import Run
from ragscore.run.order import text_ranks
from ragscore.usage import Usage

NUMBERS = 4_000_000
"""Most numbers of one array while queries are reranked together."""
ONE_THREAD = 1 << 18
"""Most multiplications of one product: so few, OpenBLAS computes in one thread. Of more it gives a
part to other threads, and on a busy machine waits for them far longer than the product takes
(``benchmarks/mmr_similarities.py``)."""


class MMR(EncoderOption, RerankerSpec):
    """Maximal marginal relevance (MMR): near to the query, and unlike what is ranked above it.

    The next passage is the one with the largest ``relevance * similarity to the query -
    (1 - relevance) * largest similarity to a passage above`` (Carbonell and Goldstein, SIGIR
    1998); similarities are cosines of an encoder's vectors. The score of a passage is this value
    where it was chosen. It never rises down the ranking: above the first passage there is none,
    and its largest similarity counts as -1, the least that there is.

    >>> MMR(encoder="minilm", relevance=0.7).encoder.kind
    'minilm'
    """

    packages: ClassVar[tuple[str, ...]] = ("numpy",)
    kind: Literal["mmr"] = "mmr"
    """Which reranker this is."""
    relevance: Annotated[float, Field(ge=0, le=1)] = 0.5
    """The weight of relevance (the paper's lambda): 1 ranks by similarity to the query alone, 0 by
    difference from the passages above."""

    def artifacts(self, texts: Sequence[str]) -> tuple[Artifact, ...]:
        return self.vector_artifacts(texts)

    def unfit_for_blocks(self) -> Problem | None:
        return Problem(
            "mmr holds the vectors of all passages, and the corpus is read in blocks",
            where="by",
            instead="Leave memory out if the vectors fit into it, or leave mmr out",
        )

    def open(
        self,
        corpus: Corpus,
        texts: Sequence[str],
        cache: Cache | None,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> OpenMMR:
        """The vectors of the whole corpus: from the cache where a retriever has the same encoder.

        Raises:
            RetrieverError: the vector of a passage is not finite.
        """
        opened = self.encoder.open(progress)
        encoded = encode_passages(self.encoder, opened, corpus.ids, texts, cache, progress)
        prepare_passages(encoded.vectors, "cosine", corpus.ids, name)
        unread = Truncation.known(name, "passage", encoded.cuts)
        return OpenMMR(self.relevance, opened, corpus, encoded, unread, name, progress)


class OpenMMR(Reranker):
    """MMR over the vectors of a corpus, which are of length 1."""

    def __init__(
        self,
        relevance: float,
        encoder: OpenEncoder,
        corpus: Corpus,
        passages: EncodedPassages,
        unread: Truncation | None,
        name: str,
        progress: Progress,
    ) -> None:
        self._relevance = relevance
        self._encoder = encoder
        self._query_vectors = QueryVectors(encoder, "cosine", name, progress)
        self._passages = corpus.ids
        self._vectors = passages.vectors
        self._cost = passages.cost
        self._unread = unread
        self._name = name

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        self._query_vectors.prepare(queries)

    def usage(self) -> Usage | None:
        return self._query_vectors.usage(self._cost)

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        cuts = self._encoder.token_cuts(queries.texts, "query")
        return truncations_of(self._name, self._unread, cuts)

    def scores(self, queries: Queries, pool: Pool) -> PoolScores:
        scores = np.full(pool.shape, np.nan)
        if not pool.size:
            return PoolScores(scores)
        vectors = self._query_vectors.of(queries)
        width = pool.shape[1]
        together = max(1, NUMBERS // (width * max(width, vectors.shape[1])))
        for start in range(0, len(pool), together):
            block = slice(start, start + together)
            scores[block] = self._chosen(pool[block], vectors[block])
        return PoolScores(scores)

    def _chosen(self, pool: Pool, queries: Vectors) -> NDArray[np.float64]:
        """The value of each passage where it was chosen: float64[Q, n], NaN at pads."""
        vectors = self._vectors[pool]
        near = canonical.scores(queries, vectors, "cosine", unit=True)
        near = near.astype(np.float64).clip(-1, 1)
        alike = similarities(vectors)
        # Of equal values the larger id is chosen, as everywhere.
        ids = text_ranks(self._passages, pool)
        waiting = pool >= 0
        nearest = np.full(pool.shape, -1.0)
        scores = np.full(pool.shape, np.nan)
        every = np.arange(len(pool))
        for _ in range(pool.shape[1]):
            values = self._relevance * near - (1 - self._relevance) * nearest
            values[~waiting] = -np.inf
            best = values.max(axis=1)
            here = np.where(values == best[:, None], ids, -1).argmax(axis=1)
            going = np.isfinite(best)
            at = every[going], here[going]
            scores[at] = best[going]
            waiting[at] = False
            nearest = np.maximum(nearest, alike[every, here])
        return scores


def similarities(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cosines of the passages of each query with each other: float32[Q, n, n].

    Args:
        vectors: float32[Q, n, d], of length 1.
    """
    queries, passages, dimension = vectors.shape
    whole, _ = canonical.snapped(vectors, unit=True)
    found = np.empty((queries, passages, passages))
    step = max(1, math.isqrt(ONE_THREAD // max(dimension, 1)))
    pieces = [slice(start, start + step) for start in range(0, passages, step)]
    for some, others in product(pieces, pieces):
        turned = whole[:, others].transpose(0, 2, 1)
        np.matmul(whole[:, some], turned, out=found[:, some, others])
    found *= 4.0**-canonical.BITS
    return found.clip(-1, 1).astype(np.float32)
