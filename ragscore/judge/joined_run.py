"""JoinedRun: a run after its join with the judgments.

It holds where judged passages and ties stand, never the run itself: its size goes with the
queries, the hits and the ties, not with what was returned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_qrels import TextQrels
from ragscore.judge.join import JoinedRows
from ragscore.judge.placed import Placed
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
        hits: the returned passages that the judgments name.
        ties: the groups of two and more equal scores.
        sample: passage ids of the first rows, at least :data:`MAX_SAMPLE` where there are so
            many, to say why none of them was judged.
    """

    name: str
    depth: int
    duplicates: int
    unknown: tuple[str, ...]
    counts: NDArray[np.int32]
    hits: Placed
    ties: Placed
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
        return cls(
            name=name,
            depth=max((piece.depth for piece in joined), default=0),
            duplicates=sum(piece.duplicates for piece in joined),
            unknown=tuple(unknown),
            counts=counts,
            hits=Placed.concatenated([piece.hits for piece in joined]),
            ties=Placed.concatenated([piece.ties for piece in joined]),
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
        ties = self.ties.within(depth, query_rows)
        return Retrieved(
            np.minimum(self.returned(query_rows), np.int32(depth)),
            self.hits.within(depth, query_rows),
            replace(ties, value=np.minimum(ties.value, depth - ties.place)),
        )
