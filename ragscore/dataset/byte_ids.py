"""ByteIds: the ids of a corpus that is too large for a Python object of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_texts import ByteTexts, TextLookup
from ragscore.dataset.ids import Ids, digest_texts

BLOCK = 65_536
"""Ids that are decoded at a time."""


class ByteIds(Ids):
    """Ids in the bytes of one buffer, and a sorted hash of each once one is looked up.

    An id takes its bytes and 16 more; looking ids up takes another 16 for each, and no dictionary
    is made.

    >>> ids = ByteIds(ByteTexts.of(["a", "b"]))
    >>> ids[1], ids.row("a"), ids.row("c")
    ('b', 0, -1)

    Args:
        texts: the ids, in row order; :meth:`repeated` tells whether they are unique.
    """

    def __init__(self, texts: ByteTexts) -> None:
        self._bytes = texts

    # What the base class keeps is made here only where somebody compares these with a list.
    @cached_property
    def _texts(self) -> list[str]:  # type: ignore[override]
        return self._bytes.to_list()

    @cached_property
    def _lookup(self) -> TextLookup:
        return TextLookup(self._bytes)

    @property
    def packed(self) -> ByteTexts:
        """The ids as bytes."""
        return self._bytes

    def repeated(self) -> tuple[int, int] | None:
        """The first two rows that have one id; None if ids are unique."""
        pairs = self._lookup.repeated()
        if not len(pairs):
            return None
        first, second = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))[0]].tolist()
        return first, second

    def part(self, start: int, stop: int) -> ByteIds:
        """The ids of the rows from ``start`` to ``stop``, in the same buffer."""
        return ByteIds(self._bytes.between(start, stop))

    def __len__(self) -> int:
        return len(self._bytes)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            if step == 1:
                return self._bytes.between(start, max(start, stop)).to_list()
            return self._bytes.take(np.arange(start, stop, step)).to_list()
        return self._bytes[row]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), BLOCK):
            yield from self[start : start + BLOCK]

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.row(text) >= 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ByteIds):
            mine, theirs = self._bytes, other._bytes
            if mine is theirs:
                return True
            rows = np.arange(len(self))
            return len(self) == len(other) and bool(mine.equal(rows, theirs, rows).all())
        return super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()

    def row(self, text: str) -> int:
        """The row of one id, -1 where it is unknown."""
        return int(self.rows([text])[0])

    def rows(self, texts: Iterable[str]) -> NDArray[np.int32]:
        """The rows of many ids as int32[n], -1 where an id is unknown."""
        if isinstance(texts, Ids) and self.starts_with(texts):
            return np.arange(len(texts), dtype=np.int32)
        wanted = texts.packed if isinstance(texts, ByteIds) else ByteTexts.of(texts)
        return self._lookup.rows(wanted).astype(np.int32)

    def rows_of(self, other: Ids, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """The rows here of the ids in some rows of ``other``, -1 where unknown."""
        if isinstance(other, ByteIds):
            return self._lookup.rows(other._bytes.take(rows.astype(np.int64))).astype(np.int32)
        return super().rows_of(other, rows)

    def texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The ids of some rows."""
        return self._bytes.take(rows.astype(np.int64)).to_list()

    def character_counts(self) -> NDArray[np.int64]:
        """The length of each id in characters: int64[n]."""
        return self._bytes.character_counts()

    def utf8(self, start: int, stop: int) -> bytes:
        """The ids of some rows one after the other, in UTF-8."""
        return self._bytes.between(start, stop).own_bytes()

    def starts_with(self, other: Ids) -> bool:
        """True if every row of ``other`` names the same id here."""
        if self is other or len(other) > len(self):
            return self is other
        if isinstance(other, ByteIds):
            rows = np.arange(len(other))
            return bool(self._bytes.equal(rows, other._bytes, rows).all())
        return self[: len(other)] == list(other)

    def extended(self, texts: Iterable[str]) -> Ids:
        """These ids, then those of ``texts`` that are new, in their order; self if none is."""
        if isinstance(texts, ByteIds):
            if self.starts_with(texts):
                return self
            unknown = np.flatnonzero(self._lookup.rows(texts._bytes) < 0)
            new = texts._bytes.take(unknown).to_list()
        else:
            listed = list(texts)
            rows = self.rows(listed).tolist()
            new = [text for text, row in zip(listed, rows, strict=True) if row < 0]
        if not new:
            return self
        return ByteIds(ByteTexts.joined([self._bytes, ByteTexts.of(dict.fromkeys(new))]))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ids and their order, as that of equal ids in a list."""
        return digest_texts(self)


def joined_ids(parts: Sequence[Ids]) -> ByteIds:
    """The ids of several columns, one after the other; nobody has looked whether they are
    unique."""
    columns = [part.packed if isinstance(part, ByteIds) else ByteTexts.of(part) for part in parts]
    return ByteIds(ByteTexts.joined(columns))
