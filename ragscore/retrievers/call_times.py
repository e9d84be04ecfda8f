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
class CallTimes:
    """The times of the calls that were answered, each for one query.

    Attributes:
        queries: how many these are.
        at_once: how many were under way at once, at most.
        p50_ms, p95_ms, p99_ms: in milliseconds, without waiting for a turn and without calls that
            failed.
    """

    queries: NonNegativeInt
    at_once: NonNegativeInt
    p50_ms: Milliseconds
    p95_ms: Milliseconds
    p99_ms: Milliseconds


class CallClock:
    """Collects the times of calls over all blocks of a run."""

    def __init__(self) -> None:
        self._seconds = array("d")
        self._under_way = self._at_once = self._told = 0

    def add(self, seconds: float) -> None:
        """One call was answered."""
        self._seconds.append(seconds)

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
        since, self._told = self._seconds[self._told :], len(self._seconds)
        return {"seconds": since.tolist(), "at_once": self._at_once}

    def recall(self, remembered: Mapping[str, Any]) -> None:
        """Count calls of an earlier process, too."""
        self._seconds.extend(remembered["seconds"])
        self._told = len(self._seconds)
        self._at_once = max(self._at_once, remembered["at_once"])

    def times(self) -> CallTimes | None:
        """Those of all calls so far; None where none was answered."""
        if not self._seconds:
            return None
        in_ms = np.frombuffer(self._seconds, dtype=np.float64) * 1000
        p50, p95, p99 = (float(value) for value in np.percentile(in_ms, [50, 95, 99]))
        return CallTimes(len(in_ms), self._at_once, p50, p95, p99)
