"""AP: precision at the rank of every relevant passage, averaged over all of them.

Source: trec_eval (m_map.c, m_map_cut.c); Buckley and Voorhees, Evaluating Evaluation Measure
Stability, SIGIR 2000.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.judge import Judged, Ranked
from ragscore.measures import tied_orders
from ragscore.measures.base import BoundsKind, Curve, NeedsRead
from ragscore.measures.cumulative import ByRank, Cumulative, Fixed, One, OutOf, PerQuery, Ranks
from ragscore.measures.relevance import Binary
from ragscore.measures.tied_orders import Tie
from ragscore.messages import Text, _


class AP(Cumulative, Binary):
    """Average precision in the top k; a relevant passage that was not returned adds 0.

    ``AP@k = (1 / R) * sum over i <= k of rel(i) * hits(i) / i``. Its mean is mAP. Where the ground
    truth names needs, rel(i) is how many of them are first covered at rank i.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b", "y"]}, {"q": ["a", "b", "c", "d"]}
    >>> score(run, qrels, ["AP@1", "AP", "AP(denominator=min)@2"]).to_dict()
    {'dataset': {'run': {'AP@1': 0.25, 'AP': 0.41666666666666663, 'AP(denominator=min)@2': 0.5}}}
    """

    name: ClassVar[str] = "AP"
    mean_name: ClassVar[str | None] = "mAP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP", "MeanAveragePrecision")
    summary: ClassVar[str] = "precision at each relevant passage in the top k, averaged over R"
    needs_cutoff: ClassVar[bool] = False
    also_used_by: ClassVar[Mapping[tuple[str, str], tuple[Text, ...]]] = {
        ("denominator", "found"): ("Haystack",),
        ("denominator", "k"): (_("an option of RecTools"),),
    }

    denominator: Literal["R", "min", "found", "k"] = "R"
    """What the sum is divided by. ``R``: the number of relevant passages. ``min``: R, or k where
    that is less. ``found``: the relevant passages in the top k. ``k``: the cutoff. Without a
    cutoff, min is R, and k is the number of returned passages."""
    tie: Tie = "id"
    """How tied scores are handled. ``id``: ordered by passage id. ``expected``, ``min``, ``max``:
    the expected, lowest or highest value over all orders."""

    @property
    def flat(self) -> bool:
        return self.denominator in ("R", "found")

    @property
    def needs_read(self) -> NeedsRead:
        return "together" if self.denominator == "R" else "alternatives"

    def totals(self, judged: Ranked) -> Curve:
        if judged.joint:
            precision = judged.newly(self.relevant_from) * judged.hits(self.relevant_from)
        else:
            precision = tied_orders.products(judged, self.relevant_from, self.tie)
        precision /= judged.ranks
        sums = np.cumsum(precision, axis=1)
        if self.denominator != "found":
            return sums
        found = divide(sums, judged.hits(self.relevant_from))
        if self.tie == "id":
            return found
        return tied_orders.precision_found(found, judged.dense(), self.relevant_from, self.tie)

    def out_of(self, judged: Ranked) -> OutOf:
        if self.denominator == "found":
            return One()
        if self.denominator == "k":
            return Ranks()
        n_relevant = judged.n_relevant(self.relevant_from)
        return ByRank(n_relevant, np.minimum) if self.denominator == "min" else Fixed(n_relevant)

    def whole(self, judged: Ranked) -> PerQuery | None:
        if self.denominator == "min":
            return judged.n_relevant(self.relevant_from)
        return judged.returned.astype(np.float64) if self.denominator == "k" else None

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | precision_at_hits(judged, self.relevant_from)

    def bounds_kind(self, scale: NDArray[np.float64]) -> BoundsKind:
        # What is found in the top k depends on the order of a tie across it.
        return "none" if self.denominator == "found" and self.orders_ties else "exact"


def precision_at_hits(judged: Judged, relevant_from: float) -> dict[str, NDArray[np.float64]]:
    """For one query, the precision at each rank and its sum over the relevant ones, by column."""
    precision = judged.hits(relevant_from)[0] / judged.ranks
    sums = np.cumsum(judged.newly(relevant_from)[0] * precision)
    return {"hits/rank": precision, "sum at rel": sums}
