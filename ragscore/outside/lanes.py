"""Lanes: a fixed number of calls under way at once, until none is left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Lanes:
    """Makes one call after the other, in several lanes at once.

    Args:
        at_once: how many calls may be under way; it may become more while they are.
        next_call: begins the next call; None if none is left, which what a call found may
            change.
    """

    def __init__(
        self, at_once: Callable[[], int], next_call: Callable[[], Awaitable[None] | None]
    ) -> None:
        self._at_once = at_once
        self._next_call = next_call
        self._open = 0

    async def run(self) -> None:
        """Make all calls.

        Raises:
            BaseException: what the first call raised that did; no other is then made.
        """
        try:
            async with asyncio.TaskGroup() as group:
                self._open_more(group)
        except BaseExceptionGroup as errors:
            first = errors.exceptions[0]
            raise first from first.__cause__

    def _open_more(self, group: asyncio.TaskGroup) -> None:
        while self._open < self._at_once():
            call = self._next_call()
            if call is None:
                return
            self._open += 1
            group.create_task(self._lane(group, call))

    async def _lane(self, group: asyncio.TaskGroup, call: Awaitable[None] | None) -> None:
        while call is not None:
            await call
            call = self._next_call()
            self._open_more(group)
        self._open -= 1
