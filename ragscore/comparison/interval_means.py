"""Means with intervals: of each measure by retriever, over all queries or a part of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.common_queries import CommonScores
from ragscore.comparison.compared_measure import ComparedMeasure
from ragscore.comparison.model import MeanWithInterval
from ragscore.comparison.options import CompareOptions
from ragscore.stats.intervals import LEVEL, NOT_ESTIMABLE, Interval, ShareMethod, mean_intervals


def means_of(
    common: CommonScores, options: CompareOptions, level: float = LEVEL
) -> list[dict[str, MeanWithInterval]]:
    """Of each measure by retriever, over all compared queries."""
    return means_on(common, slice(None), options, level)


def means_on(
    common: CommonScores,
    part: slice | NDArray[np.bool_],
    options: CompareOptions,
    level: float = LEVEL,
) -> list[dict[str, MeanWithInterval]]:
    """Of each measure by retriever, over a part of the queries; those over the same queries by the
    same draws.

    Args:
        common: the scores.
        part: bool[Q], the queries.
        options: interval, resamples, seed.
        level: of the intervals.
    """
    of_part = common.values[:, :, part]
    units = None if common.clusters is None else common.clusters[part]
    groups: dict[tuple[bytes, ShareMethod | None], list[tuple[int, int]]] = {}
    for at, measure in enumerate(common.measures):
        shares = measure.shares if options.interval == "default" else None
        for r in range(len(common.entries)):
            defined = ~np.isnan(of_part[at, r])
            groups.setdefault((defined.tobytes(), shares), []).append((at, r))
    made: dict[tuple[int, int], MeanWithInterval] = {}
    for (defined_bytes, shares), cells in groups.items():
        mask = np.frombuffer(defined_bytes, dtype=bool)
        values = np.stack([of_part[cell][mask] for cell in cells])
        clusters = units[mask] if units is not None else None
        intervals = _intervals(values, clusters, shares, options, level)
        for cell, row, interval in zip(cells, values, intervals, strict=True):
            value = math.fsum(row.tolist()) / len(row) if len(row) else math.nan
            name = common.retrievers[cell[1]]
            made[cell] = _mean(common.measures[cell[0]], name, value, interval, len(row))
    return [
        {name: made[at, r] for r, name in enumerate(common.retrievers)}
        for at in range(len(common.measures))
    ]


def _mean(
    measure: ComparedMeasure, name: str, value: float, interval: Interval, n: int
) -> MeanWithInterval:
    if measure.scale == "logarithm":
        value, low, high = np.exp([value, interval.low, interval.high]).tolist()
        interval = replace(interval, low=low, high=high)
    return MeanWithInterval(name, value, measure.inside(interval), n)


def _intervals(
    values: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
    shares: ShareMethod | None,
    options: CompareOptions,
    level: float,
) -> list[Interval]:
    method = None if options.interval == "default" else options.interval
    if not values.shape[1]:
        return [Interval(math.nan, math.nan, level, method or "bca", NOT_ESTIMABLE)] * len(values)
    return mean_intervals(
        values,
        method=shares or method,
        level=level,
        resamples=options.resamples,
        seed=options.seed,
        clusters=clusters,
        binary=shares is not None,
    )
