"""Searching for the queries of a block that may get the same passages, group by group."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.allowed import Allowed
from ragscore.retrievers.run_order import BestPassages

GroupSearch = Callable[[NDArray[np.int64], NDArray[np.bool_] | None], BestPassages]
"""Searches for some queries, by row, that may get the same passages: bool[N] by row of the corpus,
None for all. What it finds may be less deep than asked for."""


def search_groups(
    queries: int, depth: int, allowed: Allowed | None, search: GroupSearch
) -> BestPassages:
    """The best passages of each query, found group by group.

    Args:
        queries: how many there are.
        depth: how many passages at most a query gets.
        allowed: which passages each may get; None allows all, and the queries are one group.
        search: finds those of a group.
    """
    if allowed is None:
        return search(np.arange(queries), None)
    found = BestPassages.none(queries, depth)
    for members, passages in allowed:
        part = search(members, passages)
        width = part.rows.shape[1]
        found.rows[members, :width], found.scores[members, :width] = part.rows, part.scores
    return found
