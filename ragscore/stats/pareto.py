"""The Pareto front: what nothing else beats on gain without costing more.

A point is on the front where no other has at least its gain at no more than its cost, and is better
in one of the two (V. Pareto, Manuale di economia politica, 1906). Gains are compared as they are:
that a front point is the better one says nothing of how sure that is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pareto_front(gains: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points are on the front; all of those that are equal in both.

    >>> gains, costs = np.array([0.5, 0.6, 0.6, 0.4, 0.9]), np.array([1.0, 3.0, 2.0, 1.5, np.nan])
    >>> pareto_front(gains, costs).tolist()
    [True, False, True, False, False]

    Args:
        gains: float64[n], higher is better.
        costs: float64[n], lower is better.

    Returns:
        bool[n]; False if either is NaN.
    """
    gains = np.round(gains, 12)  # sums of the same values in another order are the same gain
    known = np.flatnonzero(~(np.isnan(gains) | np.isnan(costs)))
    front = np.zeros(len(gains), dtype=bool)
    if not len(known):
        return front
    # By cost; among equal costs the largest gain first, which then stands for all of them.
    order = known[np.lexsort((-gains[known], costs[known]))]
    best_before = np.concatenate([[-np.inf], np.maximum.accumulate(gains[order])[:-1]])
    better = gains[order] > best_before
    better[0] = True  # a gain of minus infinity, where nothing costs less
    leader = order[np.maximum.accumulate(np.where(better, np.arange(len(order)), 0))]
    equal = (gains[order] == gains[leader]) & (costs[order] == costs[leader])
    front[order[equal]] = True
    return front
