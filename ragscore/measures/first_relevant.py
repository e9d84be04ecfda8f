"""RR and MR: the rank of the first relevant passage.

Source: trec_eval (m_recip_rank.c) for RR; Kantor and Voorhees, The TREC-5 Confusion Track, 2000.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import Judged, Ranked
from ragscore.measures import tied_orders
from ragscore.measures.base import Aggregate, Curve, Measure
from ragscore.measures.cumulative import Cumulative
from ragscore.measures.relevance import Binary, RelevantFrom
from ragscore.measures.tied_orders import Tie


def first_rank(
    judged: Ranked, relevant_from: float, tie: Literal["id", "min", "max"] = "id"
) -> NDArray[np.float64]:
    """Rank (from 1) of the first relevant passage, infinite if there is none: float64[Q]."""
    relevant = tied_orders.relevant(judged, relevant_from, tie)
    if not relevant.shape[1]:
        return np.full(len(judged), np.inf)
    ranks = np.broadcast_to(judged.ranks, relevant.shape)
    first = np.take_along_axis(ranks, relevant.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(relevant.any(axis=1), first, np.inf)


class RR(Cumulative, Binary):
    """Reciprocal rank: 1 / rank of the first relevant passage in the top k, else 0.

    Its mean is mRR.

    >>> from ragscore import score
    >>> score({"q": ["x", "a"]}, {"q": ["a"]}, ["RR", "RR@1"]).to_dict()
    {'dataset': {'run': {'RR': 0.5, 'RR@1': 0.0}}}
    """

    name: ClassVar[str] = "RR"
    mean_name: ClassVar[str | None] = "mRR"
    aliases: ClassVar[tuple[str, ...]] = ("MRR", "MeanReciprocalRank")
    summary: ClassVar[str] = "1 / rank of the first relevant passage in the top k"
    reads_first: ClassVar[bool] = True
    needs_cutoff: ClassVar[bool] = False

    tie: Tie = "id"
    """How tied scores are handled. ``id``: ordered by passage id. ``expected``, ``min``, ``max``:
    the expected, lowest or highest value over all orders."""

    @property
    def flat(self) -> bool:
        return True

    def totals(self, judged: Ranked) -> Curve:
        order = "id" if self.tie == "expected" else self.tie
        rank = first_rank(judged, self.relevant_from, order)[:, None]
        totals = np.where(rank <= judged.ranks, 1.0 / rank, 0.0)
        if self.tie != "expected":
            return totals
        worth = 1.0 / judged.ranks
        return tied_orders.expect_first(totals, judged.dense(), self.relevant_from, worth=worth)


class MR(Measure):
    """Mean rank of the first relevant passage, over the queries that found one in the top k.

    Undefined (NaN) where none was found; how many were is reported beside it. Lower is better.

    >>> from ragscore import score
    >>> run = {"q": ["x", "a"], "r": ["x", "y", "z", "a"], "s": ["x"]}
    >>> [row] = score(run, {"q": ["a"], "r": ["a"], "s": ["a"]}, ["MR"]).rows()
    >>> row.value, row.defined, row.queries
    (3.0, 2, 3)
    """

    name: ClassVar[str] = "MR"
    aliases: ClassVar[tuple[str, ...]] = ("MeanRank",)
    summary: ClassVar[str] = "rank of the first relevant passage, where one was found"
    needs_cutoff: ClassVar[bool] = False
    aggregate: ClassVar[Aggregate] = "mean of defined"
    lowest_is_best: ClassVar[bool] = True
    bounded: ClassVar[bool] = False

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    @property
    def flat(self) -> bool:
        return True

    def curve(self, judged: Judged) -> Curve:
        rank = first_rank(judged, self.relevant_from)[:, None]
        return np.where(rank <= judged.ranks, rank, np.nan)

    def uncut(self, judged: Judged, curve: Curve) -> NDArray[np.float64]:
        """The last column; NaN if nothing was returned at all."""
        return curve[:, -1] if judged.depth else np.full(len(judged), np.nan)
