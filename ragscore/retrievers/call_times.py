"""CallTimes: how long a system outside took for its answers while it was asked for a run."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field, NonNegativeInt

Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class WholeTimes:
    """As long as whoever asked a query waited for its answer: attempts that failed and waits
    between them included, but no wait for a turn under ``rate_limit``.

    Attributes:
        p50_ms, p95_ms, p99_ms: in milliseconds.
    """

    p50_ms: Milliseconds
    p95_ms: Milliseconds
    p99_ms: Milliseconds


@dataclass(frozen=True)
class CallTimes:
    """The times of the queries that were answered in a call of their own.

    Attributes:
        queries: how many these are.
        at_once: how many calls were under way at once, at most.
        p50_ms, p95_ms, p99_ms: of the calls that were answered alone, in milliseconds; None if
            every call was for several queries.
        whole: of the queries, all their calls included; None there too, and in results of earlier
            versions.
        asked_again: queries, also of calls for several, that were answered only when they were
            asked again; None in results of earlier versions.
    """

    queries: NonNegativeInt
    at_once: NonNegativeInt
    p50_ms: Milliseconds | None
    p95_ms: Milliseconds | None
    p99_ms: Milliseconds | None
    whole: WholeTimes | None = None
    asked_again: NonNegativeInt | None = None


class CallClock:
    """Collects the times of calls over all blocks of a run."""

    def __init__(self) -> None:
        self._seconds, self._whole = array("d"), array("d")
        self._under_way = self._at_once = self._told = self._asked_again = 0

    def add(self, queries: int, seconds: float, whole: float, again: bool) -> None:
        """A call was answered.

        Args:
            queries: how many it was for; the times of one are kept.
            seconds: that it took.
            whole: since its queries were asked first.
            again: whether that was in another call.
        """
        self._asked_again += queries * again
        if queries == 1:
            self._seconds.append(seconds)
            self._whole.append(whole)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """One more call is under way until the block ends."""
        self._under_way += 1
        self._at_once = max(self._at_once, self._under_way)
        try:
            yield
        finally:
            self._under_way -= 1

    def remembered(self) -> dict[str, Any]:
        """Those of the calls since it was last asked for them, as JSON."""
        since, self._told = self._told, len(self._seconds)
        return {
            "seconds": self._seconds[since:].tolist(),
            "whole": self._whole[since:].tolist(),
            "at_once": self._at_once,
            "asked_again": self._asked_again,
        }

    def recall(self, remembered: Mapping[str, Any]) -> None:
        """Count calls of an earlier process, too."""
        self._seconds.extend(remembered["seconds"])
        self._whole.extend(remembered["whole"])
        self._told = len(self._seconds)
        self._at_once = max(self._at_once, remembered["at_once"])
        self._asked_again = max(self._asked_again, remembered["asked_again"])

    def times(self) -> CallTimes | None:
        """Those of all calls so far; None if nothing is known of any."""
        count = len(self._seconds)
        if not count:
            again = self._asked_again
            return CallTimes(0, self._at_once, None, None, None, None, again) if again else None
        of_calls, whole = _percentiles(self._seconds), WholeTimes(*_percentiles(self._whole))
        return CallTimes(count, self._at_once, *of_calls, whole, self._asked_again)


def _percentiles(seconds: array[float]) -> tuple[float, float, float]:
    p50, p95, p99 = np.percentile(np.frombuffer(seconds) * 1000, [50, 95, 99]).tolist()
    return p50, p95, p99
