"""The best order of passages that cover needs together: the ideal of nDCG and of alpha-nDCG.

Where each passage covers one need, the ideal order is that of the grades. Where a passage covers
several it is a problem of covering: the best order for one cutoff need not begin that of the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, ranges
from ragscore.judge import CoveredNeeds

Gained = TypeVar("Gained")

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
    of this corpus covers is one more passage. Where no passage of a query covers several, that is
    the order of the grades; else it is exact up to :data:`EXACT_NEEDS` needs; the work for
    a query grows with 2 to that power at most, and equal queries are computed once.

    Args:
        needs: of the block.
        gains: what grades are worth.
        threshold: the lowest grade that covers a need.
    """
    worth, best = gains(needs.needs.grades), gains(needs.needs.best)

    def grown_of(sets: Sets) -> tuple[float, ...]:
        return _grown(tuple(sorted(_pruned(sets))))

    entries = _Entries.of(needs, threshold)
    joint = np.zeros(len(needs.query_rows), dtype=bool)
    joint[entries.query[1:][entries.passage[1:] == entries.passage[:-1]]] = True
    by_grade = _by_grade(needs, entries, worth, best, threshold)
    at_once = np.flatnonzero(joint)
    together = replace(needs, query_rows=needs.query_rows[at_once])
    rows = of_each_query(together, worth, best, threshold, grown_of)
    width = max([1, by_grade.shape[1], *map(len, rows)])
    grown = np.empty((len(joint), width))
    grown[:, : by_grade.shape[1]] = by_grade
    grown[:, by_grade.shape[1] :] = by_grade[:, -1:]
    for at, row in zip(at_once.tolist(), rows, strict=True):
        grown[at, : len(row)] = row
        grown[at, len(row) :] = row[-1] if len(row) else 0.0
    return grown


class _Entries(NamedTuple):
    """What the judged passages of some queries cover: int64[e] each, in the order of the queries
    and of their passages, by falling id.

    Attributes:
        query: the place of the query.
        passage: the number of the passage among those of all.
        at: the entry in the needs of all queries.
    """

    query: NDArray[np.int64]
    passage: NDArray[np.int64]
    at: NDArray[np.int64]

    @classmethod
    def of(cls, needs: CoveredNeeds, threshold: float) -> _Entries:
        """Those with a grade of ``threshold`` or more."""
        own, qrels, rows = needs.needs, needs.qrels, needs.query_rows
        counts = qrels.judgments[rows]
        judgments = qrels.by_falling_id[ranges(qrels.indptr[rows], counts)]
        starts = own.indptr[judgments]
        covered = own.indptr[judgments + 1] - starts
        at = ranges(starts, covered)
        passage = np.repeat(np.arange(len(judgments)), covered)
        query = np.repeat(np.repeat(np.arange(len(rows)), counts), covered)
        reached = own.grades[at] >= threshold
        return cls(query[reached], passage[reached], at[reached])


def _by_grade(
    needs: CoveredNeeds,
    entries: _Entries,
    worth: NDArray[np.float64],
    best: NDArray[np.float64],
    threshold: float,
) -> NDArray[np.float64]:
    """As :func:`best_orders`, where every passage covers one need at most: the order of the best
    gains that needs have."""
    own, rows = needs.needs, needs.query_rows
    counts = own.bounds[rows + 1] - own.bounds[rows]
    query = np.repeat(np.arange(len(rows)), counts)
    need = ranges(own.bounds[rows], counts)
    place = bounds_of(counts)[entries.query] + own.need[entries.at]
    covered = np.zeros(len(need), dtype=bool)
    covered[place] = True
    gained = np.where(covered, 0.0, best[need])
    np.maximum.at(gained, place, worth[entries.at])
    kept = covered | (own.best[need] >= threshold)
    query, gained = query[kept], np.maximum(gained[kept], 0.0)
    order = np.lexsort((-gained, query))
    query, gained = query[order], gained[order]
    rank = np.arange(len(query)) - np.searchsorted(query, query, side="left")
    discounted = gained / discounts(rank.astype(np.float64) + 1.0)
    grown = np.zeros((len(rows), int(rank.max(initial=0)) + 1))
    grown[query, rank] = discounted
    return np.cumsum(grown, axis=1)


def of_each_query(
    needs: CoveredNeeds,
    worth: NDArray[np.float64],
    best: NDArray[np.float64],
    threshold: float,
    compute: Callable[[Sets], Gained],
) -> list[Gained]:
    """Something of what the judged passages of each query cover, by falling id, and a passage more
    for each need that none of them does; computed once for queries that are alike.

    Args:
        needs: of the block.
        worth: float64[m], gain of each passage for each need that it covers.
        best: float64[total], gain of each need.
        threshold: the lowest grade that covers a need.
        compute: it.
    """
    own, rows = needs.needs, needs.query_rows
    counts = needs.qrels.judgments[rows]
    found = _Entries.of(needs, threshold)
    lengths = np.bincount(found.passage, minlength=int(counts.sum()))
    number, gain = own.need[found.at], worth[found.at]
    entries = bounds_of(lengths)[bounds_of(counts)].tolist()
    passages = bounds_of(counts).tolist()
    wanted = np.where(own.best >= threshold, best, np.nan)
    known: dict[tuple[bytes, ...], Gained] = {}
    results = []
    for place, (first, last) in enumerate(
        zip(own.bounds[rows].tolist(), own.bounds[rows + 1].tolist(), strict=True)
    ):
        parts = (
            lengths[passages[place] : passages[place + 1]],
            number[entries[place] : entries[place + 1]],
            gain[entries[place] : entries[place + 1]],
            wanted[first:last],
        )
        key = tuple(part.tobytes() for part in parts)
        if key not in known:
            known[key] = compute(_sets(*parts))
        results.append(known[key])
    return results


def _sets(
    lengths: NDArray[np.int64],
    number: NDArray[np.int32],
    gain: NDArray[np.float64],
    wanted: NDArray[np.float64],
) -> Sets:
    # Of a query's few entries plain Python takes a tenth of numpy's time.
    pairs = list(zip(number.tolist(), gain.tolist(), strict=True))
    bounds = accumulate(lengths.tolist(), initial=0)
    sets = [tuple(pairs[start:end]) for start, end in pairwise(bounds) if end > start]
    covered = {need for need, _ in pairs}
    for need, worth in enumerate(wanted.tolist()):
        if need not in covered and not math.isnan(worth):
            sets.append(((need, worth),))
    return tuple(sets)


def _pruned(sets: Sets) -> Sets:
    """Without the passages that another one is at least as good as, whatever came before."""
    covering = [tuple(sorted(need for need, _ in one)) for one in sets]
    alike: dict[tuple[int, ...], list[int]] = {}
    for at, covered in enumerate(covering):
        alike.setdefault(covered, []).append(at)
    if len(alike) == len(sets):
        return sets
    gains = [dict(one) for one in sets]

    def better(other: int, one: int) -> bool:
        worth = [(gains[other][need], gains[one][need]) for need in covering[one]]
        return all(a >= b for a, b in worth) and (other < one or any(a > b for a, b in worth))

    return tuple(
        one
        for at, one in enumerate(sets)
        if not any(better(other, at) for other in alike[covering[at]] if other != at)
    )


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
