"""Rows of (query, passage, number), the rows of each query together, for joins by text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, ranges
from ragscore.dataset.byte_texts import ByteTexts, first_rows

FLAGS_PER_KEY = 16
MAX_PADDING = 4
"""A matrix of hashes may have this many places for each row; else they are sorted as a list."""
NO_HASH = np.uint32(0xFFFFFFFF)
SALT = np.uint64(0x9E3779B97F4A7C15)


class RepeatedRankError(Exception):
    """A rank is given twice for a query without scores. Never leaves this package or the readers.

    Attributes:
        query, rank: which.
    """

    def __init__(self, query: str, rank: float) -> None:
        super().__init__(query, rank)
        self.query, self.rank = query, rank


@dataclass(frozen=True, eq=False)
class RowsByQuery:
    """n rows of G queries, each query's in the order they came.

    Attributes:
        query_ids: the G queries, in order of appearance.
        counts: int64[G], rows of each.
        passages: n passage ids.
        numbers: float64[n], scores or grades; None if there are none.
        order: int64[n], which of the given rows each is; None if each query's rows stood
            together already.
        ranks: int64[n] or float64[n], where each passage stands in its query as its file says it;
            None if that is the order of the rows.
    """

    query_ids: ByteTexts
    counts: NDArray[np.int64]
    passages: ByteTexts
    numbers: NDArray[np.float64] | None
    order: NDArray[np.int64] | None = None
    ranks: NDArray[Any] | None = None

    @classmethod
    def of(
        cls, queries: ByteTexts, passages: ByteTexts, numbers: NDArray[np.float64] | None
    ) -> RowsByQuery:
        """Group columns of n rows each."""
        starts = queries.runs()
        counts = np.diff(starts, append=len(queries))
        return cls.of_runs(queries.take(starts), counts, passages, numbers)

    @classmethod
    def of_runs(
        cls,
        heads: ByteTexts,
        counts: NDArray[np.int64],
        passages: ByteTexts,
        numbers: NDArray[np.float64] | None,
        ranks: NDArray[Any] | None = None,
    ) -> RowsByQuery:
        """Group rows that come in runs of one query; where each query has one, nothing is moved.

        Args:
            heads: the query of each run.
            counts: int64[runs], its rows.
            passages, numbers, ranks: of all rows.
        """
        first = first_rows(heads)
        query_rows = distinct(first)
        if len(query_rows) == len(heads):
            return cls(heads, counts, passages, numbers, ranks=ranks)
        query_of = np.repeat(np.searchsorted(query_rows, first), counts)
        order = np.argsort(query_of, kind="stable")
        return cls(
            heads.take(query_rows),
            np.bincount(query_of, minlength=len(query_rows)),
            passages.take(order),
            None if numbers is None else numbers[order],
            order,
            None if ranks is None else ranks[order],
        )

    @classmethod
    def of_one(cls, parts: Sequence[RowsByQuery]) -> RowsByQuery:
        """The rows of one query that stand in several places, one behind the other."""
        numbers = [part.numbers for part in parts if part.numbers is not None]
        ranks = [part.ranks for part in parts if part.ranks is not None]
        return cls(
            parts[0].query_ids,
            np.array([sum(map(len, parts))]),
            ByteTexts.joined([part.passages for part in parts]),
            np.concatenate(numbers) if numbers else None,
            ranks=np.concatenate(ranks) if ranks else None,
        )

    def __len__(self) -> int:
        return len(self.passages)

    def between(self, first: int, end: int) -> RowsByQuery:
        """The rows of the queries from ``first`` to before ``end``, nothing copied."""
        start, stop = np.append(self.starts, len(self))[[first, end]].tolist()
        return RowsByQuery(
            self.query_ids.between(first, end),
            self.counts[first:end],
            self.passages.between(start, stop),
            None if self.numbers is None else self.numbers[start:stop],
            ranks=None if self.ranks is None else self.ranks[start:stop],
        )

    def apart(self) -> RowsByQuery:
        """The rows of one query in memory of their own: the others may be let go."""
        heads = ByteTexts.joined([self.query_ids])
        return replace(RowsByQuery.of_one([self]), query_ids=heads)

    def in_order_of_ranks(self) -> RowsByQuery:
        """These rows, each query's by rising rank where ranks are given; equal ranks stay as they
        came.

        Raises:
            RepeatedRankError: a query has a rank twice, and nothing else says the order.
        """
        if self.ranks is None or len(self) < 2:
            return self
        ordered, ranks = self, self.ranks
        if self._within(ranks[1:] < ranks[:-1]).any():
            order = np.lexsort((ranks, self.query_of))
            ordered, ranks = self._taken(order), ranks[order]
        if self.numbers is None:
            again = np.flatnonzero(self._within(ranks[1:] == ranks[:-1]))
            if len(again):
                query = self.query_ids[int(self.query_of[again[0]])]
                raise RepeatedRankError(query, float(ranks[again[0]]))
        return ordered

    def with_last_row_last(self) -> RowsByQuery:
        """The same, with the query of the last row that came behind all others."""
        if self.order is None or not len(self):
            return self
        last = int(self.query_of[np.argmax(self.order)])
        queries = np.append(np.delete(np.arange(len(self.counts)), last), last)
        moved = self._taken(ranges(self.starts[queries], self.counts[queries]))
        return replace(
            moved, query_ids=self.query_ids.take(queries), counts=self.counts[queries], order=None
        )

    def _taken(self, order: NDArray[np.int64]) -> RowsByQuery:
        """The rows in another order, each query's still together."""
        numbers, ranks = (
            None if column is None else column[order] for column in (self.numbers, self.ranks)
        )
        passages = self.passages.take(order)
        return RowsByQuery(self.query_ids, self.counts, passages, numbers, ranks=ranks)

    def _within(self, pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """What holds for a row and the one behind it, where both are of one query."""
        pairs[self.starts[1:] - 1] = False
        return pairs

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
        return self.passages.hashes()

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
        first = first_rows(self.passages.take(suspects))
        # Of equal pairs the first stays first: the sort is stable.
        order = np.lexsort((first, self.query_of[suspects]))
        pairs = np.stack([self.query_of[suspects], first])[:, order]
        again = (pairs[:, 1:] == pairs[:, :-1]).all(axis=0)
        return np.sort(suspects[order[1:][again]])

    def without(self, rows: NDArray[np.int64]) -> RowsByQuery:
        """These rows but some, of which each query keeps at least one."""
        if not len(rows):
            return self
        kept = np.ones(len(self), dtype=bool)
        kept[rows] = False
        counts = self.counts - np.bincount(self.query_of[rows], minlength=len(self.counts))
        return replace(self._taken(np.flatnonzero(kept)), counts=counts)

    def _queries_with_equal_hashes(self) -> NDArray[np.int64]:
        """Queries in which a passage may stand twice; no other has one that does."""
        widest = int(self.counts.max(initial=0))
        if len(self.counts) * widest <= MAX_PADDING * len(self):
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


def short_hashes(hashed: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """One half of hashes, never :data:`NO_HASH`: uint32[n]."""
    return np.minimum(np.ascontiguousarray(hashed).view(np.uint32)[::2], NO_HASH - 1)


def keyed(
    query_of: NDArray[np.int64], hashed: NDArray[np.uint64], queries: int
) -> tuple[NDArray[np.uint64], np.uint64]:
    """The query above, as much of the hash as fits below; and where the query begins."""
    shift = np.uint64(64 - max(1, (queries - 1).bit_length()))
    return (query_of.astype(np.uint64) << shift) | (hashed >> (np.uint64(64) - shift)), shift
