"""Blocks: a run and its judgments, looked up a block of queries at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset import Qrels
from ragscore.errors import DataError
from ragscore.judge.found import Found
from ragscore.judge.judged import Judged
from ragscore.judge.lookup import Lookup
from ragscore.judge.pool import JUDGED, OUTSIDE, PAD, UNJUDGED
from ragscore.run import Run

BLOCK = 1 << 18
"""Places judged at a time: few enough for a processor's cache, and memory grows with the block
and not with the queries."""


@dataclass(frozen=True)
class Asked:
    """What became of the queries that a run was asked.

    Attributes:
        missing: averaged queries that the run does not know.
        without_judgments: queries of the run that nobody judged.
        unanswerable: queries that were left out because they have no answer.
        answered_unanswerable: of these, something came back all the same.
        duplicates: passages that came back a second time for a query and were dropped.
    """

    missing: int
    without_judgments: int
    unanswerable: int
    answered_unanswerable: int
    duplicates: int


class Blocks:
    """Grade matrices of a run, one block of queries at a time: iterate to get the work of each
    block, call that to get its Judged. At least one block, perhaps empty.

    The queries are those of the qrels that have a judgment, in their order. One that the run
    lacks got nothing; results for queries without judgments are ignored.

    Args:
        run: over the passages of the qrels.
        qrels: the judgments.
        depth: number of ranks; by default the run's. A deeper one is computed as if nothing
            more came.
        leave_out: ids of queries that are not judged here (the unanswerable ones).
        missing: ``zero`` keeps a judged query that the run lacks, which then got nothing;
            ``drop`` leaves it out.
        n_passages: number of passages in the corpus, for the measures that need it.
        places: how many places (queries x depth) a block may have; None is one block.

    Raises:
        DataError: run and qrels are over different vocabularies.
    """

    def __init__(
        self,
        run: Run,
        qrels: Qrels,
        *,
        depth: int | None = None,
        leave_out: Collection[str] = (),
        missing: Literal["zero", "drop"] = "zero",
        n_passages: int | None = None,
        places: int | None = BLOCK,
    ) -> None:
        if not qrels.passages.starts_with(run.passages):
            raise DataError(
                f"the run '{run.name}' and the judgments number their passages differently",
                instead="Bring both onto one vocabulary first: run.onto(ids), qrels.onto(ids)",
            )
        self.depth = depth if depth is not None else run.depth
        self.recorded = min(run.depth, self.depth)
        """Ranks that the run really has."""
        self._run = run.cut(self.depth)
        self._qrels = qrels
        self._n_passages = n_passages
        self._largest = float(qrels.grades.max(initial=0.0))
        judged = qrels.judgments > 0
        left_out = [row for row in qrels.queries.rows(leave_out).tolist() if row >= 0]
        unanswerable = len(left_out)
        judged[left_out] = False
        self.query_rows: NDArray[np.int64] = np.flatnonzero(judged)
        self._run_rows = run.queries.rows_of(qrels.queries, self.query_rows)
        absent = self._run_rows < 0
        answered = run.returned_for(qrels.queries.texts(np.array(left_out, dtype=np.int64)))
        self.asked = Asked(
            missing=0 if missing == "drop" else int(absent.sum()),
            without_judgments=len(run)
            - int((~absent).sum())
            - sum(query_id in run.queries for query_id in leave_out),
            unanswerable=unanswerable,
            answered_unanswerable=int((answered > 0).sum()),
            duplicates=run.duplicates,
        )
        if missing == "drop":
            self.query_rows, self._run_rows = self.query_rows[~absent], self._run_rows[~absent]
        self._places = places

    @property
    def grades(self) -> NDArray[np.float64]:
        """The grades of all judgments."""
        return self._qrels.grades

    @property
    def query_ids(self) -> list[str]:
        """Ids of the queries, in the order of the blocks."""
        return self._qrels.queries.texts(self.query_rows)

    def __iter__(self) -> Iterator[Callable[[], Judged | Found]]:
        lookup = Lookup(self._qrels)
        count = len(self.query_rows)
        step = max(1, count if self._places is None else self._places // max(self.depth, 1))
        for start in range(0, max(count, 1), step):
            yield partial(self._judge, lookup, slice(start, start + step))

    def _judge(self, lookup: Lookup, block: slice) -> Judged | Found:
        query_rows, run_rows = self.query_rows[block], self._run_rows[block]
        rows = _taken(self._run.rows, run_rows, -1)
        row, place, judgment = lookup.hits(query_rows, rows)
        grade = self._qrels.grades[judgment]
        made = partial(self._judged, query_rows, run_rows, row, place, grade)
        found = Found.of(
            row,
            place,
            grade,
            depth=self.depth,
            query_rows=query_rows,
            ideal=self._ideal(query_rows),
            returned=_returned(rows),
            tied=self._tied(run_rows),
            n_passages=self._n_passages,
            largest_grade=self._largest,
            make_dense=made,
        )
        return made() if found is None else found

    def _judged(
        self,
        query_rows: NDArray[np.int64],
        run_rows: NDArray[np.int32],
        row: NDArray[np.int64],
        place: NDArray[np.int64],
        grade: NDArray[np.float64],
    ) -> Judged:
        """All ranks of some queries, with what was found at some places."""
        rows = _taken(self._run.rows, run_rows, -1)
        state = np.where(rows < 0, np.int8(PAD), np.int8(OUTSIDE))
        state[row, place] = np.where(grade < 0, np.int8(UNJUDGED), np.int8(JUDGED))
        grades = np.zeros(rows.shape)
        grades[row, place] = np.maximum(grade, 0.0)
        indptr, ideal = self._ideal(query_rows)
        scores = self._run.scores
        judged = Judged(
            query_rows=query_rows,
            grades=grades,
            state=state,
            ideal_indptr=indptr,
            ideal_grades=ideal,
            returned=_returned(rows),
            tie_start=_taken(self._run.tie_start, run_rows, None),
            scores=None if scores is None else _taken(scores, run_rows, np.nan),
            n_passages=self._n_passages,
            largest_grade=self._largest,
        )
        return judged.widened(self.depth)

    def _tied(self, run_rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """As :func:`~ragscore.judge.ties_across`, from the scores."""
        across = np.zeros(self.depth + 1, dtype=np.int64)
        scores, recorded = self._run.scores, self.recorded
        if scores is not None and recorded > 1:
            scores = _taken(scores, run_rows, np.nan)
            equal = scores[:, 1:] == scores[:, :-1]
            across[1:recorded] = np.count_nonzero(equal, axis=0)
            across[recorded] = across[recorded - 1]
        return across

    def _ideal(
        self, query_rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        all_indptr, all_grades = self._qrels.ideal
        starts = all_indptr[query_rows]
        lengths = all_indptr[query_rows + 1] - starts
        return np.append(0, np.cumsum(lengths)), all_grades[ranges(starts, lengths)]


def _returned(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Passages that each query got: int32[Q]."""
    if rows.size and rows.min() >= 0:
        return np.full(len(rows), rows.shape[1], dtype=np.int32)
    returned: NDArray[np.int32] = (rows >= 0).sum(axis=1, dtype=np.int32)
    return returned


def _taken(matrix: NDArray[Any], at: NDArray[np.int32], fill: float | None) -> NDArray[Any]:
    """The named rows; without copying where they stand together; ``fill`` for a row of -1,
    its own places where there is no fill."""
    if len(at) and at[0] >= 0 and (np.diff(at) == 1).all():
        return matrix[at[0] : at[-1] + 1]
    instead = np.arange(matrix.shape[1], dtype=matrix.dtype) if fill is None else fill
    if not len(matrix):
        return np.broadcast_to(instead, (len(at), matrix.shape[1])).astype(matrix.dtype)
    return np.where(at[:, None] >= 0, matrix[at], np.asarray(instead, dtype=matrix.dtype))


def judge(run: Run, qrels: Qrels, *, depth: int | None = None) -> Judged:
    """The grade matrix of all judged queries in one block; see :class:`Blocks`.

    >>> run = Run.from_dict({"q": ["b", "a"]})
    >>> judge(run, Qrels.from_dict({"q": {"a": 2}}, passages=run.passages)).grades
    array([[0., 2.]])
    """
    (only,) = Blocks(run, qrels, depth=depth, places=None)
    return only().dense()
