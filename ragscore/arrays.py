"""Small operations on numpy arrays that several layers need."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=np.generic)


def distinct(values: NDArray[Value]) -> NDArray[Value]:
    """The different values, ascending: ``np.unique`` without numpy.ma, which that loads and
    which takes longer than scoring a small run.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered: NDArray[Any] = np.sort(values, axis=None)
    new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """All of start, start + 1, ..., start + length - 1, one range after another: int64.

    >>> ranges(np.array([5, 1]), np.array([2, 3])).tolist()
    [5, 6, 1, 2, 3]
    """
    before = np.cumsum(lengths) - lengths
    all_of_them: NDArray[np.int64] = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
    return all_of_them
