"""What the differences of one pair say of how many queries show what: by Student's power; where
few units differ, or all by one step, by that of wins and losses too, and the smaller power counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ragscore.stats.few_differ import TOO_FEW, differing
from ragscore.stats.power import detectable_difference, power_of, queries_needed
from ragscore.stats.sign_power import (
    WinLossSteps,
    steps_detectable,
    steps_needed,
    steps_of,
    steps_power,
)
from ragscore.stats.units import Units

Unknown = Literal["", "one unit", "few differ", "no spread"]


def unknown_spreads(units: Units) -> list[Unknown]:
    """Why each column of differences says nothing of their spread; empty if it does."""
    if units.count < 2:
        return ["one unit"] * len(units.totals)
    few, flat = differing(units) <= TOO_FEW, units.informative() == 0
    return [
        "few differ" if few_here else "no spread" if flat_here else ""
        for few_here, flat_here in zip(few.tolist(), flat.tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class PairedPower:
    """How the differences of one pair spread.

    Attributes:
        sd: standard deviation of the per-query differences; with clusters that of a cluster's
            share in the mean (CR2).
        steps: wins and losses by one step, where these tell the power; else None.
        units: queries, or clusters where there are some.
        size: queries in a unit, on average.
    """

    sd: float
    steps: WinLossSteps | None
    units: int
    size: float

    @classmethod
    def of(cls, units: Units) -> list[PairedPower]:
        """The power of each column of differences, of two units or more that have a spread."""
        sds = units.standard_errors() * math.sqrt(units.count)
        size = units.queries / units.count
        return [
            cls(sd, steps, units.count, size)
            for sd, steps in zip(sds.tolist(), steps_of(units), strict=True)
        ]

    def detectable(self, alpha: float, *, power: float = 0.8) -> float | None:
        """The smallest true mean difference that this number of queries detects with this power;
        None if it detects none that often."""
        smooth = detectable_difference(self.sd, self.units, power=power, alpha=alpha)
        if self.steps is None:
            return smooth
        found = steps_detectable(self.steps, self.units, power=power, alpha=alpha)
        return None if found is None else max(found, smooth)

    def power(self, difference: float, alpha: float) -> float:
        """The chance that this number of queries detects a true mean difference."""
        smooth = power_of(difference, self.sd, self.units, alpha)
        if self.steps is None or abs(difference) >= self.steps.size:
            return smooth
        return min(smooth, steps_power(self.steps, difference, self.units, alpha))

    def needed(self, difference: float, alpha: float, *, power: float = 0.8) -> int | None:
        """Queries that show a true mean difference with this power; None for too many to count."""
        units = queries_needed(difference, self.sd, power=power, alpha=alpha)
        if self.steps is not None and abs(difference) < self.steps.size:
            stepped = steps_needed(self.steps, difference, power=power, alpha=alpha)
            if stepped is None:
                return None
            units = max(units, stepped)
        return math.ceil(units * self.size)
