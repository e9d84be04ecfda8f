"""Judged and Unjudged: how much of the top k the judgments know.

A negative grade stands for a passage in the pool that was not judged: unjudged here. Source:
trec_eval (m_unjudged.c) for Unjudged; ir_measures for Judged, but for its denominator.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ragscore.judge import JUDGED, PAD, Found, Judged
from ragscore.measures.base import Curve, Measure, divide
from ragscore.measures.steps import ByRank, Steps


class JudgedShare(Measure):
    """Judged@k: the share of what came back in the top k that has a judgment.

    ``Judged@k = judged in the top k / min(k, returned)``; 0 where nothing came back.

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": {"a": 1}}, ["Judged@10"]).to_dict()
    {'dataset': {'run': {'Judged@10': 0.5}}}
    """

    name: ClassVar[str] = "Judged"
    summary: ClassVar[str] = "share of what came back in the top k that is judged"

    @property
    def flat(self) -> bool:
        return True

    def curve(self, judged: Judged) -> Curve:
        known = np.cumsum(judged.state == JUDGED, axis=1, dtype=np.float64)
        return divide(known, np.minimum(judged.ranks, judged.returned[:, None]))

    def steps(self, found: Found) -> Steps | None:
        known = np.cumsum(found.state == JUDGED, axis=1, dtype=np.float64)
        return Steps(found, known, ByRank(found.returned.astype(np.float64), np.minimum))


class UnjudgedShare(Measure):
    """Unjudged@k: the passages in the top k that nobody judged, out of k.

    ``Unjudged@k = unjudged in the top k / k``, also when fewer came back: then it is not
    ``1 - Judged@k``. trec_eval's ``unj``. Lower is better.

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": {"a": 1}}, ["Unjudged@10"]).to_dict()
    {'dataset': {'run': {'Unjudged@10': 0.1}}}
    """

    name: ClassVar[str] = "Unjudged"
    aliases: ClassVar[tuple[str, ...]] = ("unj",)
    summary: ClassVar[str] = "passages in the top k that nobody judged, out of k"
    lowest_is_best: ClassVar[bool] = True

    def curve(self, judged: Judged) -> Curve:
        unknown = (judged.state != JUDGED) & (judged.state != PAD)
        return np.cumsum(unknown, axis=1, dtype=np.float64) / judged.ranks
