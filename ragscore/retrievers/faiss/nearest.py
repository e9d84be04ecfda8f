"""Searching an index of FAISS that approximates.

One that compares whole vectors (HNSW, NSG, IVF with Flat, refined ones) finds what it finds, and
the scores of that are canonical. One that quantises or transforms vectors is taken at its word. It
cuts a group of equal scores wherever the depth falls, and keeps whichever it met first; here the
group is looked at to its end, and the largest ids of it are kept, in the order of
:mod:`ragscore.run`, so that a deeper search begins with what a shallower one returned.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from ragscore import canonical
from ragscore.canonical import Metric
from ragscore.dataset import Ids
from ragscore.encoders import Vectors
from ragscore.retrievers.faiss.construction import is_flat, unwrapped
from ragscore.retrievers.run_order import BestPassages

CELLS = 1 << 22
"""Results that are asked for at a time when groups are looked at to their end, and numbers of
vectors that are scored."""


def nearest(
    index: Any, vectors: Vectors, depth: int, metric: Metric, passages: Ids
) -> BestPassages:
    """The best ``depth`` passages of each query that an index finds.

    Args:
        index: a FAISS index over ``passages``.
        vectors: float32[Q, d].
        depth: at most as many as there are passages.
        metric: of the index; the distances of l2 are negated.
        passages: ids of the index's rows.

    Raises:
        RuntimeError: FAISS cannot search the index.
    """
    whole = _whole_vectors(index)
    if whole is not None:
        return _scored(whole, vectors, depth, metric)
    return _as_they_are(index, vectors, depth, metric, passages)


def _whole_vectors(index: Any) -> Any:
    """The part of an index whose ids are rows and which compares and knows whole vectors; None
    if there is none."""
    import faiss

    part = unwrapped(index)
    compared = part
    if isinstance(part, faiss.IndexRefine):
        compared = faiss.downcast_index(part.refine_index)
    elif hasattr(part, "storage"):  # a graph
        compared = faiss.downcast_index(part.storage)
    return part if is_flat(compared) or type(compared) is faiss.IndexIVFFlat else None


def _scored(index: Any, vectors: Vectors, depth: int, metric: Metric) -> BestPassages:
    """What an index over whole vectors finds, with canonical scores."""
    found = BestPassages.none(len(vectors), depth)
    step = max(1, CELLS // (depth * vectors.shape[1]))
    for start in range(0, len(vectors), step):
        part = slice(start, start + step)
        _, rows, near = index.search_and_reconstruct(vectors[part], depth)
        near[rows < 0] = 0
        scores = canonical.scores(vectors[part], near, metric)
        found.rows[part] = rows
        found.scores[part] = np.where(rows >= 0, scores, np.nan)
    return found


def _as_they_are(
    index: Any, vectors: Vectors, depth: int, metric: Metric, passages: Ids
) -> BestPassages:
    """What an index finds, with its own scores."""
    count = len(passages)
    found = _nearest(index, vectors, min(depth + 1, count), metric)
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
            wider = _nearest(index, vectors[block], width, metric)
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


def _nearest(index: Any, vectors: Vectors, depth: int, metric: Metric) -> BestPassages:
    scores, rows = index.search(vectors, depth)
    # FAISS fills with id -1 and an extreme score where it has nothing more to return.
    return BestPassages(rows, np.where(rows >= 0, -scores if metric == "l2" else scores, np.nan))
