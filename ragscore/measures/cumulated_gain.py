"""CG, DCG, IDCG and nDCG: graded gains, discounted by rank.

Source: Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, TOIS 2002,
with the discount 1 / log2(rank + 1) of trec_eval (m_ndcg.c, m_ndcg_cut.c); ``gain=exp`` from
Burges et al., Learning to Rank using Gradient Descent, ICML 2005.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, model_validator

from ragscore.errors import MeasureError
from ragscore.judge import JUDGED, Found, Judged, Pool
from ragscore.measures import ties
from ragscore.measures.average_precision import at_last
from ragscore.measures.base import Curve, Gained, Measure, RelevantFrom, divide
from ragscore.measures.steps import Fixed, Ideal, OutOf, Steps
from ragscore.measures.ties import Tie

GainMap = tuple[tuple[float, float], ...]
"""Pairs of grade and gain."""
LARGEST_EXPONENT = 900.0
"""Of a gain of 2 ** grade; the largest 64-bit number is near 2 ** 1024."""


def _parsed_map(value: Any) -> Any:
    """``{1:3,2:9}``, a mapping or pairs as pairs sorted by grade; anything else as it is."""
    if isinstance(value, str) and value.startswith("{"):
        if not re.fullmatch(r"\{[^{}]+\}", value):
            raise ValueError("no map")
        value = [pair.split(":") for pair in value[1:-1].split(",") if pair.strip()]
    elif isinstance(value, dict):
        value = list(value.items())
    if not isinstance(value, list | tuple):
        return value
    try:
        pairs = sorted((float(grade), float(gain)) for grade, gain in value)
    except TypeError as error:
        raise ValueError("no pairs of numbers") from error
    if not pairs or len({grade for grade, _ in pairs}) < len(pairs):
        raise ValueError("no pair, or a grade that is there twice")
    return tuple(pairs)


Gain = Annotated[Literal["linear", "exp", "binary"] | GainMap, BeforeValidator(_parsed_map)]


class CG(Measure):
    """Cumulated gain: ``CG@k = sum over i <= k of gain(i)``, whatever their order.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b"]}, {"q": {"a": 3, "b": 1, "c": 2}}
    >>> score(run, qrels, ["CG@1", "CG@3", "CG(gain=exp)@3"]).to_dict()
    {'dataset': {'run': {'CG@1': 3.0, 'CG@3': 4.0, 'CG(gain=exp)@3': 8.0}}}
    """

    name: ClassVar[str] = "CG"
    summary: ClassVar[str] = "sum of the gains in the top k"
    bounded: ClassVar[bool] = False

    gain: Gain = "linear"
    """What a grade is worth: ``linear`` itself, ``exp`` 2 ** grade - 1, ``binary`` 1 from grade 1
    (or ``relevant_from``) on, or a map such as ``{1:3,2:9}``, where a grade that is not in it is
    worth itself."""
    relevant_from: RelevantFrom | None = None
    """Grades below this are worth nothing; by default all count."""

    def gains(self, grades: NDArray[np.float64]) -> NDArray[np.float64]:
        """What grades are worth; grade 0 is worth 0 unless a map says otherwise."""
        if self.gain == "linear":
            worth = grades
        elif self.gain == "exp":
            largest = float(grades.max(initial=0.0))
            if largest > LARGEST_EXPONENT:
                raise MeasureError(
                    f"2 ** {largest:g} is too large a number to add up",
                    where=str(self),
                    instead="Choose gain=linear or a map of gains, or scale the grades down",
                )
            worth = np.exp2(grades) - 1.0
        elif self.gain == "binary":
            return (grades >= (self.relevant_from or 1.0)).astype(np.float64)
        else:
            worth = grades.copy()
            for grade, gain in self.gain:
                worth[grades == grade] = gain
        if self.relevant_from is None:
            return worth
        return np.where(grades >= self.relevant_from, worth, 0.0)

    def found(self, judged: Pool) -> NDArray[np.float64]:
        """The gain at each place, 0 where nobody judged: float64[Q, width]."""
        worth = self.gains(judged.grades)
        if isinstance(self.gain, tuple) and any(grade == 0 for grade, _ in self.gain):
            worth = np.where(judged.state == JUDGED, worth, 0.0)
        return worth

    def best(self, judged: Pool, width: int) -> NDArray[np.float64]:
        """Gains of the judged passages, best first, 0 past the last: float64[Q, width], or
        narrower where no query has as many."""
        if isinstance(self.gain, str):
            return self.gains(judged.ideal_matrix(width))
        # A map need not keep the order, so that any grade may be among the best up to the width;
        # what it makes worth less than 0, an ideal leaves out.
        worth = self.gains(judged.ideal_matrix(judged.most_judged))
        there = np.arange(judged.most_judged) < np.diff(judged.ideal_indptr)[:, None]
        ordered: NDArray[np.float64] = np.sort(
            np.where(there, np.minimum(-worth, 0.0), 0.0), axis=1
        )
        return -ordered[:, :width]

    def curve(self, judged: Judged) -> Curve:
        return np.cumsum(self.found(judged), axis=1)

    def steps(self, found: Found) -> Steps | None:
        return Steps(found, np.cumsum(self.found(found), axis=1), Fixed(np.ones(len(found))))


def discounts(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log2(rank + 1)`` for ranks from 1."""
    return np.log2(ranks + 1.0)


class DCG(CG):
    """Discounted cumulated gain: ``DCG@k = sum over i <= k of gain(i) / log2(i + 1)``.

    >>> from ragscore import score
    >>> run, qrels = {"q": ["a", "x", "b"]}, {"q": {"a": 3, "b": 1, "c": 2}}
    >>> score(run, qrels, ["DCG@3"]).to_dict()
    {'dataset': {'run': {'DCG@3': 3.5}}}
    """

    name: ClassVar[str] = "DCG"
    summary: ClassVar[str] = "sum of the gains in the top k, each divided by log2(rank + 1)"

    def curve(self, judged: Judged) -> Curve:
        discounted = self.found(judged) / discounts(judged.ranks)
        return np.cumsum(discounted, axis=1, out=discounted)

    def steps(self, found: Found) -> Steps | None:
        discounted = self.found(found) / discounts(found.rank)
        return Steps(found, np.cumsum(discounted, axis=1), Fixed(np.ones(len(found))))


class IDCG(CG):
    """Ideal DCG: the DCG of all judged grades, best first, cut at k, returned or not.

    >>> from ragscore import score
    >>> score({"q": ["x"]}, {"q": {"a": 2, "b": 1, "c": 1}}, ["IDCG@1", "IDCG@3"]).to_dict()
    {'dataset': {'run': {'IDCG@1': 2.0, 'IDCG@3': 3.1309297535714578}}}
    """

    name: ClassVar[str] = "IDCG"
    summary: ClassVar[str] = "the DCG that the best possible order would have"

    def grown(self, judged: Pool, width: int) -> NDArray[np.float64]:
        """The value at the cutoffs 1 to ``width``, or to where no query's grows any more:
        float64[Q, width]."""
        best = self.best(judged, width)
        ranks = np.arange(1, best.shape[1] + 1, dtype=np.float64)
        return np.cumsum(best / discounts(ranks), axis=1)

    def steps(self, found: Found) -> Steps | None:
        return None

    def curve(self, judged: Judged) -> Curve:
        ideal = np.zeros(judged.grades.shape)
        grown = self.grown(judged, judged.depth)
        width = grown.shape[1]
        ideal[:, :width] = grown
        if 0 < width < judged.depth:
            ideal[:, width:] = ideal[:, width - 1 : width]
        return ideal


class NDCG(CG, Gained):
    """Normalised DCG: ``DCG@k / IDCG@k``; 0 where nothing is relevant.

    The ideal reads all judged grades, returned or not. Without a cutoff it is not cut at all.

    >>> from ragscore import score
    >>> scores = score({"q": ["a", "x", "c"]}, {"q": {"a": 3, "b": 2, "c": 1}}, ["nDCG@3"])
    >>> round(scores.entries[0].mean("nDCG@3"), 4)
    0.735
    >>> str(NDCG(gain="exp") @ 10), str(NDCG(gain={1: 3, 2: 9}) @ 10)
    ('nDCG(gain=exp)@10', 'nDCG(gain={1:3,2:9})@10')
    """

    name: ClassVar[str] = "nDCG"
    aliases: ClassVar[tuple[str, ...]] = ("NDCG",)
    summary: ClassVar[str] = "DCG as a share of the best possible DCG"
    bounded: ClassVar[bool] = True
    needs_cutoff: ClassVar[bool] = False

    ideal: Literal["judged", "uncut", "returned", "slots", "top", "as_many"] = "judged"
    """The ideal ranking: all ``judged`` passages, best first, cut at k; the same ``uncut``, or cut
    at ``as_many`` as came back where that is less than k; only the ``returned`` ones, best first;
    only the ``top`` k, best first; or ``slots``: every place up to k, or the last returned, is as
    good as the query's best passage."""
    tie: Tie = "id"
    """Where scores tie: by ``id``, or the ``expected``, ``min`` or ``max`` over all orders."""

    @model_validator(mode="after")
    def _top_of_one_order(self) -> NDCG:
        if self.ideal == "top" and self.tie != "id":
            raise MeasureError(
                f"ideal=top with tie={self.tie}: which of the tied stand in the top k is not known",
                instead="Leave tie out, or choose another ideal",
            )
        return self

    def curve(self, judged: Judged) -> Curve:
        found = self.found(judged)
        discount = discounts(judged.ranks)
        if self.ideal == "judged":
            ideal = IDCG(gain=self.gain, relevant_from=self.relevant_from).curve(judged)
        elif self.ideal == "uncut":
            ideal = self._whole_ideal(judged)[:, None]
        elif self.ideal == "as_many":
            ideal = IDCG(gain=self.gain, relevant_from=self.relevant_from).curve(judged)
            last_place = np.clip(judged.returned, 1, judged.depth)[:, None] - 1
            places = np.arange(judged.depth)
            ideal = np.take_along_axis(ideal, np.minimum(places, last_place), axis=1)
        elif self.ideal == "top":
            ideal = _reordered(found)
        elif self.ideal == "returned":
            ideal = np.cumsum(-np.sort(-found, axis=1) / discount, axis=1)
        else:
            best = self.best(judged, 1).max(axis=1, initial=0.0)
            ideal = best[:, None] * np.cumsum(1 / discount)
        found = ties.arranged(found, judged, self.tie) / discount
        return divide(np.cumsum(found, axis=1, out=found), ideal)

    def uncut(self, judged: Judged, curve: Curve) -> NDArray[np.float64]:
        """DCG of everything returned over the DCG of everything judged: float64[Q]."""
        if self.ideal == "slots":
            return at_last(curve, judged)
        if self.ideal != "judged":
            return super().uncut(judged, curve)
        found = ties.arranged(self.found(judged), judged, self.tie) / discounts(judged.ranks)
        return divide(last(np.cumsum(found, axis=1)), self._whole_ideal(judged))

    def steps(self, found: Found) -> Steps | None:
        if self.ideal == "judged":
            of = IDCG(gain=self.gain, relevant_from=self.relevant_from)
            out_of: OutOf = Ideal(of.grown(found, found.depth))
        elif self.ideal == "uncut":
            out_of = Fixed(self._whole_ideal(found))
        else:
            return None
        discounted = self.found(found) / discounts(found.rank)
        return Steps(found, np.cumsum(discounted, axis=1), out_of)

    def uncut_steps(self, steps: Steps, depth: int) -> NDArray[np.float64]:
        """DCG of everything returned over the DCG of everything judged: float64[Q]."""
        if self.ideal != "judged":
            return super().uncut_steps(steps, depth)
        return divide(steps.last(), self._whole_ideal(steps.found))

    def _whole_ideal(self, judged: Pool) -> NDArray[np.float64]:
        """The DCG of everything judged, best first, wherever the ranking ends: float64[Q]."""
        of = IDCG(gain=self.gain, relevant_from=self.relevant_from)
        return last(of.grown(judged, judged.most_judged))

    def without_relevant(self, judged: Pool) -> NDArray[np.bool_]:
        best: NDArray[np.float64] = self.best(judged, 1).max(axis=1, initial=0.0)
        return best <= 0


def _reordered(gains: NDArray[np.float64]) -> Curve:
    """At each cutoff, the DCG of the gains up to there, best first: float64[Q, depth].

    Each level of gain above another adds its difference at as many of the first ranks as there are
    gains that reach it.
    """
    ranks = np.arange(1, gains.shape[1] + 1, dtype=np.float64)
    sums = np.append(0.0, np.cumsum(1.0 / discounts(ranks)))
    levels = np.unique(gains[gains > 0])
    ideal = np.zeros(gains.shape)
    for level, step in zip(levels, np.diff(levels, prepend=0.0), strict=True):
        ideal += step * sums[np.cumsum(gains >= level, axis=1)]
    return ideal


def last(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The last column, 0 where there is none: float64[Q]."""
    return sums[:, -1] if sums.shape[1] else np.zeros(len(sums))
