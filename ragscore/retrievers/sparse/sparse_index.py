"""An inverted index that is open: a model weighs the terms of queries, and these find passages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache, Opened, entry_key, open_or_make
from ragscore.dataset import Corpus, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.encoders.base import query_stage
from ragscore.encoders.ragged import Ragged, RaggedFiles
from ragscore.encoders.ragged_models import RaggedEncoder
from ragscore.progress import Progress
from ragscore.retrievers.base import RestrictedIndex
from ragscore.retrievers.encoded_index import EncodedIndex
from ragscore.retrievers.group_search import search_groups
from ragscore.retrievers.run_order import BestPassages
from ragscore.retrievers.sparse.inverted_index import InvertedIndex
from ragscore.run import Run

WEIGHTS = "query-weights"
"""The cache's kind of entry for the weights of queries that are asked of a corpus in blocks."""
FORMAT = 1
"""Raise this when the meaning of these entries changes, so that old ones are not found."""


class SparseIndex(EncodedIndex[RaggedEncoder], RestrictedIndex):
    """The weighed terms of a corpus, and the model that weighs those of queries."""

    def __init__(
        self,
        encoder: RaggedEncoder,
        opened: Opened[InvertedIndex],
        corpus: Corpus,
        name: str,
        progress: Progress,
    ) -> None:
        self._index = opened.value
        super().__init__(encoder, corpus.ids, self._index.truncation, name, progress)
        self.reopened = opened.reopened
        self.size_bytes = self._index.size_bytes
        self.build_cost = self._index.cost

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        weights = query_weights(self._encoder, queries, self._progress)
        found = best_passages(self._index, weights, min(depth, len(self._passages)), allowed)
        return Run.make(queries.ids, self._passages, found.rows, found.scores, name=self.name)


def best_passages(
    index: InvertedIndex, weights: Ragged, depth: int, allowed: Allowed | None
) -> BestPassages:
    """The best passages of each query.

    Args:
        index: of the passages.
        weights: of the queries.
        depth: how many a query gets, at most as many as there are passages.
        allowed: which passages each query may get; None allows all.
    """

    def search(members: NDArray[np.int64], may: NDArray[np.bool_] | None) -> BestPassages:
        return index.search(weights[members], depth, may)

    return search_groups(len(weights), depth, allowed, search)


def query_weights(encoder: RaggedEncoder, queries: Queries, progress: Progress) -> Ragged:
    """The weights of the terms of queries, as they are compared."""
    with query_stage(progress, len(queries)) as stage:
        weights = encoder.vectors(queries.ids, queries.texts, "query", stage)
    return unit_length(weights) if encoder.model.similarity_fn_name == "cosine" else weights


def unit_length(weights: Ragged) -> Ragged:
    """The weights of each text scaled to length 1; those of a text without terms stay none."""
    text = np.repeat(np.arange(len(weights)), weights.lengths)
    squares = weights.values.astype(np.float64) ** 2
    lengths = np.sqrt(np.bincount(text, weights=squares, minlength=len(weights)))
    return replace(weights, values=(weights.values / lengths[text]).astype(np.float32))


@dataclass(frozen=True, eq=False)
class AskedWeights:
    """What the searches of all blocks of a corpus for some queries have in common.

    Attributes:
        weights: of the terms of the queries.
        encoder: that made them.
    """

    weights: Ragged
    encoder: RaggedEncoder

    @property
    def digest(self) -> str:
        """Nothing: what is found depends on the model and the queries alone."""
        return ""


def asked_weights(
    encoder: RaggedEncoder, key: str, queries: Queries, cache: Cache, progress: Progress
) -> AskedWeights:
    """The weights of the terms of queries: from the cache, or made now.

    Args:
        encoder: the model.
        key: digest of all that can change what it makes of a query.
        queries: all that are asked.
        cache: where they are kept.
        progress: reports the queries to encode.
    """
    files = RaggedFiles()
    made = open_or_make(
        cache,
        WEIGHTS,
        entry_key(FORMAT, key, queries.digest),
        lambda: query_weights(encoder, queries, progress),
        files.write,
        partial(files.read, mapped=False),
        progress=progress,
    )
    return AskedWeights(made.value, encoder)
