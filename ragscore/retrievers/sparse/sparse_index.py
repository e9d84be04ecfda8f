"""An inverted index that is open: a model weighs the terms of queries, and these find passages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Opened
from ragscore.dataset import Corpus, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.encoders.base import query_stage
from ragscore.encoders.ragged import Ragged
from ragscore.encoders.ragged_models import RaggedEncoder
from ragscore.progress import Progress
from ragscore.retrievers.base import RestrictedIndex
from ragscore.retrievers.encoded_index import EncodedIndex
from ragscore.retrievers.group_search import search_groups
from ragscore.retrievers.run_order import BestPassages
from ragscore.retrievers.sparse.inverted_index import InvertedIndex
from ragscore.run import Run


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
        depth = min(depth, len(self._passages))
        weights = self._weights(queries)

        def search(members: NDArray[np.int64], may: NDArray[np.bool_] | None) -> BestPassages:
            return self._index.search(weights[members], depth, may)

        found = search_groups(len(queries), depth, allowed, search)
        return Run.make(queries.ids, self._passages, found.rows, found.scores, name=self.name)

    def _weights(self, queries: Queries) -> Ragged:
        with query_stage(self._progress, len(queries)) as stage:
            weights = self._encoder.vectors(queries.ids, queries.texts, "query", stage)
        cosine = self._encoder.model.similarity_fn_name == "cosine"
        return unit_length(weights) if cosine else weights


def unit_length(weights: Ragged) -> Ragged:
    """The weights of each text scaled to length 1; those of a text without terms stay none."""
    text = np.repeat(np.arange(len(weights)), weights.lengths)
    squares = weights.values.astype(np.float64) ** 2
    lengths = np.sqrt(np.bincount(text, weights=squares, minlength=len(weights)))
    return replace(weights, values=(weights.values / lengths[text]).astype(np.float32))
