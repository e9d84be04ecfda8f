"""Vectors that FAISS compares where they are: an exact index would hold a copy of them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.encoders import Vectors
from ragscore.retrievers.prepared_vectors import Metric
from ragscore.waiting import awaited

STEP = 64
"""What one core compares at a time is a multiple of so many queries: a matrix product then rounds
each score alike, however many cores there are."""
MOST = 8 * STEP
"""Queries that one core compares at a time, at most; more make a matrix product no quicker."""
FEW = 20
"""Queries below which FAISS compares one at a time, on all cores."""
_products_only = Lock()


class VectorsInPlace:
    """Is searched as an ``IndexFlat`` of the vectors is.

    Inner products are computed as products of matrices, some queries on each core. FAISS itself
    does so from 128,000 numbers in the queries on, and else compares one query at a time, which
    takes several times as long on few cores; and its threads wait for each other whenever another
    program, or the reading of the next vectors, keeps one of them from its core.

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
        scores = np.empty((len(asked), depth), np.float32)
        rows = np.empty((len(asked), depth), np.int64)
        if params is not None or self._metric == "l2" or len(asked) < FEW:
            self._compare(slice(None), asked, scores, rows, None if params is None else params.sel)
            return scores, rows
        import faiss

        cores = faiss.omp_get_max_threads()
        size = min(MOST, STEP * -(-len(asked) // (STEP * cores)))
        # A product with few queries may round otherwise, so what is left over goes with others.
        starts = range(0, max(len(asked) - STEP, 0) + 1, size)
        parts = map(slice, starts, [*starts[1:], len(asked)])
        one_core = partial(faiss.omp_set_num_threads, 1)  # of the thread that says so
        with _as_products():
            pool = ThreadPoolExecutor(cores, initializer=one_core)
            try:
                compared = [pool.submit(self._compare, part, asked, scores, rows) for part in parts]
                for each in compared:
                    awaited(each)
            finally:
                pool.shutdown(cancel_futures=True)
        return scores, rows

    def _compare(
        self,
        part: slice,
        asked: Vectors,
        scores: NDArray[np.float32],
        rows: NDArray[np.int64],
        selector: Any = None,
    ) -> None:
        """Fill in what some of the queries get."""
        import faiss

        address: Any = faiss.swig_ptr
        asked, scores, rows = asked[part], scores[part], rows[part]
        sizes = self.d, len(asked), len(self._vectors), scores.shape[1]
        compared = address(asked), address(self._vectors), *sizes
        if self._metric == "l2":
            faiss.knn_L2sqr(*compared, address(scores), address(rows), None, selector)
        else:
            faiss.knn_inner_product(*compared, address(scores), address(rows), selector)


@contextmanager
def _as_products() -> Iterator[None]:
    """FAISS compares by products of matrices, however few queries there are, in this process: other
    threads that it compares for meanwhile get scores that may differ by rounding."""
    import faiss

    options: Any = faiss.cvar
    with _products_only:
        before = options.distance_compute_blas_threshold
        options.distance_compute_blas_threshold = 1
        try:
            yield
        finally:
            options.distance_compute_blas_threshold = before
