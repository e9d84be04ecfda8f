"""What the differences of one pair say of how many queries show what: by Student's power; where
few units differ, or all by one step, by that of wins and losses too, and the smaller power counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from ragscore.stats.few_differ import TOO_FEW, differing
from ragscore.stats.power import detectable_difference, power_of, queries_needed
from ragscore.stats.sign_power import (
    WinLossSteps,
    steps_detectable,
    steps_needed,
    steps_of,
    steps_power,
)
from ragscore.stats.units import Units, checked_values, units_of


def unknown_spread(units: Units) -> Literal["", "one unit", "few differ", "no spread"]:
    """Why one column of differences says nothing of their spread; empty where it does."""
    if units.count < 2:
        return "one unit"
    if differing(units)[0] <= TOO_FEW:
        return "few differ"
    return "" if units.informative()[0] else "no spread"


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
    def of(cls, differences: ArrayLike, *, clusters: ArrayLike | None = None) -> PairedPower:
        """From float64[Q], of at least two units that have a spread.

        Raises:
            DataError: no query, or an undefined difference.
        """
        units = units_of(checked_values(differences, what="differences"), clusters)
        sd = float(units.standard_errors()[0]) * math.sqrt(units.count)
        return cls(sd, steps_of(units), units.count, units.queries / units.count)

    def detectable(self, alpha: float, *, power: float = 0.8) -> float | None:
        """The smallest true mean difference that this number of queries detects with this power;
        None where it detects none so often."""
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
