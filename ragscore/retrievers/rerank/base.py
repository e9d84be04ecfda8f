"""The protocol of rerankers: scores for the passages that another retriever found.

``spec.open(corpus, texts, cache)`` gives an open :class:`Reranker`; ``scores(queries, pool)``
scores the pool of each query. A reranker that looks at one query and one passage at a time derives
from :class:`~ragscore.retrievers.rerank.pairs.PairReranker`, which keeps its scores in the cache.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.errors import Problem
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.answering import Answering, AnsweringSpec
from ragscore.retrievers.artifact import Artifact

Pool = NDArray[np.int32]
"""int32[Q, n]: rows of the passages that each query's reranker sees, -1 if there is none."""


@dataclass(frozen=True, eq=False)
class PoolScores:
    """What a reranker says of the passages of its queries.

    Attributes:
        scores: float64[Q, n], higher is better; anything at pads.
        cuts: how much was not read of each pair, int32[Q, n, 2]: its tokens and how many of them
            are read, 0 and 0 if all are; None if no pair is read as a text.
    """

    scores: NDArray[np.float64]
    cuts: NDArray[np.int32] | None = None


class Reranker(Answering):
    """A reranker over one corpus that is ready to score. What a model does not read of a pair is
    counted where it is scored."""

    @abstractmethod
    def scores(self, queries: Queries, pool: Pool) -> PoolScores:
        """Scores for the pool of each query.

        Args:
            queries: Q queries. A single one is being timed, or typed: nothing is looked up for it,
                and no stage is shown.
            pool: their passages.

        Raises:
            RetrieverError: a score cannot be had; names the query.
            ConfigError: a model cannot be loaded or run as asked.
            MissingPackageError: an optional package is needed.
        """


class RerankerSpec(AnsweringSpec):
    """Base of every reranker's description; a subclass adds ``kind`` and its options."""

    def artifacts(self, texts: Sequence[str]) -> tuple[Artifact, ...]:
        """What :meth:`open` keeps in the cache, or finds there, of what is read of the passages;
        nothing is loaded."""
        return ()

    def unfit_for_blocks(self) -> Problem | None:
        """Why it cannot rerank passages of a corpus in blocks, which does not fit into memory; None
        if it can."""
        return None

    @abstractmethod
    def open(
        self,
        corpus: Corpus,
        texts: Sequence[str],
        cache: Cache | None,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> Reranker:
        """The reranker, ready for passages of a corpus.

        Args:
            corpus: the pools are passages of it.
            texts: what is read of each passage.
            cache: where vectors and scores are kept; None keeps none.
            name: of the retriever, for messages.
            progress: reports long stages.

        Raises:
            RetrieverError, ConfigError, MissingPackageError: it cannot be opened.
        """
