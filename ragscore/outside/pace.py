"""Pace: when the next query may go to a system outside."""

from __future__ import annotations

import asyncio
import time


class Pace:
    """Limits how many queries a second go to one system, over all blocks of its run; none goes
    while the system asks to wait.

    Args:
        limit: queries in a second; None for no limit.
    """

    def __init__(self, limit: float | None) -> None:
        self._between = 1 / limit if limit else 0.0
        self._next = self._held = time.monotonic()

    def hold(self, seconds: float) -> None:
        """Let none go for so long, those that wait for their turn already included."""
        self._held = max(self._held, time.monotonic() + seconds)

    async def wait(self) -> None:
        """Return when the next query may go."""
        while True:
            now = time.monotonic()
            begins = max(now, self._next, self._held)
            self._next = begins + self._between
            if begins > now:
                await asyncio.sleep(begins - now)
            if self._held <= begins:
                return
