"""The queries with a value both in a result and in its baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.measures import Measure
from ragscore.scoring import RetrieverScores
from ragscore.stats.units import SAME


@dataclass(frozen=True, eq=False)
class PairedValues:
    """One measure of one retriever, on the queries with a value in both.

    Attributes:
        query_ids: ids of the Q queries, in the order of the result.
        before, now: float64[Q].
        by: float64[Q], now - before, signed so that + is better; 0 if only rounding differs.
    """

    query_ids: tuple[str, ...]
    before: NDArray[np.float64]
    now: NDArray[np.float64]
    by: NDArray[np.float64]


def paired_values(
    entry: RetrieverScores, measure: Measure, earlier: Mapping[str, float]
) -> PairedValues:
    """The values of a measure beside those of a baseline.

    Args:
        entry: the scores of the result.
        measure: one of theirs.
        earlier: query id to its value in the baseline.
    """
    now = entry.values[entry.measures.index(measure)]
    before = np.array([earlier.get(query, math.nan) for query in entry.query_ids])
    common = ~(np.isnan(now) | np.isnan(before))
    ids = tuple(query for query, kept in zip(entry.query_ids, common, strict=True) if kept)
    sign = -1.0 if measure.lowest_is_best else 1.0
    by = sign * (now[common] - before[common])
    by[np.abs(by) <= SAME] = 0.0
    return PairedValues(ids, before[common], now[common], by)
