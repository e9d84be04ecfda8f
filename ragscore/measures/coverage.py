"""Judged and Unjudged: how much of the top k the judgments know.

A negative grade stands for a passage in the pool that was not judged: unjudged here. Source:
trec_eval (m_unjudged.c) for Unjudged; ir_measures for Judged, but for its denominator.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ragscore.judge import JUDGED, PAD, Judged, Ranked
from ragscore.measures.base import Curve, Measure
from ragscore.measures.cumulative import ByRank, Cumulative, OutOf


class JudgedShare(Cumulative):
    """Judged@k: the share of what came back in the top k that has a judgment.

    ``Judged@k = judged in the top k / min(k, returned)``; 0 if nothing came back.

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": {"a": 1}}, ["Judged@10"]).to_dict()
    {'dataset': {'run': {'Judged@10': 0.5}}}
    """

    name: ClassVar[str] = "Judged"
    summary: ClassVar[str] = "share of the returned top k that is judged"

    @property
    def flat(self) -> bool:
        return True

    def totals(self, judged: Ranked) -> Curve:
        return np.cumsum(judged.state == JUDGED, axis=1, dtype=np.float64)

    def out_of(self, judged: Ranked) -> OutOf:
        return ByRank(judged.returned.astype(np.float64), np.minimum)


class UnjudgedShare(Measure):
    """Unjudged@k: the passages in the top k that nobody judged, out of k.

    ``Unjudged@k = unjudged in the top k / k``, even when fewer came back: then it is not
    ``1 - Judged@k``. trec_eval's ``unj``. Lower is better.

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": {"a": 1}}, ["Unjudged@10"]).to_dict()
    {'dataset': {'run': {'Unjudged@10': 0.1}}}
    """

    name: ClassVar[str] = "Unjudged"
    aliases: ClassVar[tuple[str, ...]] = ("unj",)
    summary: ClassVar[str] = "passages in the top k that nobody judged, divided by k"
    lowest_is_best: ClassVar[bool] = True

    def curve(self, judged: Judged) -> Curve:
        unknown = (judged.state != JUDGED) & (judged.state != PAD)
        return np.cumsum(unknown, axis=1, dtype=np.float64) / judged.ranks
