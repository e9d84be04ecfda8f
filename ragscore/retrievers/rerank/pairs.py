"""Rerankers that look at one query and one passage at a time, and the cache of their scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.dataset import Queries
from ragscore.encoders.base import Role, TokenCuts, Vectors
from ragscore.encoders.dense_vectors import Encoded
from ragscore.encoders.gathering import PAIRS, gather
from ragscore.progress import Progress, Stage
from ragscore.retrievers.answering import NO_INPUTS
from ragscore.retrievers.rerank.base import Pool, PoolScores, Reranker
from ragscore.run import Run
from ragscore.spec import canonical_json, digest_text


class PairReranker(Reranker):
    """Scores pairs of a query and a passage, each by itself.

    Scores are kept by the texts of the pair, so that a run that was stopped goes on where it was,
    and another ``n`` or ``blend`` scores no pair twice.

    Args:
        content: everything that can change a score but the two texts, as JSON.
        texts: what is read of each passage of the corpus.
        cache: where scores are kept; None keeps none.
        name: of the retriever, for messages.
        progress: reports the pairs to score.
    """

    block: int = 64
    """Some thousands of pairs, so that workers can share those of a few hundred queries."""
    spreads: bool = True

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
            stage: advances with every few pairs that are done.

        Raises:
            ConfigError: the model cannot be loaded or run as asked.
            MissingPackageError: an optional package is needed.
        """

    def pair_cuts(self, queries: Sequence[str], passages: Sequence[str]) -> TokenCuts | None:
        """How much of each pair is not read: int32[n, 2]; None if unknown.

        Args:
            queries, passages: n texts each.
        """
        return None

    def load(self) -> None:
        """Load what scoring needs: a model."""

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        """Load it now where no pair can be found in the cache; else when one is to be scored."""
        if self._cache is None:
            self.load()

    def scores(self, queries: Queries, pool: Pool) -> PoolScores:
        at, place = np.nonzero(pool >= 0)
        asked = [queries.texts[row] for row in at.tolist()]
        found = [self._texts[row] for row in pool[at, place].tolist()]
        if len(queries) > 1:
            values, counted = self._gathered(asked, found)
        else:  # it is being timed, so nothing is looked up
            values, counted = self.score_pairs(asked, found), self.pair_cuts(asked, found)
        scores = np.full(pool.shape, np.nan)
        scores[at, place] = values
        if counted is None:
            return PoolScores(scores)
        cuts = np.zeros((*pool.shape, 2), dtype=np.int32)
        cuts[at, place] = counted
        return PoolScores(scores, cuts)

    def _gathered(
        self, queries: Sequence[str], passages: Sequence[str]
    ) -> tuple[NDArray[np.float32], TokenCuts | None]:
        """The scores of pairs, and what was cut of each: from the cache, and the rest scored and
        kept there."""
        if not queries:
            return np.empty(0, dtype=np.float32), None
        pairs = list(map(_joined, queries, passages))
        key = digest_text(canonical_json(["pairs", self._content]))
        found = gather(
            key, _PairScorer(self), Encoded, pairs, pairs, self._cache, self._progress, PAIRS
        )
        scores: NDArray[np.float32] = found.encoded.vectors[found.number, 0]
        return scores, found.cuts


class _PairScorer:
    """A reranker as :func:`~ragscore.encoders.gathering.gather` sees it: an encoder of pairs,
    whose vectors are a score each."""

    def __init__(self, reranker: PairReranker) -> None:
        self._reranker = reranker

    @property
    def chunk(self) -> int:
        return self._reranker.chunk

    @property
    def device(self) -> str:
        return ""  # no rate of pairs is shown

    def load(self) -> None:
        self._reranker.load()

    def vectors(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        return self._reranker.score_pairs(*_parted(texts), stage)[:, None]

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None:
        return self._reranker.pair_cuts(*_parted(texts))


def _joined(query: str, passage: str) -> str:
    """A pair as one text: two pairs never have the same."""
    return f"{len(query)}:{query}{passage}"


def _parted(pairs: Sequence[str]) -> tuple[list[str], list[str]]:
    """The queries and passages of pairs."""
    queries, passages = [], []
    for pair in pairs:
        length, _, both = pair.partition(":")
        queries.append(both[: int(length)])
        passages.append(both[int(length) :])
    return queries, passages
