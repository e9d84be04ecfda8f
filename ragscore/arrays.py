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
