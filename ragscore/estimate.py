"""Estimate: a value and where it may lie."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

from ragscore.messages import Text
from ragscore.records import MaybeNaN, Record


@dataclass(frozen=True, slots=True)
class Estimate(Record):
    """A value with a confidence interval: a mean, a difference, a share, a time."""

    value: MaybeNaN
    """In full precision; null if there is none."""
    low: MaybeNaN = nan
    """Lower end of the 95 % interval; null if it can't be estimated."""
    high: MaybeNaN = nan
    """Upper end; null if it can't be estimated."""
    n: int = 0
    """Queries that it rests on; 0 where that is not counted."""
    note: Text = ""
    """A caution about the interval, such as "not estimable"; mostly empty."""
    method: str = ""
    """How the interval was made, such as ``bca``; empty where there is one way only."""

    @property
    def estimable(self) -> bool:
        """Whether there are bounds."""
        return not isnan(self.low)
