"""AP: precision at the rank of every relevant passage, averaged over all of them.

Source: trec_eval (m_map.c, m_map_cut.c); Buckley and Voorhees, Evaluating Evaluation Measure
Stability, SIGIR 2000.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ragscore.judge import Judged
from ragscore.measures.base import Curve, Measure, RelevantFrom, divide


class AP(Measure):
    """Average precision in the top k; a relevant passage that is not there counts 0.

    ``AP@k = (1 / R) * sum over i <= k of rel(i) * hits(i) / i``. Its mean is mAP.

    >>> (AP() @ 10).label
    'mAP@10'
    """

    name: ClassVar[str] = "AP"
    mean_name: ClassVar[str | None] = "mAP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    summary: ClassVar[str] = "precision at each relevant passage in the top k, averaged over R"
    needs_cutoff: ClassVar[bool] = False

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    def curve(self, judged: Judged) -> Curve:
        relevant = judged.relevant(self.relevant_from)
        precision = np.cumsum(relevant, axis=1, dtype=np.float64) / judged.ranks
        n_relevant = judged.n_relevant(self.relevant_from)
        return divide(np.cumsum(precision * relevant, axis=1), n_relevant[:, None])
