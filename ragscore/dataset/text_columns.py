"""Columns of texts that are not a list: some stand in files, some are joined of several parts.

They are read where they are used: a text, or a block of them that follow one another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct

BLOCK = 4_096
"""Texts that are read at a time where all are asked for one after the other."""


class TextColumn(Sequence[str], ABC):
    """n texts that need not be in memory."""

    @abstractmethod
    def read(self, start: int, stop: int) -> list[str]:
        """The texts of the rows from ``start`` to ``stop``, which are among the column's."""

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            if step == 1:
                return self.read(start, max(start, stop))
            return [self[at] for at in range(start, stop, step)]
        at = row + len(self) if row < 0 else row
        if not 0 <= at < len(self):
            raise IndexError(f"row {row} of {len(self)} texts")
        return self.read(at, at + 1)[0]

    def take(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The texts of some rows, in this order."""
        return [self[row] for row in rows.tolist()]

    def __iter__(self) -> Iterator[str]:
        starts = range(0, len(self), BLOCK)
        blocks = (self.read(start, min(start + BLOCK, len(self))) for start in starts)
        return chain.from_iterable(blocks)

    def character_counts(self) -> NDArray[np.int64]:
        """The length of each text in characters: int64[n]."""
        return np.fromiter(map(len, self), dtype=np.int64, count=len(self))

    def utf8(self, start: int, stop: int) -> bytes:
        """The texts of some rows one after the other, in UTF-8."""
        return "".join(self.read(start, stop)).encode("utf-8", "surrogatepass")

    def empty(self) -> NDArray[np.bool_]:
        """Which texts hold nothing but white space: bool[n]."""
        return np.fromiter((not text.strip() for text in self), dtype=bool, count=len(self))

    def any(self) -> bool:
        """Whether one of the texts is not empty."""
        return any(self)


class JoinedTexts(TextColumn):
    """The texts of several columns, one column after the other.

    >>> JoinedTexts([["a", "b"], [], ["c"]])[1:3]
    ['b', 'c']

    Args:
        parts: the columns.
    """

    def __init__(self, parts: Sequence[Sequence[str]]) -> None:
        self._parts = parts
        self._firsts = list(accumulate(map(len, parts), initial=0))

    def __len__(self) -> int:
        return self._firsts[-1]

    def read(self, start: int, stop: int) -> list[str]:
        found: list[str] = []
        number = bisect_right(self._firsts, start) - 1
        while start < stop:
            first, end = self._firsts[number], min(stop, self._firsts[number + 1])
            found += self._parts[number][start - first : end - first]
            start, number = end, number + 1
        return found

    def take(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        of_part = np.searchsorted(self._firsts, rows, side="right") - 1
        found = np.empty(len(rows), dtype=object)
        for number in distinct(of_part).tolist():
            at = np.flatnonzero(of_part == number)
            found[at] = taken(self._parts[number], rows[at] - self._firsts[number])
        return list(found)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._parts)

    def character_counts(self) -> NDArray[np.int64]:
        parts = [character_counts(part) for part in self._parts]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def empty(self) -> NDArray[np.bool_]:
        parts = [empty_texts(part) for part in self._parts]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=bool)

    def any(self) -> bool:
        return any(
            part.any() if isinstance(part, TextColumn) else any(part) for part in self._parts
        )


class SelectedTexts(TextColumn):
    """The texts of some rows of a column, in this order.

    >>> SelectedTexts(["a", "b"], np.array([1, -1, 0]))[:]
    ['b', '', 'a']

    Args:
        texts: the column.
        rows: int[n], which; -1 is an empty text.
    """

    def __init__(self, texts: Sequence[str], rows: NDArray[np.integer[Any]]) -> None:
        self._texts = texts
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def read(self, start: int, stop: int) -> list[str]:
        rows = self._rows[start:stop]
        there = rows >= 0
        if there.all():
            return taken(self._texts, rows)
        found = [""] * len(rows)
        for at, text in zip(np.flatnonzero(there), taken(self._texts, rows[there]), strict=True):
            found[at] = text
        return found

    def character_counts(self) -> NDArray[np.int64]:
        if not isinstance(self._texts, TextColumn):
            return super().character_counts()
        counts: NDArray[np.int64] = np.append(self._texts.character_counts(), 0)[self._rows]
        return counts


class FieldTexts(TextColumn):
    """What is indexed of passages with several fields: these joined by a space, and stripped.

    Args:
        columns: one of each field, of equal length.
    """

    def __init__(self, columns: Sequence[Sequence[str]]) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns[0])

    def read(self, start: int, stop: int) -> list[str]:
        rows = zip(*(column[start:stop] for column in self._columns), strict=True)
        return [" ".join(fields).strip() for fields in rows]


class NoTexts(TextColumn):
    """Empty texts, where some of a joined column have none.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def read(self, start: int, stop: int) -> list[str]:
        return [""] * (stop - start)

    def character_counts(self) -> NDArray[np.int64]:
        return np.zeros(self._count, dtype=np.int64)

    def any(self) -> bool:
        return False


def taken(texts: Sequence[str], rows: NDArray[np.integer[Any]]) -> list[str]:
    """The texts of some rows of a column, in this order."""
    if isinstance(texts, TextColumn):
        return texts.take(rows)
    return [texts[row] for row in rows.tolist()]


def empty_texts(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Which texts hold nothing but white space: bool[n].

    >>> empty_texts(["rent", " ", ""]).tolist()
    [False, True, True]
    """
    if isinstance(texts, TextColumn):
        return texts.empty()
    return np.fromiter((not text.strip() for text in texts), dtype=bool, count=len(texts))


@runtime_checkable
class Packed(Protocol):
    """A column of texts that are not Python objects: :class:`TextColumn`, or ids in bytes."""

    def character_counts(self) -> NDArray[np.int64]:
        """The length of each text in characters: int64[n]."""

    def utf8(self, start: int, stop: int) -> bytes:
        """The texts of some rows one after the other, in UTF-8."""


def character_counts(texts: Sequence[str]) -> NDArray[np.int64]:
    """The length of each of some texts in characters: int64[n]."""
    if isinstance(texts, Packed):
        return texts.character_counts()
    return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))


def utf8(texts: Sequence[str], start: int, stop: int) -> bytes:
    """Some of a column's texts one after the other, in UTF-8."""
    if isinstance(texts, Packed):
        return texts.utf8(start, min(stop, len(texts)))
    return "".join(texts[start:stop]).encode("utf-8", "surrogatepass")
