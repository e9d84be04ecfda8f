"""Late interaction over the pools of another retriever: only their passages are encoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids, Queries
from ragscore.encoders import EncodingCost, Truncation
from ragscore.encoders.gathering import Gathered
from ragscore.encoders.ragged import Ragged, RaggedEncoded
from ragscore.encoders.ragged_models import RaggedEncoder
from ragscore.progress import Progress, Stage
from ragscore.retrievers.base import NO_INPUTS, input_run
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.multi_vector.maxsim import maxsim
from ragscore.retrievers.multi_vector.multi_vector_index import TokenIndex
from ragscore.run import Run


class GatherTexts(Protocol):
    """Encodes texts, or takes their vectors from the cache."""

    def __call__(self, *, ids: Sequence[str], texts: Sequence[str]) -> Gathered[RaggedEncoded]: ...


class PoolTokens:
    """The token vectors of the passages that were in a pool so far.

    Args:
        ids: of the passages of a corpus.
        texts: what is encoded of each.
        gather_texts: encodes them.
    """

    def __init__(self, ids: Ids, texts: Sequence[str], gather_texts: GatherTexts) -> None:
        self._ids = ids
        self._texts = texts
        self._gather = gather_texts
        self._encoded = RaggedEncoded(len(ids))
        self._first: dict[str, int] = {}
        self._row_of = np.full(len(ids), -1)
        """int64[N]: the row of the first passage with the same text; -1 for one of no pool yet."""
        self._encoding = Lock()  # clients that are timed search at the same time
        self.cost: EncodingCost | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the vectors."""
        return self._encoded.nbytes

    def truncation(self, name: str) -> Truncation | None:
        """What was not read of these passages; None if the model does not say."""
        if not self._encoded.counted:
            return None
        return Truncation.of(name, "passage", self._encoded.cuts[self._row_of[self._row_of >= 0]])

    def encode(self, pool: NDArray[np.int32]) -> None:
        """Encode passages, of which some were perhaps in a pool before.

        Args:
            pool: rows of the corpus, -1 if there is none.
        """
        with self._encoding:
            rows = np.unique(pool[pool >= 0])
            rows = rows[self._row_of[rows] < 0]
            first = [self._first.setdefault(self._texts[row], row) for row in rows.tolist()]
            new = np.unique(np.array(first, dtype=np.intp))
            new = new[~self._encoded.known[new]]
            if len(new):
                texts = [self._texts[row] for row in new.tolist()]
                gathered = self._gather(ids=self._ids.texts(new), texts=texts)
                self._encoded.adopt(new, gathered.encoded)
                if gathered.cost is not None:
                    self.cost = gathered.cost.plus(self.cost)
            self._row_of[rows] = first

    def scores(
        self, queries: Ragged, pool: NDArray[np.int32], answered: Stage
    ) -> NDArray[np.float64]:
        """The MaxSim of the pool of each query: float64[Q, n], NaN if there is no passage or it
        has no token.

        Args:
            queries: token vectors of Q queries.
            pool: int32[Q, n] rows of the corpus, -1 if there is none; all are encoded.
            answered: called for queries that are scored.
        """
        scores = np.full(pool.shape, np.nan)
        for at in range(len(queries)):
            places = np.flatnonzero(pool[at] >= 0)
            if len(places):
                # As in a search of the whole corpus, equal texts are scored once.
                texts, which = np.unique(self._row_of[pool[at, places]], return_inverse=True)
                found = maxsim(queries[np.array([at])], self._encoded[texts])[0][which]
                scores[at, places] = np.where(np.isfinite(found), found, np.nan)
            answered.advance(1)
        return scores


class PoolIndex(TokenIndex):
    """Scores the first passages of another retriever, and encodes them when they are first met.

    Args:
        encoder: the model.
        tokens: of the passages of pools.
        source: name of the other retriever.
        n: how many of its passages are scored.
        passages: ids of the corpus.
        name: of the runs.
        progress: advances with queries that are encoded.
    """

    def __init__(
        self,
        encoder: RaggedEncoder,
        tokens: PoolTokens,
        source: str,
        n: int,
        passages: Ids,
        name: str,
        progress: Progress,
    ) -> None:
        super().__init__(encoder, passages, None, name, progress)
        self._tokens = tokens
        self._source = source
        self._n = n

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        super().prepare(queries, inputs)
        if self._source in inputs:
            self._pool(queries, inputs)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        pool = self._pool(queries, inputs)
        asked = self._vectors(queries)
        scores = self._tokens.scores(asked, pool, self.answered)
        rows = np.where(np.isfinite(scores), pool, np.int32(-1))
        return self._run(queries, asked, rows, scores).cut(depth)

    def _pool(self, queries: Queries, inputs: Mapping[str, Run]) -> NDArray[np.int32]:
        """int32[Q, n], the passages to score, -1 if there is none; all are encoded."""
        pool = input_run(inputs, self._source, queries.ids, self._passages, self._n, self.name).rows
        self._tokens.encode(pool)
        self.size_bytes = self._tokens.nbytes
        self.build_cost = BuildCost(0.0, self._tokens.cost)
        self._unread = self._tokens.truncation(self.name)
        return pool
