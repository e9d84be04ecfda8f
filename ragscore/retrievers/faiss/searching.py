"""A FAISS index that is open: queries become vectors, and those find passages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Opened
from ragscore.dataset import Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.encoders import OpenEncoder, Vectors
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, RestrictedIndex
from ragscore.retrievers.encoded_index import EncodedIndex
from ragscore.retrievers.faiss.construction import failed
from ragscore.retrievers.faiss.nearest import nearest
from ragscore.retrievers.faiss.stored import StoredIndex
from ragscore.retrievers.group_search import search_groups
from ragscore.retrievers.prepared_vectors import Metric, QueryVectors
from ragscore.retrievers.run_order import BestPassages
from ragscore.run import Run


class FaissIndex(EncodedIndex[OpenEncoder]):
    """A FAISS index over a corpus, and the encoder that turns queries into vectors."""

    def __init__(
        self,
        stored: StoredIndex,
        metric: Metric,
        encoder: OpenEncoder,
        passages: Ids,
        name: str,
        progress: Progress,
    ) -> None:
        super().__init__(encoder, passages, stored.truncation, name, progress)
        self.size_bytes = stored.size_bytes
        self.build_cost = stored.cost
        self._index = stored.index
        self._metric = metric
        self._query_vectors = QueryVectors(encoder, metric, name, progress)

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        self._query_vectors.prepare(queries)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        return self._searched(queries, depth, None)

    def _searched(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        depth = min(depth, len(self._passages))
        vectors = self._fitting_vectors(queries) if len(queries) else np.empty((0, 0), np.float32)

        def search(members: NDArray[np.int64], may: NDArray[np.bool_] | None) -> BestPassages:
            width = depth if may is None else min(depth, int(may.sum()))
            if not width or not len(members):
                return BestPassages.none(len(members), width)
            asked = vectors if len(members) == len(vectors) else vectors[members]
            try:
                return nearest(self._index, asked, width, self._metric, self._passages, may)
            except RuntimeError as error:
                raise failed("FAISS cannot search this index", error, self.name) from error

        found = search_groups(len(queries), depth, allowed, search)
        return Run.make(queries.ids, self._passages, found.rows, found.scores, name=self.name)

    def _fitting_vectors(self, queries: Queries) -> Vectors:
        vectors = self._query_vectors.of(queries)
        if vectors.shape[1] != self._index.d:
            raise RetrieverError(
                f"query vectors have {vectors.shape[1]:,} dimensions, passage vectors "
                f"{self._index.d:,}",
                retriever=self.name,
                instead="Make both with the same model",
            )
        return vectors


class FlatIndex(FaissIndex, RestrictedIndex):
    """An exact index (Flat), which FAISS can search in part."""

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        return self._searched(queries, depth, allowed)


def open_faiss(
    opened: Opened[StoredIndex],
    metric: Metric,
    encoder: OpenEncoder,
    passages: Ids,
    name: str,
    progress: Progress,
) -> FaissIndex:
    """An index that was made or reopened, ready to answer.

    Args:
        opened: the index.
        metric: of its comparisons.
        encoder: turns queries into vectors.
        passages: ids of what it holds.
        name: of the runs.
        progress: is notified of queries that are encoded.
    """
    import faiss

    flat = isinstance(faiss.downcast_index(opened.value.index), faiss.IndexFlat)
    kind = FlatIndex if flat else FaissIndex
    index = kind(opened.value, metric, encoder, passages, name, progress)
    index.reopened = opened.reopened
    return index
