"""Rows of (query, passage, number), the rows of each query together, for joins by text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct

if TYPE_CHECKING:
    import polars

FEW = 1 << 14
"""Texts that are looked at in Python: polars would load all of numpy.ma, which takes longer."""
FLAGS_PER_KEY = 16
MOST_PADDING = 4
"""A matrix of hashes may have this many places for each row; else they are sorted as a list."""
NO_HASH = np.uint32(0xFFFFFFFF)
SALT = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Grouped:
    """n rows of G queries, each query's in the order they came.

    Attributes:
        query_ids: the G queries, in order of appearance, as a polars column of texts.
        counts: int64[G], rows of each.
        passages: n passage ids, as a polars column of texts.
        numbers: float64[n], scores or grades; None where there are none.
        in_given_order: whether each query's rows stood together already.
    """

    query_ids: polars.Series
    counts: NDArray[np.int64]
    passages: polars.Series
    numbers: NDArray[np.float64] | None
    in_given_order: bool = True

    @classmethod
    def of(
        cls, queries: polars.Series, passages: polars.Series, numbers: NDArray[np.float64] | None
    ) -> Grouped:
        """Group columns; where rows of a query stand together already, nothing is moved."""
        import polars

        runs = queries.rle()
        values = runs.struct.field("value")
        counts = runs.struct.field("len").to_numpy().astype(np.int64)
        distinct = values.unique(maintain_order=True)
        in_given_order = len(distinct) == len(values)
        if not in_given_order:
            kind = polars.Enum(distinct)
            of_run = values.cast(kind).to_physical().to_numpy().astype(np.int64)
            query_rows = np.repeat(of_run, counts)
            order = np.argsort(query_rows, kind="stable")
            counts = np.bincount(query_rows, minlength=len(distinct))
            passages = passages.gather(order)
            numbers = None if numbers is None else numbers[order]
        return cls(distinct, counts, passages, numbers, in_given_order)

    def __len__(self) -> int:
        return len(self.passages)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """First row of each query: int64[G]."""
        return np.cumsum(self.counts) - self.counts

    @cached_property
    def query_of(self) -> NDArray[np.int64]:
        """The query of each row, as its place in ``query_ids``: int64[n]."""
        return np.repeat(np.arange(len(self.query_ids)), self.counts)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each passage id, the same in all of this process: uint64[n]."""
        return hashes(self.passages)

    @cached_property
    def short_hashes(self) -> NDArray[np.uint32]:
        """One half of each hash, never :data:`NO_HASH`: uint32[n]."""
        return short_hashes(self.hashes)

    def among(self, queries: NDArray[np.int64], hashed: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Rows that may be one of some (query, hash) pairs: all that are, and a few more.

        Args:
            queries: int64[m], places in ``query_ids``.
            hashed: uint64[m], hashes of passage ids.
        """
        # A flag for each value of some bits of the pair, few enough for a processor's cache.
        size = 1 << max(len(hashed) * FLAGS_PER_KEY - 1, 1).bit_length()
        salt = (np.arange(len(self.counts), dtype=np.uint64) * SALT).astype(np.uint32)
        flags = np.zeros(size, dtype=bool)
        mask = np.uint32(size - 1)
        flags[(short_hashes(hashed) ^ salt[queries]) & mask] = True
        places = np.repeat(salt, self.counts)
        places ^= self.short_hashes
        places &= mask
        return np.flatnonzero(flags[places])

    def repeated(self) -> NDArray[np.int64]:
        """Rows whose passage stands further up in the same query: int64[m], ascending."""
        suspects = np.flatnonzero(np.isin(self.query_of, self._queries_with_equal_hashes()))
        if len(suspects) <= FEW:
            texts = self.passages.gather(suspects.tolist()).to_list()
            pairs = list(zip(self.query_of[suspects].tolist(), texts, strict=True))
            first_of = {pair: at for at, pair in reversed(list(enumerate(pairs)))}
            again = [at for at, pair in enumerate(pairs) if first_of[pair] < at]
            return np.asarray(suspects[again], dtype=np.int64)
        import polars

        frame = polars.DataFrame(
            {
                "query": self.query_of[suspects],
                "passage": self.passages.gather(suspects),
                "row": suspects,
            }
        )
        first = frame.unique(["query", "passage"], keep="first")["row"].to_numpy()
        return np.setdiff1d(suspects, first, assume_unique=True)

    def without(self, rows: NDArray[np.int64]) -> Grouped:
        """These rows but some, of which each query keeps at least one."""
        if not len(rows):
            return self
        kept = np.ones(len(self), dtype=bool)
        kept[rows] = False
        counts = self.counts - np.bincount(self.query_of[rows], minlength=len(self.counts))
        numbers = None if self.numbers is None else self.numbers[kept]
        return Grouped(self.query_ids, counts, self.passages.gather(np.flatnonzero(kept)), numbers)

    def _queries_with_equal_hashes(self) -> NDArray[np.int64]:
        """Queries in which a passage may stand twice; no other has one that does."""
        widest = int(self.counts.max(initial=0))
        if len(self.counts) * widest <= MOST_PADDING * len(self):
            # Sorting many short rows is several times faster than sorting one long list.
            short = self.short_hashes
            if len(self.counts) * widest == len(self):
                table = short.reshape(len(self.counts), widest).copy()
            else:
                table = np.full((len(self.counts), widest), NO_HASH)
                table[np.arange(widest) < self.counts[:, None]] = short
            table.sort(axis=1)
            equal = (table[:, 1:] == table[:, :-1]) & (table[:, 1:] != NO_HASH)
            return np.flatnonzero(equal.any(axis=1))
        keys, shift = keyed(self.query_of, self.hashes, len(self.counts))
        keys.sort()
        return distinct(keys[1:][keys[1:] == keys[:-1]] >> shift).astype(np.int64)


class Lookup:
    """The row of a text in a column of different texts; a fraction of a dict's memory."""

    def __init__(self, texts: polars.Series) -> None:
        self._texts = texts
        hashed = hashes(texts)
        self._order = np.argsort(hashed)
        self._hashes = hashed[self._order]

    def rows(self, texts: polars.Series) -> NDArray[np.int64]:
        """The row of each of these texts, -1 where there is none: int64[n]."""
        rows = np.full(len(texts), -1)
        for place, at in equal_keys(hashes(texts), self._hashes):
            found = self._order[at]
            same = same_texts(texts, place, self._texts, found)
            rows[place[same]] = found[same]
        return rows


def equal_keys(
    wanted: NDArray[np.uint64], keys: NDArray[np.uint64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Places in ``wanted`` and in the sorted ``keys`` that hold the same, as pairs of arrays;
    more than one pair only where the same key stands there several times."""
    first = np.searchsorted(keys, wanted, "left")
    last = np.searchsorted(keys, wanted, "right")
    for step in range(int((last - first).max(initial=0))):
        place = np.flatnonzero(first + step < last)
        yield place, first[place] + step


def hashes(texts: polars.Series) -> NDArray[np.uint64]:
    """A 64-bit hash of each text, the same in all of this process: uint64[n]."""
    return texts.hash().to_numpy()


def short_hashes(hashed: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """One half of hashes, never :data:`NO_HASH`: uint32[n]."""
    return np.minimum(np.ascontiguousarray(hashed).view(np.uint32)[::2], NO_HASH - 1)


def same_texts(
    texts: polars.Series,
    at: NDArray[np.int64],
    others: polars.Series,
    at_others: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which pairs of places hold the same text: bool[n]."""
    # A list of places, since polars loads all of numpy.ma to look at an array.
    equal: NDArray[np.bool_] = (
        texts.gather(at.tolist()) == others.gather(at_others.tolist())
    ).to_numpy()
    return equal


def keyed(
    query_of: NDArray[np.int64], hashed: NDArray[np.uint64], queries: int
) -> tuple[NDArray[np.uint64], np.uint64]:
    """The query above, as much of the hash as fits below; and where the query begins."""
    shift = np.uint64(64 - max(1, (queries - 1).bit_length()))
    return (query_of.astype(np.uint64) << shift) | (hashed >> (np.uint64(64) - shift)), shift
