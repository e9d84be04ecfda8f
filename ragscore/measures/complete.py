"""Complete, NeedRank and alpha-nDCG: how far the needs of a question are covered.

On ground truth without needs, each relevant passage is a need of its own. Source: Clarke et al.,
Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008, and ndeval, for alpha-nDCG;
Zhai, Cohen and Lafferty, Beyond Independent Relevance, SIGIR 2003 (subtopic recall), for the
others.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.judge import CoveredNeeds, Judged, Pool, Ranked
from ragscore.measures.base import Aggregate, Curve, Measure, NeedsRead
from ragscore.measures.best_order import Sets, discounts, greedy, of_each_query
from ragscore.measures.cumulative import Cumulative, Ideal, OutOf, PerQuery, last
from ragscore.measures.relevance import Binary, RelevantFrom


class Complete(Cumulative, Binary):
    """1 if the top k cover every need of the query; without needs, if they hold all its relevant
    passages.

    ``Complete@k = 1 if R@k = 1 else 0``; 0 if there is nothing to find.

    >>> from ragscore import Dataset, score
    >>> needs = [{"query_id": "q", "needs": [["a", "b"], ["c"]]}]
    >>> dataset = Dataset.from_rows(dict.fromkeys("abcx", "text"), {"q": "?"}, needs)
    >>> score({"q": ["b", "x", "c"]}, dataset, ["Complete@2", "Complete@3"]).to_dict()
    {'dataset': {'run': {'Complete@2': 0.0, 'Complete@3': 1.0}}}
    """

    name: ClassVar[str] = "Complete"
    aliases: ClassVar[tuple[str, ...]] = ("AllNeeds",)
    summary: ClassVar[str] = "1 if the top k cover every need (all relevant passages)"
    reads_hits: ClassVar[bool] = True

    @property
    def flat(self) -> bool:
        return True

    def totals(self, judged: Ranked) -> Curve:
        wanted = judged.n_relevant(self.relevant_from)[:, None]
        whole = (judged.covered(self.relevant_from) >= wanted) & (wanted > 0)
        return whole.astype(np.float64)


class NeedRank(Measure):
    """The rank at which the last need of the query is covered, where all are in the top k.

    Undefined (NaN) where one is not; how many queries are is reported beside the mean. Lower is
    better. Without needs it is the rank of the last relevant passage.

    >>> from ragscore import score
    >>> [row] = score({"q": ["a", "x", "c"]}, {"q": ["a", "c"]}, ["NeedRank"]).rows()
    >>> row.value
    3.0
    """

    name: ClassVar[str] = "NeedRank"
    summary: ClassVar[str] = "rank at which the last need is covered, where all are"
    needs_cutoff: ClassVar[bool] = False
    aggregate: ClassVar[Aggregate] = "mean of defined"
    lowest_is_best: ClassVar[bool] = True
    bounded: ClassVar[bool] = False

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    @property
    def flat(self) -> bool:
        return True

    def curve(self, judged: Judged) -> Curve:
        wanted = judged.n_relevant(self.relevant_from)[:, None]
        whole = (judged.covered(self.relevant_from) >= wanted) & (wanted > 0)
        rank = (judged.depth - whole.sum(axis=1) + 1).astype(np.float64)[:, None]
        return np.where(whole, rank, np.nan)

    def uncut(self, judged: Judged, curve: Curve) -> NDArray[np.float64]:
        """The last column; NaN if nothing was returned at all."""
        return curve[:, -1] if curve.shape[1] else np.full(len(judged), np.nan)


class AlphaNDCG(Cumulative, Binary):
    """alpha-nDCG: nDCG in which each further passage for the same need gains less.

    The gain of a passage is the sum over the needs that it covers of ``(1 - alpha) ** c``, where c
    passages above it cover the need; it is discounted by log2(rank + 1). The ideal is greedy, as in
    ndeval: at each rank the judged passage that gains most, of several the last by id; finding the
    best order is too hard. A higher alpha punishes repetition more; with 1 it gains nothing.
    Without a cutoff the ideal is not cut at all.

    >>> from ragscore import Dataset, score
    >>> needs = [{"query_id": "q", "needs": [["a", "b"], ["c"]]}]
    >>> dataset = Dataset.from_rows(dict.fromkeys("abc", "text"), {"q": "?"}, needs)
    >>> found = score({"q": ["a", "b", "c"]}, dataset, ["alpha-nDCG@2"])
    >>> round(found.entries[0].mean("alpha-nDCG@2"), 4)
    0.8066
    """

    name: ClassVar[str] = "alpha-nDCG"
    summary: ClassVar[str] = "nDCG in which each further passage for the same need gains less"
    needs_cutoff: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "joint"

    alpha: Annotated[float, Field(ge=0, le=1)] = 0.5
    """How much less a need is worth each time that it is covered again."""

    def totals(self, judged: Ranked) -> Curve:
        gains = self._gains(judged) / discounts(judged.ranks)
        return np.cumsum(gains, axis=1, out=gains)

    def _gains(self, judged: Ranked) -> NDArray[np.float64]:
        if judged.needs is None:
            return judged.relevant(self.relevant_from).astype(np.float64)
        needs = judged.needs
        reached = np.flatnonzero(needs.grades >= self.relevant_from)
        seen = needs.seen(self.relevant_from).astype(np.float64)
        worth: NDArray[np.float64] = np.power(1.0 - self.alpha, seen)
        return needs.added(worth, reached)

    def out_of(self, judged: Ranked) -> OutOf:
        return Ideal(self._grown(judged))

    def whole(self, judged: Ranked) -> PerQuery | None:
        return last(self._grown(judged))

    def _grown(self, judged: Pool) -> NDArray[np.float64]:
        """The greedy ideal at every cutoff, which goes on past what came back."""
        name = f"greedy ideal by {self.alpha}"
        return judged.once(name, self.relevant_from, lambda: self._ideal(judged))

    def _ideal(self, judged: Pool) -> NDArray[np.float64]:
        if judged.needs is None:
            most = int(judged.n_relevant(self.relevant_from).max(initial=0.0))
            there = np.arange(most) < judged.n_relevant(self.relevant_from)[:, None]
            return _discounted(there.astype(np.float64))
        rows = _greedy_gains(judged.needs, self.alpha, self.relevant_from)
        gains = np.zeros((len(judged), max([1, *map(len, rows)])))
        for at, row in enumerate(rows):
            gains[at, : len(row)] = row
        return _discounted(gains)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | {
            "log2(rank+1)": discounts(judged.ranks),
            "gain": self._gains(judged)[0],
        }


def _discounted(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    ranks = np.arange(1.0, gains.shape[1] + 1)
    return np.cumsum(gains / discounts(ranks), axis=1)


def _greedy_gains(needs: CoveredNeeds, alpha: float, relevant_from: float) -> list[list[float]]:
    """The gains of the greedy order of each query."""

    def gains(sets: Sets) -> list[float]:
        return greedy(sets, lambda gain, seen: gain * (1.0 - alpha) ** seen)

    ones = np.ones(len(needs.needs.need)), np.ones(len(needs.needs.best))
    return of_each_query(needs, *ones, relevant_from, gains)
