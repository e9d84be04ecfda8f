"""bpref: how often a relevant passage is above judged non-relevant ones.

Source: trec_eval (m_bpref.c); Buckley and Voorhees, Retrieval Evaluation with Incomplete
Information, SIGIR 2004, with the denominator of its later correction: min(R, N).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ragscore.arrays import divide
from ragscore.judge import JUDGED, Ranked
from ragscore.measures.base import Curve, NeedsRead
from ragscore.measures.cumulative import Cumulative, Fixed, OutOf
from ragscore.measures.relevance import Binary


class BPref(Cumulative, Binary):
    """Binary preference: unjudged passages are skipped, however many there are.

    ``bpref = (1 / R) * sum over relevant i of 1 - min(n(i), R) / min(N, R)``, where n(i) judged
    non-relevant passages are above rank i and N are judged non-relevant in all; a relevant
    passage with none above it counts 1, also where N is 0 (ranx has NaN there). A negative
    grade is unjudged.

    >>> from ragscore import score
    >>> score({"q": ["n", "a", "z"]}, {"q": {"a": 1, "n": -1, "z": 0}}, ["bpref"]).to_dict()
    {'dataset': {'run': {'bpref': 1.0}}}
    """

    name: ClassVar[str] = "bpref"
    summary: ClassVar[str] = "share of judged non-relevant passages below the relevant ones"
    needs_cutoff: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "none"

    def totals(self, judged: Ranked) -> Curve:
        relevant = judged.relevant(self.relevant_from)
        n_relevant = judged.n_relevant(self.relevant_from)[:, None]
        n_other = judged.n_nonrelevant(self.relevant_from)[:, None]
        above = np.cumsum((judged.state == JUDGED) & ~relevant, axis=1, dtype=np.float64)
        lost = divide(np.minimum(above, n_relevant), np.minimum(n_other, n_relevant))
        return np.cumsum(relevant * (1.0 - lost), axis=1)

    def out_of(self, judged: Ranked) -> OutOf:
        return Fixed(judged.n_relevant(self.relevant_from))
