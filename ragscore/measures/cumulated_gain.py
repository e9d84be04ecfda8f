"""CG, DCG, IDCG and nDCG: graded gains, discounted by rank.

Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 2002,
with the discount 1 / log2(rank + 1) of trec_eval (m_ndcg.c, m_ndcg_cut.c); ``gain=exp`` from
Burges et al., Learning to Rank using Gradient Descent, ICML 2005.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ragscore.arrays import distinct, divide
from ragscore.errors import MeasureError
from ragscore.judge import Judged, Pool, Ranked
from ragscore.measures import tied_orders
from ragscore.measures.base import BoundsKind, Curve, NeedsRead
from ragscore.measures.best_order import best_orders, discounts
from ragscore.measures.cumulative import ByRank, Cumulative, Fixed, Ideal, OutOf, PerQuery, last
from ragscore.measures.gains import Graded
from ragscore.measures.relevance import ANY_GRADE, Gained
from ragscore.measures.tied_orders import Tie
from ragscore.messages import Text, _


class CG(Cumulative, Graded):
    """Cumulated gain: ``CG@k = sum over i <= k of gain(i)``, whatever their order.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b"]}, {"q": {"a": 3, "b": 1, "c": 2}}
    >>> score(run, qrels, ["CG@1", "CG@3", "CG(gain=exp)@3"]).to_dict()
    {'dataset': {'run': {'CG@1': 3.0, 'CG@3': 4.0, 'CG(gain=exp)@3': 8.0}}}
    """

    name: ClassVar[str] = "CG"
    summary: ClassVar[str] = "sum of the gains in the top k"
    bounded: ClassVar[bool] = False

    def totals(self, judged: Ranked) -> Curve:
        return np.cumsum(self.found(judged), axis=1)


class DCG(Cumulative, Graded):
    """Discounted cumulated gain: ``DCG@k = sum over i <= k of gain(i) / log2(i + 1)``.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b"]}, {"q": {"a": 3, "b": 1, "c": 2}}
    >>> score(run, qrels, ["DCG@3"]).to_dict()
    {'dataset': {'run': {'DCG@3': 3.5}}}
    """

    name: ClassVar[str] = "DCG"
    summary: ClassVar[str] = "sum of the gains in the top k, each divided by log2(rank + 1)"
    bounded: ClassVar[bool] = False

    def totals(self, judged: Ranked) -> Curve:
        discounted = self.found(judged) / discounts(judged.ranks)
        return np.cumsum(discounted, axis=1, out=discounted)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | gains_by_rank(self, judged)


class IDCG(Graded):
    """Ideal DCG: the DCG of all judged grades, best first, cut at k, returned or not.

    >>> from ragscore import score
    >>> score({"q": ["x"]}, {"q": {"a": 2, "b": 1, "c": 1}}, ["IDCG@1", "IDCG@3"]).to_dict()
    {'dataset': {'run': {'IDCG@1': 2.0, 'IDCG@3': 3.1309297535714578}}}
    """

    name: ClassVar[str] = "IDCG"
    summary: ClassVar[str] = "DCG of the best possible order"
    bounded: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "joint"

    def grown(self, judged: Pool, width: int) -> NDArray[np.float64]:
        """The value at the cutoffs 1 to ``width``, or to where no query's grows any more:
        float64[Q, width]."""
        if judged.needs is not None and judged.joint:
            name = f"best orders by {self.gain}"
            needs, threshold = judged.needs, self.threshold or ANY_GRADE
            whole = judged.once(name, threshold, lambda: best_orders(needs, self.gains, threshold))
            return whole[:, : max(width, 1)]
        best = self.best(judged, width)
        ranks = np.arange(1, best.shape[1] + 1, dtype=np.float64)
        return np.cumsum(best / discounts(ranks), axis=1)

    def curve(self, judged: Judged) -> Curve:
        return Ideal(self.grown(judged, judged.depth)).every(judged.ranks)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | gains_by_rank(self, judged)


class NDCG(Cumulative, Graded, Gained):
    """Normalised DCG: ``DCG@k / IDCG@k``; 0 if nothing is relevant.

    The ideal reads all judged grades, returned or not. Without a cutoff it is not cut at all. Where
    the ground truth names needs, the gain of a passage is that of the needs that it is the first to
    cover, and the ideal the highest DCG of any order.

    >>> from ragscore import score
    >>> scores = score({"q": ["a", "x", "c"]}, {"q": {"a": 3, "b": 2, "c": 1}}, ["nDCG@3"])
    >>> round(scores.entries[0].mean("nDCG@3"), 4)
    0.735
    >>> str(NDCG(gain="exp") @ 10), str(NDCG(gain={1: 3, 2: 9}) @ 10)
    ('nDCG(gain=exp)@10', 'nDCG(gain={1:3,2:9})@10')
    """

    name: ClassVar[str] = "nDCG"
    aliases: ClassVar[tuple[str, ...]] = ("NDCG",)
    summary: ClassVar[str] = "DCG as a share of the best possible DCG"
    needs_cutoff: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "joint"
    also_used_by: ClassVar[Mapping[tuple[str, str], tuple[Text, ...]]] = {
        ("gain", "exp"): ("ranx ndcg_burges", "gdeval", _("many papers")),
        ("ideal", "returned"): ("Phoenix",),
        ("ideal", "top"): (_("papers and notebooks that sort what they got"),),
        ("ideal", "slots"): (_("llama-index-core before 0.13"),),
        ("relevant_from", "2"): ("ranx ndcg-l2",),
        ("tie", "expected"): ("McSherry and Najork 2008",),
    }

    ideal: Literal["judged", "uncut", "returned", "slots", "top", "as_many"] = "judged"
    """The ideal ranking. ``judged``: all judged passages, best first, cut at k. ``uncut``: the
    same, not cut. ``as_many``: the same, cut at k or at the number of returned passages,
    whichever is less. ``returned``: only the returned passages, best first. ``top``: only the
    top k, best first. ``slots``: every place up to k, or up to the last returned passage, is as
    good as the query's best passage."""
    tie: Tie = "id"
    """How tied scores are handled. ``id``: ordered by passage id. ``expected``, ``min``, ``max``:
    the expected, lowest or highest value over all orders."""

    @model_validator(mode="after")
    def _top_of_one_order(self) -> NDCG:
        if self.ideal == "top" and self.tie != "id":
            raise MeasureError(
                f"ideal=top with tie={self.tie}: which of the tied passages are in the top k is "
                "not known",
                instead="Leave tie out, or choose another ideal",
            )
        return self

    @property
    def stepwise(self) -> bool:
        return super().stepwise and self.ideal not in ("returned", "top")

    def totals(self, judged: Ranked) -> Curve:
        gains = tied_orders.arranged(self.found(judged), judged, self.tie) / discounts(judged.ranks)
        return np.cumsum(gains, axis=1, out=gains)

    def out_of(self, judged: Ranked) -> OutOf:
        if self.ideal == "uncut":
            return Fixed(self._whole_ideal(judged))
        if self.ideal == "slots":
            return self._slots(judged)
        grown = self._ideal.grown(judged, judged.depth)
        if self.ideal == "as_many":
            last_place = np.maximum(judged.returned, 1)[:, None] - 1
            places = np.arange(grown.shape[1])
            grown = np.take_along_axis(grown, np.minimum(places, last_place), axis=1)
        return Ideal(grown)

    def whole(self, judged: Ranked) -> PerQuery | None:
        if self.ideal == "judged":
            return self._whole_ideal(judged)
        if self.ideal == "slots":
            slots = self._slots(judged)
            return slots.made(slots.numbers, judged.returned.astype(np.float64))
        return None

    def curve(self, judged: Judged) -> Curve:
        if self.ideal == "top":
            return divide(self.totals(judged), _reordered(self.found(judged)))
        if self.ideal == "returned":
            best_first = -np.sort(-self.found(judged), axis=1)
            ideal = np.cumsum(best_first / discounts(judged.ranks), axis=1)
            return divide(self.totals(judged), ideal)
        return super().curve(judged)

    def _slots(self, judged: Ranked) -> ByRank:
        """The DCG of the query's best gain at every rank."""
        sums = _sums_of_ones(max(judged.depth, 1))
        best = self._ideal.grown(judged, 1).max(axis=1, initial=0.0)
        return ByRank(best, lambda gain, ranks: gain * sums[ranks.astype(np.int64)])

    @property
    def _ideal(self) -> IDCG:
        return IDCG(gain=self.gain, relevant_from=self.relevant_from)

    def _whole_ideal(self, judged: Pool) -> PerQuery:
        """The DCG of everything judged, best first, wherever the ranking ends: float64[Q]."""
        return last(self._ideal.grown(judged, judged.most_judged))

    def without_relevant(self, judged: Pool) -> NDArray[np.bool_]:
        best: NDArray[np.float64] = self._ideal.grown(judged, 1).max(axis=1, initial=0.0)
        return best <= 0

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | gains_by_rank(self, judged)

    def quotient(self, judged: Judged) -> tuple[str, float, float] | None:
        if self.ideal != "judged" or self.orders_ties:
            return None
        k = self.cutoff if isinstance(self.cutoff, int) else judged.depth
        whole = self._whole_ideal(judged) if self.cutoff is None else self.out_of(judged).at(k)
        return "DCG / IDCG", float(self.totals(judged)[0, k - 1]), float(whole[0])

    def bounds_kind(self, scale: NDArray[np.float64]) -> BoundsKind:
        if isinstance(self.gain, tuple) and any(g <= 0 or gain < 0 for g, gain in self.gain):
            return "none"  # an unjudged passage is worth 0, and a worse one may be worth less
        if self.ideal in ("top", "as_many"):
            return "none"
        return "exact" if len(set(self.worths(scale).tolist())) == 1 else "outer"


def _reordered(gains: NDArray[np.float64]) -> Curve:
    """At each cutoff, the DCG of the gains up to there, best first: float64[Q, depth].

    Each level of gain above another adds its difference at as many of the first ranks as there are
    gains that reach it.
    """
    sums = _sums_of_ones(gains.shape[1])
    levels = distinct(gains[gains > 0])
    ideal = np.zeros(gains.shape)
    for level, step in zip(levels, np.diff(levels, prepend=0.0), strict=True):
        ideal += step * sums[np.cumsum(gains >= level, axis=1)]
    return ideal


def _sums_of_ones(depth: int) -> NDArray[np.float64]:
    """The DCG of a gain of 1 at each of the first 0, 1, ... ranks: float64[depth + 1]."""
    return np.append(0.0, np.cumsum(1.0 / discounts(np.arange(1.0, depth + 1))))


def gains_by_rank(measure: Graded, judged: Judged) -> dict[str, NDArray[np.float64]]:
    """For one query, the gain and the best gain at each rank, and what they add up to discounted,
    by column."""
    options = {"gain": measure.gain, "relevant_from": measure.relevant_from}
    discount = discounts(judged.ranks)
    best = np.zeros(judged.depth)
    ideal = measure.best(judged, judged.depth)[0]
    if judged.joint:
        ideal = np.diff(IDCG(**options).curve(judged)[0], prepend=0.0) * discount
    best[: len(ideal)] = ideal
    return {
        "log2(rank+1)": discount,
        "gain/log2": measure.found(judged)[0] / discount,
        "DCG": DCG(**options).curve(judged)[0],
        "best gain": best,
        "IDCG": IDCG(**options).curve(judged)[0],
    }
