"""Blocks: a run and its judgments, as grade matrices of a block of queries at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset import Qrels
from ragscore.dataset.text_qrels import TextQrels
from ragscore.judge.covered import CoveredNeeds
from ragscore.judge.found import Found
from ragscore.judge.joined_run import JoinedRun
from ragscore.judge.judged import Judged
from ragscore.judge.pool import JUDGED, OUTSIDE, PAD, REPEATED, UNJUDGED
from ragscore.judge.retrieved import Answers, Retrieved, RunInMemory
from ragscore.judge.ties import across_cutoffs
from ragscore.run import Run

At = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Row and column of each returned passage that the judgments name."""
BLOCK = 1 << 18
"""Places judged at a time: few enough for a processor's cache, and memory grows with the block
and not with the queries."""
MIN_SHRINK = 4
"""A block holds the found passages alone where this many columns or more become one."""


@dataclass(frozen=True)
class QueryCounts:
    """What became of the queries of a run and of the judgments.

    Attributes:
        missing: averaged queries that the run does not know.
        without_judgments: queries of the run that nobody judged.
        unanswerable: queries that were left out because they have no answer.
        answered_unanswerable: of these, something came back all the same.
        duplicates: passages that came back a second time for a query and were dropped.
        dropped: judged queries that were left out because the run does not know them.
        failed: of the averaged queries, those that failed; also where their values are left out.
    """

    missing: int
    without_judgments: int
    unanswerable: int
    answered_unanswerable: int
    duplicates: int
    dropped: int
    failed: int = 0


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Judged queries that have no values, since the retriever failed them.

    Attributes:
        places: int64[n], before which of the queries of the blocks each stands.
        query_ids: their ids.
        judge: the work of a block of them alone, for what their judgments say.
    """

    places: NDArray[np.int64]
    query_ids: list[str]
    judge: Callable[[], Judged | Found]


class Blocks:
    """Grade matrices of a run, one block of queries at a time: iterate to get the work of each
    block, call that to get its Judged. At least one block, perhaps empty.

    The queries are those of the qrels that have a judgment, in their order. One that the run
    lacks got nothing; results for queries without judgments are ignored. Queries that failed are
    not among the blocks where the run leaves them out: see :attr:`left_out`.

    Args:
        run: over the passages of the qrels; or a run that was joined with them already.
        qrels: the judgments; those that a joined run was joined with.
        depth: number of ranks; by default those recorded. A deeper one is computed as if
            nothing more came.
        recorded: look at this many passages of each query; by default at all, to ``depth``.
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
        run: Run | JoinedRun,
        qrels: Qrels | TextQrels,
        *,
        depth: int | None = None,
        recorded: int | None = None,
        leave_out: Collection[str] = (),
        missing: Literal["zero", "drop"] = "zero",
        n_passages: int | None = None,
        places: int | None = BLOCK,
    ) -> None:
        self._answers = answers = _answers(run, qrels)
        recorded = answers.depth if recorded is None else min(recorded, answers.depth)
        self.depth = recorded if depth is None else depth
        self.recorded = min(recorded, self.depth)
        """Ranks that the run really has."""
        self._qrels = qrels
        self._n_passages = n_passages
        self._places = places
        self._largest = float(qrels.grades.max(initial=0.0))
        known, left_out = answers.known, qrels.query_rows(leave_out)
        judged = judged_queries(qrels, left_out)
        averaged = judged if missing == "zero" else judged & known
        failed = np.empty(0, dtype=np.int64)
        if isinstance(run, Run) and run.failures:
            failed = qrels.query_rows(run.failed_queries)
            failed = np.sort(failed[averaged[failed]])
        leaves_out = isinstance(run, Run) and run.leaves_out
        self._no_value = failed if leaves_out else failed[:0]
        with_value = averaged.copy()
        with_value[self._no_value] = False
        self.query_rows: NDArray[np.int64] = np.flatnonzero(with_value)
        self.query_counts = QueryCounts(
            missing=int((averaged & ~known).sum()),
            without_judgments=len(answers)
            - int((judged & known).sum())
            - int(known[left_out].sum())
            - answers.strangers(leave_out),
            unanswerable=len(left_out),
            answered_unanswerable=int((answers.returned(left_out) > 0).sum()),
            duplicates=answers.duplicates,
            dropped=int((judged & ~averaged).sum()),
            failed=len(failed),
        )

    @property
    def tied(self) -> NDArray[np.int64] | None:
        """By cutoff from 0, the queries with a tie across it: int64[depth + 1]; None if each
        block says that of its own."""
        if not isinstance(self._answers, JoinedRun) or self._answers.tied is None:
            return None
        counted = self._answers.tied[: self.recorded]
        across = np.zeros(self.depth + 1, dtype=np.int64)
        across[: len(counted)] = counted
        across[self.recorded] = across[self.recorded - 1] if self.recorded else 0
        return across

    @property
    def whole(self) -> bool:
        """Whether every passage is judged, though few of them are named: evidence in documents says
        of each whether it holds some."""
        return isinstance(self._qrels, Qrels) and self._qrels.spans is not None

    @property
    def grades(self) -> NDArray[np.float64]:
        """The grades of all judgments."""
        return self._qrels.grades

    @property
    def query_ids(self) -> list[str]:
        """Ids of the queries, in the order of the blocks."""
        return self._qrels.query_texts(self.query_rows)

    @property
    def left_out(self) -> LeftOut | None:
        """The judged queries that failed and that the run leaves out; None if there is none."""
        rows = self._no_value
        if not len(rows):
            return None
        return LeftOut(
            np.searchsorted(self.query_rows, rows),
            self._qrels.query_texts(rows),
            partial(self._block, rows),
        )

    def __iter__(self) -> Iterator[Callable[[], Judged | Found]]:
        count = len(self.query_rows)
        step = max(1, count if self._places is None else self._places // max(self.depth, 1))
        for start in range(0, max(count, 1), step):
            yield partial(self._block, self.query_rows[start : start + step])

    def _block(self, query_rows: NDArray[np.int64]) -> Judged | Found:
        retrieved = self._answers.retrieved(query_rows, self.recorded)
        counts = np.bincount(retrieved.hits.query, minlength=len(query_rows))
        if int(counts.max(initial=0)) * MIN_SHRINK > self.depth:
            return self._judged(query_rows, retrieved)
        return self._found(query_rows, retrieved, counts)

    def _found(
        self, query_rows: NDArray[np.int64], retrieved: Retrieved, counts: NDArray[np.int64]
    ) -> Found:
        """The found passages of some queries, of which each has this many."""
        shape = (len(query_rows), int(counts.max(initial=0)))
        before = np.repeat(np.cumsum(counts) - counts, counts)
        at = (retrieved.hits.query, np.arange(len(retrieved.hits.query)) - before)
        ranks = np.full(shape, self.depth + 1.0)
        ranks[at] = retrieved.hits.place + 1.0
        indptr, ideal = self._qrels.ideal_of(query_rows)
        needs = self._covered(query_rows, retrieved, at, shape)
        return Found(
            query_rows=query_rows,
            grades=_grades(shape, at, retrieved) if needs is None else needs.counted(),
            state=_states(np.full(shape, PAD, dtype=np.int8), at, retrieved),
            ideal_indptr=indptr,
            ideal_grades=ideal,
            returned=retrieved.returned,
            n_passages=self._n_passages,
            largest_grade=self._largest,
            depth=self.depth,
            ranks=ranks,
            tied=self._tied(retrieved),
            make_dense=partial(self._judged, query_rows, retrieved),
            needs=needs,
            repeats=retrieved.repeats is not None and bool(retrieved.repeats.any()),
        )

    def _covered(
        self,
        query_rows: NDArray[np.int64],
        retrieved: Retrieved,
        at: At,
        shape: tuple[int, int],
    ) -> CoveredNeeds | None:
        """Which needs the found passages cover; None if none are shared."""
        if retrieved.judgments is None:
            return None
        assert isinstance(self._qrels, Qrels)
        return CoveredNeeds.of(self._qrels, query_rows, at, retrieved.judgments, shape)

    def _judged(self, query_rows: NDArray[np.int64], retrieved: Retrieved) -> Judged:
        """All ranks of some queries."""
        places = np.arange(self.depth, dtype=np.int32)
        at = (retrieved.hits.query, retrieved.hits.place)
        state = np.where(places < retrieved.returned[:, None], np.int8(OUTSIDE), np.int8(PAD))
        if retrieved.repeats is not None:
            state[:, : retrieved.repeats.shape[1]][retrieved.repeats] = REPEATED
        indptr, ideal = self._qrels.ideal_of(query_rows)
        needs = self._covered(query_rows, retrieved, at, (len(query_rows), self.depth))
        rows = self._passage_rows(retrieved)
        return Judged(
            query_rows=query_rows,
            grades=_grades(state.shape, at, retrieved) if needs is None else needs.counted(),
            state=_states(state, at, retrieved),
            ideal_indptr=indptr,
            ideal_grades=ideal,
            returned=retrieved.returned,
            tie_start=_tie_start(retrieved, np.broadcast_to(places, state.shape)),
            forbidden=self._forbidden(query_rows, rows),
            n_passages=self._n_passages,
            largest_grade=self._largest,
            needs=needs,
            rows=rows,
            spans=getattr(self._qrels, "spans", None),
            repeats=retrieved.repeats is not None and bool(retrieved.repeats.any()),
        )

    def _passage_rows(self, retrieved: Retrieved) -> NDArray[np.int32] | None:
        """The rows of what came back, [Q, depth], for measures that read where passages stand."""
        if retrieved.rows is None:
            return None
        more = self.depth - retrieved.rows.shape[1]
        return np.pad(retrieved.rows, ((0, 0), (0, more)), constant_values=-1)

    def _forbidden(
        self, query_rows: NDArray[np.int64], rows: NDArray[np.int32] | None
    ) -> NDArray[np.bool_] | None:
        """Which places have a passage that must not come back, [Q, depth]."""
        forbidden = self._qrels.forbidding if isinstance(self._qrels, Qrels) else None
        return None if forbidden is None or rows is None else forbidden.flags(query_rows, rows)

    def _tied(self, retrieved: Retrieved) -> NDArray[np.int64]:
        """As :func:`~ragscore.judge.ties_across`, from the tie groups."""
        across = np.zeros(self.depth + 1, dtype=np.int64)
        counted = across_cutoffs(retrieved.ties.place, retrieved.ties.value)
        across[: len(counted)] = counted
        across[self.recorded] = across[self.recorded - 1] if self.recorded else 0
        return across


def judged_queries(qrels: Qrels | TextQrels, left_out: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which queries have a judgment, but for those in some rows: bool[Q]."""
    judged = qrels.judged.copy()
    judged[left_out] = False
    return judged


def _answers(run: Run | JoinedRun, qrels: Qrels | TextQrels) -> Answers:
    if isinstance(run, JoinedRun):
        return run
    assert isinstance(qrels, Qrels)
    return RunInMemory(run, qrels)


def _grades(shape: tuple[int, ...], at: At, retrieved: Retrieved) -> NDArray[np.float64]:
    """The grades in their places, 0 if there is none."""
    grades = np.zeros(shape)
    grades[at] = np.maximum(retrieved.hits.value, 0.0)
    return grades


def _states(state: NDArray[np.int8], at: At, retrieved: Retrieved) -> NDArray[np.int8]:
    """The states, with those of the passages that the judgments name filled in."""
    state[at] = np.where(retrieved.hits.value < 0, np.int8(UNJUDGED), np.int8(JUDGED))
    return state


def _tie_start(retrieved: Retrieved, places: NDArray[np.int32]) -> NDArray[np.int32]:
    """First place of the tie group of each place [Q, depth]; its own where it ties with none."""
    if not len(retrieved.ties.query):
        return places
    tie_start = places.copy()
    firsts = retrieved.ties.query * places.shape[1] + retrieved.ties.place
    at = ranges(firsts, retrieved.ties.value)
    tie_start.reshape(-1)[at] = np.repeat(retrieved.ties.place, retrieved.ties.value)
    return tie_start


def judge(run: Run, qrels: Qrels, *, depth: int | None = None) -> Judged:
    """The grade matrix of all judged queries in one block; see :class:`Blocks`.

    >>> run = Run.from_dict({"q": ["b", "a"]})
    >>> judge(run, Qrels.from_dict({"q": {"a": 2}}, passages=run.passages)).grades
    array([[0., 2.]])
    """
    (only,) = Blocks(run, qrels, depth=depth, places=None)
    return only().dense()
