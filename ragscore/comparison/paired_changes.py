"""What became better or worse between two results: each retriever against itself, on the queries of
both; paired differences with interval and test, as ``compare`` has them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.differences import paired_differences
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.record import Difference
from ragscore.comparison.score_matrix import ComparedMeasure, ScoreMatrix
from ragscore.stats.corrections import adjust
from ragscore.stats.units import SAME

MAX_MOVED = 10
"""Queries shown that rose, and as many that fell."""


@dataclass(frozen=True)
class Pair:
    """A retriever in both results; one each with different names where each has but one.

    Attributes:
        before, after: its names.
        settings_changed: its own settings are others; those of its inputs are not looked at.
        milliseconds: of a query, before and after; None if none was timed.
    """

    before: str
    after: str
    settings_changed: bool
    milliseconds: tuple[float | None, float | None]


@dataclass(frozen=True)
class Moved:
    """A query on which a retriever's value changed; ``by`` is signed so that + is better."""

    query: str
    retriever: str
    before: float
    after: float
    by: float


@dataclass(frozen=True)
class Change:
    """One retriever on one measure, over the queries with a value in both.

    Attributes:
        pair: who.
        before, after: its means.
        difference: after - before, signed so that + is better; corrected over the pairs.
    """

    pair: Pair
    before: float
    after: float
    difference: Difference


@dataclass(frozen=True)
class MeasureChanges:
    """All pairs on one measure.

    Attributes:
        measure: what is compared.
        changes: by pair, in order.
        risen, fallen: the queries that moved most, each with the pair on which it did.
    """

    measure: ComparedMeasure
    changes: tuple[Change, ...]
    risen: tuple[Moved, ...]
    fallen: tuple[Moved, ...]


def measure_changes(
    common: ScoreMatrix, pairs: Sequence[Pair], options: CompareOptions
) -> Iterator[MeasureChanges]:
    """What changed, measure by measure; p-values are corrected over the pairs.

    Args:
        common: of each pair the later scores, then the earlier ones, in the order of the pairs.
        pairs: who is in both results.
        options: how it is compared.
    """
    sides = {pair: (2 * number, 2 * number + 1) for number, pair in enumerate(pairs)}
    numbers = range(len(common.measures))
    wanted = [(at, *both) for at in numbers for both in sides.values()]
    found = paired_differences(common, wanted, options)
    for at, measure in enumerate(common.measures):
        own = [found[at, *both] for both in sides.values()]
        adjusted = adjust([single.test.p for single in own], options.correction).tolist()
        changed = []
        for pair, single, p in zip(pairs, own, adjusted, strict=True):
            named = replace(single, retriever=pair.after, baseline=pair.before)
            difference = named.corrected(p, len(own), options.correction)
            now, then = _means(common, at, sides[pair])
            changed.append(Change(pair, then, now, difference))
        moved = _moved(common, at, sides)
        yield MeasureChanges(measure, tuple(changed), *moved)


def _means(common: ScoreMatrix, at: int, both: tuple[int, int]) -> tuple[float, float]:
    values = common.values[at][list(both)]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not values.shape[1]:
        return math.nan, math.nan
    now, then = (math.fsum(row) / len(row) for row in values.tolist())
    if common.measures[at].logarithm:
        return math.exp(now), math.exp(then)
    return now, then


def most_moved(by: NDArray[np.float64], way: int, most: int) -> NDArray[np.int64]:
    """The rows of the queries that moved most: int64[<= most], the largest move first.

    Args:
        by: float64[Q], how far each moved; NaN if that is not known.
        way: 1 for those that rose, -1 for those that fell.
        most: how many.
    """
    moves = np.nan_to_num(way * by)
    order = np.argsort(-moves, kind="stable")
    return order[moves[order] > SAME][:most]


def _moved(
    common: ScoreMatrix, at: int, sides: Mapping[Pair, tuple[int, int]]
) -> tuple[tuple[Moved, ...], tuple[Moved, ...]]:
    """The queries that rose and fell most; each once, where it moved most."""
    values = common.values[at]
    risen: dict[str, Moved] = {}
    fallen: dict[str, Moved] = {}
    for pair, (now, then) in sides.items():
        by = common.differences(at, now, then)
        for way, found in ((1, risen), (-1, fallen)):
            for row in most_moved(by, way, MAX_MOVED).tolist():
                query, moved = common.queries[row], float(by[row])
                if query in found and abs(found[query].by) >= abs(moved):
                    continue
                change = Moved(
                    query, pair.after, float(values[then][row]), float(values[now][row]), moved
                )
                found[query] = change
    most = [sorted(found.values(), key=lambda change: -abs(change.by)) for found in (risen, fallen)]
    return tuple(most[0][:MAX_MOVED]), tuple(most[1][:MAX_MOVED])
