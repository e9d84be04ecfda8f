"""Two runs of the same queries, measured against each other: arrays over all queries at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.judge import judged_ranks
from ragscore.run import Run
from ragscore.run.rank_overlap import (
    BLOCK,
    Places,
    Shared,
    looked_at,
    overlap_at,
    rank_biased_overlap,
)


@dataclass(frozen=True, eq=False)
class RankedPair:
    """Two runs of the same Q queries over one vocabulary, and what differs.

    Attributes:
        before, after: the runs, cut to where RBO looks.
        k: the cutoff.
        overlap, rbo: float64[Q], NaN if neither run returned anything.
        empty: bool[2, Q], which queries got nothing, before and after.
        failed: bool[2, Q], for which of these the system gave no answer at all.
        other_set, other_order: bool[Q], whether the top k holds other passages; the same in
            another order.
        new, gone: bool[Q, k], places of the later top k whose passage is not in the earlier one;
            places of the earlier one whose passage is not in the later one.
        shifts: float64[n], the later minus the earlier score of each passage that both returned
            for a query; None if a run has no scores.
    """

    before: Run
    after: Run
    k: int
    overlap: NDArray[np.float64]
    rbo: NDArray[np.float64]
    empty: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    other_set: NDArray[np.bool_]
    other_order: NDArray[np.bool_]
    new: NDArray[np.bool_]
    gone: NDArray[np.bool_]
    shifts: NDArray[np.float64] | None

    @property
    def changed(self) -> NDArray[np.bool_]:
        """Queries whose top k changed: bool[Q]."""
        return self.other_set | self.other_order

    @property
    def other_first(self) -> NDArray[np.bool_]:
        """Queries that both runs answered, with another first passage: bool[Q]."""
        if not min(self.before.depth, self.after.depth):
            return np.zeros(len(self.overlap), dtype=bool)
        differs: NDArray[np.bool_] = self.before.rows[:, 0] != self.after.rows[:, 0]
        return differs & ~self.empty.any(axis=0)

    @property
    def first_shifts(self) -> NDArray[np.float64] | None:
        """Shift of the highest score of each query that both answered: float64[n]."""
        if self.before.scores is None or self.after.scores is None:
            return None
        both = ~self.empty.any(axis=0)
        if not both.any():
            return np.empty(0)
        shift: NDArray[np.float64] = self.after.scores[both, 0] - self.before.scores[both, 0]
        return shift

    def unjudged(self, qrels: Qrels) -> NDArray[np.bool_]:
        """New places whose passage nobody judged for its query: bool[Q, k]."""
        vocabulary = qrels.vocabulary.extended(self.after.passages)
        top = self.after.cut(self.k).onto(vocabulary)
        judged = qrels.onto(vocabulary)
        ranks = judged_ranks({"": top}, judged)[""]
        row_of = top.queries.rows(judged.queries)
        rows = np.repeat(row_of, judged.judgments)
        # A negative grade is in the pool, but nobody judged it.
        found = (ranks > 0) & (rows >= 0) & (judged.grades >= 0)
        open_places = self.new.copy()
        open_places[rows[found], ranks[found] - 1] = False
        return open_places

    def most_changed(self) -> NDArray[np.int64]:
        """Rows of the changed queries, most changed first: int64[n]."""
        rows = np.flatnonzero(self.changed)
        keys = [self.rbo, self.overlap, ~self.empty[0], ~self.empty[1], ~self.failed[1]]
        order = np.lexsort([key[rows] for key in keys])
        chosen: NDArray[np.int64] = rows[order]
        return chosen


def ranked_pair(before: Run, after: Run, k: int, p: float) -> RankedPair:
    """Measure two runs of the same queries against each other.

    Args:
        before, after: runs with the same queries in the same order; their vocabularies are joined
            by passage id.
        k: the cutoff.
        p: persistence of the rank-biased overlap.
    """
    vocabulary = before.passages.extended(after.passages)
    depth = looked_at(k, p)
    first, second = (run.onto(vocabulary).cut(depth) for run in (before, after))
    queries, deepest = len(first), max(first.depth, second.depth)
    k = min(k, max(deepest, 1))  # no run is deeper
    overlap, rbo = np.full(queries, np.nan), np.full(queries, np.nan)
    rows = [_top(run, k) for run in (first, second)]
    new, gone = rows[1] >= 0, rows[0] >= 0
    shifts: list[NDArray[np.float64]] = []
    step = max(1, BLOCK // max(deepest, 1))
    for start in range(0, queries, step):
        block = slice(start, start + step)
        places = [Places.of(run, block, deepest) for run in (first, second)]
        shared = places[0].shared(places[1])
        overlap[block] = overlap_at(shared, k)
        rbo[block] = rank_biased_overlap(shared, p)
        query, here, there = shared.query, places[0].place, places[1].place
        here, there = here[shared.here], there[shared.there]
        both = (here < k) & (there < k)
        gone[block][query[both], here[both]] = False
        new[block][query[both], there[both]] = False
        shifts += _shifts(first, second, block, shared)
    other_set: NDArray[np.bool_] = np.asarray(new.any(axis=1) | gone.any(axis=1))
    return RankedPair(
        first,
        second,
        k,
        overlap,
        rbo,
        np.stack([run.returned == 0 for run in (first, second)]),
        np.stack([_failed(run) for run in (first, second)]),
        other_set,
        ~other_set & (rows[0] != rows[1]).any(axis=1),
        new,
        gone,
        None
        if first.scores is None or second.scores is None
        else np.concatenate([*shifts, np.empty(0)]),
    )


def _failed(run: Run) -> NDArray[np.bool_]:
    """Which queries failed: bool[Q]."""
    failed = np.zeros(len(run), dtype=bool)
    if run.failures:
        failed[run.queries.rows(run.failed_queries)] = True
    return failed


def _top(run: Run, k: int) -> NDArray[np.int32]:
    """The top k of each query, -1 behind its end: int32[Q, k]."""
    top = run.rows[:, :k]
    return np.pad(top, ((0, 0), (0, k - top.shape[1])), constant_values=-1)


def _shifts(first: Run, second: Run, block: slice, shared: Shared) -> list[NDArray[np.float64]]:
    """The shift of the score of each passage that both returned."""
    if first.scores is None or second.scores is None or not len(shared.here):
        return []
    query = shared.query
    before = first.scores[block][query, shared.first.place[shared.here]]
    after = second.scores[block][query, shared.second.place[shared.there]]
    return [after - before]
