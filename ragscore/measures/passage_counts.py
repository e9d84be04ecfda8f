"""NumRet, NumRel, NumRelRet: how many passages came back, how many are relevant, and both.

Their value over the queries is the sum. Source: trec_eval (m_num_ret.c, m_num_rel.c,
m_num_rel_ret.c).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import Ranked
from ragscore.measures.base import Aggregate, Measure
from ragscore.measures.relevance import RelevantFrom


class PassageCount(Measure):
    """Base of the measures that count passages: one number a query, added up over the queries."""

    needs_cutoff: ClassVar[bool] = False
    has_curve: ClassVar[bool] = False
    aggregate: ClassVar[Aggregate] = "sum"
    bounded: ClassVar[bool] = False


class NumRet(PassageCount):
    """Number of passages that came back, summed over the queries.

    >>> from ragscore import score
    >>> score({"q": ["a", "b"], "r": ["c"]}, {"q": ["a"], "r": ["a"]}, ["NumRet"]).to_dict()
    {'dataset': {'run': {'NumRet': 3.0}}}
    """

    name: ClassVar[str] = "NumRet"
    summary: ClassVar[str] = "number of returned passages, summed over the queries"

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        return judged.returned.astype(np.float64)


class NumRel(PassageCount):
    """Number of relevant passages, returned or not, summed over the queries.

    A query for which nothing came back counts too.

    >>> from ragscore import score
    >>> score({"q": ["a"]}, {"q": ["a", "b"], "r": ["a"]}, ["NumRel"]).to_dict()
    {'dataset': {'run': {'NumRel': 3.0}}}
    """

    name: ClassVar[str] = "NumRel"
    summary: ClassVar[str] = "number of relevant passages, found or not, summed over the queries"

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        return judged.n_relevant(self.relevant_from)


class NumRelRet(PassageCount):
    """Number of relevant passages that came back, summed over the queries.

    >>> from ragscore import score
    >>> score({"q": ["b", "x"]}, {"q": ["a", "b"]}, ["NumRelRet"]).to_dict()
    {'dataset': {'run': {'NumRelRet': 1.0}}}
    """

    name: ClassVar[str] = "NumRelRet"
    summary: ClassVar[str] = "number of returned relevant passages, summed over the queries"

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        return judged.n_covered(self.relevant_from)
