"""Bounds: what measures could be if the unjudged among the returned passages were judged.

A returned passage that nobody judged counts as not relevant. Were it judged, it might be
relevant, and then it would be one more of the R relevant passages too. Over all such outcomes:

- For a given number m of the u unjudged passages taken as relevant, moving a relevant passage up
  never lowers P, R, F, Success, RR, AP or nDCG, so that the best outcome is the first m and the
  worst the last m. The bounds are the extremes over m = 0..u: exact.
- P, R, F, Success and RR never fall by one more relevant passage in the top k and never rise by
  one below it, so that two outcomes are enough: all of those, or all of these.
- nDCG of graded judgments: a passage may get any of the grades that occur in the judgments. The
  lowest value is reached with the largest gain (the value is quasi-concave in the gains) and is
  exact; for the highest, DCG is taken with the largest gain and the ideal with the smallest: no
  outcome is above it, and perhaps none reaches it (``outer``). The best of several orders is not
  quasi-concave: with ``tie=max`` the lowest value is outer as well.

Where passages share needs, an unjudged one might cover any of them: no bound is known.

The work grows with places x cutoffs named, and for AP and nDCG with queries x u besides. Where
passages tie and ``tie=`` asks for more than one order, P, R and F are measured in twelve outcomes
(see :meth:`~ragscore.scoring.outcomes.Outcomes.across`), and AP, and nDCG but with
``tie=expected``, for every m on its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.judge import Judged
from ragscore.measures import AP, NDCG, Measure, tied_orders
from ragscore.measures.base import BoundsKind, Curve
from ragscore.measures.best_order import discounts
from ragscore.measures.tied_orders import Tie
from ragscore.scoring.means import aggregate
from ragscore.scoring.outcomes import Outcomes, sums_from_zero


@dataclass(frozen=True, eq=False)
class UnjudgedBounds:
    """The lowest and highest value of each measure for each query.

    Attributes:
        low, high: float64[M, Q]; NaN if no bound is known, or no outcome defines the value.
        kinds: of each measure.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kinds: tuple[BoundsKind, ...]

    def means(self, at: int, measure: Measure) -> tuple[float, float, BoundsKind] | tuple[()]:
        """Means of the lows and of the highs of one measure, and their kind; nothing where no
        bound is known."""
        kind = self.kinds[at]
        if kind == "none":
            return ()
        low, high = (aggregate(measure, side[at], None) for side in (self.low, self.high))
        return low, high, kind

    @classmethod
    def of(
        cls,
        blocks: Iterable[NDArray[np.float64]],
        measures: Iterable[Measure],
        scale: NDArray[np.float64],
        *,
        shared_needs: bool = False,
    ) -> UnjudgedBounds:
        """The blocks' bounds side by side; none are known where passages share needs."""
        low, high = np.concatenate(list(blocks), axis=2)
        kinds: list[BoundsKind] = [
            "none" if shared_needs else measure.bounds_kind(scale) for measure in measures
        ]
        return cls(low, high, tuple(kinds))


def block_bounds(
    judged: Judged, measures: tuple[Measure, ...], scale: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Lows and highs of a block: float64[2, M, Q].

    Args:
        judged: the block.
        measures: with cutoffs as numbers.
        scale: the distinct grades above 0 of all judgments, not only of this block: what a
            passage may be judged.
    """
    result = np.full((2, len(measures), len(judged)), np.nan)
    if judged.needs is not None:
        return result
    outcomes = Outcomes(judged)
    any_tie = bool((judged.tie_start < outcomes.places).any())
    for at, named in enumerate(measures):
        measure = named.within(judged.depth)
        if measure.bounds_kind(scale) == "none":
            continue
        k = measure.cutoff if isinstance(measure.cutoff, int) else judged.depth
        tied = measure.orders_ties and any_tie
        if tied and measure.reads_hits:
            values = outcomes.across(measure, k)
        elif tied and measure.reads_first:
            # No order of the passages loses by one more that is relevant.
            values = outcomes.extremes(measure, judged.depth)
        elif tied and not (isinstance(measure, NDCG) and measure.tie == "expected"):
            values = _every_number(measure, outcomes, scale)
        elif isinstance(measure, AP):
            values = _average_precision(measure, outcomes, k)
        elif isinstance(measure, NDCG):
            values = _gains(measure, outcomes, k, scale)
        else:
            values = outcomes.extremes(measure, k)
        result[0, at] = np.fmin.reduce(values, axis=1, initial=np.nan)
        result[1, at] = np.fmax.reduce(values, axis=1, initial=np.nan)
    return result


def _average_precision(measure: AP, outcomes: Outcomes, k: int) -> Curve:
    """AP with the last m relevant, then with the first m, for every m, and with what is below k
    alone where that is an outcome of its own: float64[Q, 2 m + 1]."""
    beside = np.full((len(outcomes.judged), 1), np.nan)
    if measure.denominator == "found":
        # What is below k has no part in it, but that it may be all that is relevant: 0.
        nothing = outcomes.judged.n_relevant(measure.relevant_from) == 0
        beside[nothing & outcomes.open[:, k:].any(axis=1)] = 0.0
        outcomes = outcomes.top(k)
    judged, numbers = outcomes.judged, outcomes.numbers
    relevant = judged.relevant(measure.relevant_from)
    hits, either = judged.hits(measure.relevant_from), relevant | outcomes.open
    # Sums of rel(i) hits(i) / i and rel(i) / i, without and with all unjudged as relevant.
    none = sums_from_zero(relevant * hits / judged.ranks)
    each = sums_from_zero(relevant / judged.ranks)
    all_sums = sums_from_zero(either * (hits + outcomes.number) / judged.ranks)
    all_each = sums_from_zero(either / judged.ranks)
    first, before_last = outcomes.splits(k)

    def between(sums: Curve, start: NDArray[np.int64]) -> Curve:
        return sums[:, k : k + 1] - np.take_along_axis(sums, start, axis=1)

    left = np.maximum(outcomes.count[:, None] - numbers, 0)
    best = np.take_along_axis(all_sums, first, axis=1)
    best = best + between(none, first) + numbers * between(each, first)
    worst = np.take_along_axis(none, before_last, axis=1)
    worst = worst + between(all_sums, before_last) - left * between(all_each, before_last)
    if measure.denominator == "found":
        out_of = (hits[:, k - 1 : k] if k else np.zeros((len(judged), 1))) + numbers
    else:
        out_of = judged.n_relevant(measure.relevant_from)[:, None] + numbers
        if measure.denominator == "min" and measure.cutoff is not None:
            out_of = np.minimum(out_of, k)
        elif measure.denominator == "k":
            most = judged.returned[:, None] if measure.cutoff is None else k
            out_of = np.full(out_of.shape, most, dtype=np.float64)
    sides = (outcomes.defined(measure, divide(side, out_of)) for side in (worst, best))
    return np.concatenate([*sides, beside], axis=1)


def _gains(measure: NDCG, outcomes: Outcomes, k: int, scale: NDArray[np.float64]) -> Curve:
    """NDCG with the last m of the largest gain, then with the first m: float64[Q, 2 m]."""
    judged = outcomes.judged
    worths = measure.worths(scale)
    discounted = np.where(judged.ranks <= k, 1.0 / discounts(judged.ranks), 0.0)
    # Over all orders of a tie group each of its passages has the group's mean discount.
    order: Tie = "expected" if measure.tie == "expected" else "id"
    weights = np.broadcast_to(discounted, judged.grades.shape)
    weights = tied_orders.arranged(weights, judged, order)
    found = (measure.found(judged) * weights).sum(axis=1, keepdims=True)
    room = sums_from_zero(outcomes.open * weights)
    first, before_last = outcomes.splits(judged.depth)
    lowest, highest = _ideals(measure, outcomes, k, worths)
    below = room[:, -1:] - np.take_along_axis(room, before_last, axis=1)
    worst = divide(found + worths[-1] * below, lowest)
    best = divide(found + worths[-1] * np.take_along_axis(room, first, axis=1), highest)
    if len(worths) > 1:
        best = np.minimum(best, 1.0)
    sides = (outcomes.defined(measure, side) for side in (worst, best))
    return np.concatenate(list(sides), axis=1)


def _ideals(
    measure: NDCG, outcomes: Outcomes, k: int, worths: NDArray[np.float64]
) -> tuple[Curve, Curve]:
    """The ideal DCG at k with m more passages of the largest gain, and of the smallest:
    float64[Q, m] each."""
    judged, numbers = outcomes.judged, outcomes.numbers
    cut = k
    if measure.ideal == "returned":
        ideal = -np.sort(-measure.found(judged), axis=1)
    elif measure.ideal == "uncut" or (measure.cutoff is None and measure.ideal == "judged"):
        ideal = measure.best(judged, judged.most_judged)
        cut = ideal.shape[1] + len(numbers)
    else:
        ideal = measure.best(judged, judged.depth)
    weights = 1.0 / discounts(np.arange(1.0, ideal.shape[1] + len(numbers) + cut))
    weights[cut:] = 0.0
    sums = np.append(0.0, np.cumsum(weights))
    if measure.ideal == "slots":
        top = ideal.max(axis=1, initial=0.0)[:, None]
        pair = [np.where(numbers > 0, np.maximum(top, worth), top) for worth in worths[[-1, 0]]]
        slots = sums[judged.returned][:, None] if measure.cutoff is None else sums[-1]
        return pair[0] * slots, pair[1] * slots
    # The largest stand before all others and push them down, the smallest behind them.
    shifted = ideal @ weights[np.add.outer(np.arange(ideal.shape[1]), numbers)]
    many = (ideal > 0).sum(axis=1)[:, None]
    behind = sums[many + numbers] - sums[many]
    return shifted + worths[-1] * sums[numbers], shifted[:, :1] + worths[0] * behind


def _every_number(measure: Measure, outcomes: Outcomes, scale: NDArray[np.float64]) -> Curve:
    """Every m measured on its own, for ``tie=``: float64[Q, 2 m]. Passages of one tie group may
    change places, so that which of them are relevant does not matter."""
    judged, grade = outcomes.judged, np.inf
    worths = np.empty(0)
    ratio = np.ones((len(judged), len(outcomes.numbers)))
    if isinstance(measure, NDCG):
        k = measure.cutoff if isinstance(measure.cutoff, int) else judged.depth
        worths = measure.worths(scale)
        candidates = np.append(scale, measure.relevant_from or 1.0)
        grade = float(candidates[measure.gains(candidates) == worths[-1]][0])
        lowest, highest = _ideals(measure, outcomes, k, worths)
        ratio = divide(lowest, highest)
    sides: tuple[list[Curve], list[Curve]] = ([], [])
    for number in outcomes.numbers.tolist():
        others = outcomes.count[:, None] - number
        for side, taken in zip(
            sides, (outcomes.number > others, outcomes.number <= number), strict=True
        ):
            side.append(measure.value(outcomes.with_relevant(outcomes.open & taken, grade)))
    worst, best = (np.column_stack(side) for side in sides)
    if isinstance(measure, NDCG) and (ratio > 1).any():
        best[:, 1:] = np.minimum(best * ratio, 1.0)[:, 1:]
    if isinstance(measure, NDCG) and measure.tie == "max" and len(worths) > 1:
        # The best of several orders is not quasi-concave. It is never below the expected one, nor
        # below what is known over the ideal with all unjudged of the largest gain.
        expected = NDCG(**{**dict(measure), "tie": "expected"})
        largest = np.take_along_axis(lowest, outcomes.count[:, None], axis=1)
        least = divide(np.nan_to_num(best[:, :1]) * lowest[:, :1], largest)
        worst = np.maximum(_gains(expected, outcomes, k, scale)[:, : len(outcomes.numbers)], least)
    return np.concatenate([outcomes.defined(measure, worst), outcomes.defined(measure, best)], 1)
