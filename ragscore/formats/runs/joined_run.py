"""JoinedRun: a run file after its join with the qrels, and the judged blocks it gives.

It holds where judged passages and ties stand, never the run itself: its size goes with the
queries, the hits and the ties, not with what was returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.formats.datasets.qrels_columns import QrelsColumns
from ragscore.formats.reading.texts import Texts
from ragscore.formats.runs.join_rows import Part
from ragscore.judge import BLOCK, JUDGED, OUTSIDE, PAD, UNJUDGED, Asked, Found, Judged

ABSENT = -1


class SplitQueryError(Exception):
    """A query's lines are in more than one part. Never leaves this package."""


@dataclass(frozen=True, eq=False)
class JoinedRun:
    """Per query of the qrels what a run returned for it, as far as measures ask.

    Attributes:
        name: the retriever's name.
        qrels: the judgments it was joined with.
        depth: most passages that any query got, duplicates and unknown queries included.
        duplicates: passages that came back a second time for a query, and were dropped.
        unknown: ids of the run's queries that the qrels lack.
        returned: int32[Q], by row of the qrels: passages that came back, -1 where the run lacks
            the query.
        hit_query, hit_place, hit_grade: by row of the qrels, rank from 0, and grade: each
            returned passage that the qrels name, ordered by query.
        tie_query, tie_start, tie_length: groups of two and more equal scores, ordered by query.
    """

    name: str
    qrels: QrelsColumns
    depth: int
    duplicates: int
    unknown: frozenset[str]
    returned: NDArray[np.int32]
    hit_query: NDArray[np.int64]
    hit_place: NDArray[np.int32]
    hit_grade: NDArray[np.float64]
    tie_query: NDArray[np.int64]
    tie_start: NDArray[np.int32]
    tie_length: NDArray[np.int32]

    @classmethod
    def of(cls, parts: Iterable[Part], qrels: QrelsColumns, *, name: str) -> JoinedRun:
        """The run whose parts these are.

        Raises:
            SplitQueryError: two parts hold rows of the same query.
        """
        kept: list[Part] = []
        unknown: set[str] = set()
        returned = np.full(len(qrels.query_ids), ABSENT, dtype=np.int32)
        for part in parts:
            if (returned[part.query_rows] != ABSENT).any() or not unknown.isdisjoint(part.unknown):
                raise SplitQueryError
            returned[part.query_rows] = part.returned
            unknown.update(part.unknown)
            kept.append(part)

        def column(name: str) -> NDArray[Any]:
            columns = [getattr(part, name) for part in kept]
            return np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)

        hit_query, tie_query = column("hit_query"), column("tie_query")
        hits, ties = (np.argsort(of, kind="stable") for of in (hit_query, tie_query))
        return cls(
            name=name,
            qrels=qrels,
            depth=max((part.depth for part in kept), default=0),
            duplicates=sum(part.duplicates for part in kept),
            unknown=frozenset(unknown),
            returned=returned,
            hit_query=hit_query[hits],
            hit_place=column("hit_place")[hits],
            hit_grade=qrels.grades[column("hit_judgment")[hits]],
            tie_query=tie_query[ties],
            tie_start=column("tie_start")[ties],
            tie_length=column("tie_length")[ties],
        )

    def __len__(self) -> int:
        return int((self.returned != ABSENT).sum()) + len(self.unknown)

    def __repr__(self) -> str:
        return f"JoinedRun({self.name!r}: {len(self):,} queries, depth {self.depth})"

    def with_queries(self, query_ids: Texts) -> JoinedRun:
        """The same, with queries that got nothing added where it lacks them."""
        rows = self.qrels.of_kind(type(query_ids)).rows_of(query_ids)
        returned = self.returned.copy()
        returned[rows[rows >= 0]] = np.maximum(returned[rows[rows >= 0]], 0)
        unknown = self.unknown.union(query_ids.take(np.flatnonzero(rows < 0)).to_list())
        return replace(self, returned=returned, unknown=unknown)


class JoinedBlocks:
    """Grade matrices of a joined run: what :class:`~ragscore.judge.Blocks` gives for the run and
    qrels themselves, without the scores.

    Args:
        run: the joined run.
        depth: number of ranks; by default those recorded.
        recorded: look at this many passages of each query; by default at all.
        leave_out: ids of queries that are not judged here (the unanswerable ones).
        missing: ``zero`` keeps a judged query that the run lacks; ``drop`` leaves it out.
        n_passages: number of passages in the corpus, for the measures that need it.
        places: how many places (queries x depth) a block may have; None is one block.
    """

    def __init__(
        self,
        run: JoinedRun,
        *,
        depth: int | None = None,
        recorded: int | None = None,
        leave_out: Collection[str] = (),
        missing: Literal["zero", "drop"] = "zero",
        n_passages: int | None = None,
        places: int | None = BLOCK,
    ) -> None:
        self.recorded = run.depth if recorded is None else min(recorded, run.depth)
        self.depth = depth if depth is not None else self.recorded
        self.recorded = min(self.recorded, self.depth)
        self._run = run
        self._n_passages = n_passages
        self._places = places
        qrels = run.qrels
        self._largest = float(qrels.grades.max(initial=0.0))
        judged = qrels.judgments > 0
        rows = qrels.rows_of_ids(leave_out)
        unanswerable = len(rows)
        judged[rows] = False
        absent = run.returned == ABSENT
        averaged = judged if missing == "zero" else judged & ~absent
        self.query_rows: NDArray[np.int64] = np.flatnonzero(averaged)
        known_left_out = sum(query_id in run.unknown for query_id in leave_out)
        self.asked = Asked(
            missing=int((averaged & absent).sum()),
            without_judgments=len(run.unknown)
            - known_left_out
            + int((~absent).sum())
            - int((judged & ~absent).sum())
            - int((~absent[rows]).sum()),
            unanswerable=unanswerable,
            answered_unanswerable=int((run.returned[rows] > 0).sum()),
            duplicates=run.duplicates,
        )

    @property
    def grades(self) -> NDArray[np.float64]:
        """The grades of all judgments."""
        return self._run.qrels.grades

    @property
    def query_ids(self) -> list[str]:
        """Ids of the queries, in the order of the blocks."""
        return self._run.qrels.query_ids.take(self.query_rows).to_list()

    def __iter__(self) -> Iterator[Callable[[], Judged | Found]]:
        count = len(self.query_rows)
        step = max(1, count if self._places is None else self._places // max(self.depth, 1))
        for start in range(0, max(count, 1), step):
            yield partial(self._found, self.query_rows[start : start + step])

    def _found(self, query_rows: NDArray[np.int64]) -> Judged | Found:
        row, place, grade = self._hits(query_rows)
        by_rank = np.lexsort((place, row))
        found = Found.of(
            row[by_rank],
            place[by_rank],
            grade[by_rank],
            depth=self.depth,
            query_rows=query_rows,
            ideal=self._ideal(query_rows),
            returned=self._returned(query_rows),
            tied=self._tied(query_rows),
            n_passages=self._n_passages,
            largest_grade=self._largest,
            make_dense=partial(self._judged, query_rows),
        )
        return self._judged(query_rows) if found is None else found

    def _hits(
        self, query_rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Row here, place and grade of each returned passage that the qrels name."""
        run = self._run
        hits = self._within(query_rows, run.hit_query, run.hit_place)
        row = np.searchsorted(query_rows, run.hit_query[hits])
        return row, run.hit_place[hits].astype(np.int64), run.hit_grade[hits]

    def _returned(self, query_rows: NDArray[np.int64]) -> NDArray[np.int32]:
        return np.clip(self._run.returned[query_rows], 0, self.recorded)

    def _tied(self, query_rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """As :func:`~ragscore.judge.ties_across`, from the tie groups."""
        run = self._run
        ties = self._within(query_rows, run.tie_query, run.tie_start)
        starts = run.tie_start[ties].astype(np.int64)
        ends = np.minimum(starts + run.tie_length[ties], self.recorded)
        edges = np.zeros(self.depth + 2, dtype=np.int64)
        np.add.at(edges, starts + 1, 1)
        np.add.at(edges, ends, -1)
        across = np.cumsum(edges)[: self.depth + 1]
        across[self.recorded] = across[self.recorded - 1] if self.recorded else 0
        return across

    def _judged(self, query_rows: NDArray[np.int64]) -> Judged:
        shape = (len(query_rows), self.depth)
        places = np.arange(self.depth, dtype=np.int32)
        returned = self._returned(query_rows)
        state = np.where(places < returned[:, None], np.int8(OUTSIDE), np.int8(PAD))
        grades = np.zeros(shape)
        row, place, grade = self._hits(query_rows)
        state[row, place] = np.where(grade < 0, np.int8(UNJUDGED), np.int8(JUDGED))
        grades[row, place] = np.maximum(grade, 0.0)
        indptr, ideal = self._ideal(query_rows)
        return Judged(
            query_rows=query_rows,
            grades=grades,
            state=state,
            ideal_indptr=indptr,
            ideal_grades=ideal,
            returned=returned,
            tie_start=self._tie_start(query_rows, places),
            n_passages=self._n_passages,
            largest_grade=self._largest,
        )

    def _within(
        self,
        query_rows: NDArray[np.int64],
        query_of: NDArray[np.int64],
        place: NDArray[np.int32],
    ) -> NDArray[np.int64]:
        """Those of sorted entries that are of these queries and within the recorded ranks."""
        if not len(query_rows):
            return np.empty(0, dtype=np.int64)
        first = np.searchsorted(query_of, query_rows[0], "left")
        last = np.searchsorted(query_of, query_rows[-1], "right")
        here = slice(first, last)
        kept = place[here] < self.recorded
        if len(query_rows) != query_rows[-1] - query_rows[0] + 1:
            at = np.searchsorted(query_rows, query_of[here])
            kept &= query_rows[at] == query_of[here]
        within: NDArray[np.int64] = np.flatnonzero(kept) + first
        return within

    def _tie_start(
        self, query_rows: NDArray[np.int64], places: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        own = np.broadcast_to(places, (len(query_rows), self.depth))
        run = self._run
        ties = self._within(query_rows, run.tie_query, run.tie_start)
        if not len(ties):
            return own
        starts = run.tie_start[ties]
        lengths = np.minimum(run.tie_length[ties], self.recorded - starts)
        rows = np.searchsorted(query_rows, run.tie_query[ties])
        tie_start = own.copy()
        at = ranges(rows * self.depth + starts, lengths)
        tie_start.reshape(-1)[at] = np.repeat(starts, lengths)
        return tie_start

    def _ideal(
        self, query_rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        all_indptr, all_grades = self._run.qrels.ideal
        starts = all_indptr[query_rows]
        lengths = all_indptr[query_rows + 1] - starts
        return np.append(0, np.cumsum(lengths)), all_grades[ranges(starts, lengths)]
