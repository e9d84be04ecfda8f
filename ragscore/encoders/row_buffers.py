"""Memory that the vectors of one block after the other are read into."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray


class RowBuffers(threading.local):
    """Two buffers that are used in turns, so that one block can be searched while the next one is
    read, and no block waits until the system has emptied new memory for it.

    A thread has two of its own. A buffer is written anew when the next but one is asked for.
    """

    def __init__(self) -> None:
        self._next, self._other = np.empty(0, np.float32), np.empty(0, np.float32)

    def take(self, rows: int, dimension: int) -> NDArray[np.float32]:
        """Room for vectors, float32[rows, dimension], with anything in it."""
        size = rows * dimension
        taken = self._next if len(self._next) >= size else np.empty(size, np.float32)
        self._next, self._other = self._other, taken
        return taken[:size].reshape(rows, dimension)
