"""A FAISS index that is open: queries become vectors, and those find passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids, Queries
from ragscore.encoders import OpenEncoder, Truncation, Vectors, truncations_of
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.allowed import Allowed
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.faiss.construction import failed
from ragscore.retrievers.faiss.nearest import nearest
from ragscore.retrievers.faiss.stored import StoredIndex
from ragscore.retrievers.prepared_vectors import Metric, query_vectors
from ragscore.run import Run


class FaissIndex(Index):
    """A FAISS index over a corpus, and the encoder that turns queries into vectors."""

    block: int = 65_536

    def __init__(
        self,
        factory: str,
        metric: Metric,
        encoder: OpenEncoder,
        stored: StoredIndex,
        passages: Ids,
        name: str,
        progress: Progress,
    ) -> None:
        self._factory = factory
        self._metric = metric
        self.name = name
        self.size_bytes = stored.size_bytes
        self.build_cost = stored.cost
        self.passages_indexed = len(passages)
        self._encoder = encoder
        self._asked: OpenEncoder | None = None
        self._index = stored.index
        self._passages = passages
        self._truncation = stored.truncation
        self._progress = progress

    def __repr__(self) -> str:
        return f"FaissIndex({self.name!r}: {self.passages_indexed:,} passages, {self._factory})"

    def prepare(self, queries: Queries) -> None:
        self._encoder.load()
        self._asked = self._encoder.for_queries(queries.ids)

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        cuts = self._encoder.token_cuts(queries.texts, "query")
        return truncations_of(self.name, self._truncation, cuts)

    @property
    def restricts(self) -> bool:  # type: ignore[override]
        """True for the exact index (Flat)."""
        import faiss

        return isinstance(faiss.downcast_index(self._index), faiss.IndexFlat)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        return self._searched(queries, depth, [(np.arange(len(queries)), None)])

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed) -> Run:
        return self._searched(queries, depth, allowed)

    def _searched(
        self,
        queries: Queries,
        depth: int,
        groups: Iterable[tuple[NDArray[np.int64], NDArray[np.bool_] | None]],
    ) -> Run:
        depth = min(depth, len(self._passages))
        rows = np.full((len(queries), depth), -1, dtype=np.int64)
        scores = np.full((len(queries), depth), np.nan)
        vectors = self._query_vectors(queries) if len(queries) else np.empty((0, 0), np.float32)
        for members, allowed in groups:
            width = depth if allowed is None else min(depth, int(allowed.sum()))
            if not width or not len(members):
                continue
            asked = vectors if len(members) == len(vectors) else vectors[members]
            try:
                found = nearest(self._index, asked, width, self._metric, self._passages, allowed)
            except RuntimeError as error:
                raise failed("FAISS cannot search this index", error, self.name) from error
            rows[members, :width], scores[members, :width] = found.rows, found.scores
        return Run.make(queries.ids, self._passages, rows, scores, name=self.name)

    def _query_vectors(self, queries: Queries) -> Vectors:
        if self._asked is None:
            self._asked = self._encoder.for_queries(queries.ids)
        vectors = query_vectors(self._asked, queries, self._metric, self.name, self._progress)
        if vectors.shape[1] != self._index.d:
            raise RetrieverError(
                f"query vectors have {vectors.shape[1]:,} dimensions, passage vectors "
                f"{self._index.d:,}",
                retriever=self.name,
                instead="Make both with the same model",
            )
        return vectors
