"""JoinedPart: one part of a run after its join with the judgments; a whole file is one part.

The rows of its first and of its last query are kept as they came, since more of them may stand in
the neighbouring parts: :class:`~ragscore.judge.joined_run.JoinedRun` joins these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_texts import ByteTexts, TextLookup, first_rows
from ragscore.dataset.text_qrels import TextQrels
from ragscore.judge.join import JoinedRows, JoinTo, join_rows
from ragscore.judge.rows_by_query import RowsByQuery

T = TypeVar("T")

MAX_SAMPLE = 50_000
"""So many rows keep their passage ids, where a run has as many."""


class SplitQueryError(Exception):
    """A query's rows are far from each other. Never leaves this package or the readers.

    Attributes:
        query: its id.
        first, second: the numbers of two parts that hold some, which may be the same part.
    """

    def __init__(self, query: str, first: int, second: int) -> None:
        super().__init__(query, first, second)
        self.query, self.first, self.second = query, first, second


class NothingAtEdgeError(Exception):
    """A piece at an edge of a part holds no row. Never leaves this package or the readers."""


@dataclass(frozen=True, eq=False)
class JoinedPiece:
    """Some rows of a part: those of its first and last query where it stands at an edge, and what
    the others come to."""

    first: RowsByQuery | None
    inner: JoinedRows
    last: RowsByQuery | None

    @classmethod
    def of(cls, rows: RowsByQuery, to: JoinTo, *, first: bool, last: bool) -> JoinedPiece:
        """Join rows with the judgments.

        Args:
            rows: each query whole, but perhaps the first and the last of the part.
            to: the judgments.
            first, last: whether these are the first or the last rows of the part.

        Raises:
            NothingAtEdgeError: they are the first or the last of several pieces, and none is here.
            RepeatedRankError: see :func:`~ragscore.judge.join.join_rows`.
        """
        if not len(rows) and first != last:
            raise NothingAtEdgeError
        if last:
            rows = rows.with_last_row_last()
        start, end = 0, len(rows.query_ids)
        head = tail = None
        if first and end > start:
            start, head = 1, rows.between(0, 1).in_order_of_ranks().apart()
        if last and end > start:
            end, tail = end - 1, rows.between(end - 1, end).in_order_of_ranks().apart()
        inner = rows if (start, end) == (0, len(rows.query_ids)) else rows.between(start, end)
        return cls(head, join_rows(inner, to), tail)


@dataclass(frozen=True, eq=False)
class JoinedPart:
    """What the rows of one part of a run come to: arrays whose size goes with its queries.

    Attributes:
        first: the rows of its first query; None if it has no rows.
        inner: the others, but for those of the last query.
        last: the rows of its last query; None if one query is all.
        sample: passage ids of the first rows of ``inner``, at most :data:`MAX_SAMPLE`.
        listed: the queries that were searched, where the part lists them.
        depth, duplicates: what the part says of them; 0 if it says nothing.
        name: what the part says that the run is called.
    """

    first: RowsByQuery | None
    inner: JoinedRows
    last: RowsByQuery | None
    sample: ByteTexts
    listed: ByteTexts | None = None
    depth: int = 0
    duplicates: int = 0
    name: str | None = None

    @classmethod
    def of(cls, pieces: Iterable[JoinedPiece], to: JoinTo) -> JoinedPart:
        """A part from its pieces, in order, of which one is the first and one the last.

        Raises:
            SplitQueryError: two pieces hold rows of the same query.
        """
        first = last = None
        joined: list[JoinedRows] = []
        sample: list[ByteTexts] = []
        sampled = 0
        for piece in pieces:
            first = piece.first if first is None else first
            last = piece.last if last is None else last
            if piece.inner.passages is not None and sampled < MAX_SAMPLE:
                sample.append(piece.inner.passages.between(0, MAX_SAMPLE - sampled))
                sampled += len(sample[-1])
            joined.append(replace(piece.inner, passages=None))
        inner = JoinedRows.concatenated(joined)
        part = cls(first, inner, last, ByteTexts.joined(sample))
        edges = [_named(edge, to) for edge in part.edges]
        check_apart([NamedQueries.of(0, inner), *edges], to.qrels)
        return part

    @property
    def edges(self) -> list[RowsByQuery]:
        """The rows of the first and the last query, as far as there are any."""
        return [edge for edge in (self.first, self.last) if edge is not None]

    @property
    def deepest(self) -> int:
        """Most rows of any query, duplicates included."""
        return max([self.inner.depth, *map(len, self.edges)])

    def lists_all(self, to: JoinTo) -> bool:
        """Whether all queries of the rows are among those that the part lists; also where it lists
        none."""
        if self.listed is None:
            return True
        lookup = TextLookup(self.listed)
        named = [edge.query_ids for edge in self.edges]
        named += [self.inner.unknown, to.qrels.query_ids.take(self.inner.query_rows)]
        return all((lookup.rows(ids) >= 0).all() for ids in named)


def at_ends(work: Iterable[T]) -> Iterator[tuple[T, bool, bool]]:
    """Things, each with whether it is the first and whether it is the last."""
    held: list[T] = []
    first = True
    for thing in work:
        if held:
            yield held.pop(), first, False
            first = False
        held.append(thing)
    if held:
        yield held.pop(), first, True


@dataclass(frozen=True, eq=False)
class NamedQueries:
    """Queries that some rows of a part name.

    Attributes:
        part: the number of the part.
        known: int64[n], rows of the judgments.
        unknown: ids of those that the judgments lack.
    """

    part: int
    known: NDArray[np.int64]
    unknown: ByteTexts

    @classmethod
    def of(cls, part: int, rows: JoinedRows) -> NamedQueries:
        """Those of joined rows."""
        return cls(part, rows.query_rows, rows.unknown)


def _named(edge: RowsByQuery, to: JoinTo) -> NamedQueries:
    rows = to.qrels.rows_of(edge.query_ids)
    return NamedQueries(0, rows[rows >= 0], edge.query_ids.take(np.flatnonzero(rows < 0)))


def check_apart(named: Sequence[NamedQueries], qrels: TextQrels) -> None:
    """Check that no query is named in two places.

    Raises:
        SplitQueryError: one is.
    """
    if not named:
        return
    known = np.concatenate([each.known for each in named])
    order = np.argsort(known, kind="stable")
    again = np.flatnonzero(known[order[1:]] == known[order[:-1]])
    if len(again):
        at = order[again + 1].argmin()
        query = qrels.query_ids[int(known[order[again[at]]])]
        places = order[again[at]], order[again[at] + 1]
        raise SplitQueryError(query, *_parts(places, named, [len(each.known) for each in named]))
    unknown = ByteTexts.joined([each.unknown for each in named])
    first = first_rows(unknown)
    again = np.flatnonzero(first != np.arange(len(first)))
    if len(again):
        places = first[again[0]], again[0]
        query = unknown[int(again[0])]
        raise SplitQueryError(query, *_parts(places, named, [len(each.unknown) for each in named]))


def _parts(
    places: tuple[np.int64, np.int64], named: Sequence[NamedQueries], lengths: list[int]
) -> list[int]:
    """The parts of two places among queries that stand one behind the other."""
    ends = np.cumsum(lengths)
    return [named[at].part for at in np.searchsorted(ends, places, "right").tolist()]
