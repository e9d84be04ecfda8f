"""JoinedRun: a run after its join with the judgments.

It holds where judged passages and ties stand, never the run itself: its size goes with the
queries, the hits and the ties, not with what was returned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_qrels import TextQrels
from ragscore.judge.join import JoinedRows
from ragscore.judge.retrieved import Retrieved

ABSENT = -1
MAX_SAMPLE = 50_000
"""At least so many rows keep their passage ids, where a run has as many."""


class SplitQueryError(Exception):
    """A query's rows are in more than one piece. Never leaves this package or the readers."""


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """Per query of the judgments what a run returned for it, as far as measures ask.

    Attributes:
        name: the retriever's name.
        depth: most passages that any query got, duplicates and unknown queries included.
        duplicates: passages that came back a second time for a query, and were dropped.
        unknown: ids of the run's queries that the judgments lack.
        counts: int32[Q], by row of the judgments: passages that came back, -1 where the run
            lacks the query.
        hit_query, hit_place, hit_grade: int64[h], int32[h], float64[h], by query and place:
            each returned passage that the judgments name, with its place from 0.
        tie_query, tie_start, tie_length: int64[t], int32[t], int32[t], by query: the groups of
            two and more equal scores.
        sample: passage ids of the first rows, at least :data:`MAX_SAMPLE` where there are so
            many, to say why none of them was judged.
    """

    name: str
    depth: int
    duplicates: int
    unknown: tuple[str, ...]
    counts: NDArray[np.int32]
    hit_query: NDArray[np.int64]
    hit_place: NDArray[np.int32]
    hit_grade: NDArray[np.float64]
    tie_query: NDArray[np.int64]
    tie_start: NDArray[np.int32]
    tie_length: NDArray[np.int32]
    sample: tuple[ByteTexts, ...] = ()

    @classmethod
    def of(cls, pieces: Iterable[JoinedRows], qrels: TextQrels, *, name: str) -> JoinedRun:
        """The run whose pieces these are.

        Raises:
            SplitQueryError: two pieces hold rows of the same query.
        """
        joined: list[JoinedRows] = []
        sample: list[ByteTexts] = []
        unknown: dict[str, None] = {}
        counts = np.full(len(qrels.query_ids), ABSENT, dtype=np.int32)
        for piece in pieces:
            if (counts[piece.query_rows] != ABSENT).any() or not unknown.keys().isdisjoint(
                piece.unknown
            ):
                raise SplitQueryError
            counts[piece.query_rows] = piece.returned
            unknown.update(dict.fromkeys(piece.unknown))
            if piece.passages is not None and sum(map(len, sample)) < MAX_SAMPLE:
                sample.append(piece.passages)
            joined.append(replace(piece, passages=None))

        def column(name: str) -> NDArray[Any]:
            columns = [getattr(piece, name) for piece in joined]
            return np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)

        hit_query, hit_place, tie_query = map(column, ("hit_query", "hit_place", "tie_query"))
        hits = np.lexsort((hit_place, hit_query))
        ties = np.argsort(tie_query, kind="stable")
        return cls(
            name=name,
            depth=max((piece.depth for piece in joined), default=0),
            duplicates=sum(piece.duplicates for piece in joined),
            unknown=tuple(unknown),
            counts=counts,
            hit_query=hit_query[hits],
            hit_place=hit_place[hits],
            hit_grade=qrels.grades[column("hit_judgment")[hits]],
            tie_query=tie_query[ties],
            tie_start=column("tie_start")[ties],
            tie_length=column("tie_length")[ties],
            sample=tuple(sample),
        )

    def __len__(self) -> int:
        return int((self.counts != ABSENT).sum()) + len(self.unknown)

    def __repr__(self) -> str:
        return f"JoinedRun({self.name!r}: {len(self):,} queries, depth {self.depth})"

    def with_queries(self, query_ids: ByteTexts, qrels: TextQrels) -> JoinedRun:
        """The same, with queries that got nothing added where it lacks them."""
        rows = qrels.rows_of(query_ids)
        counts = self.counts.copy()
        counts[rows[rows >= 0]] = np.maximum(counts[rows[rows >= 0]], 0)
        unknown = [*self.unknown, *query_ids.take(np.flatnonzero(rows < 0)).to_list()]
        return replace(self, counts=counts, unknown=tuple(dict.fromkeys(unknown)))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which queries of the judgments the run names."""
        known: NDArray[np.bool_] = self.counts != ABSENT
        return known

    def strangers(self, query_ids: Collection[str]) -> int:
        """How many of these queries the run names and the judgments lack."""
        return len(set(self.unknown).intersection(query_ids)) if query_ids else 0

    def query_ids(self, qrels: TextQrels) -> list[str]:
        """Ids of all queries that the run names: first those that the judgments know."""
        return [*qrels.query_texts(np.flatnonzero(self.known)), *self.unknown]

    def passage_ids(self) -> list[str]:
        """Ids of the passages in :attr:`sample`, each once."""
        return list(dict.fromkeys(text for texts in self.sample for text in texts.to_list()))

    def returned(self, query_rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many passages these queries got."""
        return np.maximum(self.counts[query_rows], 0)

    def retrieved(self, query_rows: NDArray[np.int64], depth: int) -> Retrieved:
        """What these queries got in their first ``depth`` places."""
        hits = _within(depth, query_rows, self.hit_query, self.hit_place)
        ties = _within(depth, query_rows, self.tie_query, self.tie_start)
        tie_start = self.tie_start[ties].astype(np.int64)
        return Retrieved(
            np.minimum(self.returned(query_rows), np.int32(depth)),
            np.searchsorted(query_rows, self.hit_query[hits]),
            self.hit_place[hits].astype(np.int64),
            self.hit_grade[hits],
            np.searchsorted(query_rows, self.tie_query[ties]),
            tie_start,
            np.minimum(self.tie_length[ties], depth - tie_start),
        )


def _within(
    depth: int, query_rows: NDArray[np.int64], query_of: NDArray[np.int64], place: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Those of sorted entries that are of these queries and in their first places."""
    if not len(query_rows):
        return np.empty(0, dtype=np.int64)
    first = np.searchsorted(query_of, query_rows[0], "left")
    last = np.searchsorted(query_of, query_rows[-1], "right")
    here = slice(first, last)
    kept = place[here] < depth
    if len(query_rows) != query_rows[-1] - query_rows[0] + 1:
        at = np.searchsorted(query_rows, query_of[here])
        kept &= query_rows[at] == query_of[here]
    within: NDArray[np.int64] = np.flatnonzero(kept) + first
    return within
