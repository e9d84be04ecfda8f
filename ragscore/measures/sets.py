"""P, R, F, Success: how many of the top k are relevant, and how many of the relevant are there.

None of them looks at the order within the top k. Source: trec_eval (m_P.c, m_recall.c,
m_success.c, m_set_F.c); van Rijsbergen, Information Retrieval, 1979, for F.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.arrays import divide
from ragscore.judge import Judged, Ranked
from ragscore.measures import tied_orders
from ragscore.measures.base import BoundsKind, Curve, NeedsRead
from ragscore.measures.cumulative import ByRank, Cumulative, Fixed, OutOf, Ranks
from ragscore.measures.relevance import Binary, Gained, RelevantFrom
from ragscore.measures.tied_orders import Tie
from ragscore.messages import Text


class P(Cumulative, Binary):
    """Precision: the share of the top k that is relevant, out of k even when fewer came back.

    ``P@k = hits(k) / k``

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x"]}, {"q": ["a", "b"]}
    >>> score(run, qrels, ["P@4", "P(denominator=returned)@4"]).to_dict()
    {'dataset': {'run': {'P@4': 0.25, 'P(denominator=returned)@4': 0.5}}}
    """

    name: ClassVar[str] = "P"
    aliases: ClassVar[tuple[str, ...]] = ("Precision",)
    summary: ClassVar[str] = "share of the top k that is relevant"
    reads_hits: ClassVar[bool] = True
    also_used_by: ClassVar[Mapping[tuple[str, str], tuple[Text, ...]]] = {
        ("denominator", "returned"): ("Ragas",),
    }

    denominator: Literal["k", "returned", "min"] = "k"
    """What hits are divided by. ``k``: the cutoff. ``returned``: k, or the number of returned
    passages where that is less. ``min``: k, or R where that is less."""
    tie: Tie = "id"
    """How tied scores are handled. ``id``: ordered by passage id. ``expected``, ``min``, ``max``:
    the expected, lowest or highest value over all orders."""
    average: Literal["macro", "micro"] = "macro"
    """``macro``: the mean over queries; ``micro``: all hits over the sum of all denominators."""

    @property
    def stepwise(self) -> bool:
        return super().stepwise and not self.weighs_queries

    def weights(self, judged: Judged) -> Curve | None:
        if not self.weighs_queries:
            return None
        return np.broadcast_to(self.out_of(judged).every(judged.ranks), judged.grades.shape)

    def totals(self, judged: Ranked) -> Curve:
        return tied_orders.hits(judged, self.relevant_from, self.tie)

    def out_of(self, judged: Ranked) -> OutOf:
        if self.denominator == "k":
            return Ranks()
        if self.denominator == "returned":
            return ByRank(judged.returned.astype(np.float64), np.minimum)
        return ByRank(judged.n_relevant(self.relevant_from), np.minimum)

    @property
    def weighs_queries(self) -> bool:
        return self.average == "micro"

    def bounds_kind(self, scale: NDArray[np.float64]) -> BoundsKind:
        return "none" if self.weighs_queries else super().bounds_kind(scale)


class R(Cumulative, Binary):
    """Recall: the share of the query's relevant passages that is in the top k.

    ``R@k = hits(k) / R``; 0 if nothing is relevant. Where the ground truth names needs, it is
    the share of the needs that the top k cover.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b"]}, {"q": ["a", "b", "c", "d"]}
    >>> score(run, qrels, ["R@3", "R(denominator=min)@2"]).to_dict()
    {'dataset': {'run': {'R@3': 0.5, 'R(denominator=min)@2': 0.5}}}
    """

    name: ClassVar[str] = "R"
    aliases: ClassVar[tuple[str, ...]] = ("Recall", "NeedRecall")
    summary: ClassVar[str] = "share of the relevant passages that is in the top k"
    reads_hits: ClassVar[bool] = True
    also_used_by: ClassVar[Mapping[tuple[str, str], tuple[Text, ...]]] = {
        ("denominator", "min"): ("BEIR's R_cap",),
    }

    denominator: Literal["R", "min"] = "R"
    """What hits are divided by. ``R``: the number of relevant passages. ``min``: R, or k where that
    is less (BEIR's R_cap)."""
    tie: Tie = "id"
    """How tied scores are handled. ``id``: ordered by passage id. ``expected``, ``min``, ``max``:
    the expected, lowest or highest value over all orders."""

    @property
    def flat(self) -> bool:
        return self.denominator == "R"

    @property
    def needs_read(self) -> NeedsRead:
        return "together" if self.denominator == "R" else "alternatives"

    def totals(self, judged: Ranked) -> Curve:
        if judged.joint:
            return judged.covered(self.relevant_from)
        return tied_orders.hits(judged, self.relevant_from, self.tie)

    def out_of(self, judged: Ranked) -> OutOf:
        n_relevant = judged.n_relevant(self.relevant_from)
        return Fixed(n_relevant) if self.denominator == "R" else ByRank(n_relevant, np.minimum)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | recall_at_hits(judged, self.relevant_from)


class F(Cumulative, Gained):
    """F: the weighted harmonic mean of precision and recall in the top k; F1 for ``beta=1``.

    ``F@k = (1 + b2) hits(k) / (k + b2 R)`` with ``b2 = beta * beta``: recall counts beta times
    as much as precision.

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": ["a", "b"]}, ["F1@2", "F(beta=2)@3"]).to_dict()
    {'dataset': {'run': {'F1@2': 0.5, 'F(beta=2)@3': 0.45454545454545453}}}
    """

    name: ClassVar[str] = "F"
    aliases: ClassVar[tuple[str, ...]] = ("F1",)
    summary: ClassVar[str] = "harmonic mean of precision and recall in the top k (F1: beta=1)"
    every_rank_if_joint: ClassVar[bool] = True
    reads_hits: ClassVar[bool] = True

    beta: Annotated[float, Field(gt=0)] = 1.0
    """How many times as much recall counts as precision."""
    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""
    tie: Tie = "id"
    """How tied scores are handled. ``id``: ordered by passage id. ``expected``, ``min``, ``max``:
    the expected, lowest or highest value over all orders."""

    def curve(self, judged: Judged) -> Curve:
        if not judged.joint:
            return super().curve(judged)
        precision = judged.hits(self.relevant_from) / judged.ranks
        recall = divide(
            judged.covered(self.relevant_from), judged.n_relevant(self.relevant_from)[:, None]
        )
        return weighted_harmonic_mean(precision, recall, self.beta)

    def totals(self, judged: Ranked) -> Curve:
        return (1 + self.beta * self.beta) * tied_orders.hits(judged, self.relevant_from, self.tie)

    def out_of(self, judged: Ranked) -> OutOf:
        return ByRank(self.beta * self.beta * judged.n_relevant(self.relevant_from), np.add)

    def __str__(self) -> str:
        return self._printed("F1" if self.beta == 1 else "F", self.options())

    @property
    def label(self) -> str:
        """As printed: F has no name of its own for the mean."""
        return str(self)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | recall_at_hits(judged, self.relevant_from)


class Success(Cumulative, Binary):
    """Success, or hit rate: 1 if any of the top k is relevant.

    ``Success@k = 1 if hits(k) > 0 else 0``

    >>> from ragscore import score
    >>> score({"q": ["x", "a"]}, {"q": ["a", "b"]}, ["Success@1", "Success@2"]).to_dict()
    {'dataset': {'run': {'Success@1': 0.0, 'Success@2': 1.0}}}
    """

    name: ClassVar[str] = "Success"
    aliases: ClassVar[tuple[str, ...]] = ("Hits", "Hit", "HitRate")
    summary: ClassVar[str] = "1 if any of the top k is relevant"
    reads_first: ClassVar[bool] = True

    tie: Tie = "id"
    """How tied scores are handled. ``id``: ordered by passage id. ``expected``, ``min``, ``max``:
    the expected, lowest or highest value over all orders."""

    @property
    def flat(self) -> bool:
        return True

    def totals(self, judged: Ranked) -> Curve:
        order = "id" if self.tie == "expected" else self.tie
        any_yet = (tied_orders.hits(judged, self.relevant_from, order) > 0).astype(np.float64)
        if self.tie != "expected":
            return any_yet
        worth = np.ones(judged.depth)
        return tied_orders.expect_first(any_yet, judged.dense(), self.relevant_from, worth=worth)


def weighted_harmonic_mean(
    precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float
) -> NDArray[np.float64]:
    """F from precision and recall, where no common count of hits gives it; 0 if both are 0."""
    weight = beta * beta
    return divide((1 + weight) * precision * recall, weight * precision + recall)


def recall_at_hits(judged: Judged, relevant_from: float) -> dict[str, NDArray[np.float64]]:
    """For one query, the recall at each rank, by column."""
    return {"hits/R": judged.covered(relevant_from)[0] / judged.n_relevant(relevant_from)[0]}
