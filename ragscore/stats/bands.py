"""Means with 95 % intervals at every setting at once, for all queries or for parts of them.

Three kinds, all without resampling, so that a curve of hundreds of points costs one pass:

- Wilson's interval (JASA 1927) where all values are 0 or 1; and where every query has one
  relevant passage, for P and F too, since they are then R times a number that only k decides.
- Clopper's and Pearson's in its place for measures that promise it (Leak), also of clusters, as in
  :mod:`ragscore.stats.intervals`: that nothing leaked does not show that nothing can.
- Student's t else, cut to 0 and 1; of clusters, whatever the values are, with the CR2 error and its
  degrees of freedom, as everywhere in this package (:mod:`ragscore.stats.units`).

Where only some queries count (precision among the answered), the mean is a ratio of two sums over
the queries, and the interval is that of a ratio too: for queries alone it is Student's t of those
that count, given how many they are.

They hold for each setting taken alone, not for all at once. Where all queries have one value that
is neither 0 nor 1, or there are fewer than two, nothing can be estimated: NaN. Where no query
counts, the mean is NaN as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.estimate import Estimate
from ragscore.records import CountArray, FloatArray, Record
from ragscore.stats.intervals import LEVEL, ShareMethod, effective_queries, share_bounds
from ragscore.stats.units import Units

FLAT = 1e-12
"""A variance below this share of the mean square is that of equal values."""


@dataclass(frozen=True)
class Band(Record):
    """Means and their intervals: float64[S] each (or [T, S] for T parts of the queries)."""

    mean: FloatArray
    """The mean at every setting."""
    low: FloatArray
    """Lower ends; null if nothing can be estimated."""
    high: FloatArray
    """Upper ends; null if nothing can be estimated."""
    n: Annotated[CountArray, Field(exclude=True)]
    """Queries that each mean rests on."""

    def at(self, place: int) -> Estimate:
        """The numbers at one setting."""
        mean, low, high = (float(side[place]) for side in (self.mean, self.low, self.high))
        return Estimate(mean, low, high, int(self.n[place]))


@dataclass(frozen=True, eq=False)
class MeanErrors:
    """Means and what their intervals are made of: float64[T, S] each.

    Attributes:
        mean: NaN if no query counts.
        error: the standard error; NaN if it can't be estimated.
        degrees: degrees of freedom of Student's t.
        count: queries (clusters) that count.
        queries: that count, each by its weight.
    """

    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    degrees: NDArray[np.float64]
    count: NDArray[np.float64]
    queries: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SettingValues:
    """One measure of every query at every setting.

    Attributes:
        values: float64[Q, S]; 0 if a query does not count.
        clusters: int64[Q], a label per query where whole clusters are drawn; None: queries alone.
        weights: float64[Q, S] from 0 to 1, how much each query counts; None: all count alike.
        shares: bool[S], where all values are 0 or ``scale``, a share of the queries then.
        scale: float64[S].
        unit_interval: values lie between 0 and 1, and so do their means.
        share_method: of the intervals of shares.
    """

    values: NDArray[np.float64]
    clusters: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    shares: NDArray[np.bool_]
    scale: NDArray[np.float64]
    unit_interval: bool
    share_method: ShareMethod = "wilson"

    @classmethod
    def of(
        cls,
        values: NDArray[np.float64],
        clusters: NDArray[np.int64] | None = None,
        *,
        weights: NDArray[np.float64] | None = None,
        one_relevant: bool = False,
        unit_interval: bool = True,
        share_method: ShareMethod = "wilson",
    ) -> SettingValues:
        """SettingValues; ``one_relevant``: P, R or F of queries with one relevant passage each.

        >>> values = np.array([[1.0], [0.5], [0.0]])
        >>> answered = np.array([[1.0], [1.0], [0.0]])
        >>> SettingValues.of(values, weights=answered).band().mean.tolist()
        [0.75]
        """
        scale = np.ones(values.shape[1])
        if one_relevant and len(values):
            largest = values.max(axis=0)
            scale = np.where(largest > 0, largest, 1.0)
        if weights is not None:
            values = np.where(weights > 0, values, 0.0)
        shares = ((values == 0) | (values == scale)).all(axis=0)
        shares &= clusters is None or share_method == "clopper-pearson"
        if weights is not None:
            shares &= ((weights == 0) | (weights == 1)).all(axis=0)
        return cls(values, clusters, weights, shares, scale, unit_interval, share_method)

    def band(self) -> Band:
        """Means and intervals over all queries."""
        all_queries = np.ones((1, len(self.values)), dtype=bool)
        band = self.bands(all_queries)
        return Band(band.mean[0], band.low[0], band.high[0], band.n[0])

    def means(self, parts: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Means over parts of the queries, bool[T, Q]: float64[T, S]."""
        return parts_means(self.values, parts, self.weights)

    def errors(self, parts: NDArray[np.bool_]) -> MeanErrors:
        """Means of parts of the queries, bool[T, Q] of whole clusters, and their errors: [T, S]."""
        totals, sizes = self.values, np.ones((len(self.values), 1))
        if self.weights is not None:
            totals, sizes = self.values * self.weights, self.weights
        if self.clusters is not None:
            order = np.argsort(self.clusters, kind="stable")
            _, starts = np.unique(self.clusters[order], return_index=True)
            totals, sizes = (
                np.add.reduceat(side[order], starts, axis=0) for side in (totals, sizes)
            )
            parts = parts[:, order[starts]]  # a part holds whole clusters
        taken = parts.astype(np.float64, order="C")
        count = taken @ (sizes > 0).astype(np.float64)
        queries = taken @ sizes
        squares = taken @ (totals * totals)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (taken @ totals) / queries
            spread = (
                squares - 2 * mean * (taken @ (totals * sizes)) + mean * mean * (taken @ sizes**2)
            )
            variance = np.where(
                spread > FLAT * squares, count / (count - 1) * spread / queries**2, np.nan
            )
            error, degrees = np.sqrt(variance), count - 1
            if self.clusters is not None:
                error, degrees = _of_clusters(taken > 0, totals, sizes, error)
        return MeanErrors(mean, error, degrees, count, queries)

    def bands(self, parts: NDArray[np.bool_]) -> Band:
        """Means and intervals of parts of the queries, bool[T, Q] of whole clusters: [T, S]."""
        from scipy.special import stdtrit

        found = self.errors(parts)
        mean = found.mean
        half = stdtrit(found.degrees, (1 + LEVEL) / 2) * found.error
        low, high = mean - half, mean + half
        if self.unit_interval:
            low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = mean / self.scale
            share_low, share_high = share_bounds(
                share, self.independent(found), LEVEL, self.share_method
            )
        return Band(
            mean,
            np.where(self.shares, share_low * self.scale, low),
            np.where(self.shares, share_high * self.scale, high),
            np.broadcast_to(np.rint(found.queries).astype(np.int64), mean.shape),
        )

    def independent(self, found: MeanErrors) -> NDArray[np.float64]:
        """How many independent queries shares rest on: float64[T, S]."""
        if self.clusters is None:
            return found.count
        errors = np.nan_to_num(found.error / self.scale)
        return effective_queries(
            found.mean / self.scale, errors, found.queries, found.count, found.degrees, LEVEL
        )


def _of_clusters(
    taken: NDArray[np.bool_],
    totals: NDArray[np.float64],
    sizes: NDArray[np.float64],
    flat: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The CR2 errors of means over parts of the clusters, and their degrees of freedom: [T, S].

    Args:
        taken: bool[T, G], the clusters of each part.
        totals: float64[G, S], the sum of each cluster's values.
        sizes: float64[G, S or 1], how many of its queries count.
        flat: float64[T, S], NaN if all values are equal.
    """
    errors, degrees = np.full(flat.shape, np.nan), np.full(flat.shape, np.nan)
    different, column_of = np.unique(sizes, axis=1, return_inverse=True)
    column_of = np.broadcast_to(column_of.ravel(), flat.shape[1:])
    for column, size in enumerate(different.T):
        settings = np.flatnonzero(column_of == column)
        for part, own in enumerate(taken & (size > 0)):
            if own.sum() > 1:
                units = Units(totals[np.ix_(own, settings)].T, size[own], clustered=True)
                errors[part, settings] = units.standard_errors()
                degrees[part, settings] = units.degrees()
    errors[np.isnan(flat)] = np.nan
    return errors, degrees


def parts_means(
    values: NDArray[np.float64],
    parts: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Means over parts of the queries: float64[T, S] from float64[Q, S] and bool[T, Q].

    Args:
        values: of each query at each setting.
        parts: which queries each part holds.
        weights: float64[Q, S], how much each query counts; NaN if none of a part does.
    """
    taken = parts.astype(np.float64)
    if weights is None:
        means: NDArray[np.float64] = (taken @ values) / taken.sum(axis=1, keepdims=True)
        return means
    with np.errstate(invalid="ignore"):
        ratios: NDArray[np.float64] = (taken @ (values * weights)) / (taken @ weights)
    return ratios
