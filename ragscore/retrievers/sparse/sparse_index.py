"""An inverted index that is open: a model weighs the terms of queries, and these find passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ragscore.dataset import Corpus, Queries
from ragscore.encoders import Truncation, truncations_of
from ragscore.encoders.base import query_stage
from ragscore.encoders.ragged import Ragged
from ragscore.encoders.ragged_models import RaggedEncoder
from ragscore.progress import Progress
from ragscore.retrievers.allowed import Allowed
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.sparse.inverted_index import InvertedIndex
from ragscore.run import Run


class SparseIndex(Index):
    """The weighed terms of a corpus, and the model that weighs those of queries."""

    block: int = 65_536
    restricts: bool = True

    def __init__(
        self,
        encoder: RaggedEncoder,
        index: InvertedIndex,
        corpus: Corpus,
        name: str,
        progress: Progress,
    ) -> None:
        self.name = name
        self.size_bytes = index.size_bytes
        self.passages_indexed = len(corpus)
        self.build_cost = index.cost
        self._encoder = encoder
        self._index = index
        self._passages = corpus.ids
        self._progress = progress

    def __repr__(self) -> str:
        return f"SparseIndex({self.name!r}: {self.passages_indexed:,} passages)"

    def prepare(self, queries: Queries) -> None:
        self._encoder.load()

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        cuts = self._encoder.token_cuts(queries.texts, "query")
        return truncations_of(self.name, self._index.truncation, cuts)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        depth = min(depth, len(self._passages))
        rows, scores = self._index.search(self._weights(queries), depth)
        return Run.make(queries.ids, self._passages, rows, scores, name=self.name)

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed) -> Run:
        depth = min(depth, len(self._passages))
        weights = self._weights(queries)
        rows = np.full((len(queries), depth), -1, dtype=np.int32)
        scores = np.full((len(queries), depth), np.nan)
        for group, passages in allowed:
            rows[group], scores[group] = self._index.search(weights[group], depth, passages)
        return Run.make(queries.ids, self._passages, rows, scores, name=self.name)

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
