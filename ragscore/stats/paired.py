"""Two-sided tests of paired differences: sign flips, t, Wilcoxon.

>>> paired_tests([[0.1, 0.2, 0.3, 0.0]])[0]
PairedTest(p=0.25, method='randomization', exact=True, resamples=None, n=4, nonzero=3)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.errors import ConfigError, did_you_mean
from ragscore.records import Record
from ragscore.stats.resampling import at_floor, flips_as_far, share_as_far
from ragscore.stats.signed_rank import signed_rank
from ragscore.stats.units import SAME, Floats, Units, checked_draws, checked_values, units_of

Test = Literal["randomization", "t", "wilcoxon"]
TESTS: tuple[Test, ...] = ("randomization", "t", "wilcoxon")

#: Up to this many differences other than 0, all sign patterns are counted.
EXACT_TO = 20


@dataclass(frozen=True, slots=True)
class PairedTest(Record):
    """A paired test: how surprising the differences would be if the two were exchangeable."""

    p: float
    """Two-sided p-value, not adjusted for other tests."""
    method: Test
    """Which test."""
    exact: bool
    """Whether p comes from the whole distribution of the sign flips or ranks; false for random
    flips, for Wilcoxon's normal approximation and for t."""
    resamples: int | None
    """Random sign patterns drawn; null if none were."""
    n: int
    """Queries, or clusters where queries are clustered."""
    nonzero: int
    """Of these, those with a difference (of more than 1e-12)."""

    @property
    def at_floor(self) -> bool:
        """Whether p is the smallest that this many random patterns can give."""
        return at_floor(self.p, self.resamples)


def paired_tests(
    differences: ArrayLike,
    *,
    method: Test = "randomization",
    resamples: int = 10_000,
    seed: int = 1234,
    clusters: ArrayLike | None = None,
) -> list[PairedTest]:
    """The test of each row of float64[C, Q], all from the same signs: each is to the digit
    what it is for that row alone.

    - ``randomization``: the share of sign patterns whose sum is at least as far from 0 as the
      observed one (Fisher 1935); sums within 1e-11 of the sum of absolute differences are tied
      and count. All patterns up to 20 differences other than 0, else (c + 1) / (B + 1) of B
      random ones (Davison and Hinkley 1997, 4.2).
    - ``t``: Student's paired test.
    - ``wilcoxon``: the signed-rank test with scipy's defaults.

    Clusters: the sign of a whole cluster's sum is flipped, Wilcoxon ranks those sums, and t is the
    mean over its CR2 standard error, on its degrees of freedom. The sum and the CR2 error keep
    the mean over queries, the number that is reported, as what is tested.

    A difference within 1e-12 of 0 is 0. All 0, and one unit alone, give p = 1.

    Raises:
        ConfigError: an unknown method, fewer than 100 resamples.
        DataError: no query, an undefined difference, lengths that differ.
    """
    columns = checked_values(differences, what="differences", dimensions=2)
    checked_draws(resamples, seed)
    if method not in TESTS:
        raise ConfigError(f"unknown test '{method}'", instead=did_you_mean(method, TESTS))
    units = units_of(columns, clusters)
    totals = np.where(np.abs(units.totals) <= SAME, 0.0, units.totals)
    nonzero = np.count_nonzero(totals, axis=1)
    if method == "randomization":
        return _randomizations(totals, nonzero, resamples, seed)
    if method == "wilcoxon":
        found = [signed_rank(column) for column in totals]
    else:
        found = [(p, False) for p in _t_tests(units, nonzero)]
    return [
        PairedTest(p, method, exact, None, units.count, some)
        for (p, exact), some in zip(found, nonzero.tolist(), strict=True)
    ]


def _randomizations(
    totals: Floats, nonzero: NDArray[np.int64], resamples: int, seed: int
) -> list[PairedTest]:
    n = totals.shape[1]
    many = np.flatnonzero(nonzero > EXACT_TO)
    as_far = dict(
        zip(many.tolist(), flips_as_far(totals[many], resamples, seed).tolist(), strict=True)
        if len(many)
        else ()
    )
    return [
        PairedTest(
            (as_far[column] + 1) / (resamples + 1), "randomization", False, resamples, n, some
        )
        if column in as_far
        else PairedTest(
            share_as_far(totals[column][totals[column] != 0]), "randomization", True, None, n, some
        )
        for column, some in enumerate(nonzero.tolist())
    ]


def _t_tests(units: Units, nonzero: NDArray[np.int64]) -> list[float]:
    from scipy.special import stdtr

    if units.count < 2:
        return [1.0] * len(nonzero)
    means, errors = units.means(), units.standard_errors()
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(units.degrees(), -np.abs(means / errors))
    return np.where(nonzero == 0, 1.0, np.where(errors == 0, 0.0, p)).tolist()  # type: ignore[no-any-return]
