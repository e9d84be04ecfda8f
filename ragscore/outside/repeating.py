"""Repeater: calls of a system outside, made again where that may help."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ragscore.errors import message_of
from ragscore.outside.failures import PermanentFailure, TemporaryFailure, too_late
from ragscore.outside.pace import Pace

T = TypeVar("T")

FIRST_WAIT = 0.5
"""Seconds before a call is made again for the first time; they double each time."""
LONGEST_WAIT = 60.0
MAX_WAIT = 600.0
"""Seconds that a system may ask one call to wait, in all; longer, and the call fails."""
LEAST_WAIT = 1.0
"""The least that a wait counts in seconds, so that the number of waits is bounded too."""


class Limits(Protocol):
    """How a system is asked."""

    @property
    def timeout(self) -> float | None:
        """Seconds that a call may take; None sets no limit."""

    @property
    def retries(self) -> int:
        """How many times a call is retried after a temporary failure."""

    @property
    def rate_limit(self) -> float | None:
        """How many calls are made in a second at most; None sets no limit."""


@dataclass(frozen=True)
class FailedCall:
    """A call that got no answer.

    Attributes:
        error: why, in one clause.
        attempts: how often it was made.
        failure: what the last of them raised.
    """

    error: str
    attempts: int
    failure: TimeoutError | TemporaryFailure | PermanentFailure

    @property
    def cause(self) -> BaseException | None:
        """What lies behind the failure, such as an exception of foreign code."""
        return None if isinstance(self.failure, TimeoutError) else self.failure.__cause__


class Repeater:
    """Makes the calls of one system, at its pace.

    Args:
        limits: how it is asked.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pace = Pace(limits.rate_limit)

    async def call(
        self, ask: Callable[[], Awaitable[T]], most_retries: int | None = None
    ) -> T | FailedCall:
        """What a call gives, made again as often as the limits say. A wait that the system asks for
        uses up no retry: together these may take ``MAX_WAIT``. A failure that spends none is asked
        again at once.

        Args:
            ask: makes the call; raises TemporaryFailure or PermanentFailure.
            most_retries: no more than these, whatever the limits say.
        """
        limits = self._limits
        retries = limits.retries if most_retries is None else min(limits.retries, most_retries)
        attempt, retried, waited = 0, 0, 0.0
        while True:
            attempt += 1
            await self._pace.wait()
            try:
                async with asyncio.timeout(limits.timeout):
                    return await ask()
            except PermanentFailure as failure:
                return FailedCall(message_of(failure), attempt, failure)
            except (TimeoutError, TemporaryFailure) as failure:
                late = isinstance(failure, TimeoutError)
                error = too_late(limits.timeout or 0) if late else message_of(failure)
                failed = FailedCall(error, attempt, failure)
                asked_to_wait = getattr(failure, "retry_after", None)
                if not getattr(failure, "spends_retry", True):
                    continue
            if asked_to_wait:
                waited += max(asked_to_wait, LEAST_WAIT)
                if waited > MAX_WAIT:
                    wait = "once more" if asked_to_wait <= MAX_WAIT else f"{asked_to_wait:,.0f} s"
                    limit = f"more than {MAX_WAIT:g} s in all"
                    error = f"{error}; it asks to wait {wait}, {limit}"
                    return FailedCall(error, attempt, failed.failure)
                self._pace.hold(asked_to_wait)
                continue
            retried += 1
            if retried > retries:
                return failed
            if asked_to_wait is None:  # those that failed together would meet again
                longest = min(FIRST_WAIT * 2 ** (retried - 1), LONGEST_WAIT)
                await asyncio.sleep(random.uniform(0, longest))
