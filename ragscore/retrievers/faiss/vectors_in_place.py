"""Exact search: FAISS finds candidates among vectors where they are, canonical scores rank them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore import canonical
from ragscore.canonical import Metric
from ragscore.dataset import Ids
from ragscore.encoders import Vectors
from ragscore.retrievers.run_order import BestPassages, best_of, best_places, rows_by_id
from ragscore.waiting import awaited

MARGIN = 16
"""Candidates beyond the depth that is wanted."""
MOST = 1_000
"""Candidates, besides four times the depth, beyond which a query is compared with all passages."""
CELLS = 1 << 22
"""Candidates that are held at a time, besides those that each thread finds."""
NUMBERS = 1 << 23
"""Most numbers of an array while passages are compared in full: 64 MB."""
AS_PRODUCT = 128_000
"""Numbers in the queries from which on FAISS computes a product of matrices."""
AT_ONCE = 512
"""Queries of one product; more make it no quicker."""
WORTH_PADDING = 6
"""How much quicker a product is than the same comparisons one by one."""
OVERFLOWS = 1e38
"""Near the largest number of float32."""
SHARE = 8_192
"""Fewest vectors that are worth a thread of their own."""


class VectorsInPlace:
    """Exact search among vectors, whose scores are the same on every machine.

    FAISS sums in float32, in an order that depends on the processor, the number of queries and of
    threads. So it is asked for more passages than are wanted, until those that are left out cannot
    be among the best; canonical scores, and ids where these tie, decide among them.

    Args:
        vectors: float32[n, d], one after the other in memory.
        metric: of the comparisons.
        unit: they have length 1, or 0, and so do those of queries.
        owner: of their memory, where that is not the array.
    """

    def __init__(
        self,
        vectors: Vectors,
        metric: Metric,
        *,
        unit: bool = False,
        owner: object = None,
    ) -> None:
        self._vectors = vectors
        self._metric = metric
        self._unit = unit
        self._owner = owner
        self.d = vectors.shape[1]

    @cached_property
    def _largest(self) -> float:
        """Norm of any of the vectors, or a little more."""
        if self._unit:
            return 1.001
        if not len(self._vectors):
            return 0.0
        with np.errstate(over="ignore"):
            square = float(np.einsum("nd,nd->n", self._vectors, self._vectors).max())
        if np.isfinite(square):
            return 1.001 * float(np.sqrt(square))
        parts = _slices(len(self._vectors), self.d, canonical.CHUNK)
        return max(float(canonical.norms(self._vectors[part]).max()) for part in parts)

    def best(
        self, asked: Vectors, depth: int, ids: Ids, may: NDArray[np.bool_] | None = None
    ) -> BestPassages:
        """The best passages of each query; of those that tie with the last, the largest ids.

        Args:
            asked: of the queries, float32[Q, d].
            depth: at most as many as there are vectors to search.
            ids: of the vectors.
            may: bool[n], the rows that are searched; None for all.

        Raises:
            RuntimeError: FAISS cannot search.
        """
        found = BestPassages.none(len(asked), depth)
        if depth:
            with ThreadPoolExecutor(_cores(), initializer=_one_thread) as pool:
                for part in _slices(len(asked), depth + MARGIN, CELLS):
                    best = self._best(np.ascontiguousarray(asked[part]), depth, ids, may, pool)
                    found.rows[part], found.scores[part] = best.rows, best.scores
        return found

    def _best(
        self,
        asked: Vectors,
        depth: int,
        ids: Ids,
        may: NDArray[np.bool_] | None,
        pool: ThreadPoolExecutor,
    ) -> BestPassages:
        count = len(self._vectors) if may is None else int(may.sum())
        found = BestPassages.none(len(asked), depth)
        lengths = canonical.norms(asked)
        off = canonical.tolerance(self.d, lengths, self._largest, self._metric)
        # FAISS may search for ever where a sum overflows.
        fits = (lengths + self._largest) ** 2 < OVERFLOWS
        left, overflowing = np.flatnonzero(fits), np.flatnonzero(~fits)
        width = depth + MARGIN
        while len(left) and width <= 4 * depth + MOST:
            width = min(width, count)
            last, rows = self._candidates(asked[left], width, may, pool)
            best = best_of(ids, rows, self._scores(asked[left], rows), depth)
            found.rows[left], found.scores[left] = best.rows, best.scores
            # What FAISS left out scores no more than the last.
            left = left[(width < count) & (last + off[left] >= best.scores[:, -1])]
            width *= 2
        left = np.append(left, overflowing)
        if len(left):
            self._compare_all(asked, left, ids, may, found)
        return found

    def _candidates(
        self, asked: Vectors, width: int, may: NDArray[np.bool_] | None, pool: ThreadPoolExecutor
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """What FAISS finds: the last score of each query, higher is better, and rows in any order.

        It compares few queries one by one, which takes several times as long as a product of
        matrices: these are padded. Each thread has a part of the vectors and computes alone:
        FAISS's own wait for each other whenever another program keeps one of them from its core.
        """
        needed = -(-AS_PRODUCT // self.d)
        if may is not None or len(asked) * WORTH_PADDING < needed:
            scores, rows = self._search(asked, width, 0, len(self._vectors), may)
            return scores[:, -1], rows
        size = max(len(asked), needed)
        padded = asked
        if size > len(asked):
            padded = np.zeros((size, self.d), np.float32)
            padded[: len(asked)] = asked
        shares = max(1, min(_cores(), len(self._vectors) // max(SHARE, width)))
        scores = np.empty((size, shares, width), np.float32)
        rows = np.empty((size, shares, width), np.int64)

        def search(some: slice, share: int) -> None:
            start, end = (len(self._vectors) * at // shares for at in (share, share + 1))
            scores[some, share], found = self._search(padded[some], width, start, end, None)
            rows[some, share] = found + start

        parts = max(1, size // max(AT_ONCE, needed))
        queries = [slice(size * at // parts, size * (at + 1) // parts) for at in range(parts)]
        _in_threads(pool, search, product(queries, range(shares)))
        together = scores[: len(asked)].reshape(len(asked), -1)
        named = rows[: len(asked)].reshape(len(asked), -1)
        if shares > 1:
            chosen = np.argpartition(-together, width - 1, axis=1)[:, :width]
            together = np.take_along_axis(together, chosen, axis=1)
            named = np.take_along_axis(named, chosen, axis=1)
        return together[:, -1], named

    def _search(
        self, asked: Vectors, width: int, start: int, end: int, may: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """What FAISS finds among the vectors from ``start`` to ``end``."""
        import faiss

        library: Any = faiss  # its type stubs lack the short forms
        address: Any = faiss.swig_ptr
        selector = None
        if may is not None:
            bits = np.packbits(may, bitorder="little")
            selector = library.IDSelectorBitmap(bits)
        scores = np.empty((len(asked), width), np.float32)
        rows = np.empty((len(asked), width), np.int64)
        sizes = self.d, len(asked), end - start, width
        compared = address(asked), address(self._vectors[start:end]), *sizes
        if self._metric == "l2":
            library.knn_L2sqr(*compared, address(scores), address(rows), None, selector)
            np.negative(scores, out=scores)
        else:
            library.knn_inner_product(*compared, address(scores), address(rows), selector)
        return scores, rows

    def _scores(self, asked: Vectors, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The canonical score of each candidate: float64[Q, n].

        In one thread: steps so small would have several wait for Python's lock.
        """
        found = np.empty(rows.shape)
        for part in _slices(len(rows), rows.shape[1] * self.d, canonical.CHUNK):
            near = self._vectors[rows[part]]
            found[part] = canonical.scores(asked[part], near, self._metric, unit=self._unit)
        return found

    def _compare_all(
        self,
        asked: Vectors,
        queries: NDArray[np.intp],
        ids: Ids,
        may: NDArray[np.bool_] | None,
        found: BestPassages,
    ) -> None:
        """Fill in some queries from all passages; in the order of their ids, the first of those
        that tie stay."""
        rows = rows_by_id(ids)
        if may is not None:
            rows = rows[may[rows]]
        depth = found.rows.shape[1]
        found.rows[queries], found.scores[queries] = -1, -np.inf
        for part in _slices(len(rows), self.d, NUMBERS):
            vectors = self._vectors[rows[part]]
            for some in _slices(len(queries), len(vectors), NUMBERS):
                scores = canonical.scores(
                    asked[queries[some]], vectors, self._metric, unit=self._unit
                )
                for query, values in zip(queries[some], scores, strict=True):
                    known = found.rows[query] >= 0
                    every = np.append(found.rows[query, known], rows[part])
                    values = np.append(found.scores[query, known], values)
                    chosen = best_places(values, depth)
                    found.rows[query, : len(chosen)] = every[chosen]
                    found.scores[query, : len(chosen)] = values[chosen]


def _cores() -> int:
    import faiss

    return int(faiss.omp_get_max_threads())


def _one_thread() -> None:
    """Of FAISS, in the thread that says so."""
    import faiss

    faiss.omp_set_num_threads(1)


def _in_threads(
    pool: ThreadPoolExecutor, work: Callable[..., None], parts: Iterable[tuple[Any, ...]]
) -> None:
    """Work on all parts, so that Ctrl-C ends it."""
    each = [pool.submit(work, *part) for part in parts]
    try:
        for done in each:
            awaited(done)
    finally:
        for left in each:
            left.cancel()


def _slices(count: int, size: int, most: int) -> Iterator[slice]:
    """How many of ``count`` things of a size fit into ``most`` at a time; at least one."""
    step = max(1, most // max(size, 1))
    return (slice(start, start + step) for start in range(0, count, step))
