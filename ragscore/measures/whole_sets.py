"""SetP, SetR, SetF: everything that came back as a set, whatever its order and size.

Source: trec_eval (m_set_P.c, m_set_recall.c, m_set_rel_P.c, m_set_F.c); van Rijsbergen,
Information Retrieval, 1979, for F.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.arrays import divide
from ragscore.judge import Judged, Ranked
from ragscore.measures.relevance import Binary, Gained, RelevantFrom
from ragscore.measures.sets import recall_at_hits, weighted_harmonic_mean


class SetP(Binary):
    """The share of what came back that is relevant; 0 if nothing came back.

    ``SetP = found / returned``

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": ["a", "b"]}, ["SetP"]).to_dict()
    {'dataset': {'run': {'SetP': 0.5}}}
    """

    name: ClassVar[str] = "SetP"
    aliases: ClassVar[tuple[str, ...]] = ("SetPrecision",)
    summary: ClassVar[str] = "share of everything returned that is relevant"
    needs_cutoff: ClassVar[bool] = False
    has_curve: ClassVar[bool] = False

    denominator: Literal["returned", "min"] = "returned"
    """``returned``; ``min``: R where that is less (trec_eval's set_relative_P)."""

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        out_of = judged.returned.astype(np.float64)
        if self.denominator == "min":
            out_of = np.minimum(out_of, judged.n_relevant(self.relevant_from))
        return divide(judged.n_found(self.relevant_from), out_of)


class SetR(Binary):
    """The share of the relevant passages that came back.

    ``SetR = found / R``; 0 if nothing is relevant.

    >>> from ragscore import score
    >>> score({"q": ["a", "x", "y"]}, {"q": ["a", "b"]}, ["SetR"]).to_dict()
    {'dataset': {'run': {'SetR': 0.5}}}
    """

    name: ClassVar[str] = "SetR"
    aliases: ClassVar[tuple[str, ...]] = ("SetRecall",)
    summary: ClassVar[str] = "share of the relevant passages that came back"
    needs_cutoff: ClassVar[bool] = False
    has_curve: ClassVar[bool] = False

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        n_relevant = judged.n_relevant(self.relevant_from)
        return divide(judged.n_covered(self.relevant_from), n_relevant)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | recall_at_hits(judged, self.relevant_from)


class SetF(Gained):
    """The weighted harmonic mean of SetP and SetR.

    ``SetF = (1 + b2) found / (returned + b2 R)`` with ``b2 = beta * beta``, van Rijsbergen's.
    trec_eval's ``set_F.x`` weighs by x itself: it is ``SetF(beta=sqrt(x))``.

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": ["a", "b", "c", "d"]}, ["SetF(beta=2)"]).to_dict()
    {'dataset': {'run': {'SetF(beta=2)': 0.2777777777777778}}}
    """

    name: ClassVar[str] = "SetF"
    summary: ClassVar[str] = "harmonic mean of SetP and SetR"
    needs_cutoff: ClassVar[bool] = False
    has_curve: ClassVar[bool] = False

    beta: Annotated[float, Field(gt=0)] = 1.0
    """How many times as much recall counts as precision."""
    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        if judged.joint:
            precision = divide(judged.n_found(self.relevant_from), judged.returned.astype(float))
            n_relevant = judged.n_relevant(self.relevant_from)
            recall = divide(judged.n_covered(self.relevant_from), n_relevant)
            return weighted_harmonic_mean(precision, recall, self.beta)
        weight = self.beta * self.beta
        out_of = judged.returned + weight * judged.n_relevant(self.relevant_from)
        return divide((1 + weight) * judged.n_found(self.relevant_from), out_of)
