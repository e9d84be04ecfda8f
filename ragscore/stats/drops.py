"""Has a mean fallen by more than an allowance? Both one-sided tests, whatever the differences are.

As a rule they are :func:`ragscore.stats.one_sided.one_sided_tests`. Where these have nothing to
stand on:

- 5 or fewer queries differ: no fall is shown; one by the allowance is excluded where too few
  queries got worse for it (:func:`ragscore.stats.one_sided.p_excluded`).
- all queries differ by the same: sign flips around the allowance, of which all lie on one side.
- none differs: nothing is tested, since nothing has changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.few_differ import differing
from ragscore.stats.intervals import Interval
from ragscore.stats.one_sided import (
    ALPHA,
    intervals90,
    one_sided_tests,
    p_excluded,
    queries_that_exclude,
)
from ragscore.stats.paired_power import PairedPower, unknown_spreads
from ragscore.stats.units import SAME, Units, units_of

Basis = Literal["t", "few differ", "no spread", "unchanged"]


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
        nothing has changed; where 5 or fewer differ, how many do if none gets worse. None where
        that is not known, or for an allowance of 0, which no number of queries excludes.

        Args:
            tests: how many are corrected together.
        """
        if self.allowance <= 0:
            return None
        alpha = ALPHA / tests
        if unknown_spreads(self.units)[0]:
            plain = self.bounded and not self.units.clustered
            return queries_that_exclude(self.allowance, alpha) if plain else None
        [spread] = PairedPower.of(self.units)
        return spread.needed(self.allowance, 2 * alpha)  # one-sided


def drop_test(
    differences: NDArray[np.float64],
    allowance: float,
    *,
    clusters: NDArray[np.int64] | None = None,
    bounded: bool,
) -> DropTest:
    """Test float64[Q], later minus earlier value of each query, positive where it got better.

    Args:
        differences: at least one, all defined; within 1e-12 of 0 is 0.
        allowance: the largest fall of the mean that is allowed, 0 or more.
        clusters: int64[Q], the cluster of each query.
        bounded: whether a difference lies in [-1, 1].

    Raises:
        DataError: no query, or a difference that is not a number.

    >>> import numpy as np
    >>> found = drop_test(np.array([-1.0] * 12 + [0.0] * 28), 0.02, bounded=True)
    >>> found.basis, found.p_fail < 0.05, found.p_pass > 0.95
    ('t', True, True)
    """
    columns = np.where(np.abs(differences) <= SAME, 0.0, differences)[None]
    [interval] = intervals90(columns, clusters=clusters)
    units = units_of(columns, clusters)
    limit = -allowance
    basis: Basis = "t"
    p_fail = p_pass = 1.0
    unknown = unknown_spreads(units)[0]
    if not differing(units)[0]:
        basis = "unchanged"
    elif interval.estimable and unknown != "few differ":
        [found] = one_sided_tests(columns, [limit], clusters=clusters, intervals=[interval])
        p_fail, p_pass = found.p_below, found.p_above
    elif unknown == "no spread":
        basis = "no spread"
        apart = float(units.means()[0]) - limit
        if abs(apart) > SAME:
            flips = 0.5**units.count
            p_fail, p_pass = (flips, 1 - flips) if apart < 0 else (1 - flips, flips)
    else:
        basis = "few differ"
        if bounded and not units.clustered:
            p_pass = p_excluded(int((columns < 0).sum()), units.count, allowance)
    return DropTest(interval.reversed, p_fail, p_pass, basis, units, bounded, allowance)
