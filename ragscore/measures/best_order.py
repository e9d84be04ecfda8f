"""The best order of passages that cover needs together: the ideal of nDCG and of alpha-nDCG.

Where each passage covers one need, the ideal order is that of the grades. Where a passage covers
several it is a problem of covering: the best order for one cutoff need not begin that of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import CoveredNeeds

EXACT_NEEDS = 12
"""A query with more needs has the order that takes the largest gain at every rank in place of the
best one."""

Sets = tuple[tuple[tuple[int, float], ...], ...]
"""For each passage the needs that it covers, each with its gain."""


def discounts(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log2(rank + 1)`` for ranks from 1."""
    return np.log2(ranks + 1.0)


def best_orders(
    needs: CoveredNeeds,
    gains: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    threshold: float,
) -> NDArray[np.float64]:
    """The highest DCG of any order of the judged passages of each query at every cutoff, to where
    no query's grows any more: float64[Q, width].

    A passage gains what the needs are worth that it is the first to cover; a need that no passage
    of this corpus covers is one more passage. Exact up to :data:`EXACT_NEEDS` needs; the work for
    a query grows with 2 to that power at most, and equal queries are computed once.

    Args:
        needs: of the block.
        gains: what grades are worth.
        threshold: the lowest grade that covers a need.
    """
    worth, best = gains(needs.needs.grades), gains(needs.needs.best)
    rows = [_grown(_pruned(sets)) for sets in sets_of(needs, worth, best, threshold)]
    grown = np.zeros((len(rows), max([1, *map(len, rows)])))
    for at, row in enumerate(rows):
        grown[at, : len(row)] = row
        grown[at, len(row) :] = row[-1] if len(row) else 0.0
    return grown


def sets_of(
    needs: CoveredNeeds,
    worth: NDArray[np.float64],
    best: NDArray[np.float64],
    threshold: float,
) -> Iterator[Sets]:
    """What the judged passages of each query cover, by falling id, and a passage more for each need
    that none of them does.

    Args:
        needs: of the block.
        worth: float64[m], gain of each passage for each need that it covers.
        best: float64[total], gain of each need.
        threshold: the lowest grade that covers a need.
    """
    own, qrels = needs.needs, needs.qrels
    number, grade, gain = own.need.tolist(), own.grades.tolist(), worth.tolist()
    indptr = own.indptr.tolist()
    for row in needs.query_rows.tolist():
        judgments = qrels.by_falling_id[qrels.indptr[row] : qrels.indptr[row + 1]].tolist()
        sets = [
            tuple(
                (number[entry], gain[entry])
                for entry in range(indptr[at], indptr[at + 1])
                if grade[entry] >= threshold
            )
            for at in judgments
        ]
        covered = {need for one in sets for need, _ in one}
        begin, end = own.bounds[row : row + 2].tolist()
        lacking = [
            ((need, float(best[begin + need])),)
            for need in range(end - begin)
            if need not in covered and own.best[begin + need] >= threshold
        ]
        yield tuple(one for one in [*sets, *lacking] if one)


def _pruned(sets: Sets) -> Sets:
    """Without the passages that another one is at least as good as, whatever came before."""
    gains = [dict(one) for one in sets]

    def better(other: dict[int, float], one: dict[int, float], first: bool) -> bool:
        if other.keys() != one.keys():
            return False
        worth = [(other[need], one[need]) for need in one]
        return all(a >= b for a, b in worth) and (first or any(a > b for a, b in worth))

    kept = [
        at
        for at, one in enumerate(gains)
        if not any(
            better(other, one, place < at) for place, other in enumerate(gains) if place != at
        )
    ]
    return tuple(sets[at] for at in kept)


_KNOWN: dict[Sets, tuple[float, ...]] = {}
_MOST_KNOWN = 10_000


def _grown(sets: Sets) -> tuple[float, ...]:
    if sets not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[sets] = tuple(_computed(sets))
    return _KNOWN[sets]


def _computed(sets: Sets) -> list[float]:
    """The highest DCG at each cutoff up to the number of needs."""
    numbers = sorted({need for one in sets for need, _ in one})
    if all(len(one) == 1 for one in sets):
        best: dict[int, float] = {}
        for ((need, gain),) in sets:
            best[need] = max(gain, best.get(need, 0.0))
        ranks = np.arange(1.0, len(best) + 1)
        found: list[float] = np.cumsum(
            np.array(sorted(best.values(), reverse=True)) / discounts(ranks)
        ).tolist()
        return found
    if len(numbers) > EXACT_NEEDS:
        gained = greedy(sets, lambda gain, seen: gain if not seen else 0.0)
        return list(np.cumsum(np.array(gained) / discounts(np.arange(1.0, len(gained) + 1))))
    return _exact(sets, {need: place for place, need in enumerate(numbers)})


def _exact(sets: Sets, place: dict[int, int]) -> list[float]:
    """By how much each set of needs that were covered can have gained, passage after passage."""
    masks = np.arange(1 << len(place))
    taken: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []
    for one in sets:
        gains = np.zeros(len(masks))
        covers = 0
        for need, gain in one:
            gains += np.where(masks >> place[need] & 1, 0.0, gain)
            covers |= 1 << place[need]
        taken.append((gains, masks | covers))
    value = np.full(len(masks), -np.inf)
    value[0] = 0.0
    highest: list[float] = []
    for rank in range(1, len(place) + 1):
        after = value.copy()
        discount = float(discounts(np.array(float(rank))))
        for gains, target in taken:
            np.maximum.at(after, target, value + gains / discount)
        value = after
        highest.append(float(value.max()))
    return highest


def greedy(sets: Sets, worth: Callable[[float, int], float]) -> list[float]:
    """What is gained at each rank where the passage that gains most comes next.

    Args:
        sets: passages; equal ones are as many passages.
        worth: of a need by its gain and how many passages above cover it.
    """
    left, seen = list(sets), dict[int, int]()
    gained: list[float] = []
    while left:
        gains = [sum(worth(gain, seen.get(need, 0)) for need, gain in one) for one in left]
        highest = max(gains)
        if highest <= 0:
            break
        chosen = left.pop(gains.index(highest))
        gained.append(highest)
        for need, _ in chosen:
            seen[need] = seen.get(need, 0) + 1
    return gained
