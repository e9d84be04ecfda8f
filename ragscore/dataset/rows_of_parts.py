"""What some rows of a table have, by row, where the table is joined of several parts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")


class RowsOfParts(Mapping[int, T]):
    """By row, as the parts have it by rows of their own.

    >>> dict(RowsOfParts([(3, {1: "a"}), (2, {0: "b"})]))
    {1: 'a', 3: 'b'}

    Args:
        parts: of each part how many rows it has, and what some of these have.
    """

    def __init__(self, parts: Sequence[tuple[int, Mapping[int, T]]]) -> None:
        self._parts = [of_rows for _, of_rows in parts]
        self._firsts = list(accumulate((count for count, _ in parts), initial=0))

    def __getitem__(self, row: int) -> T:
        if not 0 <= row < self._firsts[-1]:
            raise KeyError(row)
        number = bisect_right(self._firsts, row) - 1
        return self._parts[number][row - self._firsts[number]]

    def __iter__(self) -> Iterator[int]:
        for first, of_rows in zip(self._firsts, self._parts, strict=False):
            yield from (first + row for row in of_rows)

    def __len__(self) -> int:
        return sum(map(len, self._parts))
