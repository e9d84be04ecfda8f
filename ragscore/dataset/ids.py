"""Ids: row number to text id, text id to row number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.text_columns import character_counts, utf8
from ragscore.described import in_short
from ragscore.errors import DataError


class Ids(Sequence[str]):
    """A vocabulary of text ids: row number to id, id to row number.

    Args:
        texts: the ids, unique, in row order.

    Raises:
        DataError: an id occurs twice, or is not text.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts: list[str] = list(texts)
        if not set(map(type, self._texts)) <= {str}:
            odd = next((text for text in self._texts if not isinstance(text, str)), None)
            if odd is not None:
                raise DataError(
                    f"the id {odd!r} has type {type(odd).__name__}, and ids are text",
                    instead="Write ids as text, or give the run as an array of passage numbers",
                )
        self._row_of: dict[str, int] = {text: row for row, text in enumerate(self._texts)}
        if len(self._row_of) != len(self._texts):
            first = enumerate(self._texts)
            twice = next(text for row, text in first if self._row_of[text] != row)
            raise DataError(f"the id '{twice}' occurs twice", instead="Ids must be unique")

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        return self._texts[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __contains__(self, text: object) -> bool:
        return text in self._row_of

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ids):
            return NotImplemented
        return self is other or self._texts == other._texts

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        shown = ", ".join(map(in_short, self._texts[:3]))
        return f"Ids({len(self):,}: {shown}{', ...' if len(self) > 3 else ''})"

    def row(self, text: str) -> int:
        """The row of one id, -1 where it is unknown."""
        return self._row_of.get(text, -1)

    def rows(self, texts: Iterable[str]) -> NDArray[np.int32]:
        """The rows of many ids as int32[n], -1 where an id is unknown."""
        get = self._row_of.get
        return np.fromiter((get(text, -1) for text in texts), dtype=np.int32)

    def rows_of(self, other: Ids, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """The rows here of the ids in some rows of ``other``, -1 where unknown."""
        return self.rows(other.texts(rows))

    def texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The ids of some rows."""
        return [self._texts[row] for row in rows.tolist()]

    def starts_with(self, other: Ids) -> bool:
        """True if every row of ``other`` names the same id here."""
        return self is other or self._texts[: len(other)] == other._texts

    def extended(self, texts: Iterable[str]) -> Ids:
        """These ids, then those of ``texts`` that are new, in their order; self if none is."""
        if isinstance(texts, Ids) and self.starts_with(texts):
            return self
        new = [text for text in dict.fromkeys(texts) if text not in self._row_of]
        return Ids(self._texts + new) if new else self

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ids and their order: 64 hex digits."""
        return digest_texts(self._texts)


class NumberedIds(Ids):
    """Ids that are the numbers ``first``, ``first + 1``, ... as text; nothing is stored.

    What arrays of integers (as FAISS returns them) use for queries and passages.

    >>> ids = NumberedIds(3)
    >>> list(ids), ids.row("2"), ids.row("02")
    (['0', '1', '2'], 2, -1)

    Args:
        count: how many there are.
        first: the first number, 0 or more.
    """

    def __init__(self, count: int, first: int = 0) -> None:
        self._numbers = range(first, first + count)

    # What the base class keeps is made here only where somebody adds ids to these.
    @cached_property
    def _texts(self) -> list[str]:  # type: ignore[override]
        return list(map(str, self._numbers))

    @cached_property
    def _row_of(self) -> dict[str, int]:  # type: ignore[override]
        return {text: row for row, text in enumerate(self._texts)}

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        found = self._numbers[row]
        return list(map(str, found)) if isinstance(found, range) else str(found)

    def __iter__(self) -> Iterator[str]:
        return map(str, self._numbers)

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.row(text) >= 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedIds):
            return self._numbers == other._numbers
        return super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()

    def row(self, text: str) -> int:
        """The row of one id, -1 where it is unknown: ``007`` and ``+7`` are not ``7``."""
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            return -1
        number = int(text)
        known = number in self._numbers and str(number) == text
        return number - self._numbers.start if known else -1

    def rows(self, texts: Iterable[str]) -> NDArray[np.int32]:
        """The rows of many ids as int32[n], -1 where an id is unknown."""
        if isinstance(texts, NumberedIds):
            return self.rows_of(texts, np.arange(len(texts)))
        return np.fromiter(map(self.row, texts), dtype=np.int32)

    def rows_of(self, other: Ids, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """The rows here of the ids in some rows of ``other``, -1 where unknown."""
        if not isinstance(other, NumberedIds):
            return super().rows_of(other, rows)
        moved = rows + (other._numbers.start - self._numbers.start)
        return np.where((moved >= 0) & (moved < len(self)), moved, -1).astype(np.int32)

    def texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The ids of some rows."""
        return list(map(str, (rows + self._numbers.start).tolist()))

    def starts_with(self, other: Ids) -> bool:
        """True if every row of ``other`` names the same id here."""
        if isinstance(other, NumberedIds):
            same_start = self._numbers.start == other._numbers.start or not len(other)
            return same_start and len(other) <= len(self)
        return super().starts_with(other)

    def extended(self, texts: Iterable[str]) -> Ids:
        """These ids, then those of ``texts`` that are new, in their order; self if none is."""
        if isinstance(texts, NumberedIds) and texts._numbers.start == self._numbers.start:
            return texts if len(texts) > len(self) else self
        new = [text for text in dict.fromkeys(texts) if text not in self]
        return Ids([*self, *new]) if new else self

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ids and their order, as that of equal ids which are stored."""
        return digest_texts(list(self))


def digest_texts(*columns: Sequence[str]) -> str:
    """SHA-256 of columns of texts: 64 hex digits. Their lengths are hashed too, so that moving
    a character from one text to its neighbour changes the digest."""
    sha = hashlib.sha256()
    for column in columns:
        sha.update(character_counts(column).astype("<i8").tobytes())
        for start in range(0, len(column), 65_536):
            sha.update(utf8(column, start, start + 65_536))
    return sha.hexdigest()
