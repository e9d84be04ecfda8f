"""Columns of texts, as joins need them: compared and hashed in bulk, decoded for the few shown.

Two kinds fulfil :class:`Texts`: :class:`~ragscore.formats.reading.byte_texts.ByteTexts` over the
bytes of a text file, and :class:`~ragscore.formats.reading.polars_texts.PolarsTexts` over a
column of Parquet.
A join is between columns of one kind, since the hashes of two kinds differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray


class Texts(Protocol):
    """n texts."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """A column of these texts."""

    def __len__(self) -> int: ...

    def to_list(self) -> list[str]:
        """The texts."""

    def take(self, rows: NDArray[np.int64]) -> Self:
        """The texts of some rows."""

    def runs(self) -> NDArray[np.int64]:
        """The rows whose text is not that of the row before: int64[m], the first row included."""

    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each text, the same in all of this process: uint64[n]."""

    def equal(self, at: NDArray[np.int64], other: Self, at_other: NDArray[np.int64]) -> Equal:
        """Which pairs of rows hold the same text: bool[m]."""

    def falling(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows by ascending group, and by falling text within a group: int64[n]."""


Equal = NDArray[np.bool_]
AnyTexts = TypeVar("AnyTexts", bound=Texts)


class Lookup(Generic[AnyTexts]):
    """The row of a text in a column of different texts; a fraction of a dict's memory."""

    def __init__(self, texts: AnyTexts) -> None:
        self._texts = texts
        hashed = texts.hashes()
        self._order = np.argsort(hashed)
        self._hashes = hashed[self._order]

    def rows(self, texts: AnyTexts) -> NDArray[np.int64]:
        """The row of each of these texts, -1 where there is none: int64[n]."""
        rows = np.full(len(texts), -1)
        for place, at in equal_keys(texts.hashes(), self._hashes):
            found = self._order[at]
            same = texts.equal(place, self._texts, found)
            rows[place[same]] = found[same]
        return rows


def equal_keys(
    wanted: NDArray[np.uint64], keys: NDArray[np.uint64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Places in ``wanted`` and in the sorted ``keys`` that hold the same, as pairs of arrays;
    more than one pair only where the same key stands there several times."""
    place, at = np.arange(len(wanted)), np.searchsorted(keys, wanted)
    while len(place):
        inside = at < len(keys)
        place, at = place[inside], at[inside]
        same = keys[at] == wanted[place]
        place, at = place[same], at[same]
        yield place, at
        at = at + 1


def first_rows(texts: Texts) -> NDArray[np.int64]:
    """For each row the first one that holds the same text: int64[n]."""
    hashed = texts.hashes()
    ordered = np.sort(hashed)  # several times faster than an argsort
    if not (ordered[1:] == ordered[:-1]).any():
        return np.arange(len(texts))
    order = np.argsort(hashed, kind="stable")
    again = np.flatnonzero(hashed[order[1:]] == hashed[order[:-1]]) + 1
    if not texts.equal(order[again - 1], texts, order[again]).all():
        # Different texts with one hash: never seen, but in tests.
        first_of: dict[str, int] = {}
        of_row = [first_of.setdefault(text, row) for row, text in enumerate(texts.to_list())]
        return np.array(of_row, dtype=np.int64)
    heads = np.ones(len(order), dtype=bool)
    heads[again] = False
    lengths = np.diff(np.flatnonzero(heads), append=len(order))
    first = np.empty_like(order)
    first[order] = np.repeat(order[heads], lengths)
    return first
