"""Turns: queries that are asked together with others, and those that are asked alone."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Lets any number of queries be under way at once, or one alone, which goes first.

    >>> async def both() -> list[str]:
    ...     turns = Turns()
    ...     async with turns.turn(alone=False), turns.turn(alone=False):
    ...         return ["together"]
    >>> asyncio.run(both())
    ['together']
    """

    def __init__(self) -> None:
        self._under_way = 0
        self._one_alone = False
        self._want_to_be_alone = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def turn(self, alone: bool) -> AsyncIterator[None]:
        """Wait for a turn, which lasts as long as the block."""
        self._want_to_be_alone += alone
        try:
            while self._one_alone or (self._under_way if alone else self._want_to_be_alone):
                changed = asyncio.get_running_loop().create_future()
                self._waiting.append(changed)
                await changed
        finally:
            self._want_to_be_alone -= alone
            self._wake()  # one that gave up waiting may have been waited for
        self._under_way += 1
        self._one_alone = alone
        try:
            yield
        finally:
            self._under_way -= 1
            self._one_alone = False
            self._wake()

    def _wake(self) -> None:
        while self._waiting:
            changed = self._waiting.popleft()
            if not changed.done():
                changed.set_result(None)
