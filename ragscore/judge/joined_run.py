"""JoinedRun: a run after its join with the judgments.

It holds where judged passages and ties stand, never the run itself: its size goes with the
queries, the hits and the ties that measures ask for, not with what was returned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_texts import ByteTexts, TextLookup, first_rows
from ragscore.dataset.text_qrels import TextQrels
from ragscore.judge.join import JoinedRows, JoinTo, join_rows
from ragscore.judge.joined_part import (
    MAX_SAMPLE,
    JoinedPart,
    NamedQueries,
    check_apart,
)
from ragscore.judge.placed import Placed
from ragscore.judge.retrieved import Retrieved
from ragscore.judge.rows_by_query import RowsByQuery

ABSENT = -1


@dataclass(frozen=True)
class PartGaps:
    """What a run in parts may lack.

    Attributes:
        missing: how many parts are not there, by the numbers of the others.
        missing_names: the names of the first of these.
        empty: how many parts have no rows.
        empty_names: the names of the first of these.
    """

    missing: int = 0
    missing_names: tuple[str, ...] = ()
    empty: int = 0
    empty_names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """Per query of the judgments what a run returned for it, as far as measures ask.

    Attributes:
        name: the retriever's name.
        depth: most passages that any query got, duplicates and unknown queries included.
        duplicates: passages that came back a second time for a query, and were dropped.
        first_duplicate: the passage and the query of the first of them that the rows hold.
        unknown: ids of the run's queries that the judgments lack.
        counts: int32[Q], by row of the judgments: passages that came back, -1 where the run
            lacks the query.
        hits: the returned passages that the judgments name.
        ties: the groups of two and more equal scores; none where they were only counted.
        tied: int64[n], by cutoff from 0 how many queries have a tie across it, to the last cutoff
            with one; None if ties were not counted while the run was read.
        sample: passage ids of the first rows, :data:`~ragscore.judge.joined_part.MAX_SAMPLE` where
            there are this many, to say why none of them was judged.
        empty_parts: the numbers of the parts without rows.
        gaps: what a run in parts may lack.
    """

    name: str
    depth: int
    duplicates: int
    first_duplicate: tuple[str, str] | None
    unknown: ByteTexts
    counts: NDArray[np.int32]
    hits: Placed
    ties: Placed
    tied: NDArray[np.int64] | None
    sample: ByteTexts
    empty_parts: tuple[int, ...] = ()
    gaps: PartGaps = field(default_factory=PartGaps)

    @classmethod
    def of(cls, parts: Iterable[JoinedPart], to: JoinTo, *, name: str) -> JoinedRun:
        """The run whose parts these are, in their order. A query at the end of one part may go on
        at the beginning of the next.

        Raises:
            SplitQueryError: rows of a query stand anywhere else in a later part.
            RepeatedRankError: a query that goes on has a rank twice, and nothing else says the
                order.
        """
        sections = _Sections(to)
        depth = duplicates = 0
        listed: list[ByteTexts] = []
        empty: list[int] = []
        for number, part in enumerate(parts):
            sections.add(number, part)
            depth = max(depth, part.depth)
            duplicates += part.duplicates
            if part.listed is not None:
                listed.append(part.listed)
            if part.first is None:
                empty.append(number)
        sections.close()
        check_apart(sections.named, to.qrels)
        joined = JoinedRows.concatenated(sections.joined)
        counts = np.full(len(to.qrels.query_ids), ABSENT, dtype=np.int32)
        counts[joined.query_rows] = joined.returned
        run = cls(
            name=name,
            depth=max(depth, joined.depth),
            duplicates=duplicates + joined.duplicates,
            first_duplicate=joined.first_duplicate,
            unknown=joined.unknown,
            counts=counts,
            hits=joined.hits,
            ties=joined.ties,
            tied=None if to.count_ties_of is None else joined.tied,
            sample=ByteTexts.joined(sections.sample),
            empty_parts=tuple(empty),
        )
        return run.with_queries(ByteTexts.joined(listed), to.qrels) if listed else run

    def __len__(self) -> int:
        return int((self.counts != ABSENT).sum()) + len(self.unknown)

    def __repr__(self) -> str:
        return f"JoinedRun({self.name!r}: {len(self):,} queries, depth {self.depth})"

    def with_queries(self, query_ids: ByteTexts, qrels: TextQrels) -> JoinedRun:
        """The same, with queries that got nothing added where it lacks them."""
        rows = qrels.rows_of(query_ids)
        counts = self.counts.copy()
        counts[rows[rows >= 0]] = np.maximum(counts[rows[rows >= 0]], 0)
        unknown = ByteTexts.joined([self.unknown, query_ids.take(np.flatnonzero(rows < 0))])
        first = first_rows(unknown)
        kept = unknown.take(np.flatnonzero(first == np.arange(len(first))))
        return replace(self, counts=counts, unknown=kept)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which queries of the judgments the run names."""
        known: NDArray[np.bool_] = self.counts != ABSENT
        return known

    def strangers(self, query_ids: Collection[str]) -> int:
        """How many of these queries the run names and the judgments lack."""
        if not query_ids or not len(self.unknown):
            return 0
        found = TextLookup(self.unknown).rows(ByteTexts.of(set(query_ids)))
        return int((found >= 0).sum())

    def query_ids(self, qrels: TextQrels, most: int) -> list[str]:
        """Ids of queries that the run names, this many where it has them: first those that the
        judgments know."""
        known = np.flatnonzero(self.known)[:most]
        return [*qrels.query_texts(known), *self.unknown.between(0, most - len(known)).to_list()]

    def passage_ids(self) -> list[str]:
        """Ids of the passages in :attr:`sample`, each once."""
        return list(dict.fromkeys(self.sample.to_list()))

    def returned(self, query_rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many passages these queries got."""
        return np.maximum(self.counts[query_rows], 0)

    def retrieved(self, query_rows: NDArray[np.int64], depth: int) -> Retrieved:
        """What these queries got in their first ``depth`` places."""
        ties = self.ties.within(depth, query_rows)
        return Retrieved(
            np.minimum(self.returned(query_rows), np.int32(depth)),
            self.hits.within(depth, query_rows),
            replace(ties, value=np.minimum(ties.value, depth - ties.place)),
        )


class _Sections:
    """The joined rows of parts, those at the edges between two parts put together.

    Attributes:
        joined: the rows, in order.
        named: the queries of each, with the number of the part that they begin in.
        sample: passage ids of the first rows.
    """

    def __init__(self, to: JoinTo) -> None:
        self._to = to
        self.joined: list[JoinedRows] = []
        self.named: list[NamedQueries] = []
        self.sample: list[ByteTexts] = []
        self._held: list[RowsByQuery] = []
        self._begun = 0

    def add(self, number: int, part: JoinedPart) -> None:
        """The rows of the next part."""
        if part.first is None:
            return
        if self._held and self._held[-1].query_ids[0] != part.first.query_ids[0]:
            self.close()
        self._hold(number, part.first)
        if part.last is not None:
            self.close()
            self._append(number, part.inner, part.sample)
            self._hold(number, part.last)

    def close(self) -> None:
        """Join the rows that are held: no more of their query follow."""
        if self._held:
            rows = self._held[0] if len(self._held) == 1 else RowsByQuery.of_one(self._held)
            joined = join_rows(rows, self._to)
            assert joined.passages is not None
            self._append(self._begun, replace(joined, passages=None), joined.passages)
        self._held = []

    def _hold(self, number: int, rows: RowsByQuery) -> None:
        if not self._held:
            self._begun = number
        self._held.append(rows)

    def _append(self, number: int, joined: JoinedRows, passages: ByteTexts) -> None:
        self.joined.append(joined)
        self.named.append(NamedQueries.of(number, joined))
        missing = MAX_SAMPLE - sum(map(len, self.sample))
        if missing > 0:
            self.sample.append(passages.between(0, missing))
