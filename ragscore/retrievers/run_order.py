"""Choosing the best passages in the order of a run: score, then id as text, both descending.

Whoever scores passages numbers them by their ids, the largest first: those that tie then stand in
order without being sorted, and a deeper search begins with what a shallower one returned.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids


def rows_by_id(ids: Ids) -> NDArray[np.int32]:
    """int32[N], the corpus row of the passage at each place: places are in the order of ids as
    text, the largest first."""
    return np.array(sorted(range(len(ids)), key=ids.__getitem__, reverse=True), dtype=np.int32)


def best_places(values: NDArray[np.floating[Any]], depth: int) -> NDArray[np.intp]:
    """Where the best ``depth`` of some values are, best first; of those that are equal, also to
    the last of them, the first ones.

    >>> best_places(np.array([1.0, 3.0, 1.0, 2.0, 1.0]), 4)
    array([1, 3, 0, 2])
    """
    kept = np.arange(len(values))
    if len(values) > depth:
        last = np.partition(values, len(values) - depth)[len(values) - depth]
        kept = (values >= last).nonzero()[0]
        if len(kept) > depth:
            better, tied = (values > last).nonzero()[0], (values == last).nonzero()[0]
            kept = np.sort(np.append(better, tied[: depth - len(better)]))
    order: NDArray[np.intp] = kept[(-values[kept]).argsort(kind="stable")]
    return order
