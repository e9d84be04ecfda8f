"""Ties: groups of passages with equal scores, and the cutoffs that they lie across."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.judge.judged import Judged
from ragscore.judge.pool import PAD


def tie_groups(equal: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First position and length of each group of two and more equal scores: int64[t] each.

    Args:
        equal: bool[n], whether the score at each position is that of the one before.

    >>> starts, lengths = tie_groups(np.array([False, True, True, False, False, True]))
    >>> starts.tolist(), lengths.tolist()
    ([0, 4], [3, 2])
    """
    if not equal.any():
        none = np.empty(0, dtype=np.int64)
        return none, none
    edges = np.diff(np.concatenate([[False], equal, [False]]).astype(np.int8))
    starts = np.flatnonzero(edges == 1) - 1
    return starts, np.flatnonzero(edges == -1) - starts


def across_cutoffs(places: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """By cutoff from 0, how many of some tie groups lie across it: int64[n], to the last that
    one reaches.

    Args:
        places, lengths: where each group begins, from 0, and how many passages it has.

    >>> across_cutoffs(np.array([0, 1]), np.array([3, 2])).tolist()
    [0, 1, 2]
    """
    ends = places + lengths
    begun = np.bincount(places + 1, minlength=int(ends.max(initial=0)) + 1)
    return np.cumsum(begun - np.bincount(ends, minlength=len(begun)))[:-1]


def ties_across(judged: Judged, recorded: int) -> NDArray[np.int64]:
    """By cutoff from 0, the queries with a tie across it: int64[depth + 1].

    A tie lies across cutoff k where the passage at rank k + 1 began its group at rank k or
    before. What came after the recorded depth can't be seen: there it is enough that the last
    passage ties with the one before.
    """
    across = np.zeros(judged.depth + 1, dtype=np.int64)
    tied = judged.tie_start < np.arange(judged.depth, dtype=np.int32)
    if tied.any():
        tied &= judged.state != PAD
        across[:-1] = tied.sum(axis=0)
        if recorded:
            across[recorded] = tied[:, recorded - 1].sum()
    return across
