"""Confidence intervals of means over queries: BCa and percentile bootstrap, t, Wilson, Clopper and
Pearson.

>>> [interval] = mean_intervals([[1] * 17 + [0]])
>>> f"{interval.low:.3f} to {interval.high:.3f}"
'0.742 to 0.990'
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ragscore.arrays import quantiles
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError, did_you_mean
from ragscore.messages import Message, Text, _, counted
from ragscore.records import MaybeNaN, Record
from ragscore.stats.resampling import Resampled, accelerations, bca_shares, resampled_means
from ragscore.stats.units import (
    MIN_CLUSTERS,
    Floats,
    Units,
    checked_draws,
    checked_level,
    checked_values,
    units_of,
)

ShareMethod = Literal["wilson", "clopper-pearson"]
"""Intervals of means of 0 and 1: about as wide as they should be, or never too narrow."""
Method = Literal["bca", "percentile", "t", "plus-two", ShareMethod, "bounded"]
METHODS: tuple[Method, ...] = ("bca", "percentile", "t", "wilson", "clopper-pearson")

LEVEL = 0.95
"""Coverage of the intervals that are printed."""
MIN_INFORMATIVE = 10
"""An interval over fewer informative queries carries a note."""
BCA_CLUSTERS = 30
"""Means over fewer clusters take t: of them BCa holds the truth in 76 to 93 of 100 samples."""
MAX_QUERIES = 1 << 40
"""Nobody asks more."""
NOT_ESTIMABLE = _("not estimable")


@dataclass(frozen=True, slots=True)
class Interval(Record):
    """A confidence interval of a mean, not adjusted for other comparisons."""

    low: MaybeNaN
    """Lower end; null if it can't be estimated."""
    high: MaybeNaN
    """Upper end; null if it can't be estimated."""
    level: float
    """Coverage: 0.95."""
    method: Method
    """The method that was used, which may differ from the one chosen: see ``note``. plus-two is t
    with two more queries, one won and one lost, where few differ; bounded is that of a gate, which
    counts one more query at either end of the range."""
    note: Text = ""
    """A caution: "not estimable", few informative queries, few clusters, another method than the
    one chosen; mostly empty."""

    @property
    def estimable(self) -> bool:
        """Whether there are bounds."""
        return not isnan(self.low)

    @property
    def reversed(self) -> Interval:
        """That of the mean with the other sign; no zero gets a sign."""
        return replace(self, low=0.0 - self.high, high=0.0 - self.low) if self.estimable else self


def mean_intervals(
    values: ArrayLike,
    *,
    method: Method | None = None,
    level: float = LEVEL,
    resamples: int = 10_000,
    seed: int = 1234,
    clusters: ArrayLike | None = None,
    binary: bool | None = None,
) -> list[Interval]:
    """The interval of the mean of each row of float64[C, Q], all from the same resamples: each is
    to the digit what it is for that row alone.

    >>> str(mean_intervals([[0.2, 0.4, 0.4, 0.9]], method="t")[0].note)
    'all queries but 2 have the same value'

    Methods: ``bca`` (bias-corrected and accelerated bootstrap, Efron 1987; as in Efron and
    Tibshirani 1993, 14.3), ``percentile``, ``t``, ``wilson`` (Wilson 1927), ``clopper-pearson``
    (Clopper and Pearson 1934: exact, from the beta distribution). Bounds of the bootstrap are
    interpolated linearly between the ordered means (Hyndman and Fan's type 7). BCa gives way to
    the percentiles, and says so, where it is not defined.

    Clusters: whole clusters are drawn; t has the standard error CR2 and its degrees of freedom;
    Wilson, Clopper and Pearson take the effective number of queries (Korn and Graubard 1998).

    Args:
        values: float64[C, Q], defined everywhere.
        method: by default ``wilson`` for values that are all 0 or 1; else ``t`` where there are
            fewer than 30 clusters, which BCa needs and t does not; else ``bca``.
        level: between 0 and 1.
        resamples: bootstrap draws, at least 100.
        seed: of the draws.
        clusters: int64[Q], the cluster of each query.
        binary: False treats values that are all 0 or 1 as any others; True requires such values.

    Raises:
        ConfigError: an unknown method, a level outside (0, 1), fewer than 100 resamples.
        DataError: no query, an undefined value, lengths that differ, other values than 0 and 1
            for Wilson, Clopper and Pearson.
    """
    columns = checked_values(values, dimensions=2)
    checked_level(level)
    checked_draws(resamples, seed)
    asked, method = method, method or "bca"
    if method not in METHODS:
        raise ConfigError(f"unknown interval '{method}'", instead=did_you_mean(method, METHODS))
    zero_one = ((columns == 0) | (columns == 1)).all(axis=1)
    share_method: ShareMethod = "clopper-pearson" if method == "clopper-pearson" else "wilson"
    of_shares = method == share_method
    if (binary or of_shares) and not zero_one.all():
        whose = "Wilson's" if share_method == "wilson" else "Clopper's and Pearson's"
        raise DataError(
            f"{whose} interval is for values that are all 0 or 1, and there are others",
            instead="Use bca, percentile or t.",
        )
    units = units_of(columns, clusters)
    informative = units.informative()
    by_t = asked is None and units.clustered and units.count < BCA_CLUSTERS
    shares = np.zeros(len(columns), dtype=bool)
    if of_shares or (method == "bca" and binary is not False):
        shares = zero_one
    estimable = np.where(shares, not units.clustered or units.count > 1, informative > 0)
    found: list[Interval] = [Interval(nan, nan, level, method, NOT_ESTIMABLE)] * len(columns)
    for column in np.flatnonzero(estimable & shares).tolist():
        own = units.only([column])
        found[column] = _of_share(own, share_method, level, int(informative[column]))
    rest = np.flatnonzero(estimable & ~shares).tolist()
    if rest:
        counts = informative[rest].tolist()
        notes = [_note(units, count) for count in counts]
        here = units.only(rest)
        if by_t:
            few = _(
                "t interval, since there are only {count} clusters", count=count_text(units.count)
            )
            notes = [_both(few_informative(n, units.several), few) for n in counts]
        if method == "t" or by_t:
            made = t_intervals(here, level, notes)
        else:
            made = _bootstrap(here, method, level, resampled_means(here, resamples, seed), notes)
        for column, interval in zip(rest, made, strict=True):
            found[column] = interval
    return found


def _note(units: Units, informative: int) -> Text:
    few = units.clustered and units.count < MIN_CLUSTERS
    clusters = _("only {count} clusters", count=count_text(units.count)) if few else None
    return _both(few_informative(informative, units.several), clusters)


def few_informative(count: int, several: str) -> Message | None:
    """How few units are informative, in words; None if they are enough. ``several`` is
    ``queries`` or ``clusters``."""
    if count >= MIN_INFORMATIVE:
        return None
    if several == "clusters":
        few = counted(
            "all clusters but 1 have the same mean",
            "all clusters but {count} have the same mean",
            count,
        )
        return few if count else _("all clusters have the same mean")
    few = counted(
        "all queries but 1 have the same value",
        "all queries but {count} have the same value",
        count,
    )
    return few if count else _("all queries have the same value")


def _both(first: Text | None, second: Text | None) -> Text:
    """Two notes in one; either may be missing."""
    if first and second:
        return _("{first}; {second}", first=first, second=second)
    return first or second or ""


def t_intervals(units: Units, level: float, notes: list[Text]) -> list[Interval]:
    """Student's interval of each column, with its note; at least two units."""
    half = _t_quantile(level, units.degrees()) * units.standard_errors()
    return [
        Interval(float(mean - h), float(mean + h), level, "t", note)
        for mean, h, note in zip(units.means(), half, notes, strict=True)
    ]


def _bootstrap(
    units: Units, method: Method, level: float, resampled: Resampled, notes: list[Text]
) -> list[Interval]:
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    shares = np.tile(tails, (len(notes), 1))
    if method == "bca":
        shares = bca_shares(tails, resampled.below, accelerations(units))
    intervals = []
    for share, means, note in zip(shares, resampled.means, notes, strict=True):
        used: Method = method
        if np.isnan(share).any():
            used, share = "percentile", tails
            note = _both(_("percentile interval, since BCa is undefined here"), note)
        low, high = quantiles(means, share).tolist()
        intervals.append(Interval(low, high, level, used, note))
    return intervals


def _of_share(units: Units, method: ShareMethod, level: float, informative: int) -> Interval:
    share, effective = units.means()[:1], np.array([float(units.queries)])
    if units.clustered:
        error, clusters, degrees = units.standard_errors()[:1], units.count, units.degrees()
        effective = effective_queries(share, error, units.queries, clusters, degrees, level)
    (low,), (high,) = share_bounds(share, effective, level, method)
    return Interval(float(low), float(high), level, method, _note(units, informative))


def effective_queries(
    shares: ArrayLike,
    errors: ArrayLike,
    queries: ArrayLike,
    clusters: ArrayLike,
    degrees: ArrayLike,
    level: float,
) -> Floats:
    """How many independent queries would be as informative as clusters of them (Korn and Graubard
    1998); where all values are the same, as many as clusters.

    Args:
        shares: of the queries.
        errors: standard errors of these, of clusters.
        queries, clusters: how many there are.
        degrees: of freedom of the errors.
        level: of the interval.

    Returns:
        float64 of the shape of all.
    """
    share, error, count, drawn, freedom = np.broadcast_arrays(
        *(
            np.asarray(side, dtype=np.float64)
            for side in (shares, errors, queries, clusters, degrees)
        )
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        design_effect = error**2 / (share * (1 - share) / (count - 1))
        tails = _t_quantiles(level, count - 1) / _t_quantiles(level, freedom)
        found = np.minimum(count, count / design_effect * tails**2)
    found = np.where(error > 0, found, count)
    return np.where((share <= 0) | (share >= 1), drawn, found)


def share_bounds(
    shares: ArrayLike, n: ArrayLike, level: float, method: ShareMethod
) -> tuple[Floats, Floats]:
    """The intervals of shares of n each: float64 of the shape of both."""
    return (wilson_bounds if method == "wilson" else exact_bounds)(shares, n, level)


def wilson_bounds(shares: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """The score intervals of shares of n each (Wilson 1927), never beyond 0 and 1, nor short of the
    share: float64 of the shape of both."""
    from scipy.special import ndtri

    share, count = np.asarray(shares, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z2 = float(ndtri((1 + level) / 2)) ** 2
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    # A share of rounded sums may stand past 1.
    spread = np.maximum(share * (1 - share), 0.0)
    half = np.sqrt(z2 * (spread + z2 / (4 * count)) / count) / (1 + z2 / count)
    # At 0 and 1 the bound is the share itself, which rounding would miss.
    low = np.where(share <= 0, 0.0, np.minimum(np.maximum(0.0, centre - half), share))
    high = np.where(share >= 1, 1.0, np.maximum(np.minimum(1.0, centre + half), share))
    return low, high


def exact_bounds(shares: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """The exact intervals of shares of n each (Clopper and Pearson 1934): float64 of the shape of
    both. At level 0.9 each end is the one-sided 95 % bound.

    >>> round(float(exact_bounds(0, 300, 0.9)[1]), 5)
    0.00994
    """
    from scipy.special import betaincinv

    share, count = np.asarray(shares, dtype=np.float64), np.asarray(n, dtype=np.float64)
    ones, tail = np.clip(share, 0.0, 1.0) * count, (1 - level) / 2
    low = betaincinv(np.maximum(ones, 1e-300), count - ones + 1, tail)
    high = betaincinv(ones + 1, np.maximum(count - ones, 1e-300), 1 - tail)
    return np.where(share <= 0, 0.0, low), np.where(share >= 1, 1.0, high)


def queries_to_exclude(limit: float, share: float, level: float) -> int | None:
    """The least number of queries of which such a share would show, by the upper end of
    :func:`exact_bounds`, that no more than ``limit`` of all do; None if no number would.

    >>> queries_to_exclude(0.01, 0.0, 0.9), queries_to_exclude(0.0, 0.0, 0.9)
    (299, None)
    """
    if share >= limit:
        return None
    if limit >= 1:
        return 1

    def shown(n: int) -> bool:
        return float(exact_bounds(share, n, level)[1]) <= limit

    above = 1
    while not shown(above):
        above *= 2
        if above > MAX_QUERIES:
            return None
    below = above // 2
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if shown(middle) else (middle, above)
    return above


def _t_quantile(level: float, degrees: float) -> float:
    return float(_t_quantiles(level, np.float64(degrees)))


def _t_quantiles(level: float, degrees: ArrayLike) -> Floats:
    from scipy.special import stdtrit

    return np.asarray(stdtrit(degrees, (1 + level) / 2), dtype=np.float64)
