"""Has a mean fallen by more than an allowance? Both one-sided tests, whatever the differences are.

Both are :func:`ragscore.stats.one_sided.one_sided_tests`. Differences that are known to lie in
[-1, 1] are tested within that range, which holds for a few that differ, or all by the same, as for
any others. Those of other measures have no range that is known; then both are t, and where that has
nothing to stand on:

- 5 or fewer queries differ: neither is shown.
- all queries differ by the same: sign flips around the allowance, of which all lie on one side.

Where no query differs the basis says so: the caller decides what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.bounded_power import BoundedPower
from ragscore.stats.intervals import Interval
from ragscore.stats.one_sided import ALPHA, intervals90, one_sided_tests
from ragscore.stats.paired_power import PairedPower, unknown_spreads
from ragscore.stats.units import SAME, Units, units_of

Basis = Literal["bounded", "t", "few differ", "no spread", "unchanged"]
REACH = 1.0
"""How far from 0 the difference of two values in [0, 1] can be."""


@dataclass(frozen=True, slots=True, eq=False)
class Drop:
    """What is tested.

    Attributes:
        differences: float64[Q], later minus earlier value of each query, positive where it got
            better; at least one, all defined; within 1e-12 of 0 is 0.
        allowance: the largest fall of the mean that is allowed, 0 or more.
        clusters: int64[Q], the cluster of each query.
        bounded: whether a difference lies in [-1, 1].
    """

    differences: NDArray[np.float64]
    allowance: float
    clusters: NDArray[np.int64] | None
    bounded: bool

    @property
    def alike(self) -> tuple[bool, int, bytes | None]:
        """Equal for drops that are tested in one go."""
        clusters = None if self.clusters is None else self.clusters.tobytes()
        return self.bounded, len(self.differences), clusters


@dataclass(frozen=True, slots=True)
class DropTest:
    """What queries say of a fall of their mean by more than an allowance.

    Attributes:
        interval: 90 %, of the mean fall: positive is worse.
        p_fail: of "the fall is within the allowance".
        p_pass: of "the fall is larger than the allowance".
        basis: what both rest on.
        units: of the differences.
        bounded: whether a difference lies in [-1, 1].
        allowance: the largest fall that is allowed.
    """

    interval: Interval
    p_fail: float
    p_pass: float
    basis: Basis
    units: Units
    bounded: bool
    allowance: float

    def needed(self, tests: int = 1) -> int | None:
        """About how many queries like these exclude a fall by the allowance with 80 % power, if
        the true mean is what it was. None if that is not known, or for an allowance of 0,
        which no number of queries excludes.

        Args:
            tests: how many are corrected together.
        """
        if self.allowance <= 0 or self.basis == "unchanged":
            return None
        alpha = ALPHA / tests
        if self.bounded:
            power = BoundedPower.of(self.units, -REACH, -self.allowance)
            return power.needed(0.0, -self.allowance, alpha)
        if unknown_spreads(self.units)[0]:
            return None
        [spread] = PairedPower.of(self.units)
        return spread.needed(self.allowance, 2 * alpha)  # one-sided

    def detectable(self, tests: int = 1) -> float | None:
        """About the least true fall that this number of queries like these shows to be larger than
        the allowance with 80 % power; None if it shows none that often, or that is unknown.

        Args:
            tests: how many are corrected together.
        """
        alpha = ALPHA / tests
        if self.basis == "unchanged":
            return None
        if self.bounded:
            return self._falls.detectable(self.allowance, self.units.count, alpha)
        if unknown_spreads(self.units)[0]:
            return None
        [spread] = PairedPower.of(self.units)
        found = spread.detectable(2 * alpha)
        return None if found is None else self.allowance + found

    def power(self, fall: float, tests: int = 1) -> float:
        """The chance that this number of queries like these shows a true fall to be larger than the
        allowance; bounded ones only.

        Args:
            fall: larger than the allowance.
            tests: how many are corrected together.
        """
        return self._falls.power(fall, self.allowance, self.units.count, ALPHA / tests)

    @property
    def _falls(self) -> BoundedPower:
        turned = replace(self.units, totals=0.0 - self.units.totals)
        return BoundedPower.of(turned, -REACH, self.allowance)


def drop_tests(drops: Sequence[Drop]) -> list[DropTest]:
    """Test drops, those over the same number of queries (and the same clusters) in one go; each is
    to the digit what it is alone.

    Raises:
        DataError: no query, or a difference that is not a number.

    >>> import numpy as np
    >>> [found] = drop_tests([Drop(np.array([-1.0] * 12 + [0.0] * 28), 0.02, None, True)])
    >>> found.basis, found.p_fail < 0.05, found.p_pass > 0.95
    ('bounded', True, True)
    """
    groups: dict[tuple[bool, int, bytes | None], list[int]] = {}
    for place, drop in enumerate(drops):
        groups.setdefault(drop.alike, []).append(place)
    found: dict[int, DropTest] = {}
    for places in groups.values():
        found.update(zip(places, _tested([drops[place] for place in places]), strict=True))
    return [found[place] for place in range(len(drops))]


def drop_test(
    differences: NDArray[np.float64],
    allowance: float,
    *,
    clusters: NDArray[np.int64] | None = None,
    bounded: bool,
) -> DropTest:
    """Test one :class:`Drop` with these attributes."""
    return drop_tests([Drop(differences, allowance, clusters, bounded)])[0]


def _tested(drops: Sequence[Drop]) -> Iterator[DropTest]:
    """Drops that are alike, in order."""
    columns = np.stack([drop.differences for drop in drops])
    columns[np.abs(columns) <= SAME] = 0.0
    bounded, clusters = drops[0].bounded, drops[0].clusters
    reach = REACH if bounded else None
    intervals = intervals90(columns, clusters=clusters, reach=reach)
    limits = [-drop.allowance for drop in drops]
    tests = one_sided_tests(columns, limits, clusters=clusters, intervals=intervals, reach=reach)
    units = units_of(columns, clusters)
    unknown = unknown_spreads(units)
    changed = (columns != 0).sum(axis=1).tolist()
    for column, (drop, interval, test) in enumerate(zip(drops, intervals, tests, strict=True)):
        here = units.only([column])
        basis: Basis = "bounded" if bounded else "t"
        p_fail, p_pass = test.p_below, test.p_above
        if bounded:
            if drop.allowance >= REACH:  # no fall is larger
                p_pass = 0.0
        elif unknown[column] == "no spread":
            basis = "no spread"
            p_fail, p_pass = _flipped(float(here.means()[0]) + drop.allowance, here.count)
        elif unknown[column] or not interval.estimable:
            basis, p_fail, p_pass = "few differ", 1.0, 1.0
        if not changed[column]:
            basis = "unchanged"
        yield DropTest(interval.reversed, p_fail, p_pass, basis, here, bounded, drop.allowance)


def _flipped(apart: float, count: int) -> tuple[float, float]:
    """Both p-values where every unit is as far from the allowance: of sign flips."""
    if abs(apart) <= SAME:
        return 1.0, 1.0
    flips = 0.5**count
    return (flips, 1 - flips) if apart < 0 else (1 - flips, flips)
