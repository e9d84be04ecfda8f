"""The protocol of rerankers: scores for the passages that another retriever found.

``spec.open(corpus, texts, cache)`` gives an open :class:`Reranker`; ``scores(queries, pool)``
scores the pool of each query. A reranker that looks at one query and one passage at a time derives
from :class:`~ragscore.retrievers.rerank.pairs.PairReranker`, which keeps its scores in the cache.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Queries
from ragscore.encoders import Truncation
from ragscore.errors import Problem
from ragscore.kinds import KindSpec
from ragscore.progress import SILENT, Progress, Stage
from ragscore.retrievers.usage import Usage

Pool = NDArray[np.int32]
"""int32[Q, n]: rows of the passages that each query's reranker sees, -1 where there is none."""


@dataclass(frozen=True, eq=False)
class PoolScores:
    """What a reranker says of the passages of its queries.

    Attributes:
        scores: float64[Q, n], higher is better; anything at pads.
        cuts: how much was not read of each pair, int32[Q, n, 2]: its tokens and how many of them
            are read, 0 and 0 where all are; None where no pair is read as a text.
    """

    scores: NDArray[np.float64]
    cuts: NDArray[np.int32] | None = None


class Reranker(ABC):
    """A reranker over one corpus that is ready to score."""

    block: int = 65_536
    """How many queries are worth reranking at a time."""
    answered: Stage = Stage()
    """Notified of queries as they are scored, where that is known one by one."""

    def prepare(self, queries: Queries) -> None:  # noqa: B027  (most load nothing late)
        """Load what scoring needs, so that it is not timed as part of the first search.

        Args:
            queries: all that will be scored, in blocks or one by one.

        Raises:
            RagscoreError: as :meth:`scores`.
        """

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        """What an encoder did not read of the passages and of these queries; pairs are counted
        where they are scored."""
        return ()

    def usage(self) -> Usage | None:
        """The tokens and the money used so far; None where nothing counts them.

        Raises:
            BaseException: any; what foreign code says of it is not what it should be.
        """
        return None

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


class RerankerSpec(KindSpec):
    """Base of every reranker's description; a subclass adds ``kind`` and its options."""

    remote: ClassVar[bool] = False
    """True where a query leaves the machine or runs foreign code."""
    cacheable: ClassVar[bool] = True
    """False where equal specs may give different scores (foreign code)."""

    def resolved(self, base: Path) -> Self:
        """The same description with paths that are relative to ``base``, the folder of the
        experiment file, made absolute; itself where it names no file."""
        return self

    def check(self) -> list[Problem]:
        """What can be found wrong without loading: files, packages. Cheap."""
        return []

    def doubt(self, written: str) -> str | None:
        """Why it suits passages in a language badly, and what suits them better; None where
        nothing is known against it.

        Args:
            written: what :func:`~ragscore.text.script.written_in` says of the passages.
        """
        return None

    def timed(self) -> bool:
        """True where timing a single search shows what a query costs."""
        return not self.remote

    def content(self) -> dict[str, object]:
        """What a key digests: everything that can change a score, with files replaced by digests
        of what they hold."""
        return self.model_dump(mode="json")

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
            progress: is notified of long stages.

        Raises:
            RetrieverError, ConfigError, MissingPackageError: it cannot be opened.
        """
