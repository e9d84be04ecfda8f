"""One number from the values of the queries."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ragscore.measures import Measure

LEAST = 0.00001
"""What a smaller value counts as in a geometric mean, as in trec_eval."""


def aggregate(
    measure: Measure, values: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> float:
    """The values by the measure's own aggregate; NaN where none is defined.

    Args:
        measure: whose values they are.
        values: float64[Q], NaN where undefined.
        weights: how much each query counts; None where all count alike.
    """
    known = values[~np.isnan(values)] if measure.may_be_undefined else values
    if not len(known):
        return math.nan
    if weights is not None:
        weights = weights[~np.isnan(values)] if measure.may_be_undefined else weights
        total_weight = math.fsum(weights.tolist())
        return math.fsum((known * weights).tolist()) / total_weight if total_weight else math.nan
    if measure.aggregate == "geometric mean":
        return math.exp(math.fsum(np.log(np.maximum(known, LEAST)).tolist()) / len(known))
    total = math.fsum(known.tolist())
    return total if measure.aggregate == "sum" else total / len(known)
