"""PassagePlaces: passages in the order in which they stand in documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class PassagePlaces:
    """Where N passages stand among the characters of all documents; one that is no piece of a
    document is empty and stands at 0.

    Attributes:
        start, end: int64[N], by passage.
        position: int32[N + 1], the place of each passage in the order of starts and ends; N stands
            for none.
        order: int64[N], the passage at each position.
        reach: int32[N + 1], by position the first one that begins at its end or behind it.
        apart: no two passages have a character in common.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    position: NDArray[np.int32]
    order: NDArray[np.int64]
    reach: NDArray[np.int32]
    apart: bool

    @classmethod
    def of(cls, start: NDArray[np.int64], end: NDArray[np.int64]) -> PassagePlaces:
        """From where each begins and ends: int64[N] each."""
        count = len(start)
        order = np.lexsort((end, start))
        position = np.full(count + 1, count, dtype=np.int32)
        position[order] = np.arange(count, dtype=np.int32)
        reach = np.zeros(count + 1, dtype=np.int32)
        reach[:count] = np.searchsorted(start[order], end[order], side="left")
        apart = bool((reach[:count] <= np.arange(1, count + 1)).all())
        return cls(start, end, position, order, reach, apart)
