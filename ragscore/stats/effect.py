"""How large a paired difference is: in standard deviations, and in queries won and lost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragscore.stats.units import SAME, checked_values


@dataclass(frozen=True, slots=True)
class WinsTiesLosses:
    """Queries on which the retriever scores higher than, as high as, and lower than the other."""

    wins: int
    ties: int
    losses: int


def effect_size(differences: ArrayLike) -> float:
    """d_z: the mean difference over the standard deviation (n - 1) of the differences.

    Args:
        differences: float64[Q], one per query; positive where the retriever is better.

    Returns:
        0 where all differences are 0; plus or minus infinity where they are all the same and
        not 0, or where there is only one. Not comparable with Cohen's d of independent groups.

    Raises:
        DataError: no query, or a difference that is no number.

    Source: Cohen (1988), page 48; Lakens (2013), Frontiers in Psychology 4:863.

    >>> round(effect_size([0.1, 0.3]), 4)
    1.4142
    """
    values = checked_values(differences, what="differences")[0]
    mean = float(values.mean())
    if np.abs(values).max() <= SAME:
        return 0.0
    if np.ptp(values) <= SAME:
        return math.copysign(math.inf, mean)
    return mean / float(values.std(ddof=1))


def wins_ties_losses(differences: ArrayLike, *, within: float = SAME) -> WinsTiesLosses:
    """Count the queries won, tied and lost; a tie is a difference of at most ``within``.

    Args:
        differences: float64[Q], one per query; positive where the retriever is better.
        within: the largest difference that counts as a tie.

    Raises:
        DataError: no query, or a difference that is no number.

    >>> wins_ties_losses([0.5, 0.0, -0.1, 0.2])
    WinsTiesLosses(wins=2, ties=1, losses=1)
    """
    values = checked_values(differences, what="differences")[0]
    wins, losses = int((values > within).sum()), int((values < -within).sum())
    return WinsTiesLosses(wins, len(values) - wins - losses, losses)
