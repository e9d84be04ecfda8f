"""Token vectors that are open: those of queries find passages by MaxSim."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.encoders import Truncation
from ragscore.encoders.base import query_stage
from ragscore.encoders.gathering import Gathered
from ragscore.encoders.ragged import Ragged, RaggedEncoded
from ragscore.encoders.ragged_models import RaggedEncoder
from ragscore.progress import Progress
from ragscore.retrievers.base import RestrictedIndex
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.encoded_index import EncodedIndex
from ragscore.retrievers.multi_vector.maxsim import TokenVectors
from ragscore.retrievers.run_order import BestPassages, rows_by_id
from ragscore.run import Run

MASKS = 16
"""Groups of queries whose allowed passages are kept in memory."""


class TokenIndex(EncodedIndex[RaggedEncoder]):
    """Base of the indexes that compare token vectors."""

    def _vectors(self, queries: Queries) -> Ragged:
        with query_stage(self._progress, len(queries)) as stage:
            return self._encoder.vectors(queries.ids, queries.texts, "query", stage)

    def _run(
        self,
        queries: Queries,
        asked: Ragged,
        rows: NDArray[np.integer[Any]],
        scores: NDArray[np.floating[Any]],
    ) -> Run:
        """The run of passages with a MaxSim; a model may compare by the mean over the tokens of a
        query."""
        if self._encoder.model.similarity_fn_name == "meanmaxsim":
            scores = scores / np.maximum(asked.lengths, 1)[:, None]
        return Run.make(queries.ids, self._passages, rows, scores, name=self.name)


class MultiVectorIndex(TokenIndex, RestrictedIndex):
    """The token vectors of a corpus, and the model that makes those of queries.

    Args:
        encoder: the model.
        gathered: what it made of the passages.
        passages: their ids.
        name: of the runs.
        progress: advances with queries that are encoded.
    """

    def __init__(
        self,
        encoder: RaggedEncoder,
        gathered: Gathered[RaggedEncoded],
        passages: Ids,
        name: str,
        progress: Progress,
    ) -> None:
        unread = Truncation.known(name, "passage", gathered.cuts)
        super().__init__(encoder, passages, unread, name, progress)
        self._tokens = TokenVectors(gathered.encoded, gathered.number)
        self._row_at = rows_by_id(passages)
        self.size_bytes = gathered.encoded.nbytes
        self.build_cost = BuildCost(0.0, gathered.cost)  # there is nothing but the vectors
        self.reopened = gathered.reopened

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        found = BestPassages.none(len(queries), min(depth, len(self._passages)))
        asked = self._vectors(queries)
        # Groups do not search one by one: each time, all token vectors would be read.
        passages = None if allowed is None else lru_cache(MASKS)(allowed.passages)
        depth = found.rows.shape[1]
        for part, block, off in self._tokens.all_scores(asked, self.answered):
            for query, scores in enumerate(block[:, self._row_at], start=part.start):
                may = np.isfinite(scores)
                if allowed is not None and passages is not None:
                    may &= passages(int(allowed.group[query]))[self._row_at]
                rows, scores = self._row_at[may], scores[may]
                if len(rows) > depth:
                    last = np.partition(scores, len(scores) - depth)[len(scores) - depth]
                    rows = rows[scores >= last - 2 * off[query - part.start]]
                if len(rows):
                    one = asked[np.array([query])]
                    found.put(query, rows, self._tokens.scores(one, rows))
        return self._run(queries, asked, found.rows, found.scores)
