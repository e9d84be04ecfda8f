"""Which passages each query of a block may get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Allowed:
    """Which passages each query may get, by groups of queries that may get the same.

    Attributes:
        group: int64[Q], the group of each query.
        count: how many groups there are.
        passages: the passages that a group may get, bool[N] by row of the corpus. It is computed
            when it is asked for, since all groups together may not fit into memory.
        part: the same for the passages from a row to before another one, where that can be
            computed of these alone; None if it is cut out of all.
    """

    group: NDArray[np.int64]
    count: int
    passages: Callable[[int], NDArray[np.bool_]]
    part: Callable[[int, int], Allowed] | None = None

    def __iter__(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """The rows of the queries of each group, with the passages that they may get."""
        order = np.argsort(self.group, kind="stable")
        bounds = np.searchsorted(self.group[order], np.arange(self.count + 1))
        for group in range(self.count):
            rows = order[bounds[group] : bounds[group + 1]]
            if len(rows):
                yield rows, self.passages(group)

    def between(self, first: int, after: int) -> Allowed:
        """Which of the passages from the row ``first`` to before ``after`` each query may get, by
        row from ``first`` on."""
        if self.part is not None:
            return self.part(first, after)
        return Allowed(self.group, self.count, lambda group: self.passages(group)[first:after])
