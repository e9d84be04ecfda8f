"""Waits that Ctrl-C ends.

One without a limit may not: on Windows, and anywhere once polars is imported, whose handler of the
signal has the system begin the wait again.
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")

LOOKED_EVERY = 0.2
"""Seconds."""


def awaited(future: Future[T]) -> T:
    """What a future gives or raises, once it does."""
    while not wait([future], LOOKED_EVERY).done:
        pass
    return future.result()


def next_item(queue: SimpleQueue[T]) -> T:
    """What is put into a queue next."""
    while True:
        with suppress(Empty):
            return queue.get(timeout=LOOKED_EVERY)
