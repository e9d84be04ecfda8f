"""What retrievers that build on others make of their inputs: where relevant passages get lost, and
what could be reached at all.

A fusion reads the runs of its inputs, a reranker the first n passages of one: what none of them
has, neither can return. Every relevant passage of the queries has one outcome, and a better order
of what the inputs found is the best that can be reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Dataset, Ids, Qrels
from ragscore.diagnose.causes import relevant_judgments
from ragscore.judge import in_units, judged_ranks
from ragscore.judge.lookup import Lookup
from ragscore.measures import R, parse_measure
from ragscore.retrievers.fusion_methods import summed
from ragscore.run import Run
from ragscore.scoring import ProfileName, score

StageOutcome = Literal["kept", "gained", "lost", "below_k", "not_in_input"]
"""What becomes of a relevant passage:

- ``kept``: among the first k of the retriever, and of an input.
- ``gained``: among the first k of the retriever, and of no input.
- ``lost``: among the first k of an input, and not of the retriever: lost by a fusion, demoted by
  a reranker.
- ``below_k``: in the pool of an input, and among the first k neither there nor here.
- ``not_in_input``: in no input's pool, nor among the first k of the retriever.
"""
STAGE_OUTCOMES: tuple[StageOutcome, ...] = get_args(StageOutcome)
"""In this order they are counted."""
WAYS: tuple[Literal["", "up", "down"], ...] = ("", "up", "down")
"""Which way a passage moved: by 0, 1 or -1."""
NO_RANK = np.int32(np.iinfo(np.int32).max)
"""Below all ranks."""


@dataclass(frozen=True, slots=True)
class Move:
    """A relevant passage of a query on its way through a retriever.

    Attributes:
        query, passage: their ids.
        input: that has it highest in its pool; empty if none has it.
        before: its rank there, from 1; 0 if no input has it.
        after: its rank in the retriever's run, from 1; 0 if it did not come back.
        moved: ``up``, ``down`` (also if it did not come back), or empty if it stayed, or is in
            neither.
        outcome: what became of it.
    """

    query: str
    passage: str
    input: str
    before: int
    after: int
    moved: Literal["up", "down", ""]
    outcome: StageOutcome


@dataclass(frozen=True, eq=False)
class Losses:
    """What became of the J relevant passages of Q queries.

    Attributes:
        retriever: that builds on others.
        inputs: their names.
        k: the cutoff.
        pool: how many passages of each input it reads.
        query_ids: the queries that have a relevant passage.
        query: int64[J], the row of each passage's query.
        passages: J passage ids.
        rank: int32[J], where it stands in the retriever's run, from 1; 0 if nowhere.
        input_ranks: int32[inputs, J], where it stands in each input's pool.
        deeper: bool[J], which are in no input's pool and further down in an input's run: a larger
            pool would have them.
    """

    retriever: str
    inputs: tuple[str, ...]
    k: int
    pool: int
    query_ids: tuple[str, ...]
    query: NDArray[np.int64]
    passages: tuple[str, ...]
    rank: NDArray[np.int32]
    input_ranks: NDArray[np.int32]
    deeper: NDArray[np.bool_]

    @cached_property
    def best_rank(self) -> NDArray[np.int32]:
        """The best rank of each passage in the inputs' pools, 0 if it is in none: int32[J]."""
        best = _below_all(self.input_ranks).min(axis=0, initial=NO_RANK)
        return np.where(best < NO_RANK, best, 0).astype(np.int32)

    @cached_property
    def moved(self) -> NDArray[np.int32]:
        """1 where a passage stands higher than in the input that has it highest, -1 where it
        stands lower or did not come back, else 0: int32[J]."""
        moved: NDArray[np.int32] = np.sign(_below_all(self.best_rank) - _below_all(self.rank))
        return moved

    @cached_property
    def outcomes(self) -> NDArray[np.int64]:
        """The place of each passage's outcome in STAGE_OUTCOMES: int64[J]."""
        here = _below_all(self.rank) <= self.k
        before = _below_all(self.best_rank) <= self.k
        cases = [here & before, here, before, self.best_rank > 0]
        return np.select(cases, range(len(cases)), STAGE_OUTCOMES.index("not_in_input"))

    @cached_property
    def by_query(self) -> dict[str, NDArray[np.int64]]:
        """How many passages of each query have each outcome, and how many moved up and down:
        int64[Q] each."""
        counted = [self.outcomes == at for at in range(len(STAGE_OUTCOMES))]
        counted += [self.moved > 0, self.moved < 0]
        return {
            name: np.bincount(self.query[passages], minlength=len(self.query_ids))
            for name, passages in zip((*STAGE_OUTCOMES, "up", "down"), counted, strict=True)
        }

    def counts(self) -> dict[str, int]:
        """How many passages have each outcome, in the order of STAGE_OUTCOMES."""
        return {name: int(self.by_query[name].sum()) for name in STAGE_OUTCOMES}

    def moves(self, query_id: str | None = None) -> list[Move]:
        """The relevant passages with their ranks before and here, query by query; of each query
        those that stood highest in an input first.

        Args:
            query_id: of one query alone; by default of all of them.
        """
        places = np.arange(len(self.query))
        if query_id is not None:
            row = self._place.row(query_id)
            places = np.arange(*np.searchsorted(self.query, [row, row + 1]))
        highest = _below_all(self.best_rank[places])
        places = places[np.lexsort((self.rank[places], highest, self.query[places]))]
        first = (self.input_ranks[:, places] == self.best_rank[places]).argmax(axis=0)
        return [
            Move(
                query=self.query_ids[self.query[at]],
                passage=self.passages[at],
                input=self.inputs[source] if self.best_rank[at] else "",
                before=int(self.best_rank[at]),
                after=int(self.rank[at]),
                moved=WAYS[self.moved[at]],
                outcome=STAGE_OUTCOMES[self.outcomes[at]],
            )
            for at, source in zip(places.tolist(), first.tolist(), strict=True)
        ]

    @cached_property
    def _place(self) -> Ids:
        return Ids(self.query_ids)


def _below_all(ranks: NDArray[np.int32]) -> NDArray[np.int32]:
    """Ranks, where none is below all others."""
    return np.where(ranks > 0, ranks, NO_RANK)


def losses(
    retriever: str,
    inputs: Sequence[str],
    runs: Mapping[str, Run],
    qrels: Qrels,
    query_ids: Sequence[str],
    *,
    k: int,
    pool: int,
    relevant_from: float = 1,
) -> Losses:
    """What became of the relevant passages on the way through a retriever.

    Args:
        retriever: that builds on others.
        inputs: their names.
        runs: by name, of the retriever and its inputs, of passages also where units are judged.
        qrels: the judgments.
        query_ids: the queries that were averaged.
        k: the cutoff.
        pool: how many passages of each input the retriever reads.
        relevant_from: the lowest relevant grade.

    >>> runs = {"one": Run.from_dict({"q": ["a", "x", "b"]}),
    ...         "two": Run.from_dict({"q": ["y", "c"]}),
    ...         "both": Run.from_dict({"q": ["x", "c", "y", "a", "b"]})}
    >>> qrels = Qrels.from_dict({"q": ["a", "b", "c", "d"]})
    >>> found = losses("both", ["one", "two"], runs, qrels, ["q"], k=2, pool=3)
    >>> found.counts()
    {'kept': 1, 'gained': 0, 'lost': 1, 'below_k': 1, 'not_in_input': 1}
    >>> [(move.passage, move.before, move.after, move.outcome) for move in found.moves("q")]
    [('a', 1, 4, 'lost'), ('c', 2, 2, 'kept'), ('b', 3, 5, 'below_k'), ('d', 0, 0, 'not_in_input')]
    """
    placed, judged = in_units({name: runs[name] for name in (retriever, *inputs)}, qrels)
    handed_on = ranks = judged_ranks(placed, judged)
    if qrels.units is not None:  # what is read are passages, which may be of fewer units
        cut, own = in_units({name: runs[name].cut(pool) for name in inputs}, qrels)
        handed_on = judged_ranks(cut, own)
    at, row = relevant_judgments(judged, query_ids, relevant_from)
    asked, query = np.unique(row, return_inverse=True)
    everywhere = np.array([ranks[name][at] for name in inputs], dtype=np.int32)
    input_ranks = np.array([handed_on[name][at] for name in inputs], dtype=np.int32)
    input_ranks[input_ranks > pool] = 0
    deeper: NDArray[np.bool_] = np.any(everywhere > 0, axis=0)
    deeper &= np.all(input_ranks == 0, axis=0)
    return Losses(
        retriever=retriever,
        inputs=tuple(inputs),
        k=k,
        pool=pool,
        query_ids=tuple(query_ids[int(number)] for number in asked),
        query=query.astype(np.int64),
        passages=tuple(judged.passages[int(passage)] for passage in judged.rows[at]),
        rank=ranks[retriever][at],
        input_ranks=input_ranks,
        deeper=deeper,
    )


@dataclass(frozen=True)
class Ceiling:
    """What the passages of a pool allow.

    Attributes:
        pool: how many passages of each input are read.
        recall: the mean share of the relevant passages that are in the pool: of a reranker this is
            R@pool of its input.
        best: the value of the primary measure where the pool is in the best order.
    """

    pool: int
    recall: float
    best: float


def ceiling(
    inputs: Sequence[Run],
    judged: Dataset | Qrels,
    primary: str,
    *,
    pool: int,
    profile: ProfileName = "trec",
    relevant_from: float = 1,
) -> Ceiling:
    """The recall of a pool, and the best value of a measure that an order of it can have.

    Args:
        inputs: the runs that are read, over the same queries and passages.
        judged: the judgments, over these passages, any others behind them.
        primary: a measure.
        pool: how many passages of each input are read.
        profile: the conventions of the values.
        relevant_from: the lowest relevant grade.

    Raises:
        RagscoreError: the measure cannot be computed.

    >>> qrels = Qrels.from_dict({"q": ["a", "b"]})
    >>> run = Run.from_dict({"q": ["x", "a", "y", "b"]}, passages=qrels.passages)
    >>> ceiling([run], qrels, "P@1", pool=3)
    Ceiling(pool=3, recall=0.5, best=1.0)
    """
    qrels = judged.qrels if isinstance(judged, Dataset) else judged
    best = best_order([run.cut(pool) for run in inputs], qrels, pool)
    recall = R(cutoff=pool, relevant_from=relevant_from)
    measures = [parse_measure(primary), recall]
    (entry,) = score(best, judged, measures, profile=profile, recorded=pool).entries
    return Ceiling(pool, recall=float(entry.means[-1]), best=float(entry.means[0]))


def best_order(runs: Sequence[Run], qrels: Qrels, depth: int) -> Run:
    """The passages of several runs in the best order that the judgments know: what a retriever
    that builds on these could return at best.

    Args:
        runs: over the same queries, and over the passages of the judgments, any others behind
            them; cut to what is read of each.
        qrels: the judgments.
        depth: how many passages of each query are returned.
    """
    queries = runs[0].queries
    found = np.concatenate([run.rows for run in runs], axis=1)
    rows, _ = summed(found, np.zeros(found.shape))  # each passage once
    grades = np.where(rows >= 0, 0.0, -np.inf)
    query_rows = qrels.queries.rows(queries).astype(np.int64)
    here = np.flatnonzero(query_rows >= 0)
    hit, column, judgment = Lookup(qrels).hits(query_rows[here], rows[here])
    grades[here[hit], column] = qrels.grades[judgment]
    order = np.argsort(-grades, axis=1, kind="stable")
    best = np.take_along_axis(rows, order, axis=1)
    found_best = Run(queries, runs[0].passages, best, name="best").cut(depth)
    # What a query that failed for an input could have got says nothing of what is built on it.
    return found_best.failed_with({str(number): run for number, run in enumerate(runs)})
