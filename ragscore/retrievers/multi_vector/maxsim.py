"""MaxSim, exactly: for each token of a query the most similar token of a passage, added up.

Nothing is padded: the similarities of many passages are one product of matrices, of which the
largest of each passage, then the sum of each query, are taken. Passages are read a block at a time,
so that memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.canonical import norms, products, tolerance
from ragscore.encoders.ragged import Ragged, RaggedEncoded
from ragscore.progress import Stage

MAX_SIMILARITIES = 1 << 24
"""Similarities of tokens that are computed at a time: 64 MB."""
MAX_NUMBERS = 1 << 24
"""Numbers of token vectors that are read at a time: 64 MB."""
MAX_SCORES = 1 << 24
"""Scores of passages that are kept at a time: 64 MB."""
SUMMED = 2.0**40
TEXTS = 1 << 10
"""Passages of one query whose canonical scores are computed at a time."""
QUERY_TOKENS = 2_048
"""Tokens of queries that are compared at a time."""


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """The token vectors of a corpus.

    Attributes:
        encoded: of each distinct text.
        number: int64[N], which of these is the text of each passage, by corpus row.
    """

    encoded: RaggedEncoded
    number: NDArray[np.intp]

    def scores(self, query: Ragged, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        """The canonical score of some passages for one query: float64[n]; equal texts once."""
        texts, which = np.unique(self.number[rows], return_inverse=True)
        found = np.empty(len(texts))
        for start in range(0, len(texts), TEXTS):
            part = slice(start, start + TEXTS)
            found[part] = maxsim(query, self.encoded[texts[part]])[0]
        return found[which]

    def all_scores(
        self, queries: Ragged, answered: Stage
    ) -> Iterator[tuple[slice, NDArray[np.float32], NDArray[np.float64]]]:
        """About the score of every passage for every query, some queries at a time.

        Args:
            queries: token vectors of Q queries.
            answered: called for queries that are scored.

        Yields:
            queries: which, consecutive.
            scores: float32[q, N] by corpus row; -inf where the query or the passage has no token.
            off: float64[q], how far they may be from the canonical ones.
        """
        texts, dimension, largest = len(self.encoded.known), queries.values.shape[1], 0.0
        lengths = norms(queries.values)
        blocks = list(self._blocks(queries))
        for part in _query_blocks(queries, max(1, MAX_SCORES // max(texts, 1))):
            asked = queries[np.arange(part.start, part.stop)]
            scores = np.full((len(asked), texts), -np.inf, dtype=np.float32)
            for rows in blocks:
                passages = self.encoded[rows]
                largest = max(largest, norms(passages.values).max(initial=0.0))
                scores[:, rows] = maxsim(asked, passages, canonical=False)
            tokens = slice(queries.bounds[part.start], queries.bounds[part.stop])
            off = tolerance(dimension, lengths[tokens], largest, "ip")
            summed = np.add.reduceat(np.append(off, 0), asked.bounds[:-1])
            yield part, scores[:, self.number], np.where(asked.lengths > 0, summed, 0)
            answered.advance(len(asked))

    def _blocks(self, queries: Ragged) -> Iterator[NDArray[np.intp]]:
        """The distinct texts, as many at a time as fit, in the order in which they are stored."""
        order = self.encoded.stored_order()
        dimension = queries.values.shape[1]
        asked = min(QUERY_TOKENS, max(1, int(queries.bounds[-1])))
        most = max(1, min(MAX_SIMILARITIES // asked, MAX_NUMBERS // max(dimension, 1)))
        until = np.cumsum(self.encoded.lengths[order])
        start = 0
        while start < len(order):
            before = until[start - 1] if start else 0
            end = int(np.searchsorted(until, before + most, side="right"))
            end = max(end, start + 1)
            yield order[start:end]
            start = end


def maxsim(queries: Ragged, passages: Ragged, *, canonical: bool = True) -> NDArray[np.float64]:
    """The MaxSim of every query with every passage: float64[q, n], -inf where one has no token.

    Args:
        queries: their token vectors.
        passages: theirs.
        canonical: similarities are, and the largest are rounded to multiples of 2**-40, so that
            their sums are exact too; else a product in float32, which is quicker.

    >>> one = Ragged(np.array([0, 2]), np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32))
    >>> other = Ragged(np.array([0, 1, 1]), np.array([[0.5, 0.25]], dtype=np.float32))
    >>> maxsim(one, other).tolist()
    [[0.75, -inf]]
    """
    scores = np.full((len(queries), len(passages)), -np.inf)
    asked, there = np.flatnonzero(queries.lengths), np.flatnonzero(passages.lengths)
    if not len(asked) or not len(there):
        return scores
    if canonical:
        similar = products(queries.values, passages.values)
    else:
        similar = queries.values @ passages.values.astype(np.float32, copy=False).T
    # reduceat takes what stands from one bound to the next; nothing stands in those left out.
    best = np.maximum.reduceat(similar, passages.bounds[there], axis=1)
    if canonical:
        best = np.rint(best * SUMMED) / SUMMED
    scores[np.ix_(asked, there)] = np.add.reduceat(best, queries.bounds[asked], axis=0)
    return scores


def _query_blocks(queries: Ragged, most: int) -> Iterator[slice]:
    """A number of consecutive queries at a time, and of tokens."""
    start = 0
    while start < len(queries):
        limit = queries.bounds[start] + QUERY_TOKENS
        end = int(np.searchsorted(queries.bounds, limit, side="right")) - 1
        end = min(max(end, start + 1), start + most, len(queries))
        yield slice(start, end)
        start = end
