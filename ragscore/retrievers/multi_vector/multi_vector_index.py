"""Token vectors that are open: those of queries find passages by MaxSim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Corpus, Queries
from ragscore.encoders import Truncation, truncations_of
from ragscore.encoders.base import query_stage
from ragscore.encoders.ragged import Ragged
from ragscore.encoders.ragged_models import RaggedEncoder
from ragscore.progress import Progress
from ragscore.retrievers.allowed import Allowed
from ragscore.retrievers.base import NO_INPUTS, Index, input_run
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.multi_vector.maxsim import TokenVectors
from ragscore.retrievers.run_order import best_places, rows_by_id
from ragscore.run import Run

MASKS = 16
"""Groups of queries whose allowed passages are kept in memory."""


@dataclass(frozen=True)
class CandidatePool:
    """Where the passages come from that are scored.

    Attributes:
        retriever: name of the retriever whose first passages they are.
        n: how many.
    """

    retriever: str
    n: int


class MultiVectorIndex(Index):
    """The token vectors of a corpus, and the model that makes those of queries.

    Args:
        encoder: the model.
        tokens: of the corpus.
        cuts: what the model did not read of the passages; None where it does not say.
        cost: of building it.
        pool: the passages that are scored; None scores all.
        corpus: what is searched.
        name: of the runs.
        progress: is notified of queries that are encoded.
    """

    block = 65_536

    def __init__(
        self,
        encoder: RaggedEncoder,
        tokens: TokenVectors,
        cuts: Truncation | None,
        cost: BuildCost,
        pool: CandidatePool | None,
        corpus: Corpus,
        name: str,
        progress: Progress,
    ) -> None:
        self.name = name
        self.size_bytes = tokens.encoded.nbytes
        self.passages_indexed = len(corpus)
        self.build_cost = cost
        self.restricts = pool is None
        self._encoder = encoder
        self._tokens = tokens
        self._cuts = cuts
        self._pool = pool
        self._passages = corpus.ids
        self._row_at = rows_by_id(corpus.ids)
        self._progress = progress

    def __repr__(self) -> str:
        return f"MultiVectorIndex({self.name!r}: {self.passages_indexed:,} passages)"

    def prepare(self, queries: Queries) -> None:
        self._encoder.load()

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        cuts = self._encoder.token_cuts(queries.texts, "query")
        return truncations_of(self.name, self._cuts, cuts)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        if self._pool is None:
            return self._search(queries, depth, None)
        source, n = self._pool.retriever, self._pool.n
        found = input_run(inputs, source, queries.ids, self._passages, n, self.name)
        asked = self._vectors(queries)
        scores = self._tokens.pool_scores(asked, found.rows, self.answered)
        rows = np.where(np.isfinite(scores), found.rows, np.int32(-1))
        run = Run.make(
            queries.ids,
            self._passages,
            rows,
            scores / self._shares(asked)[:, None],
            name=self.name,
        )
        return run.cut(depth)

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed) -> Run:
        return self._search(queries, depth, allowed)

    def _search(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        depth = min(depth, len(self._passages))
        rows = np.full((len(queries), depth), -1, dtype=np.int32)
        scores = np.full((len(queries), depth), np.nan)
        asked = self._vectors(queries)
        passages = lru_cache(MASKS)(allowed.passages) if allowed is not None else None
        for part, block in self._tokens.all_scores(asked, self.answered):
            for at, values in enumerate(block[:, self._row_at], start=part.start):
                may = np.isfinite(values)
                if allowed is not None and passages is not None:
                    may &= passages(int(allowed.group[at]))[self._row_at]
                places = np.flatnonzero(may)
                chosen = places[best_places(values[places], depth)]
                rows[at, : len(chosen)] = self._row_at[chosen]
                scores[at, : len(chosen)] = values[chosen]
        scores /= self._shares(asked)[:, None]
        return Run.make(queries.ids, self._passages, rows, scores, name=self.name)

    def _shares(self, asked: Ragged) -> NDArray[np.float64]:
        """What scores are divided by: a model may compare by the mean over a query's tokens."""
        if self._encoder.model.similarity_fn_name != "meanmaxsim":
            return np.ones(len(asked))
        return np.maximum(asked.lengths, 1).astype(np.float64)

    def _vectors(self, queries: Queries) -> Ragged:
        with query_stage(self._progress, len(queries)) as stage:
            return self._encoder.vectors(queries.ids, queries.texts, "query", stage)
