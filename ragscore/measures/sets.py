"""P, R, F, Success: how many of the top k are relevant, and how many of the relevant are there.

None of them looks at the order within the top k. Source: trec_eval (m_P.c, m_recall.c,
m_success.c, m_set_F.c); van Rijsbergen, Information Retrieval, 1979, for F.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from ragscore.judge import Found, Judged
from ragscore.measures import ties
from ragscore.measures.base import Curve, Gained, RelevantFrom, divide
from ragscore.measures.steps import ByRank, Fixed, Ranks, Steps
from ragscore.measures.ties import Tie


class P(Gained):
    """Precision: the share of the top k that is relevant; k counts also when fewer came back.

    ``P@k = hits(k) / k``

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x"]}, {"q": ["a", "b"]}
    >>> score(run, qrels, ["P@4", "P(denominator=returned)@4"]).to_dict()
    {'dataset': {'run': {'P@4': 0.25, 'P(denominator=returned)@4': 0.5}}}
    """

    name: ClassVar[str] = "P"
    aliases: ClassVar[tuple[str, ...]] = ("Precision",)
    summary: ClassVar[str] = "share of the top k that is relevant"

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""
    denominator: Literal["k", "returned", "min"] = "k"
    """``k``; ``returned``: k, or how many came back where that is less; ``min``: k, or R."""
    tie: Tie = "id"
    """Where scores tie: by ``id``, or the ``expected``, ``min`` or ``max`` over all orders."""
    average: Literal["macro", "micro"] = "macro"
    """``macro``: the mean over queries; ``micro``: all hits over the sum of all denominators."""

    def weights(self, judged: Judged) -> Curve | None:
        return self._out_of(judged) if self.average == "micro" else None

    def _out_of(self, judged: Judged) -> Curve:
        if self.denominator == "k":
            return np.broadcast_to(judged.ranks, judged.grades.shape)
        if self.denominator == "returned":
            most = judged.returned.astype(np.float64)
        else:
            most = judged.n_relevant(self.relevant_from)
        return np.minimum(judged.ranks, most[:, None])

    def curve(self, judged: Judged) -> Curve:
        hits = ties.hits(judged, self.relevant_from, self.tie)
        if self.denominator == "k":
            return hits / judged.ranks
        return divide(hits, self._out_of(judged))

    def steps(self, found: Found) -> Steps | None:
        if self.average == "micro":
            return None
        hits = found.hits(self.relevant_from)
        if self.denominator == "k":
            return Steps(found, hits, Ranks())
        most = found.n_relevant(self.relevant_from)
        if self.denominator == "returned":
            most = found.returned.astype(np.float64)
        return Steps(found, hits, ByRank(most, np.minimum))


class R(Gained):
    """Recall: the share of the query's relevant passages that is in the top k.

    ``R@k = hits(k) / R``; 0 where nothing is relevant.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b"]}, {"q": ["a", "b", "c", "d"]}
    >>> score(run, qrels, ["R@3", "R(denominator=min)@2"]).to_dict()
    {'dataset': {'run': {'R@3': 0.5, 'R(denominator=min)@2': 0.5}}}
    """

    name: ClassVar[str] = "R"
    aliases: ClassVar[tuple[str, ...]] = ("Recall",)
    summary: ClassVar[str] = "share of the relevant passages that is in the top k"

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""
    denominator: Literal["R", "min"] = "R"
    """``R``; ``min``: R, or k where that is less (BEIR's R_cap)."""
    tie: Tie = "id"
    """Where scores tie: by ``id``, or the ``expected``, ``min`` or ``max`` over all orders."""

    @property
    def flat(self) -> bool:
        return self.denominator == "R"

    def curve(self, judged: Judged) -> Curve:
        out_of = judged.n_relevant(self.relevant_from)[:, None]
        if self.denominator == "min":
            out_of = np.minimum(judged.ranks, out_of)
        return divide(ties.hits(judged, self.relevant_from, self.tie), out_of)

    def steps(self, found: Found) -> Steps | None:
        n_relevant = found.n_relevant(self.relevant_from)
        capped = self.denominator == "min"
        out_of = ByRank(n_relevant, np.minimum) if capped else Fixed(n_relevant)
        return Steps(found, found.hits(self.relevant_from), out_of)


class F(Gained):
    """F: the weighted harmonic mean of precision and recall in the top k; F1 for ``beta=1``.

    ``F@k = (1 + b2) hits(k) / (k + b2 R)`` with ``b2 = beta * beta``: recall counts beta times
    as much as precision.

    >>> from ragscore import score
    >>> score({"q": ["a", "x"]}, {"q": ["a", "b"]}, ["F1@2", "F(beta=2)@3"]).to_dict()
    {'dataset': {'run': {'F1@2': 0.5, 'F(beta=2)@3': 0.45454545454545453}}}
    """

    name: ClassVar[str] = "F"
    aliases: ClassVar[tuple[str, ...]] = ("F1",)
    summary: ClassVar[str] = "harmonic mean of precision and recall in the top k (F1: beta=1)"

    beta: Annotated[float, Field(gt=0)] = 1.0
    """How many times as much recall counts as precision."""
    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""
    tie: Tie = "id"
    """Where scores tie: by ``id``, or the ``expected``, ``min`` or ``max`` over all orders."""

    def curve(self, judged: Judged) -> Curve:
        weight = self.beta * self.beta
        n_relevant = judged.n_relevant(self.relevant_from)
        numerator = (1 + weight) * ties.hits(judged, self.relevant_from, self.tie)
        return numerator / (judged.ranks + weight * n_relevant[:, None])

    def steps(self, found: Found) -> Steps | None:
        weight = self.beta * self.beta
        out_of = ByRank(weight * found.n_relevant(self.relevant_from), np.add)
        return Steps(found, (1 + weight) * found.hits(self.relevant_from), out_of)

    def __str__(self) -> str:
        return self._printed("F1" if self.beta == 1 else "F", self.options())

    @property
    def label(self) -> str:
        """As printed: F has no name of its own for the mean."""
        return str(self)


class Success(Gained):
    """Success, or hit rate: 1 if any of the top k is relevant.

    ``Success@k = 1 if hits(k) > 0 else 0``

    >>> from ragscore import score
    >>> score({"q": ["x", "a"]}, {"q": ["a", "b"]}, ["Success@1", "Success@2"]).to_dict()
    {'dataset': {'run': {'Success@1': 0.0, 'Success@2': 1.0}}}
    """

    name: ClassVar[str] = "Success"
    aliases: ClassVar[tuple[str, ...]] = ("Hits", "Hit", "HitRate")
    summary: ClassVar[str] = "1 if any of the top k is relevant"

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""
    tie: Tie = "id"
    """Where scores tie: by ``id``, or the ``expected``, ``min`` or ``max`` over all orders."""

    @property
    def flat(self) -> bool:
        return True

    def curve(self, judged: Judged) -> Curve:
        order = "id" if self.tie == "expected" else self.tie
        relevant = ties.relevant(judged, self.relevant_from, order)
        curve = np.logical_or.accumulate(relevant, axis=1).astype(np.float64)
        if self.tie != "expected":
            return curve
        worth = np.ones_like(judged.ranks)
        return ties.expect_first(curve, judged, self.relevant_from, worth=worth)

    def steps(self, found: Found) -> Steps | None:
        any_yet = (found.hits(self.relevant_from) > 0).astype(np.float64)
        return Steps(found, any_yet, Fixed(np.ones(len(found))))
