"""What a retriever that builds on others can reach at all: a better order of what they found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragscore.dataset import Dataset, Qrels
from ragscore.judge.lookup import Lookup
from ragscore.measures import R, parse_measure
from ragscore.retrievers.fusion_methods import summed
from ragscore.run import Run
from ragscore.scoring import ProfileName, score


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
