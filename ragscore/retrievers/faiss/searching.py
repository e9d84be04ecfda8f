"""A FAISS index that is open: queries become vectors, and those find passages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Opened
from ragscore.canonical import Metric
from ragscore.dataset import Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.encoders import OpenEncoder, Vectors
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, RestrictedIndex
from ragscore.retrievers.encoded_index import EncodedIndex
from ragscore.retrievers.faiss.construction import failed, is_flat, unwrapped
from ragscore.retrievers.faiss.nearest import nearest
from ragscore.retrievers.faiss.stored import StoredIndex
from ragscore.retrievers.faiss.vectors_in_place import VectorsInPlace
from ragscore.retrievers.group_search import search_groups
from ragscore.retrievers.prepared_vectors import QueryVectors
from ragscore.retrievers.run_order import BestPassages
from ragscore.run import Run
from ragscore.usage import Usage


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
        exact: VectorsInPlace | None = None,
    ) -> None:
        super().__init__(encoder, passages, stored.truncation, name, progress)
        self.size_bytes = stored.size_bytes
        self.build_cost = stored.cost
        self._index = stored.index if exact is None else exact
        self._metric = metric
        self._query_vectors = QueryVectors(encoder, metric, name, progress)

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        self._query_vectors.prepare(queries)

    def usage(self) -> Usage | None:
        cost = self.build_cost
        return self._query_vectors.usage(cost.encoding if cost is not None else None)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        return self._searched(queries, depth, None)

    def _searched(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        depth = min(depth, len(self._passages))
        vectors = np.empty((0, self._index.d), np.float32)
        if len(queries):
            vectors = self._query_vectors.of(queries)
        found = best_passages(
            self._index, vectors, self._metric, self._passages, self.name, depth, allowed
        )
        return Run.make(queries.ids, self._passages, found.rows, found.scores, name=self.name)


class ExactIndex(FaissIndex, RestrictedIndex):
    """An exact index (Flat), of which some passages can be searched alone."""

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        return self._searched(queries, depth, allowed)


def best_passages(
    index: Any,
    vectors: Vectors,
    metric: Metric,
    passages: Ids,
    name: str,
    depth: int,
    allowed: Allowed | None,
) -> BestPassages:
    """The best passages of each query in a FAISS index.

    Args:
        index: of FAISS, or the vectors themselves.
        vectors: of the queries, float32[Q, d].
        metric: of the comparisons.
        passages: ids of the index's rows.
        name: of the retriever, for messages.
        depth: how many a query gets, at most as many as there are passages.
        allowed: which passages each query may get; None allows all. For exact indexes alone.

    Raises:
        RetrieverError: the vectors do not fit the index, or FAISS cannot search it.
    """
    if vectors.shape[1] != index.d:
        raise RetrieverError(
            f"query vectors have {vectors.shape[1]:,} dimensions, passage vectors {index.d:,}",
            retriever=name,
            instead="Make both with the same model",
        )

    def search(members: NDArray[np.int64], may: NDArray[np.bool_] | None) -> BestPassages:
        width = depth if may is None else min(depth, int(may.sum()))
        if not width or not len(members):
            return BestPassages.none(len(members), width)
        asked = vectors if len(members) == len(vectors) else vectors[members]
        try:
            if isinstance(index, VectorsInPlace):
                return index.best(asked, width, passages, may)
            return nearest(index, asked, width, metric, passages)
        except RuntimeError as error:
            raise failed("FAISS cannot search this index", error, name) from error

    return search_groups(len(vectors), depth, allowed, search)


def open_faiss(
    opened: Opened[StoredIndex],
    metric: Metric,
    unit: bool,
    encoder: OpenEncoder,
    passages: Ids,
    name: str,
    progress: Progress,
) -> FaissIndex:
    """An index that was made or reopened, ready to answer.

    Args:
        opened: the index.
        metric: of its comparisons.
        unit: its vectors have length 1, or 0.
        encoder: turns queries into vectors.
        passages: ids of what it holds.
        name: of the runs.
        progress: advances with queries that are encoded.
    """
    exact = _in_place(opened.value.index, metric, unit)
    kind = FaissIndex if exact is None else ExactIndex
    index = kind(opened.value, metric, encoder, passages, name, progress, exact)
    index.reopened = opened.reopened
    return index


def _in_place(index: Any, metric: Metric, unit: bool) -> VectorsInPlace | None:
    """The vectors of an exact index, where they are; None of another one."""
    import faiss

    flat = unwrapped(index)
    if not is_flat(flat):
        return None
    library: Any = faiss  # its type stubs lack the view
    vectors = np.empty((0, flat.d), np.float32)
    if flat.ntotal:
        vectors = library.rev_swig_ptr(flat.get_xb(), flat.ntotal * flat.d).reshape(-1, flat.d)
    return VectorsInPlace(vectors, metric, unit=unit, owner=index)
