"""judge(run, qrels) -> Judged: the only place where a returned passage meets a judgment.

What comes out is a matrix of grades. Measures read it and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.errors import DataError
from ragscore.run import Run

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PAD, OUTSIDE, UNJUDGED, JUDGED = range(4)
"""States of a place: nothing returned; a passage outside the pool; in the pool but not judged
(a negative grade); judged."""

BLOCK = 1 << 20
"""Places judged at a time, so that memory grows with the block and not with the queries."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Grades in rank order for one block of Q queries.

    Attributes:
        query_rows: int64[Q], the rows of these queries in the qrels.
        grades: float64[Q, depth], the grade at each rank, 0 where there is none.
        state: int8[Q, depth], one of PAD, OUTSIDE, UNJUDGED, JUDGED.
        ideal_indptr: int64[Q + 1], where each query's judged grades begin in ``ideal_grades``.
        ideal_grades: float64[n], all judged grades of each query, best first, never cut at depth.
        returned: int32[Q], how many passages each query got.
        tie_start: int32[Q, depth], first place (from 0) of the tie group of each place.
        scores: float64[Q, depth] or None, NaN where nothing was returned.
    """

    query_rows: NDArray[np.int64]
    grades: NDArray[np.float64]
    state: NDArray[np.int8]
    ideal_indptr: NDArray[np.int64]
    ideal_grades: NDArray[np.float64]
    returned: NDArray[np.int32]
    tie_start: NDArray[np.int32]
    scores: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.query_rows)

    @property
    def depth(self) -> int:
        """Number of ranks."""
        return int(self.grades.shape[1])

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """1, 2, ..., depth as float64[depth]."""
        return np.arange(1, self.depth + 1, dtype=np.float64)

    def relevant(self, relevant_from: float = 1.0) -> NDArray[np.bool_]:
        """Which places hold a relevant passage: bool[Q, depth]. Only judged passages can be."""
        relevant: NDArray[np.bool_] = (self.grades >= relevant_from) & (self.state == JUDGED)
        return relevant

    def hits(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of relevant passages in the top k, for each k: float64[Q, depth]."""
        return np.cumsum(self.relevant(relevant_from), axis=1, dtype=np.float64)

    def n_relevant(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """R, the number of relevant passages of each query, returned or not: float64[Q]."""
        return self._per_query(self.ideal_grades >= relevant_from)

    def n_nonrelevant(self, relevant_from: float = 1.0) -> NDArray[np.float64]:
        """Number of passages of each query that are judged and not relevant: float64[Q]."""
        return self._per_query(self.ideal_grades < relevant_from)

    @cached_property
    def ideal_place(self) -> NDArray[np.int64]:
        """Place (from 0) of each entry of ``ideal_grades`` within its query: int64[n]."""
        lengths = np.diff(self.ideal_indptr)
        return np.arange(len(self.ideal_grades)) - np.repeat(self.ideal_indptr[:-1], lengths)

    @cached_property
    def ideal_query(self) -> NDArray[np.int64]:
        """Row of each entry of ``ideal_grades`` in this block: int64[n]."""
        return np.repeat(np.arange(len(self)), np.diff(self.ideal_indptr))

    def ideal_matrix(self) -> NDArray[np.float64]:
        """The first ``depth`` ideal grades of each query, 0 past the last: float64[Q, depth]."""
        matrix = np.zeros(self.grades.shape)
        kept = self.ideal_place < self.depth
        matrix[self.ideal_query[kept], self.ideal_place[kept]] = self.ideal_grades[kept]
        return matrix

    def _per_query(self, counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(self.ideal_query[counted], minlength=len(self)).astype(np.float64)


def judge(run: Run, qrels: Qrels, *, depth: int | None = None) -> Judged:
    """The grade matrix of all judged queries in one block; see :func:`judge_blocks`.

    >>> run = Run.from_dict({"q": ["b", "a"]})
    >>> judge(run, Qrels.from_dict({"q": {"a": 2}}, passages=run.passages)).grades
    array([[0., 2.]])
    """
    return next(judge_blocks(run, qrels, depth=depth, places=None))


def judge_blocks(
    run: Run,
    qrels: Qrels,
    *,
    depth: int | None = None,
    leave_out: Collection[str] = (),
    places: int | None = BLOCK,
) -> Iterator[Judged]:
    """Grade matrices, one block of queries at a time; at least one block, perhaps empty.

    The queries are those of the qrels that have a judgment, in their order. One that the run
    lacks got nothing; results for queries without judgments are ignored.

    Args:
        run: over the passages of the qrels.
        qrels: the judgments.
        depth: number of ranks; by default the run's. A deeper one is computed as if nothing
            more came.
        leave_out: ids of queries that are not judged here (the unanswerable ones).
        places: how many places (queries x depth) a block may have; None is one block.

    Raises:
        DataError: run and qrels are over different vocabularies.
    """
    if not qrels.passages.starts_with(run.passages):
        raise DataError(
            f"the run '{run.name}' and the judgments number their passages differently",
            instead="Bring both onto one vocabulary first: run.onto(ids), qrels.onto(ids)",
        )
    wide = depth if depth is not None else run.depth
    run = run.cut(wide)
    judged = qrels.judgments > 0
    if leave_out:
        judged[[row for row in qrels.queries.rows(leave_out).tolist() if row >= 0]] = False
    query_rows = np.flatnonzero(judged)
    run_rows = run.queries.rows(qrels.queries[int(row)] for row in query_rows)
    positions = _positions(qrels)
    step = len(query_rows) if places is None else max(1, places // max(wide, 1))
    for start in range(0, max(len(query_rows), 1), max(step, 1)):
        block = slice(start, start + step)
        yield _judge_block(run, qrels, positions, query_rows[block], run_rows[block], wide)


def _positions(qrels: Qrels) -> csr_matrix:
    """A sparse [queries, passages] matrix of 1 + the place of each judgment in ``qrels.grades``,
    so that 0 can only mean that there is no judgment."""
    from scipy.sparse import csr_matrix

    places = np.arange(1, len(qrels) + 1, dtype=np.int64)
    shape = (len(qrels.queries), max(len(qrels.passages), 1))
    return csr_matrix((places, qrels.rows, qrels.indptr), shape=shape)


def _judge_block(
    run: Run,
    qrels: Qrels,
    positions: csr_matrix,
    query_rows: NDArray[np.int64],
    run_rows: NDArray[np.int32],
    depth: int,
) -> Judged:
    shape = (len(query_rows), run.depth)
    here = run_rows[:, None] >= 0
    rows = np.where(here, run.rows[run_rows], np.int32(-1)) if len(run) else np.full(shape, -1)
    found = np.zeros(shape, dtype=np.int64)
    if rows.size:
        queries = np.broadcast_to(query_rows[:, None], shape)
        # Pads look up passage 0; the state below overrules what they find.
        looked_up = positions[queries.ravel(), np.maximum(rows, 0).ravel()]
        found = np.asarray(looked_up, dtype=np.int64).reshape(shape)
    grades = np.append(0.0, qrels.grades)[found]
    state = np.where(found > 0, np.int8(JUDGED), np.int8(OUTSIDE))
    state[grades < 0] = UNJUDGED
    state[rows < 0] = PAD
    grades[state != JUDGED] = 0.0
    tie_start = run.tie_start[run_rows] if len(run) else np.zeros(shape, dtype=np.int32)
    scores = run.scores
    if scores is not None:
        scores = np.where(here, scores[run_rows], np.nan) if len(run) else np.zeros(shape)
    more = depth - run.depth
    if more > 0:
        wider = ((0, 0), (0, more))
        grades, state = np.pad(grades, wider), np.pad(state, wider, constant_values=PAD)
        scores = None if scores is None else np.pad(scores, wider, constant_values=np.nan)
        places = np.broadcast_to(np.arange(run.depth, depth, dtype=np.int32), (shape[0], more))
        tie_start = np.concatenate([tie_start, places], axis=1)
    all_indptr, all_grades = qrels.ideal
    starts, lengths = all_indptr[query_rows], np.diff(all_indptr)[query_rows]
    ideal_indptr = np.append(0, np.cumsum(lengths))
    take = np.arange(ideal_indptr[-1]) + np.repeat(starts - ideal_indptr[:-1], lengths)
    return Judged(
        query_rows=query_rows,
        grades=grades,
        state=state,
        ideal_indptr=ideal_indptr,
        ideal_grades=all_grades[take],
        returned=(rows >= 0).sum(axis=1, dtype=np.int32),
        tie_start=tie_start,
        scores=scores,
    )
