"""Folds for cross-validation: stratified, by whole clusters, repeated, seeded.

One split's luck is large where there are few queries; repeating with new folds averages it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.errors import ConfigError, DataError
from ragscore.stats.units import checked_seed


@dataclass(frozen=True, slots=True)
class Folds:
    """Which fold each query is tested in.

    Attributes:
        test_of: int64[repeats, Q], the fold (0 to k - 1) of each query; a fold's queries are
            tested on what was chosen on all other folds' queries.
        merged: names of the strata with fewer queries (clusters) than folds, in alphabetical
            order; they were dealt out as one stratum, "other", since none could be in each fold.
    """

    test_of: NDArray[np.int64]
    merged: tuple[str, ...]


def folds(
    n: int,
    *,
    k: int = 5,
    repeats: int = 10,
    seed: int = 1234,
    strata: Sequence[str] | None = None,
    clusters: NDArray[np.int64] | None = None,
) -> Folds:
    """Deal ``n`` queries out to ``k`` folds, anew for each repeat.

    Fold sizes, and each stratum's share of a fold, differ by at most one query. With clusters
    that holds for numbers of clusters, while sizes differ by no more than the largest cluster of
    each stratum; a cluster is in the stratum that most of its queries are in.

    Args:
        n: number of queries.
        k: number of folds.
        repeats: how often the queries are dealt out.
        seed: of the shuffling.
        strata: a label per query (its tag, say); strata smaller than ``k`` are merged.
        clusters: int64[Q], a label per query; a cluster is never split over folds.

    Raises:
        ConfigError: fewer than two folds, or fewer than one repeat.
        DataError: fewer queries (clusters) than folds, or labels that do not fit the queries.

    >>> folds(6, k=3, repeats=1).test_of.tolist()
    [[1, 2, 0, 0, 1, 2]]
    """
    _check(n, k, repeats, seed, strata, clusters)
    labels = np.arange(n) if clusters is None else np.asarray(clusters)
    unit_of_query = np.searchsorted(distinct(labels), labels)
    sizes = np.bincount(unit_of_query)
    units = len(sizes)
    if units < k:
        of = "queries" if clusters is None else "clusters (of which none may be split)"
        raise DataError(
            f"{k} folds need at least {k} {of}; there {'is' if units == 1 else 'are'} {units}",
            instead="Ask for fewer folds." if units > 1 else "At least two can be split.",
        )
    tags = np.array(["all"] * n if strata is None else list(strata))
    names = distinct(tags)
    stratum_of_query = np.searchsorted(names, tags)
    stratum = _commonest(unit_of_query, stratum_of_query, units, len(names))
    per_stratum = np.bincount(stratum, minlength=len(names))
    small = per_stratum < k
    stratum = np.where(small[stratum], len(names), stratum)

    generator = np.random.default_rng(seed)
    test_of = np.stack([_deal(stratum, sizes, k, generator)[unit_of_query] for _ in range(repeats)])
    return Folds(test_of, tuple(names[small].tolist()))


def folds_of_units(
    queries: int,
    clusters: NDArray[np.int64] | None,
    wanted: int,
    repeats: int,
    seed: int,
    strata: Sequence[str] | None,
) -> Folds:
    """Folds of queries or whole clusters, no more of them than there are of these.

    Raises:
        DataError: there are fewer than two.
    """
    units = queries if clusters is None else len(np.unique(clusters))
    if units < 2:
        what = "query" if clusters is None else "cluster of queries"
        raise DataError(
            f"there is only 1 {what}" if units else "there are no queries",
            instead="A choice made on some queries must be tried on others: judge more",
        )
    return folds(
        queries,
        k=min(wanted, units),
        repeats=repeats,
        seed=seed,
        strata=strata,
        clusters=clusters,
    )


def _deal(
    stratum: NDArray[np.int64],
    sizes: NDArray[np.int64],
    k: int,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """The fold of each unit: int64[U].

    In rounds of k units of like size, each fold gets one of them; strata follow one another
    round the folds, so that the leftovers of one do not pile onto those of another.
    """
    units = len(stratum)
    by_size = np.lexsort((generator.random(units), -sizes, stratum))
    ordered = stratum[by_size]
    rank = np.arange(units) - np.searchsorted(ordered, ordered)
    dealt = by_size[np.lexsort((generator.random(units), rank // k, ordered))]
    fold = np.empty(units, dtype=np.int64)
    fold[dealt] = generator.permutation(k)[np.arange(units) % k]
    return fold


def _commonest(
    unit_of_query: NDArray[np.int64],
    stratum_of_query: NDArray[np.int64],
    units: int,
    strata: int,
) -> NDArray[np.int64]:
    """Each unit's most frequent stratum, the first by name among equals: int64[U]."""
    pair_of_query = unit_of_query * strata + stratum_of_query
    pairs = distinct(pair_of_query)
    counts = np.bincount(np.searchsorted(pairs, pair_of_query))
    unit, stratum = pairs // strata, pairs % strata
    best_first = np.lexsort((stratum, -counts, unit))
    return stratum[best_first][np.searchsorted(unit[best_first], np.arange(units))]


def _check(
    n: int,
    k: int,
    repeats: int,
    seed: int,
    strata: Sequence[str] | None,
    clusters: NDArray[np.int64] | None,
) -> None:
    if k < 2:
        raise ConfigError(f"folds is {k}", instead="At least 2 folds are needed.")
    if repeats < 1:
        raise ConfigError(f"repeats is {repeats}", instead="It must be 1 or more.")
    checked_seed(seed)
    for name, labels in (("strata", strata), ("clusters", clusters)):
        if labels is not None and len(labels) != n:
            raise DataError(
                f"{len(labels)} {name} labels for {n} queries",
                instead="Give one label per query.",
            )
