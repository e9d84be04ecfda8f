"""infAP: average precision estimated from a pool of which a sample was judged.

Source: trec_eval (m_infap.c); Yilmaz and Aslam, Estimating Average Precision with Incomplete
and Imperfect Judgments, CIKM 2006.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import JUDGED, UNJUDGED, Judged, Ranked
from ragscore.measures.average_precision import precision_at_hits
from ragscore.measures.base import Curve, NeedsRead
from ragscore.measures.cumulative import Cumulative, Fixed, OutOf
from ragscore.measures.relevance import Binary

EPSILON = 0.00001
"""What smooths the share of relevant passages above a rank, as in trec_eval."""


class InfAP(Cumulative, Binary):
    """Inferred AP: equal to AP, but for a smoothing of 0.00001, where all of the pool is judged.

    A passage with a negative grade is in the pool and was not sampled: infAP alone assumes that it
    is relevant as often as the judged ones above it. At a relevant rank i the expected precision is
    ``1 / i + ((i - 1) / i) * (pool(i) / (i - 1)) * (rel(i) + e) / (rel(i) + non(i) + 2 e)``,
    where pool(i), rel(i) and non(i) count the passages above rank i that are in the pool, relevant,
    and judged not relevant; the sum is divided by R.

    >>> from ragscore import score
    >>> qrels = {"q": {"a": 1, "n": -1, "z": 0}}
    >>> round(score({"q": ["z", "n", "a"]}, qrels, ["infAP"]).entries[0].mean("infAP"), 4)
    0.3333
    """

    name: ClassVar[str] = "infAP"
    summary: ClassVar[str] = "AP estimated where only a sample of the pool was judged"
    needs_cutoff: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "none"

    def totals(self, judged: Ranked) -> Curve:
        relevant = judged.relevant(self.relevant_from)
        known = judged.state == JUDGED
        sampled = known | (judged.state == UNJUDGED)
        # Of the place itself only the relevant ones are asked, and they are known and sampled.
        above_relevant = judged.hits(self.relevant_from) - 1.0
        above_known = np.cumsum(known, axis=1, dtype=np.float64) - 1.0
        above_sampled = np.cumsum(sampled, axis=1, dtype=np.float64) - 1.0
        share = (above_relevant + EPSILON) / (above_known + 2 * EPSILON)
        expected = np.where(relevant, (1.0 + above_sampled * share) / judged.ranks, 0.0)
        return np.cumsum(expected, axis=1)

    def out_of(self, judged: Ranked) -> OutOf:
        return Fixed(judged.n_relevant(self.relevant_from))

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | precision_at_hits(judged, self.relevant_from)
