"""AUC: the area under the ROC curve over the whole corpus.

Source: Hanley and McNeil, The Meaning and Use of the Area under a ROC Curve, Radiology 1982.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ragscore.arrays import divide
from ragscore.errors import MeasureError
from ragscore.judge import Judged
from ragscore.measures.base import Curve, NeedsRead
from ragscore.measures.relevance import Binary


class AUC(Binary):
    """The probability that a relevant passage of the corpus ranks above one that is not relevant.

    The top k keep their order, and all other passages of the corpus are tied below them; a tie
    counts as one half. It needs the number of passages in the corpus; where all of them are
    relevant it is 1. A query for which nothing came back scores 0, as in every measure.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["x", "a"]}, {"q": ["a", "b"]}
    >>> score(run, qrels, ["AUC"], n_passages=6).to_dict()
    {'dataset': {'run': {'AUC': 0.5625}}}
    """

    name: ClassVar[str] = "AUC"
    summary: ClassVar[str] = "area under the ROC curve over the corpus"
    needs_cutoff: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "none"

    def curve(self, judged: Judged) -> Curve:
        if judged.n_passages is None:
            raise MeasureError("AUC needs the corpus size: give n_passages, or --passages N")
        relevant = judged.relevant(self.relevant_from)
        hits = judged.hits(self.relevant_from)
        n_relevant = judged.n_relevant(self.relevant_from)[:, None]
        known = judged.returned[:, None] + n_relevant - judged.n_found(self.relevant_from)[:, None]
        if (known > judged.n_passages).any():
            raise MeasureError(
                f"{int(known.max())} passages are returned or relevant for one query, "
                f"but the corpus has {judged.n_passages}",
                where=str(self),
                instead="Give the number of all passages",
            )
        n_other = judged.n_passages - n_relevant
        came = np.minimum(judged.ranks, judged.returned[:, None])
        below = n_other - (came - hits)
        won = np.cumsum(relevant * below, axis=1) + (n_relevant - hits) * 0.5 * below
        area = divide(won, n_relevant * n_other)
        area = np.where((n_other == 0) & (n_relevant > 0), 1.0, area)
        return np.where(came > 0, area, 0.0)
