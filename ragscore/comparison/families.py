"""Means, families of comparisons, the leader against the others, and all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.aligned import Aligned
from ragscore.comparison.contrasts import (
    NOT_ESTIMABLE,
    Contrast,
    Key,
    contrasts,
    difference_of,
    oriented,
)
from ragscore.comparison.model import (
    LEVEL,
    Difference,
    MeanWithInterval,
    MeasureComparison,
    PairDifference,
)
from ragscore.comparison.options import CompareOptions
from ragscore.stats.corrections import adjust
from ragscore.stats.intervals import Interval, mean_intervals
from ragscore.stats.tukey import randomized_tukey


@dataclass(frozen=True, eq=False)
class Compared:
    """What the verdict is made from.

    Attributes:
        measures: in order, the primary first.
        ranking: numbers of the retrievers, the best on the primary measure first.
        leader: on each measure, the leader against each other in the order of ``ranking``.
    """

    measures: tuple[MeasureComparison, ...]
    ranking: tuple[int, ...]
    leader: tuple[tuple[Difference, ...], ...]


def compare_measures(aligned: Aligned, baseline: int, options: CompareOptions) -> Compared:
    """Every measure, and the leader on each.

    The family of a measure is all comparisons with the baseline. The leader, chosen by the data,
    is held against the others too: where it is not the baseline itself, those comparisons are
    adjusted over all pairs on the primary measure, since any pair could have been the one that
    is looked at; on a secondary measure, over the leader's comparisons.
    """
    ranking = ranking_of(aligned, baseline)
    found = contrasts(aligned, contrasts_read(aligned, baseline, ranking[0]), options)
    return put_together(aligned, baseline, ranking, found, means_of(aligned, options), options)


def contrasts_read(aligned: Aligned, baseline: int, lead: int) -> list[Key]:
    """The contrasts that :func:`put_together` reads, from the side that it reads them."""
    count, systems = aligned.values.shape[:2]
    others = [r for r in range(systems) if r != baseline]
    wanted: list[Key] = [(m, r, baseline) for m in range(count) for r in others]
    if lead != baseline:
        rest = [r for r in others if r != lead]
        wanted += [(m, lead, r) for m in range(1, count) for r in rest]
        wanted += [(0, *pair) for pair in combinations(range(systems), 2) if baseline not in pair]
    return wanted


def put_together(
    aligned: Aligned,
    baseline: int,
    ranking: tuple[int, ...],
    found: Mapping[Key, Contrast],
    means: Sequence[Mapping[str, MeanWithInterval]],
    options: CompareOptions,
) -> Compared:
    """Families from what was computed.

    Args:
        aligned: the primary measure first.
        baseline: number of a retriever.
        ranking: as :func:`ranking_of`.
        found: no more and no fewer than :func:`contrasts_read`.
        means: of each measure by retriever.
        options: margin and correction.
    """
    others = [r for r in range(len(ranking)) if r != baseline]
    measures = []
    for at, quantity in enumerate(aligned.quantities):
        differences = family(aligned, found, [(at, r, baseline) for r in others], options)
        notes = list(quantity.notes)
        if (np.isnan(aligned.values[at])).any():
            notes.append("undefined for some queries: pairs are compared on those defined for both")
        measures.append(
            MeasureComparison(
                measure=quantity.measure,
                label=quantity.label,
                primary=at == 0,
                lower_is_better=quantity.sign < 0,
                means=means[at],
                differences=tuple(differences.values()),
                notes=tuple(notes),
            )
        )
    leader = tuple(
        _leader(aligned, found, at, ranking, baseline, options) for at in range(len(measures))
    )
    return Compared(tuple(measures), ranking, leader)


def ranking_of(aligned: Aligned, baseline: int) -> tuple[int, ...]:
    """Retrievers by their mean on the primary measure over the queries defined for all, best
    first; of equal ones the baseline, then the first listed."""
    values = aligned.quantities[0].sign * aligned.values[0]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not values.shape[1]:
        return tuple(range(len(values)))
    means = [round(math.fsum(row) / len(row), 12) for row in values.tolist()]
    return tuple(sorted(range(len(means)), key=lambda r: (-means[r], r != baseline, r)))


def family(
    aligned: Aligned,
    found: Mapping[Key, Contrast],
    keys: Sequence[Key],
    options: CompareOptions,
    of: int | None = None,
) -> dict[Key, Difference]:
    """Differences whose p-values are adjusted together; only those of one retriever, if given."""
    members = [oriented(found, key) for key in keys]
    adjusted = adjust([member.test.p for member in members], options.correction)
    return {
        key: difference_of(
            member,
            aligned.retrievers[key[1]],
            aligned.retrievers[key[2]],
            p_adjusted=float(p),
            m=len(keys),
            options=options,
        )
        for key, member, p in zip(keys, members, adjusted, strict=True)
        if of is None or key[1] == of
    }


def _leader(
    aligned: Aligned,
    found: Mapping[Key, Contrast],
    measure: int,
    ranking: Sequence[int],
    baseline: int,
    options: CompareOptions,
) -> tuple[Difference, ...]:
    lead, *others = ranking
    own: list[Key] = [(measure, lead, r) for r in others]
    if lead == baseline:
        return tuple(family(aligned, found, own, options).values())
    with_baseline = [(measure, r, baseline) for r in range(len(ranking)) if r != baseline]
    against_baseline = family(aligned, found, with_baseline, options, of=lead)
    wider = own
    if measure == 0:
        wider += [(0, *pair) for pair in combinations(sorted(others), 2)]
    against_others = family(aligned, found, wider, options, of=lead)
    return tuple(
        (against_baseline if r == baseline else against_others)[measure, lead, r] for r in others
    )


def means_of(aligned: Aligned, options: CompareOptions) -> list[dict[str, MeanWithInterval]]:
    """The means of each measure by retriever, those over the same queries by the same draws."""
    groups: dict[tuple[bytes, bool], list[tuple[int, int]]] = {}
    for at, quantity in enumerate(aligned.quantities):
        wilson = quantity.binary and options.interval == "default"
        for r in range(len(aligned.entries)):
            defined = ~np.isnan(aligned.values[at, r])
            groups.setdefault((defined.tobytes(), wilson), []).append((at, r))
    made: dict[tuple[int, int], MeanWithInterval] = {}
    for (defined_bytes, wilson), cells in groups.items():
        mask = np.frombuffer(defined_bytes, dtype=bool)
        values = np.stack([aligned.values[cell][mask] for cell in cells])
        clusters = aligned.clusters[mask] if aligned.clusters is not None else None
        intervals = _mean_intervals(values, clusters, wilson, options)
        for cell, row, interval in zip(cells, values, intervals, strict=True):
            name = aligned.retrievers[cell[1]]
            value = math.fsum(row.tolist()) / len(row) if len(row) else math.nan
            if aligned.quantities[cell[0]].scale == "logarithm":
                value, low, high = np.exp([value, interval.low, interval.high]).tolist()
                interval = replace(interval, low=low, high=high)
            made[cell] = MeanWithInterval(name, value, interval, len(row))
    return [
        {name: made[at, r] for r, name in enumerate(aligned.retrievers)}
        for at in range(len(aligned.quantities))
    ]


def _mean_intervals(
    values: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
    wilson: bool,
    options: CompareOptions,
) -> list[Interval]:
    method = "bca" if options.interval == "default" else options.interval
    if not values.shape[1]:
        return [Interval(math.nan, math.nan, LEVEL, method, NOT_ESTIMABLE)] * len(values)
    return mean_intervals(
        values,
        method="wilson" if wilson else method,
        level=LEVEL,
        resamples=options.resamples,
        seed=options.seed,
        clusters=clusters,
        binary=wilson,
    )


def all_pairs(aligned: Aligned, options: CompareOptions) -> tuple[PairDifference, ...]:
    """Every pair on every measure by randomized Tukey HSD; a measure without a query that is
    defined for all is left out. The permutations are the same for all measures."""
    known: NDArray[np.bool_] = np.logical_not(np.isnan(aligned.values).any(axis=1))
    some = [at for at in range(len(aligned.quantities)) if known[at].any()]
    if not some:
        return ()
    p = randomized_tukey(
        aligned.values[some],
        permutations=options.permutations,
        seed=options.seed,
        clusters=aligned.clusters,
    )
    found = []
    for place, at in enumerate(some):
        quantity = aligned.quantities[at]
        means = quantity.sign * aligned.values[at][:, known[at]].mean(axis=1)
        for one, two in combinations(range(len(aligned.entries)), 2):
            found.append(
                PairDifference(
                    measure=quantity.measure,
                    label=quantity.label,
                    first=aligned.retrievers[one],
                    second=aligned.retrievers[two],
                    value=float(means[one] - means[two]),
                    p=float(p[place, one, two]),
                    n=int(known[at].sum()),
                )
            )
    return tuple(found)
