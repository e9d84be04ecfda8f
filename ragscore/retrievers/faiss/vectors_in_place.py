"""Vectors that FAISS compares where they are: an exact index would hold a copy of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.encoders import Vectors
from ragscore.retrievers.prepared_vectors import Metric


class VectorsInPlace:
    """Is searched as an ``IndexFlat`` of the vectors is, with its results to the last bit.

    Args:
        vectors: float32[n, d], one after the other in memory.
        metric: of the comparisons.
    """

    def __init__(self, vectors: Vectors, metric: Metric) -> None:
        self._vectors = vectors
        self._metric = metric
        self.d = vectors.shape[1]

    def search(
        self, asked: Vectors, depth: int, *, params: Any = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The best rows of each query.

        Args:
            asked: of the queries, float32[Q, d], one after the other in memory.
            depth: how many a query gets.
            params: FAISS's ``SearchParameters``, whose ``sel`` says which rows are searched.

        Returns:
            Scores (of l2, distances) and rows, both [Q, depth]; row -1 where there are no more.
        """
        import faiss

        address: Any = faiss.swig_ptr
        selector = None if params is None else params.sel
        scores = np.empty((len(asked), depth), np.float32)
        rows = np.empty((len(asked), depth), np.int64)
        sizes = self.d, len(asked), len(self._vectors), depth
        compared = address(asked), address(self._vectors), *sizes
        if self._metric == "l2":
            faiss.knn_L2sqr(*compared, address(scores), address(rows), None, selector)
        else:
            faiss.knn_inner_product(*compared, address(scores), address(rows), selector)
        return scores, rows
