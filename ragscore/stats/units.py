"""What is drawn, flipped and counted: queries, or clusters of queries that belong together.

A cluster counts through its total and its size, so that the mean stays the mean over queries:
the ratio of the sum of totals to the sum of sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.errors import ConfigError, DataError

Floats = NDArray[np.float64]

MIN_CLUSTERS = 10
"""What is computed from fewer clusters is rough, and says so."""

#: Values this close are the same value: scores are sums of a few terms around 1, whose rounding
#: is a thousand times smaller.
SAME = 1e-12
_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Units:
    """C columns of values over G units.

    Attributes:
        totals: float64[C, G], the sum of each unit's values.
        sizes: float64[G], the queries in each unit; ones without clusters.
        clustered: whether the units are clusters.
    """

    totals: Floats
    sizes: Floats
    clustered: bool

    @property
    def count(self) -> int:
        """The number of units, G."""
        return len(self.sizes)

    @property
    def several(self) -> str:
        """What units are: ``queries`` or ``clusters``."""
        return "clusters" if self.clustered else "queries"

    @property
    def queries(self) -> int:
        """The number of queries in all units."""
        return int(self.sizes.sum())

    def only(self, columns: list[int]) -> Units:
        """The same units of some columns."""
        return replace(self, totals=self.totals[columns])

    def means(self) -> Floats:
        """float64[C]: the mean over queries."""
        return np.asarray(self.totals.sum(axis=1) / self.sizes.sum())

    def residuals(self) -> Floats:
        """float64[C, G]: how far each unit's total is from its share of the mean."""
        return self.totals - self.means()[:, None] * self.sizes

    def standard_errors(self) -> Floats:
        """float64[C]: of the mean; the units are independent of each other, their queries need
        not be. CR2 (Bell and McCaffrey 2002): the square of each unit's residual over 1 minus the
        unit's share of the queries, which for units of one size is the usual s / sqrt(n). At least
        two units.
        """
        left = 1 - self.sizes / self.sizes.sum()
        if np.ptp(self.sizes) == 0:
            left = np.array((self.count - 1) / self.count)
        squares = (np.square(self.residuals()) / left).sum(axis=1)
        return np.asarray(np.sqrt(squares) / self.sizes.sum())

    def degrees(self) -> float:
        """Degrees of freedom of t with these errors: units - 1 for units of one size, fewer where
        sizes differ (Bell and McCaffrey 2002, for queries that are independent).
        """
        if np.ptp(self.sizes) == 0:
            return self.count - 1
        total = self.sizes.sum()
        leverage = self.sizes**2 / (total - self.sizes)
        pairs = leverage.sum() ** 2 - np.square(leverage).sum()
        return float(total**2 / (np.square(self.sizes).sum() + pairs))

    def informative(self) -> NDArray[np.int64]:
        """int64[C]: how many units have another mean than the commonest one; 0 says that the
        spread cannot be estimated.
        """
        means = np.sort(np.round(self.totals / self.sizes, _DECIMALS), axis=1)
        place = np.arange(self.count)
        new = np.diff(means, axis=1, prepend=np.nan) != 0
        started = np.maximum.accumulate(np.where(new, place, 0), axis=1)
        return np.asarray(self.count - 1 - (place - started).max(axis=1), dtype=np.int64)


def checked_values(values: ArrayLike, *, what: str = "values", dimensions: int = 1) -> Floats:
    """The values as float64 with one row a column of values: [1, Q], or [C, Q] for 2 dimensions.

    Raises:
        DataError: another shape, no query, or a value that is not a number.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} are not numbers in rows of one length: {error}") from None
    if array.ndim != dimensions:
        shape = "[queries]" if dimensions == 1 else "[columns, queries]"
        raise DataError(f"{what} must have the shape {shape}, and have {list(array.shape)}")
    columns = np.atleast_2d(array)
    if columns.shape[1] == 0:
        raise DataError(f"there are no {what}: not one query", instead="Give at least two.")
    undefined = ~np.isfinite(columns)
    if undefined.any():
        raise DataError(
            f"{int(undefined.any(axis=0).sum())} of {columns.shape[1]} queries have {what} that "
            "are not defined (NaN) or infinite",
            instead="Keep the queries where every value is defined, and say how many they are.",
        )
    return columns


def by_defined(columns: Floats) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The columns of float64[C, Q] that are defined for the same queries, which share their random
    draws: (queries, columns) of each such group."""
    groups: dict[bytes, list[int]] = {}
    defined = ~np.isnan(columns)
    for column, row in enumerate(defined):
        groups.setdefault(row.tobytes(), []).append(column)
    return [
        (np.flatnonzero(defined[together[0]]), np.array(together, dtype=np.int64))
        for together in groups.values()
    ]


def largest_moves(changes: Floats, way: int, most: int) -> NDArray[np.int64]:
    """The rows of the queries that moved most: int64[<= most], the largest move first.

    Args:
        changes: float64[Q], how far each moved; NaN if that is not known.
        way: 1 for those that rose, -1 for those that fell.
        most: how many.
    """
    moves = np.nan_to_num(way * changes)
    order = np.argsort(-moves, kind="stable")
    return order[moves[order] > SAME][:most]


def units_of(values: Floats, clusters: ArrayLike | None) -> Units:
    """The units of checked values [C, Q], in the order in which they first appear, so that
    neither the clusters' numbers nor clusters of one query change a digit.

    Args:
        values: float64[C, Q].
        clusters: int64[Q], the cluster of each query; None if each query stands for itself.

    Raises:
        DataError: not one whole number per query.
    """
    queries = values.shape[1]
    if clusters is None:
        return Units(values, np.ones(queries), clustered=False)
    labels = np.asarray(clusters)
    if labels.shape != (queries,) or labels.dtype.kind not in "iu":
        raise DataError(
            f"clusters must be {queries} whole numbers, one per query, and are "
            f"{labels.dtype} of shape {list(labels.shape)}"
        )
    unit = _by_first_appearance(labels)
    count = int(unit.max()) + 1
    totals = np.empty((len(values), count))
    for column, of_queries in enumerate(values):
        totals[column] = np.bincount(unit, of_queries, count)
    sizes = np.bincount(unit, minlength=count).astype(np.float64)
    return Units(totals, sizes, clustered=True)


def checked_level(level: float) -> None:
    """Raises ConfigError unless the level is a share between 0 and 1."""
    if not 0 < level < 1:
        raise ConfigError(
            f"the level of an interval is a share between 0 and 1, and is {level}",
            instead="Write 0.95 for 95 %.",
        )


def checked_draws(resamples: int, seed: int) -> None:
    """Raises ConfigError for fewer than 100 resamples or a seed below 0."""
    if resamples < 100:
        raise ConfigError(
            f"resamples is {resamples}, too few to read an interval or a p-value from",
            instead="Use at least 100; the default is 10000.",
        )
    checked_seed(seed)


def checked_seed(seed: int) -> None:
    """Raises ConfigError for a seed below 0."""
    if seed < 0:
        raise ConfigError(f"seed is {seed}", instead="Use a whole number from 0 up.")


def _by_first_appearance(labels: NDArray[np.integer]) -> NDArray[np.int64]:
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    by_label = np.empty(len(labels), dtype=np.int64)
    by_label[order] = np.cumsum(new) - 1
    firsts = order[new]
    rank = np.empty(len(firsts), dtype=np.int64)
    rank[np.argsort(firsts)] = np.arange(len(firsts))
    return rank[by_label]
