"""Vectors made ready for FAISS: finite, and of length 1 where the metric is cosine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragscore.encoders import Vectors
from ragscore.retrievers.faiss.construction import Metric

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
