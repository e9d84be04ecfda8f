"""AR: recall in the place of AP's precision.

Source: write-ups of recommender evaluation, which call its mean mAR@k and mean one of two
things by it; both are here.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.judge import Judged, Ranked
from ragscore.measures.base import Curve
from ragscore.measures.cumulative import Cumulative, Fixed, OutOf
from ragscore.measures.relevance import Binary
from ragscore.measures.sets import recall_at_hits


class AR(Cumulative, Binary):
    """Average recall: ``AR@k = (1 / R) * sum over i <= k of rel(i) * R@i``.

    AP's formula with recall for precision. It is ``hits(k) (hits(k) + 1) / (2 R R)``: the order
    of the hits doesn't matter. With ``form=curve``, the mean of R@1, ..., R@k, it does. The
    mean over the queries is mAR@k.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "y", "b", "z", "c"]}, {"q": ["a", "b", "c", "d", "e"]}
    >>> score(run, qrels, ["AR@6", "AR(form=curve)@6"]).to_dict()
    {'dataset': {'run': {'AR@6': 0.24, 'AR(form=curve)@6': 0.3333333333333333}}}
    """

    name: ClassVar[str] = "AR"
    mean_name: ClassVar[str | None] = "mAR"
    aliases: ClassVar[tuple[str, ...]] = ("MAR",)
    summary: ClassVar[str] = "recall at each relevant passage in the top k, averaged over R"

    form: Literal["hits", "curve"] = "hits"
    """Averaged over the relevant passages (``hits``), or over the cutoffs 1 to k (``curve``)."""

    @property
    def flat(self) -> bool:
        return self.form != "curve"

    @property
    def stepwise(self) -> bool:
        return super().stepwise and self.form == "hits"

    def totals(self, judged: Ranked) -> Curve:
        hits = judged.covered(self.relevant_from)
        return hits * (hits + 1.0)

    def out_of(self, judged: Ranked) -> OutOf:
        n_relevant = judged.n_relevant(self.relevant_from)
        return Fixed(2.0 * n_relevant * n_relevant)

    def curve(self, judged: Judged) -> Curve:
        if self.form == "hits":
            return super().curve(judged)
        # Recall counts at every rank here, judged or not.
        recall = np.cumsum(judged.covered(self.relevant_from), axis=1)
        return divide(recall, judged.ranks * judged.n_relevant(self.relevant_from)[:, None])

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | recall_at_hits(judged, self.relevant_from)
