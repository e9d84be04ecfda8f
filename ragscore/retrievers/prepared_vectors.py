"""Vectors made ready for comparisons: finite, and of length 1 where the metric is cosine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ragscore import canonical
from ragscore.canonical import Metric
from ragscore.dataset import Queries, SharedQueries
from ragscore.encoders import EncodedTexts, OpenEncoder, Vectors, encode_texts, usage_of
from ragscore.encoders.base import query_stage
from ragscore.encoders.encoding_cost import EncodingCost
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.usage import Usage

ROWS = 65_536
"""Vectors that are checked and scaled at a time, so that no second copy of them is made."""


def prepare_passages(vectors: Vectors, metric: Metric, ids: Sequence[str], name: str) -> int:
    """Check vectors of passages and, for cosine, scale them in place to length 1.

    Args:
        vectors: float32[n, d].
        metric: of the comparisons.
        ids: n ids of passages, or of their windows.
        name: of the retriever, for messages.

    Returns:
        How many have length 0, and so no direction; they stay as they are.

    Raises:
        RetrieverError: a vector is not finite; names the passage.
    """

    def unfit(row: int) -> RetrieverError:
        return RetrieverError(
            f"the vector of passage '{ids[row]}' is not finite",
            retriever=name,
            instead="Look at that passage, or use dtype: float32",
        )

    return _prepare(vectors, metric, unfit)


class QueryVectors:
    """Makes the vectors of queries for one retriever.

    Retrievers over one encoder that are asked the same queries encode them once.

    Args:
        encoder: turns queries into vectors.
        metric: of the comparisons.
        name: of the retriever, for messages.
        progress: reports the queries to encode.
    """

    def __init__(self, encoder: OpenEncoder, metric: Metric, name: str, progress: Progress) -> None:
        self._shared = encoder
        self._encoder: OpenEncoder | None = None
        self._metric = metric
        self._name = name
        self._progress = progress
        self.tokens: int | None = 0
        """Of the queries so far, as a service counted them; None if none did."""

    def usage(self, passages: EncodingCost | None) -> Usage | None:
        """What a service was paid for the queries so far, and for passages; None if the encoder
        is none.

        Args:
            passages: what encoding them cost; None if none had to be encoded.
        """
        of_passages = 0 if passages is None else passages.tokens
        return usage_of(self._shared, of_passages, self.tokens)

    def prepare(self, queries: Queries) -> None:
        """Load what encoding needs.

        Args:
            queries: all that will be asked.
        """
        self._shared.load()
        self._encoder = self._shared.for_queries(queries.ids)

    def of(self, queries: Queries) -> Vectors:
        """Vectors of a block of queries, of length 1 where the metric is cosine: float32[Q, d].

        Raises:
            RetrieverError: a vector is not finite; names the query.
            ConfigError, DataError, MissingPackageError: as :meth:`OpenEncoder.encode`.
        """
        encoder = self._encoder or self._shared.for_queries(queries.ids)
        with query_stage(self._progress, len(queries)) as stage:

            def encode() -> EncodedTexts:
                return encode_texts(encoder, queries.ids, queries.texts, "query", stage)

            made = queries.computed(("vectors", encoder), encode)
            # A copy, where the queries keep them: they are scaled in place.
            vectors = made.vectors.copy() if isinstance(queries, SharedQueries) else made.vectors
        known = made.tokens is not None and self.tokens is not None
        self.tokens = (self.tokens or 0) + (made.tokens or 0) if known else None

        def unfit(row: int) -> RetrieverError:
            return RetrieverError(
                "its vector is not finite",
                retriever=self._name,
                query=queries.ids[row],
                instead="Look at that query, or use dtype: float32",
            )

        _prepare(vectors, self._metric, unfit)
        return vectors


def _prepare(vectors: Vectors, metric: Metric, unfit: Callable[[int], RetrieverError]) -> int:
    """How many vectors have length 0; ``unfit`` makes the error for the first that is not
    finite."""
    zeros = 0
    for start in range(0, len(vectors), ROWS):
        block = vectors[start : start + ROWS]
        with np.errstate(over="ignore", invalid="ignore"):
            # The square of a large number is none: whose it is has to be looked at.
            squares = np.einsum("ij,ij->i", block, block)
        doubtful = np.flatnonzero(~np.isfinite(squares))
        broken = doubtful[~np.isfinite(block[doubtful]).all(axis=1)]
        if len(broken):
            raise unfit(start + int(broken[0]))
        if metric == "cosine":
            zeros += canonical.normalise(block)
    return zeros
