"""Wilcoxon's signed-rank test (1945), as scipy.stats.wilcoxon computes it by default."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ragscore.arrays import distinct
from ragscore.stats.units import Floats

#: The most values that the exact distribution is used for, and the most where some are 0 or tied.
EXACT_TO = 50
EXACT_TIED_TO = 13


def signed_rank(values: Floats) -> tuple[float, bool]:
    """The two-sided p-value of float64[n], and whether it is exact.

    Zeros are dropped (``zero_method="wilcox"``) and ties share their mean rank. Exact for n up to
    50 without zeros and ties, or up to 13 with them; else the normal approximation with the
    correction for ties and none for continuity. Ties are equal numbers, as in scipy and R.
    """
    values_left = values[values != 0]
    if not len(values_left):
        return 1.0, True
    sizes = np.abs(values_left)
    levels = distinct(sizes)
    level = np.searchsorted(levels, sizes)
    tied = np.bincount(level)
    last = np.cumsum(tied)
    doubled_ranks = (2 * last - tied + 1)[level]
    positive = int(doubled_ranks[values_left > 0].sum())
    plain = len(values_left) == len(values) and len(levels) == len(values_left)
    if len(values) <= (EXACT_TO if plain else EXACT_TIED_TO):
        ways = np.zeros(int(doubled_ranks.sum()) + 1)
        ways[0] = 1.0
        for rank in doubled_ranks:
            ways[rank:] = ways[rank:] + ways[:-rank]
        tail = min(ways[: positive + 1].sum(), ways[positive:].sum())
        return min(1.0, float(2 * tail / 2.0 ** len(values_left))), True
    return _approximate(positive / 2, len(values_left), tied.astype(np.float64)), False


def _approximate(positive: float, n: int, tied: Floats) -> float:
    from scipy.special import ndtr

    variance = (n * (n + 1.0) * (2.0 * n + 1.0) - float((tied**3 - tied).sum()) / 2) / 24
    z = (positive - n * (n + 1.0) / 4) / sqrt(variance)
    return float(2 * ndtr(-abs(z)))
