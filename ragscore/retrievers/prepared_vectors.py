"""Vectors made ready for comparisons: finite, and of length 1 where the metric is cosine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragscore.dataset import Queries, SharedQueries
from ragscore.encoders import OpenEncoder, Vectors
from ragscore.encoders.base import query_stage
from ragscore.errors import RetrieverError
from ragscore.progress import Progress

Metric = Literal["cosine", "ip", "l2"]

ROWS = 65_536
"""Vectors that are checked and scaled at a time, so that no second copy of them is made."""


@dataclass(frozen=True)
class Prepared:
    """What was met while vectors were made ready.

    Attributes:
        broken: row of the first vector with NaN or infinity, None where all are finite.
        zeros: how many vectors have length 0, and so no direction; they stay as they are.
    """

    broken: int | None
    zeros: int


def prepare(vectors: Vectors, metric: Metric) -> Prepared:
    """Check vectors and, for cosine, scale them in place to length 1."""
    zeros = 0
    for start in range(0, len(vectors), ROWS):
        block = vectors[start : start + ROWS]
        # In 64 bits: the square of a large 32-bit number is none.
        squares = np.einsum("ij,ij->i", block, block, dtype=np.float64)
        broken = np.flatnonzero(~np.isfinite(squares))
        if len(broken):
            return Prepared(start + int(broken[0]), zeros)
        if metric == "cosine":
            lengths = np.sqrt(squares)
            zeros += int((lengths == 0).sum())
            lengths[lengths == 0] = 1.0
            np.divide(block, lengths[:, None], out=block, casting="same_kind")
    return Prepared(None, zeros)


def query_vectors(
    encoder: OpenEncoder, queries: Queries, metric: Metric, name: str, progress: Progress
) -> Vectors:
    """Vectors of queries, of length 1 where the metric is cosine: float32[Q, d].

    Retrievers over one encoder that are asked the same queries encode them once.

    Args:
        encoder: for the dataset of these queries.
        queries: a block.
        metric: of the comparisons.
        name: of the retriever, for messages.
        progress: is notified of the queries to encode.

    Raises:
        RetrieverError: a vector is not finite; names the query.
        ConfigError, DataError, MissingPackageError: as :meth:`OpenEncoder.encode`.
    """
    with query_stage(progress, len(queries)) as stage:

        def encode() -> Vectors:
            return encoder.vectors(queries.ids, queries.texts, "query", stage)

        # A copy, where the queries keep them: they are scaled in place.
        made = queries.computed(("vectors", encoder), encode)
        vectors = made.copy() if isinstance(queries, SharedQueries) else made
    prepared = prepare(vectors, metric)
    if prepared.broken is not None:
        raise RetrieverError(
            "its vector is not finite",
            retriever=name,
            query=queries.ids[prepared.broken],
            instead="Look at that query, or use dtype: float32",
        )
    return vectors
