"""What a value is over all orders of the passages that tie: ``tie=expected``, ``min``, ``max``.

The passages of a tie group take the same ranks in every order, so that what comes before the
group and the number of relevant passages in it stay. For a group of n passages after a others,
r of its own and h of those relevant, at the p-th of its places:

- hits: h + r p / n expected; the relevant first (h + min(p, r)) is the most and the relevant last
  (h + max(0, p + r - n)) the least at every place at once;
- no relevant passage yet: hypergeometric, a product over the places of
  (n - r - p + 1) / (n - p + 1);
- rel(i) hits(i) at rank i = a + p: expected (r / n) (h + 1 + (p - 1) (r - 1) / (n - 1)).

Sums of these over the ranks are exact at every cutoff, inside a group too. Source: McSherry and
Najork, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied
Scores, ECIR 2008. Ties that reach past the last returned passage can't be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.judge import PAD, Judged, Ranked
from ragscore.measures.base import Curve

Tie = Literal["id", "expected", "min", "max"]
"""Passages with equal scores stand by id, descending, as in trec_eval (``id``); or the value is
the expected, lowest or highest one over all their orders."""


@dataclass(frozen=True, eq=False)
class TieGroups:
    """The tie groups of the T queries of a block that have a tie.

    Attributes:
        rows: int64[T], these queries in the block.
        first: int64[G], where each group begins among the T x depth places, a passage without a
            tie being a group of its own.
        number: int64[T * depth], the group of each place.
        position: float64[T, depth], place within its group, from 1.
        size: float64[T, depth], passages in its group.
    """

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    number: NDArray[np.int64]
    position: NDArray[np.float64]
    size: NDArray[np.float64]

    @classmethod
    def of(cls, judged: Judged) -> TieGroups | None:
        """The groups of a block, None if nothing ties."""
        places = np.arange(judged.depth, dtype=np.int32)
        tied = judged.tie_start < places
        if not tied.any():
            return None
        tied &= judged.state != PAD
        rows = np.flatnonzero(tied.any(axis=1))
        start = np.where(tied[rows], judged.tie_start[rows], places)
        fresh = (start == places).ravel()
        first, number = np.flatnonzero(fresh), np.cumsum(fresh) - 1
        sizes = np.diff(np.append(first, fresh.size)).astype(np.float64)
        position = (places - start + 1).astype(np.float64)
        return cls(rows, first, number, position, sizes[number].reshape(start.shape))

    def total(self, values: NDArray[np.float64]) -> Curve:
        """The sum over the group of each place: float64[T, depth]."""
        if not len(self.first):
            return values
        sums: Curve = np.add.reduceat(values.ravel(), self.first)[self.number]
        return sums.reshape(values.shape)

    def before(self, running: Curve) -> Curve:
        """A running sum as it stood before the group of each place: float64[T, depth]."""
        back = np.zeros_like(running)
        back[:, 1:] = running[:, :-1]
        found: Curve = back.ravel()[self.first][self.number]
        return found.reshape(running.shape)


@dataclass(frozen=True, eq=False)
class TiedHits:
    """Relevant passages in the T queries with ties, at each place: float64[T, depth].

    Attributes:
        groups: of these queries.
        within: how many the group of the place holds.
        before: how many stand before the group.
    """

    groups: TieGroups
    within: Curve
    before: Curve

    @classmethod
    def of(cls, judged: Judged, relevant_from: float) -> TiedHits | None:
        """None if nothing ties."""
        groups = TieGroups.of(judged)
        if groups is None:
            return None
        relevant = judged.relevant(relevant_from)[groups.rows].astype(np.float64)
        running = judged.hits(relevant_from)[groups.rows]
        return cls(groups, groups.total(relevant), groups.before(running))

    def least(self) -> Curve:
        """Relevant passages of the group so far, the relevant last."""
        return np.maximum(0.0, self.groups.position + self.within - self.groups.size)

    def most(self) -> Curve:
        """Relevant passages of the group so far, the relevant first."""
        return np.minimum(self.groups.position, self.within)

    def so_far(self, tie: Tie) -> Curve:
        """Relevant passages in the top k."""
        if tie == "min":
            return self.before + self.least()
        if tie == "max":
            return self.before + self.most()
        return self.before + self.within * self.groups.position / self.groups.size

    def relevant(self, tie: Tie) -> NDArray[np.bool_]:
        """Which places hold a relevant passage in the worst or best order."""
        if tie == "min":
            return self.groups.position > self.groups.size - self.within
        return self.groups.position <= self.within

    def products(self, tie: Tie) -> Curve:
        """rel(i) hits(i) at each rank i."""
        if tie != "expected":
            return self.so_far(tie) * self.relevant(tie)
        position, size = self.groups.position, self.groups.size
        others = (position - 1) * (self.within - 1) / np.maximum(size - 1, 1)
        return self.within / size * (self.before + 1 + others)

    def none_before(self) -> Curve:
        """The probability that no relevant passage is before the place."""
        left = self.groups.size - self.groups.position + 1
        none = np.maximum(left - self.within, 0.0) / left
        out = np.ones_like(none)
        np.cumprod(none[:, :-1], axis=1, out=out[:, 1:])
        return out

    def first_here(self) -> Curve:
        """The probability that the first relevant passage is at the place."""
        left = self.groups.size - self.groups.position + 1
        return self.none_before() * np.minimum(self.within / left, 1.0)


def hits(judged: Ranked, relevant_from: float, tie: Tie) -> Curve:
    """Relevant passages in the top k, at every k: float64[Q, depth]."""
    plain = judged.hits(relevant_from)
    found = None if tie == "id" else TiedHits.of(judged.dense(), relevant_from)
    return plain if found is None else _with_rows(plain, found.groups, found.so_far(tie))


def relevant(judged: Ranked, relevant_from: float, tie: Tie) -> NDArray[np.bool_]:
    """Which places hold a relevant passage in the order by id, the worst or the best one:
    bool[Q, depth]."""
    plain = judged.relevant(relevant_from)
    found = None if tie == "id" else TiedHits.of(judged.dense(), relevant_from)
    if found is None:
        return plain
    changed = plain.copy()
    changed[found.groups.rows] = found.relevant(tie)
    return changed


def products(judged: Ranked, relevant_from: float, tie: Tie) -> Curve:
    """rel(i) hits(i) at each rank i: float64[Q, depth]."""
    plain = judged.hits(relevant_from) * judged.relevant(relevant_from)
    found = None if tie == "id" else TiedHits.of(judged.dense(), relevant_from)
    return plain if found is None else _with_rows(plain, found.groups, found.products(tie))


def expect_first(curve: Curve, judged: Judged, relevant_from: float, *, worth: Curve) -> Curve:
    """A curve with the expected worth of the first relevant passage where there are ties.

    Args:
        curve: the values in the order by id.
        worth: float64[depth], what a first relevant passage at each rank is worth.
    """
    found = TiedHits.of(judged, relevant_from)
    if found is None:
        return curve
    expected = np.cumsum(found.first_here() * worth, axis=1)
    return _with_rows(curve, found.groups, np.minimum(expected, worth.max(initial=0.0)))


def arranged(gains: NDArray[np.float64], judged: Ranked, tie: Tie) -> NDArray[np.float64]:
    """The gain at each rank: expected, or in the order with the lowest or highest sums of
    discounted gains (ascending or descending within a group): float64[Q, depth]."""
    groups = None if tie == "id" else TieGroups.of(judged.dense())
    if groups is None:
        return gains
    part = gains[groups.rows]
    if tie == "expected":
        return _with_rows(gains, groups, groups.total(part) / groups.size)
    flat = part.ravel()
    tied = np.flatnonzero(groups.size.ravel() > 1)
    keys = flat[tied] if tie == "min" else -flat[tied]
    sorted_flat = flat.copy()
    sorted_flat[tied] = flat[tied[np.lexsort((keys, groups.number[tied]))]]
    return _with_rows(gains, groups, sorted_flat.reshape(part.shape))


def precision_found(curve: Curve, judged: Judged, relevant_from: float, tie: Tie) -> Curve:
    """The mean precision at the relevant passages that the top k holds (AP over the hits found).

    Where a cutoff cuts a group, the number m of its relevant passages above the cutoff varies
    and with it what is divided by: every m is gone through, so the work grows with the relevant
    passages of the largest group.

    Args:
        curve: the values in the order by id.
    """
    found = TiedHits.of(judged, relevant_from)
    if found is None:
        return curve
    groups, ahead = found.groups, found.before
    position = groups.position
    ranks = np.broadcast_to(judged.ranks, position.shape)
    start = (ranks - position).astype(np.int64)
    harmonic = np.append(0.0, np.cumsum(1 / judged.ranks))
    sums = groups.before(np.cumsum(found.products(tie) / ranks, axis=1))
    least, most = found.least(), found.most()
    lag = _running(groups, (position - 1) / ranks) / np.maximum(position - 1, 1)
    inverse = _running(groups, 1 / ranks)
    weight = _Chances(groups.size, found.within, position)
    result = np.full(position.shape, {"min": np.inf, "max": -np.inf}.get(tie, 0.0))
    total = np.zeros(position.shape)
    for count in range(int(most.max(initial=0.0)) + 1):
        possible = (least <= count) & (count <= most)
        end = np.where(possible, start + (count if tie == "max" else position.astype(np.int64)), 0)
        if tie == "expected":
            here = count / position * ((ahead + 1) * inverse + (count - 1) * lag)
        else:
            # Precision at the last, or first, ranks u up to `end` is 1 - missing / u.
            begin = np.maximum(end - count, 0)
            here = count - (begin - ahead) * (harmonic[end] - harmonic[begin])
        value = divide(sums + here, ahead + count)
        if tie == "expected":
            chance = np.where(possible, weight.of(count), 0.0)
            result += chance * value
            total += chance
        else:
            better = np.minimum if tie == "min" else np.maximum
            result = np.where(possible, better(result, value), result)
    return _with_rows(curve, groups, result / total if tie == "expected" else result)


class _Chances:
    """Hypergeometric: the chance that ``drawn`` of ``size`` passages hold just this many of the
    ``relevant`` ones, up to rounding in the logarithms."""

    def __init__(self, size: Curve, relevant: Curve, drawn: Curve) -> None:
        most = int(size.max(initial=1.0))
        self._log = np.append(0.0, np.cumsum(np.log(np.arange(1, most + 1))))
        self._size, self._relevant, self._drawn = (
            column.astype(np.int64) for column in (size, relevant, drawn)
        )
        self._all = self._choose(self._size, self._drawn)

    def _choose(self, total: NDArray[np.int64], taken: NDArray[np.int64]) -> Curve:
        taken = np.clip(taken, 0, total)
        result: Curve = self._log[total] - self._log[taken] - self._log[total - taken]
        return result

    def of(self, count: int) -> Curve:
        """The chance of ``count``; anything where that is impossible."""
        chosen = self._choose(self._relevant, np.full_like(self._relevant, count))
        rest = self._choose(self._size - self._relevant, self._drawn - count)
        return np.exp(np.minimum(chosen + rest - self._all, 0.0))


def _running(groups: TieGroups, values: Curve) -> Curve:
    """The sum over the places of the group so far."""
    running = np.cumsum(values, axis=1)
    return running - groups.before(running)


def _with_rows(curve: Curve, groups: TieGroups, rows: Curve) -> Curve:
    changed = curve.copy()
    changed[groups.rows] = rows
    return changed
