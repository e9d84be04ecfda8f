"""Searching a FAISS index so that a deeper search begins with what a shallower one returned.

FAISS cuts a group of equal scores wherever the depth falls, and keeps whichever it met first.
Here the group is looked at to its end, and the largest ids of it are kept, in the order of
:mod:`ragscore.run`. Indexes that look further when asked for more (HNSW, NSG, refined ones) may
still find better passages at a larger depth.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids
from ragscore.encoders import Vectors
from ragscore.retrievers.prepared_vectors import Metric
from ragscore.retrievers.run_order import BestPassages

CELLS = 1 << 22
"""Results that are asked for at a time when groups are looked at to their end."""


def nearest(
    index: Any,
    vectors: Vectors,
    depth: int,
    metric: Metric,
    passages: Ids,
    allowed: NDArray[np.bool_] | None = None,
) -> BestPassages:
    """The best ``depth`` passages of each query; of those that tie with the last, the largest ids.

    Args:
        index: a FAISS index over ``passages``.
        vectors: float32[Q, d].
        depth: at most as many as there are passages to search.
        metric: of the index; the distances of l2 are negated.
        passages: ids of the index's rows.
        allowed: the rows that are searched, bool[N]; None for all. For exact indexes alone.

    Raises:
        RuntimeError: FAISS cannot search the index.
    """
    count = len(passages) if allowed is None else int(allowed.sum())
    options = {} if allowed is None else {"params": _only(allowed)}
    found = _nearest(index, vectors, min(depth + 1, count), metric, options)
    best = BestPassages(found.rows[:, :depth], found.scores[:, :depth])
    if depth == count:
        return best
    # NaN, where nothing was found, equals nothing.
    open_ended = np.flatnonzero(found.scores[:, depth] == found.scores[:, depth - 1])
    width = depth + 1
    while len(open_ended):
        width = min(2 * width, count)
        step = max(1, CELLS // width)
        going_on: list[int] = []
        for start in range(0, len(open_ended), step):
            block = open_ended[start : start + step]
            wider = _nearest(index, vectors[block], width, metric, options)
            for at, query in enumerate(block.tolist()):
                last = found.scores[query, depth]
                known = found.rows[query, found.scores[query] == last]
                # FAISS may round otherwise for other numbers of queries: a group may be a range.
                values = wider.scores[at]
                again = values[np.isin(wider.rows[at], known)]
                low, high = again.min(initial=last), again.max(initial=last)
                if width < count and values[-1] >= low:
                    going_on.append(query)
                    continue
                better = int((found.scores[query] > last).sum())
                tied = np.union1d(known, wider.rows[at, (values >= low) & (values <= high)])
                tied = np.setdiff1d(tied, best.rows[query, :better])
                best.rows[query, better:] = heapq.nlargest(
                    depth - better, tied.tolist(), key=lambda row: passages[row]
                )
        open_ended = np.array(going_on, dtype=np.int64)
    return best


def _only(allowed: NDArray[np.bool_]) -> Any:
    """FAISS's options of a search among some rows; they keep their selector alive."""
    import faiss

    library: Any = faiss  # its type stubs lack the short forms
    bits = np.packbits(allowed, bitorder="little")
    return library.SearchParameters(sel=library.IDSelectorBitmap(bits))


def _nearest(
    index: Any, vectors: Vectors, depth: int, metric: Metric, options: Mapping[str, Any]
) -> BestPassages:
    scores, rows = index.search(vectors, depth, **options)
    # FAISS fills with id -1 and an extreme score where it has nothing more to return.
    return BestPassages(rows, np.where(rows >= 0, -scores if metric == "l2" else scores, np.nan))
