"""AP: precision at the rank of every relevant passage, averaged over all of them.

Source: trec_eval (m_map.c, m_map_cut.c); Buckley and Voorhees, Evaluating Evaluation Measure
Stability, SIGIR 2000.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import Found, Judged
from ragscore.measures import ties
from ragscore.measures.base import Curve, Gained, RelevantFrom, divide
from ragscore.measures.steps import ByRank, Fixed, OutOf, Ranks, Steps
from ragscore.measures.ties import Tie


class AP(Gained):
    """Average precision in the top k; a relevant passage that is not there counts 0.

    ``AP@k = (1 / R) * sum over i <= k of rel(i) * hits(i) / i``. Its mean is mAP.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b", "y"]}, {"q": ["a", "b", "c", "d"]}
    >>> score(run, qrels, ["AP@1", "AP", "AP(denominator=min)@2"]).to_dict()
    {'dataset': {'run': {'AP@1': 0.25, 'AP': 0.41666666666666663, 'AP(denominator=min)@2': 0.5}}}
    """

    name: ClassVar[str] = "AP"
    mean_name: ClassVar[str | None] = "mAP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    summary: ClassVar[str] = "precision at each relevant passage in the top k, averaged over R"
    needs_cutoff: ClassVar[bool] = False

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""
    denominator: Literal["R", "min", "found", "k"] = "R"
    """What the sum is divided by: R; ``min``: R, or k where that is less; ``found``: the
    relevant passages in the top k; ``k``. Without a cutoff k is no less than R, and ``k`` the
    number returned."""
    tie: Tie = "id"
    """Where scores tie: by ``id``, or the ``expected``, ``min`` or ``max`` over all orders."""

    @property
    def flat(self) -> bool:
        return self.denominator in ("R", "found")

    def curve(self, judged: Judged) -> Curve:
        precision = ties.products(judged, self.relevant_from, self.tie)
        precision /= judged.ranks
        sums = np.cumsum(precision, axis=1)
        if self.denominator == "k":
            return sums / judged.ranks
        if self.denominator == "found":
            found = divide(sums, judged.hits(self.relevant_from))
            if self.tie == "id":
                return found
            return ties.precision_found(found, judged, self.relevant_from, self.tie)
        out_of = judged.n_relevant(self.relevant_from)[:, None]
        if self.denominator == "min":
            out_of = np.minimum(judged.ranks, out_of)
        return divide(sums, out_of)

    def steps(self, found: Found) -> Steps | None:
        if self.denominator == "found":
            return None
        hits = found.hits(self.relevant_from)
        precision = found.relevant(self.relevant_from) * hits / found.rank
        n_relevant = found.n_relevant(self.relevant_from)
        out_of: OutOf = Fixed(n_relevant)
        if self.denominator != "R":
            capped = self.denominator == "min"
            out_of = ByRank(n_relevant, np.minimum) if capped else Ranks()
        return Steps(found, np.cumsum(precision, axis=1), out_of)

    def uncut_steps(self, steps: Steps, depth: int) -> NDArray[np.float64]:
        if self.denominator == "min":
            return divide(steps.last(), steps.found.n_relevant(self.relevant_from))
        if self.denominator == "k":
            return divide(steps.last(), steps.found.returned.astype(np.float64))
        return super().uncut_steps(steps, depth)

    def uncut(self, judged: Judged, curve: Curve) -> NDArray[np.float64]:
        if self.denominator == "min":
            # The last column divides by the depth of the block where that is less than R.
            whole = self.model_copy(update={"denominator": "R"}).curve(judged)
            return super().uncut(judged, whole)
        return at_last(curve, judged) if self.denominator == "k" else super().uncut(judged, curve)


def at_last(curve: Curve, judged: Judged) -> NDArray[np.float64]:
    """The value at the last passage that came back, 0 where nothing did: float64[Q]."""
    rank = np.asarray(judged.returned)
    if not judged.depth:
        return np.zeros(len(judged))
    last = np.take_along_axis(curve, np.maximum(rank - 1, 0)[:, None], axis=1)[:, 0]
    return np.where(rank > 0, last, 0.0)
