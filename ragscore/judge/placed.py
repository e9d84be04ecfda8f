"""Placed: what stands in the rankings of queries: judged passages, groups of equal scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Placed:
    """n hits or n ties, by query and place.

    A hit is a returned passage that the judgments name, with its grade (negative where it was not
    judged). A tie is a group of two and more equal scores, with its length.

    Attributes:
        query: int64[n], the row of each one's query.
        place: int64[n] or int32[n], where it stands, or begins, from 0.
        value: float64[n], the grade; or int64[n] or int32[n], the length.
    """

    query: NDArray[np.int64]
    place: NDArray[Any]
    value: NDArray[Any]

    @classmethod
    def concatenated(cls, parts: Sequence[Placed]) -> Placed:
        """Those of several parts, each of other queries."""
        if not parts:
            none = np.empty(0, dtype=np.int64)
            return cls(none, none, none)
        query, place, value = (
            np.concatenate([getattr(part, column) for part in parts])
            for column in ("query", "place", "value")
        )
        order = np.lexsort((place, query))
        return cls(query[order], place[order], value[order])

    def where(self, kept: NDArray[np.bool_]) -> Placed:
        """Some of them."""
        return Placed(self.query[kept], self.place[kept], self.value[kept])

    def within(self, depth: int, query_rows: NDArray[np.int64]) -> Placed:
        """Those of some queries (ascending rows) in their first places; a query is then the place
        of its row among these."""
        if not len(query_rows):
            return Placed(self.query[:0], self.place[:0], self.value[:0])
        first = np.searchsorted(self.query, query_rows[0], "left")
        last = np.searchsorted(self.query, query_rows[-1], "right")
        query, place, value = (
            column[first:last] for column in (self.query, self.place, self.value)
        )
        kept = place < depth
        at = np.searchsorted(query_rows, query)
        if len(query_rows) != query_rows[-1] - query_rows[0] + 1:
            kept &= query_rows[at] == query
        return Placed(at[kept], place[kept].astype(np.int64), value[kept])
