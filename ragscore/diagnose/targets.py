"""What queries want found: any relevant passage each, or one for every need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, ranges
from ragscore.dataset import Ids, Qrels
from ragscore.dataset.needs import Needs
from ragscore.judge import judge, judged_ranks
from ragscore.run import Run


@dataclass(frozen=True, eq=False)
class SearchTargets:
    """T things to be found, query by query: of each query that a relevant passage be there, or,
    where its passages share needs, that each need be covered.

    A query whose every need has a passage of its own is one with several relevant passages, of
    which any will do, unless evidence in documents says what answers it.

    Attributes:
        qrels: all judgments.
        relevant_from: the lowest relevant grade.
        query_ids: the Q queries that want anything.
        starts: int64[Q], where those of each query begin.
        number: int64[T], the first need of each, numbered over all queries of the judgments; or
            the row of the query there.
        bounds: int64[T + 1], where the judgments of each begin in ``judgments``.
        judgments: int64[m], those of the passages any of which is wanted; none for a need that
            nothing covers.
    """

    qrels: Qrels
    relevant_from: float
    query_ids: tuple[str, ...]
    starts: NDArray[np.int64]
    number: NDArray[np.int64]
    bounds: NDArray[np.int64]
    judgments: NDArray[np.int64]

    @classmethod
    def of(cls, qrels: Qrels, query_ids: Sequence[str], relevant_from: float) -> SearchTargets:
        """What some queries want, but for those that have nothing relevant."""
        needs = _needs(qrels)
        rows = qrels.queries.rows(Ids(query_ids)).astype(np.int64)
        if needs is None:
            judgments, query = relevant_judgments(qrels, query_ids, relevant_from)
            asked, counts = np.unique(query, return_counts=True)
            number, starts = rows[asked], np.arange(len(asked))
        else:
            counts = np.append(np.diff(needs.bounds), 0)[rows]  # a query nobody judged is row -1
            number = ranges(needs.bounds[rows], counts)
            query = np.repeat(np.arange(len(rows)), counts)
            kept = needs.best[number] >= relevant_from
            number = number[kept]
            asked, starts = np.unique(query[kept], return_index=True)
            judgments, counts = _covering(qrels, needs, number, relevant_from)
            apart = _apart(qrels, starts, judgments, counts)
            apart[starts] = True
            parts = np.flatnonzero(apart)
            if len(parts):
                counts = np.add.reduceat(counts, parts)
            number, starts = number[parts], np.searchsorted(parts, starts)
        ids = tuple(query_ids[place] for place in asked.tolist())
        return cls(qrels, relevant_from, ids, starts, number, bounds_of(counts), judgments)

    def __len__(self) -> int:
        return len(self.number)

    @property
    def of_needs(self) -> bool:
        """Whether needs are wanted, and not just any relevant passage."""
        return _needs(self.qrels) is not None

    @property
    def query(self) -> NDArray[np.int64]:
        """The place of each one's query in ``query_ids``: int64[T]."""
        return np.repeat(np.arange(len(self.starts)), np.diff(np.append(self.starts, len(self))))

    def first(self, run: Run) -> NDArray[np.int32]:
        """The rank (from 1) at which a run finds each, 0 if it does not: int32[T]."""
        last = np.iinfo(np.int32).max
        if self.qrels.together:
            # Several passages may cover a need among them: no judgment says at which rank.
            judged = judge(run, self.qrels)
            needs = _needs(self.qrels)
            covered = np.full(0 if needs is None else len(needs.best), last)
            if judged.needs is not None and judged.depth:
                newly = judged.needs.newly(self.relevant_from)
                covered[judged.needs.need[newly]] = judged.needs.column[newly] % judged.depth + 1
            first = covered[self.number]
        else:
            ranks = judged_ranks({run.name: run}, self.qrels)[run.name][self.judgments]
            held = np.flatnonzero(np.diff(self.bounds))
            first = np.full(len(self), last)
            if len(held):
                found = np.where(ranks == 0, last, ranks)
                first[held] = np.minimum.reduceat(found, self.bounds[held])
        return np.where(first == last, 0, first).astype(np.int32)

    def within(self, passages: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which can be found among some passages, of those of the judgments: bool[T]."""
        held = np.append(0, np.cumsum(passages[self.qrels.rows[self.judgments]]))
        some: NDArray[np.bool_] = np.diff(held[self.bounds]) > 0
        return some

    def passages(self, place: int) -> NDArray[np.int32]:
        """The passages that one can be found by: those of their units where judgments name
        units."""
        rows = self.qrels.rows[self.judgments[self.bounds[place] : self.bounds[place + 1]]]
        if self.qrels.units is None:
            return rows
        return np.flatnonzero(np.isin(self.qrels.units.of, rows)).astype(np.int32)


def _needs(qrels: Qrels) -> Needs | None:
    """The needs, where passages share any or evidence says what they are."""
    return qrels.shared_needs if qrels.spans is None else qrels.needs


def _covering(
    qrels: Qrels, needs: Needs, wanted: NDArray[np.int64], relevant_from: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The judgments that cover each wanted need with a relevant grade, need by need, and how many
    these are: int64[m], int64[T]."""
    judgment = np.repeat(np.arange(len(qrels)), np.diff(needs.indptr))
    place = np.full(len(needs.best), -1, dtype=np.int64)
    place[wanted] = np.arange(len(wanted))
    at = place[needs.bounds[qrels.query_of[judgment]] + needs.need]
    kept = (at >= 0) & (needs.grades >= relevant_from)
    order = np.argsort(at[kept], kind="stable")
    return judgment[kept][order], np.bincount(at[kept], minlength=len(wanted)).astype(np.int64)


def _apart(
    qrels: Qrels,
    starts: NDArray[np.int64],
    judgments: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which needs are wanted for themselves: all of a query whose passages share any, or that has
    one which nothing covers.

    Args:
        qrels: all judgments.
        starts: where the needs of each query begin.
        judgments: those that cover each need, need by need.
        counts: how many these are.
    """
    if qrels.spans is not None or not len(starts):
        return np.ones(len(counts), dtype=bool)
    need = np.repeat(np.arange(len(counts)), counts)
    own = counts == 1
    own[need[np.bincount(judgments, minlength=len(qrels))[judgments] > 1]] = False
    alone = np.logical_and.reduceat(own, starts)
    return np.repeat(~alone, np.diff(np.append(starts, len(counts))))


def relevant_judgments(
    qrels: Qrels, query_ids: Sequence[str], relevant_from: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The relevant judgments of the queries, query by query.

    Args:
        qrels: the judgments.
        query_ids: the queries; nobody need have judged them.
        relevant_from: the lowest relevant grade.

    Returns:
        Their places among the judgments, and for each the place of its query among ``query_ids``:
        int64[J] each.

    >>> qrels = Qrels.from_dict({"q": {"a": 1}, "r": {"b": 0, "c": 2}})
    >>> [places.tolist() for places in relevant_judgments(qrels, ["r", "s", "q"], 1)]
    [[2, 0], [0, 2]]
    """
    rows = qrels.queries.rows(Ids(query_ids)).astype(np.int64)
    counts = np.append(qrels.judgments, 0)[rows]  # a query without judgments is row -1
    at = ranges(qrels.indptr[rows], counts)
    query = np.repeat(np.arange(len(rows)), counts)
    relevant = qrels.grades[at] >= relevant_from
    return at[relevant], query[relevant]
