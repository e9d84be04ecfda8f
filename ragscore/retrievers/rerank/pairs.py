"""Rerankers that look at one query and one passage at a time, and the cache of their scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.dataset import Queries
from ragscore.encoders.base import TokenCuts
from ragscore.progress import Progress, Stage
from ragscore.retrievers.rerank.base import Pool, PoolScores, Reranker


class PairReranker(Reranker):
    """Scores pairs of a query and a passage, each by itself.

    Args:
        content: everything that can change a score but the two texts, as JSON.
        texts: what is read of each passage of the corpus.
        cache: where scores are kept; None keeps none.
        name: of the retriever, for messages.
        progress: is notified of the pairs to score.
    """

    def __init__(
        self,
        content: Mapping[str, object],
        texts: Sequence[str],
        cache: Cache | None,
        name: str,
        progress: Progress,
    ) -> None:
        self._content = content
        self._texts = texts
        self._cache = cache
        self._name = name
        self._progress = progress

    @property
    @abstractmethod
    def chunk(self) -> int:
        """How many pairs are worth scoring in one call: what is lost when it is stopped."""

    @abstractmethod
    def score_pairs(
        self, queries: Sequence[str], passages: Sequence[str], stage: Stage | None = None
    ) -> NDArray[np.float32]:
        """The score of each pair: float32[n].

        Args:
            queries, passages: n texts each.
            stage: is notified of every few pairs that are done.

        Raises:
            ConfigError: the model cannot be loaded or run as asked.
            MissingPackageError: an optional package is needed.
        """

    def pair_cuts(self, queries: Sequence[str], passages: Sequence[str]) -> TokenCuts | None:
        """How much of each pair is not read: int32[n, 2]; None where that is unknown.

        Args:
            queries, passages: n texts each.
        """
        return None

    def scores(self, queries: Queries, pool: Pool) -> PoolScores:
        at, place = np.nonzero(pool >= 0)
        asked = [queries.texts[row] for row in at.tolist()]
        found = [self._texts[row] for row in pool[at, place].tolist()]
        scores = np.full(pool.shape, np.nan)
        scores[at, place] = self.score_pairs(asked, found)
        counted = self.pair_cuts(asked, found)
        if counted is None:
            return PoolScores(scores)
        cuts = np.zeros((*pool.shape, 2), dtype=np.int32)
        cuts[at, place] = counted
        return PoolScores(scores, cuts)
