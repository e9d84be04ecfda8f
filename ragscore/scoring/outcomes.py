"""What may become of unjudged passages: m of them relevant, the first or the last."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import JUDGED, OUTSIDE, UNJUDGED, Judged
from ragscore.measures import Measure
from ragscore.measures.base import Curve


class Outcomes:
    """What may become of a block's unjudged returned passages."""

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        self.places = np.arange(judged.depth, dtype=np.int32)
        self.open: NDArray[np.bool_] = (judged.state == OUTSIDE) | (judged.state == UNJUDGED)
        self.number = np.cumsum(self.open, axis=1)
        """How many unjudged passages are in the top k: int64[Q, depth]."""
        self.count = self.open.sum(axis=1)
        self._shared: dict[int, list[Judged]] = {}

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers m: 0, 1, ... up to the most unjudged passages of any query."""
        return np.arange(int(self.count.max(initial=0)) + 1)

    @cached_property
    def last(self) -> NDArray[np.bool_]:
        """The last unjudged passage alone: the least that gives a query its first relevant one."""
        last: NDArray[np.bool_] = self.open & (self.number == self.count[:, None])
        return last

    def top(self, k: int) -> Outcomes:
        """As if nothing had come back below rank k unjudged: what is there counts as it is."""
        state = self.judged.state.copy()
        state[:, k:][self.open[:, k:]] = JUDGED
        return Outcomes(replace(self.judged, state=state))

    def ends(self) -> NDArray[np.int64]:
        """Rank of the m-th unjudged passage, 0 for none: int64[Q, m]; anything where there are
        fewer."""
        order = np.argsort(~self.open, axis=1, kind="stable")[:, : len(self.numbers) - 1]
        return np.pad(order + 1, ((0, 0), (1, 0)))

    def splits(self, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many of the top k places reach to the m-th unjudged passage, and to the one before
        the last m: int64[Q, m] each."""
        ends = np.minimum(self.ends(), k)
        others = np.maximum(self.count[:, None] - self.numbers, 0)
        return ends, np.take_along_axis(ends, others, axis=1)

    def defined(self, measure: Measure, values: Curve) -> Curve:
        """Values for each m: NaN if a query has not this many, and where m = 0 leaves nothing
        relevant, what the measure's options say."""
        values[:, :1] = measure.settled(values[:, :1], self.judged)
        return np.where(self.numbers <= self.count[:, None], values, np.nan)

    def with_relevant(self, taken: NDArray[np.bool_], grade: float = np.inf) -> Judged:
        """The block had these places been judged, with a grade that none exceeds."""
        judged, counts = self.judged, taken.sum(axis=1)
        added = np.append(0, np.cumsum(counts))
        ideal = np.full(len(judged.ideal_grades) + added[-1], grade)
        moved = np.arange(len(judged.ideal_grades)) + added[1:][judged.ideal_query]
        ideal[moved] = judged.ideal_grades
        return replace(
            judged,
            grades=np.where(taken, grade, judged.grades),
            state=np.where(taken, np.int8(JUDGED), judged.state),
            ideal_indptr=judged.ideal_indptr + added,
            ideal_grades=ideal,
        )

    def extremes(self, measure: Measure, k: int) -> Curve:
        """Values of a measure in the outcomes that bound it where order within the top k, or
        the number below it, do not matter one by one: float64[Q, outcomes]."""
        if k not in self._shared:
            inside = self.places < k
            outcomes = (self.open & inside, self.open & ~inside, self.last)
            self._shared[k] = [self.judged, *map(self.with_relevant, outcomes)]
        return np.column_stack([measure.value(outcome) for outcome in self._shared[k]])

    def across(self, measure: Measure, k: int) -> Curve:
        """Values of a measure that reads hits (P, R, F) in the outcomes that bound it where
        passages tie across k: float64[Q, outcomes].

        Above the group that lies across k all or none are relevant, and below it none or all.
        Of the group's own, s of them: hits are straight in s but where the group fills the
        places up to k or those past it, what they are divided by is straight but where it
        reaches k, so that a quotient turns at these numbers only.
        """
        judged = self.judged
        if k < 1 or k >= judged.depth:
            return self.extremes(measure, k)
        # A place past what came back has a group of its own.
        start = np.minimum(judged.tie_start, self.places)
        begins = start[:, k : k + 1]
        group = (start == begins) & (begins < k)
        inside, below = (self.open & ~group & side for side in (self.places < k, self.places >= k))
        own = self.open & group
        order = np.cumsum(own, axis=1)
        known = judged.relevant(measure.threshold or 1.0)
        n_relevant = judged.n_relevant(measure.threshold or 1.0)
        in_group = (known & group).sum(axis=1)
        above = np.where(group.any(axis=1), k - begins[:, 0], 0)
        turns = [
            np.zeros(len(judged)),
            order[:, -1],
            above - in_group,
            group.sum(axis=1) - above - in_group,
        ]
        values = [measure.value(judged), measure.value(self.with_relevant(self.last))]
        for others in (inside, below):
            for taken in (*turns, k - n_relevant - others.sum(axis=1)):
                chosen = others | (own & (order <= taken[:, None]))
                values.append(measure.value(self.with_relevant(chosen)))
        return np.column_stack(values)


def sums_from_zero(values: Curve) -> Curve:
    """Sums over the top 0, 1, ... places: float64[Q, depth + 1]."""
    return np.pad(np.cumsum(values, axis=1), ((0, 0), (1, 0)))
