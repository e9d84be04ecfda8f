"""CG, DCG, IDCG and nDCG: graded gains, discounted by rank.

Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 2002,
with the discount 1 / log2(rank + 1) of trec_eval (m_ndcg.c, m_ndcg_cut.c); ``gain=exp`` from
Burges et al., Learning to Rank using Gradient Descent, ICML 2005.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import Judged
from ragscore.measures.base import Curve, Measure, divide

Gain = Literal["linear", "exp"]


def gains(grades: NDArray[np.float64], gain: Gain) -> NDArray[np.float64]:
    """What a grade is worth: itself, or ``2 ** grade - 1``. Grade 0 is worth 0 in both."""
    return np.exp2(grades) - 1.0 if gain == "exp" else grades


def discounts(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log2(rank + 1)`` for ranks from 1."""
    return np.log2(ranks + 1.0)


class CG(Measure):
    """Cumulated gain: the sum of the gains in the top k, whatever their order."""

    name: ClassVar[str] = "CG"
    summary: ClassVar[str] = "sum of the gains in the top k"

    gain: Gain = "linear"
    """``linear``: the grade; ``exp``: 2 ** grade - 1."""

    def curve(self, judged: Judged) -> Curve:
        return np.cumsum(gains(judged.grades, self.gain), axis=1)


class DCG(CG):
    """Discounted cumulated gain: ``sum over i <= k of gain(i) / log2(i + 1)``."""

    name: ClassVar[str] = "DCG"
    summary: ClassVar[str] = "sum of the gains in the top k, each divided by log2(rank + 1)"

    def curve(self, judged: Judged) -> Curve:
        return np.cumsum(gains(judged.grades, self.gain) / discounts(judged.ranks), axis=1)


class IDCG(CG):
    """Ideal DCG: the DCG of all judged grades, best first, cut at k."""

    name: ClassVar[str] = "IDCG"
    summary: ClassVar[str] = "the DCG that the best possible order would have"

    def curve(self, judged: Judged) -> Curve:
        ideal = gains(judged.ideal_matrix(), self.gain)
        return np.cumsum(ideal / discounts(judged.ranks), axis=1)


class NDCG(CG):
    """Normalised DCG: ``DCG@k / IDCG@k``; 0 where nothing is relevant.

    The ideal reads all judged grades, returned or not. Without a cutoff it is not cut at all.

    >>> str(NDCG(gain="exp") @ 10)
    'nDCG(gain=exp)@10'
    """

    name: ClassVar[str] = "nDCG"
    aliases: ClassVar[tuple[str, ...]] = ("NDCG",)
    summary: ClassVar[str] = "DCG as a share of the best possible DCG"
    needs_cutoff: ClassVar[bool] = False

    def curve(self, judged: Judged) -> Curve:
        ideal = IDCG(gain=self.gain).curve(judged)
        return divide(DCG(gain=self.gain).curve(judged), ideal)

    def uncut(self, judged: Judged, curve: Curve) -> NDArray[np.float64]:
        """DCG of everything returned over the DCG of everything judged: float64[Q]."""
        found = gains(judged.grades, self.gain) / discounts(judged.ranks)
        ideal_ranks = (judged.ideal_place + 1).astype(np.float64)
        worth = gains(judged.ideal_grades, self.gain) / discounts(ideal_ranks)
        ideal = np.zeros(len(judged))
        np.add.at(ideal, judged.ideal_query, worth)
        return divide(found.sum(axis=1), ideal)
