"""Which passages each query of a block may get, and searching for queries that may get the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.retrievers.run_order import BestPassages

GroupSearch = Callable[[NDArray[np.int64], NDArray[np.bool_] | None], BestPassages]
"""Searches for some queries, by row, that may get the same passages: bool[N] by row of the corpus,
None for all. What it finds may be less deep than asked for."""


@dataclass(frozen=True, eq=False)
class Allowed:
    """Which passages each query may get, by groups of queries that may get the same.

    Attributes:
        group: int64[Q], the group of each query.
        count: how many groups there are.
        passages: the passages that a group may get, bool[N] by row of the corpus. It is computed
            when it is asked for, since all groups together may not fit into memory.
    """

    group: NDArray[np.int64]
    count: int
    passages: Callable[[int], NDArray[np.bool_]]

    def __iter__(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """The rows of the queries of each group, with the passages that they may get."""
        order = np.argsort(self.group, kind="stable")
        bounds = np.searchsorted(self.group[order], np.arange(self.count + 1))
        for group in range(self.count):
            rows = order[bounds[group] : bounds[group + 1]]
            if len(rows):
                yield rows, self.passages(group)


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
