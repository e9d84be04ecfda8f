"""Slices: every measure by query tag and metadata, and where the retrievers change places.

A slice is a set of queries that share a value; queries with several tags are in several slices.
Each mean comes with its interval and n. A change of order alone says little in a small slice;
the gap tests (:mod:`ragscore.stats.gaps`) say where a difference between two retrievers really
is another one inside the slice than outside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.comparison.aligned import Aligned, align, alone
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.slice_gaps import slice_gaps
from ragscore.comparison.slice_model import Slice, SliceMean, SliceMeasure, Slices, Swap
from ragscore.dataset import Queries
from ragscore.dataset.labels import labels
from ragscore.errors import ConfigError, did_you_mean
from ragscore.scoring import RetrieverScores, Scores
from ragscore.stats.gaps import MIN_UNITS
from ragscore.stats.intervals import Interval, mean_intervals

EQUAL = 1e-12
"""Means closer than this are in no order."""

Floats = NDArray[np.float64]
Members = NDArray[np.bool_]


def slices(
    scores: Scores,
    queries: Queries | Mapping[str, Queries],
    by: Sequence[str] = (),
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
) -> tuple[Slices, ...]:
    """Every measure within every slice: one :class:`Slices` for each dataset and name.

    Args:
        scores: of two retrievers or more. A micro average is left out, and named.
        queries: of the dataset, or by dataset.
        by: what to slice by, see :func:`~ragscore.dataset.labels.labels`; by default
            ``options.slices``.
        options: baseline, interval, correction, resamples (they are also the re-assignments of
            the gap tests), seed, allow_intersect.
        clusters: query id to cluster; clusters are then the units of intervals and tests.

    Raises:
        ConfigError: no query has such a tag or metadata, the baseline is not there, or another
            of :func:`~ragscore.comparison.aligned.align`.
        DataError: as there.
    """
    chosen = options or CompareOptions()
    names = tuple(dict.fromkeys(by or chosen.slices))
    result: list[Slices] = []
    for dataset in scores.datasets:
        entries = [entry for entry in scores.entries if entry.dataset == dataset]
        described = queries if isinstance(queries, Queries) else queries[dataset]
        aligned = align(dataset, entries, clusters=clusters, allow_intersect=chosen.allow_intersect)
        baseline = chosen.baseline or aligned.retrievers[0]
        result += _of_dataset(aligned, described, names, [baseline], chosen)[baseline]
    return tuple(result)


def every_slices(
    entries: Sequence[RetrieverScores],
    queries: Queries,
    options: CompareOptions,
    *,
    baselines: Sequence[str],
    clusters: Mapping[str, str] | None = None,
    reassignments: int | None = None,
) -> dict[str, tuple[Slices, ...]]:
    """What :func:`slices` says of one dataset with each baseline: their means are the same.

    Args:
        entries: scores on the dataset.
        queries: of the dataset.
        options: as there; their baseline is not read.
        baselines: the retrievers that can be chosen.
        clusters: as there.
        reassignments: of the gap tests, where they shall be fewer than ``options.resamples``.

    Raises:
        ConfigError, DataError: as there.
    """
    aligned = align(
        entries[0].dataset, entries, clusters=clusters, allow_intersect=options.allow_intersect
    )
    names = tuple(dict.fromkeys(options.slices))
    return _of_dataset(aligned, queries, names, baselines, options, reassignments)


def slices_alone(
    entry: RetrieverScores,
    queries: Queries,
    options: CompareOptions,
    *,
    clusters: Mapping[str, str] | None = None,
) -> tuple[Slices, ...]:
    """The means of one retriever by slice, with intervals: there is nothing to hold them against.

    Args:
        entry: its scores on the dataset.
        queries, options, clusters: as for :func:`every_slices`.

    Raises:
        ConfigError: no query has such a tag or metadata.
        DataError: a query has no cluster.
    """
    names = tuple(dict.fromkeys(options.slices))
    aligned = alone(entry, clusters)
    return _of_dataset(aligned, queries, names, [entry.retriever], options)[entry.retriever]


def _of_dataset(
    aligned: Aligned,
    queries: Queries,
    names: Sequence[str],
    baselines: Sequence[str],
    options: CompareOptions,
    reassignments: int | None = None,
) -> dict[str, tuple[Slices, ...]]:
    """By baseline."""
    retrievers = aligned.retrievers
    for baseline in baselines:
        if baseline not in retrievers:
            raise ConfigError(
                f"the baseline '{baseline}' is not among the retrievers",
                where=aligned.dataset,
                instead=did_you_mean(baseline, retrievers),
            )
    aligned, left_out = _without_micro(aligned)
    overall = _means(aligned.values)
    found: list[tuple[str, str, Members]] = []
    shells = []
    for name in names:
        values = labels(queries, name)
        own = [values.get(query_id, ()) for query_id in aligned.query_ids]
        found += _members(name, own)
        shells.append(
            Slices(
                dataset=aligned.dataset,
                by=name,
                n=len(own),
                without=sum(not several for several in own),
                overlapping=any(len(several) > 1 for several in own),
                baseline="",
                left_out=left_out,
                slices=(),
            )
        )
    inside = np.array([member for _, _, member in found]).reshape(-1, len(aligned.query_ids))
    numbers = [retrievers.index(name) for name in baselines]
    gaps = slice_gaps(aligned, inside, numbers, options, reassignments)
    made = [_slice(aligned, by, value, member, overall, options) for (by, value, member) in found]
    told = {}
    for baseline, of_measures in zip(baselines, gaps, strict=True):
        with_gaps = [
            replace(
                one,
                measures=tuple(
                    replace(measure, gaps=of_measure[at])
                    for measure, of_measure in zip(one.measures, of_measures, strict=True)
                ),
            )
            for at, one in enumerate(made)
        ]
        told[baseline] = tuple(
            replace(
                shell,
                baseline=baseline,
                slices=tuple(one for one in with_gaps if one.by == shell.by),
            )
            for shell in shells
        )
    return told


def _without_micro(aligned: Aligned) -> tuple[Aligned, tuple[str, ...]]:
    """A micro average is aligned by its weights over all queries, which are not a slice's."""
    weighed = {str(measure) for entry in aligned.entries for measure in entry.weights}
    kept = [at for at, one in enumerate(aligned.quantities) if one.measure not in weighed]
    left_out = tuple(one.label for one in aligned.quantities if one.measure in weighed)
    quantities = tuple(aligned.quantities[at] for at in kept)
    return replace(aligned, quantities=quantities, values=aligned.values[kept]), left_out


def _members(name: str, own: Sequence[tuple[str, ...]]) -> list[tuple[str, str, Members]]:
    """Name, value and members of each slice, the largest first."""
    inside: dict[str, Members] = {}
    for at, several in enumerate(own):
        for value in several:
            inside.setdefault(value, np.zeros(len(own), dtype=bool))[at] = True
    order = sorted(inside, key=lambda value: (-int(inside[value].sum()), value))
    return [(name, value, inside[value]) for value in order]


def _means(values: Floats) -> Floats:
    """Mean of the defined, float64[M, S]; NaN where there is none."""
    defined = ~np.isnan(values)
    counts = defined.sum(axis=-1)
    sums = np.where(defined, values, 0.0).sum(axis=-1)
    means: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _slice(
    aligned: Aligned,
    by: str,
    value: str,
    inside: Members,
    overall: Floats,
    options: CompareOptions,
) -> Slice:
    """One slice, still without gaps."""
    values = aligned.values[:, :, inside]
    clusters = None if aligned.clusters is None else aligned.clusters[inside]
    intervals = _intervals(aligned, values, clusters, options)
    means, counts = _means(values), (~np.isnan(values)).sum(axis=-1)
    measures = []
    for at, quantity in enumerate(aligned.quantities):
        back = math.exp if quantity.scale == "logarithm" else float
        listed = []
        for place, retriever in enumerate(aligned.retrievers):
            interval = quantity.inside(intervals[at, place])
            if quantity.scale == "logarithm":
                interval = replace(
                    interval, low=math.exp(interval.low), high=math.exp(interval.high)
                )
            mean = back(means[at, place])
            listed.append(SliceMean(retriever, mean, interval, int(counts[at, place])))
        swaps = _swaps(aligned.retrievers, *(quantity.sign * of[at] for of in (means, overall)))
        measures.append(SliceMeasure(quantity.measure, quantity.label, tuple(listed), swaps, ()))
    units = int(inside.sum()) if clusters is None else len(distinct(clusters))
    return Slice(by, value, int(inside.sum()), units < MIN_UNITS, tuple(measures))


def _swaps(retrievers: Sequence[str], inside: Floats, overall: Floats) -> tuple[Swap, ...]:
    """Pairs whose order inside is not that over all: float64[S] each, more is better."""
    found = []
    for one, other in combinations(range(len(retrievers)), 2):
        here, all_in_all = inside[one] - inside[other], overall[one] - overall[other]
        if min(abs(here), abs(all_in_all)) > EQUAL and (here > 0) != (all_in_all > 0):
            ahead, behind = (one, other) if here > 0 else (other, one)
            found.append(
                Swap(
                    retrievers[ahead],
                    retrievers[behind],
                    inside=abs(float(here)),
                    overall=-abs(float(all_in_all)),
                )
            )
    return tuple(found)


def _intervals(
    aligned: Aligned,
    values: Floats,
    clusters: NDArray[np.int64] | None,
    options: CompareOptions,
) -> dict[tuple[int, int], Interval]:
    """Of the mean of float64[M, S, n], by measure and retriever."""
    default = options.interval == "default"
    method = None if options.interval == "default" else options.interval
    defined = ~np.isnan(values)
    together: dict[tuple[bool, bytes], list[tuple[int, int]]] = {}
    for at, quantity in enumerate(aligned.quantities):
        for place in range(values.shape[1]):
            key = (default and quantity.binary, defined[at, place].tobytes())
            together.setdefault(key, []).append((at, place))
    found: dict[tuple[int, int], Interval] = {}
    for (binary, _), places in together.items():
        known = defined[places[0]]
        if not known.any():
            nothing = Interval(math.nan, math.nan, 0.95, method or "bca", "not estimable")
            found.update(dict.fromkeys(places, nothing))
            continue
        rows = np.array([values[place][known] for place in places])
        made = mean_intervals(
            rows,
            method=method,
            resamples=options.resamples,
            seed=options.seed,
            clusters=None if clusters is None else clusters[known],
            binary=binary,
        )
        found.update(zip(places, made, strict=True))
    return found
