"""Means: one number from the values of the queries, and the same at all cutoffs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.measures import Measure

MIN_IN_LOG = 0.00001
"""Smaller values count as this much in a geometric mean, as in trec_eval."""


def aggregate(
    measure: Measure, values: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> float:
    """The values by the measure's own aggregate; NaN if none is defined.

    Args:
        measure: whose values they are.
        values: float64[Q], NaN if undefined.
        weights: how much each query counts; None if all count alike.
    """
    # Whatever the measure: a query that failed may have no value.
    defined = ~np.isnan(values)
    known = values[defined]
    if not len(known):
        return math.nan
    if weights is not None:
        weights = weights[defined]
        total_weight = math.fsum(weights.tolist())
        return math.fsum((known * weights).tolist()) / total_weight if total_weight else math.nan
    if measure.aggregate == "geometric mean":
        return math.exp(math.fsum(np.log(np.maximum(known, MIN_IN_LOG)).tolist()) / len(known))
    total = math.fsum(known.tolist())
    return total if measure.aggregate == "sum" else total / len(known)


@dataclass(frozen=True, eq=False)
class CurveSums:
    """Sums over a block's queries at every cutoff; undefined values add nothing. ``weight`` is
    what the sums are divided by: the number of defined values, unless a measure weighs them."""

    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    defined: NDArray[np.int64]
    weight: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CurveMeans:
    """One measure at all cutoffs, over the queries.

    Attributes:
        mean: float64[depth], the mean over the defined queries, NaN if none is.
        squares: float64[depth], the sum of the squared values.
        defined: int64[depth], the number of queries that have a value.
    """

    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    defined: NDArray[np.int64]


def curve_means(blocks: list[CurveSums]) -> CurveMeans:
    """One measure's means over all blocks."""
    sums = np.sum([block.sums for block in blocks], axis=0)
    defined = np.sum([block.defined for block in blocks], axis=0)
    weight = np.sum([block.weight for block in blocks], axis=0)
    mean = divide(sums, weight, np.nan)
    return CurveMeans(mean, np.sum([block.squares for block in blocks], axis=0), defined)
