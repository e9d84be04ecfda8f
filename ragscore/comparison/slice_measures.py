"""Slices: every measure by query tag and metadata, and where the retrievers change places.

A slice is a set of queries that share a value; queries with several tags are in several slices.
Each mean comes with its interval and n. A change of order alone says little in a small slice;
the gap tests (:mod:`ragscore.stats.gaps`) say where a difference between two retrievers really
is another one inside the slice than outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, divide
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.score_matrix import ScoreMatrix
from ragscore.comparison.slice_model import Gap, OrderChange, Slice, SliceMeasure, Slices
from ragscore.dataset import Queries
from ragscore.dataset.labels import labels, rows_by_value
from ragscore.errors import ConfigError, did_you_mean
from ragscore.messages import Text
from ragscore.stats.corrections import adjust
from ragscore.stats.gaps import MIN_UNITS, GapTests, gap_tests
from ragscore.stats.units import SAME

Floats = NDArray[np.float64]
Members = NDArray[np.bool_]


def sliced(
    common: ScoreMatrix,
    queries: Queries,
    options: CompareOptions,
    *,
    baselines: Sequence[str] = (),
    reassignments: int | None = None,
) -> dict[str, tuple[Slices, ...]]:
    """Every measure within every slice: by baseline, one :class:`Slices` for each name of
    ``options.slices``. Means don't depend on the baseline.

    Args:
        common: the scores; of one retriever there are means alone. A micro average is left out,
            and named.
        queries: of the dataset; see :func:`~ragscore.dataset.labels.labels` for the names.
        options: names, interval, correction, resamples, seed.
        baselines: what the gaps refer to; by default that of the options, else the first retriever.
        reassignments: of the gap tests; by default ``options.resamples``.

    Raises:
        ConfigError: no query has such a tag or metadata, or a baseline is not there.
    """
    names = tuple(dict.fromkeys(options.slices))
    baselines = baselines or (options.baseline or common.retrievers[0],)
    retrievers = common.retrievers
    for baseline in baselines:
        if baseline not in retrievers:
            raise ConfigError(
                f"the baseline '{baseline}' is not among the retrievers",
                where=common.dataset,
                instead=did_you_mean(baseline, retrievers),
            )
    common, left_out = _without_micro(common)
    overall = _means(common.values)
    found: list[tuple[str, str, Members]] = []
    shells = []
    for name in names:
        values = labels(queries, name)
        own = [values.get(query_id, ()) for query_id in common.queries]
        found += _members(name, values, common.queries)
        shells.append(
            Slices(
                dataset=common.dataset,
                by=name,
                n=len(own),
                without=sum(not several for several in own),
                overlapping=any(len(several) > 1 for several in own),
                baseline="",
                left_out=left_out,
                slices=(),
            )
        )
    inside = np.array([member for _, _, member in found]).reshape(-1, len(common.queries))
    numbers = [retrievers.index(name) for name in baselines]
    gaps = slice_gaps(common, inside, numbers, options, reassignments)
    made = [_slice(common, by, value, member, overall, options) for (by, value, member) in found]
    by_baseline = {}
    for baseline, of_measures in zip(baselines, gaps, strict=True):
        with_gaps = [
            replace(
                own,
                measures=tuple(
                    replace(measure, gaps=of_measure[at])
                    for measure, of_measure in zip(own.measures, of_measures, strict=True)
                ),
            )
            for at, own in enumerate(made)
        ]
        by_baseline[baseline] = tuple(
            replace(
                shell,
                baseline=baseline,
                slices=tuple(own for own in with_gaps if own.by == shell.by),
            )
            for shell in shells
        )
    return by_baseline


def _without_micro(common: ScoreMatrix) -> tuple[ScoreMatrix, tuple[Text, ...]]:
    """A micro average is compared by its weights over all queries, which are not a slice's."""
    weighed = {str(measure) for entry in common.entries for measure in entry.weights}
    kept = [at for at, measure in enumerate(common.measures) if measure.measure not in weighed]
    left_out = tuple(measure.label for measure in common.measures if measure.measure in weighed)
    measures = tuple(common.measures[at] for at in kept)
    return replace(common, measures=measures, values=common.values[kept]), left_out


def _members(
    name: str, values: Mapping[str, Sequence[str]], query_ids: Sequence[str]
) -> list[tuple[str, str, Members]]:
    """Name, value and members of each slice, the largest first."""
    rows = rows_by_value(values, query_ids)
    order = sorted(rows, key=lambda value: (-len(rows[value]), value))
    everyone = np.arange(len(query_ids))
    return [(name, value, np.isin(everyone, rows[value])) for value in order]


def _means(values: Floats) -> Floats:
    """Mean of the defined, float64[M, S]; NaN if there is none."""
    defined = ~np.isnan(values)
    counts = defined.sum(axis=-1)
    sums = np.where(defined, values, 0.0).sum(axis=-1)
    return divide(sums, counts, np.nan)


def _slice(
    common: ScoreMatrix,
    by: str,
    value: str,
    inside: Members,
    overall: Floats,
    options: CompareOptions,
) -> Slice:
    """One slice, still without gaps."""
    values = _means(common.values[:, :, inside])
    measures = []
    for at, (measure, means) in enumerate(
        zip(common.measures, common.means(options, inside), strict=True)
    ):
        swaps = _swaps(common.retrievers, *(measure.sign * of[at] for of in (values, overall)))
        measures.append(SliceMeasure(measure.measure, measure.label, means, swaps, ()))
    n = int(inside.sum())
    units = n if common.clusters is None else len(distinct(common.clusters[inside]))
    return Slice(by, value, n, units < MIN_UNITS, tuple(measures))


def _swaps(retrievers: Sequence[str], inside: Floats, overall: Floats) -> tuple[OrderChange, ...]:
    """Pairs whose order inside is not that over all: float64[S] each, more is better."""
    found = []
    for first, second in combinations(range(len(retrievers)), 2):
        here, all_in_all = inside[first] - inside[second], overall[first] - overall[second]
        if min(abs(here), abs(all_in_all)) > SAME and (here > 0) != (all_in_all > 0):
            ahead, behind = (first, second) if here > 0 else (second, first)
            found.append(
                OrderChange(
                    retrievers[ahead],
                    retrievers[behind],
                    inside=abs(float(here)),
                    overall=-abs(float(all_in_all)),
                )
            )
    return tuple(found)


OfMeasures = list[list[tuple[Gap, ...]]]
"""By measure and slice: of each other retriever against the baseline."""


def slice_gaps(
    common: ScoreMatrix,
    inside: NDArray[np.bool_],
    baselines: Sequence[int],
    options: CompareOptions,
    reassignments: int | None = None,
) -> list[OfMeasures]:
    """The gaps with each baseline. A pair is tested once for both of its sides; every measure is
    a family of its own.

    Args:
        common: the scores.
        inside: bool[S, Q], the queries of each slice.
        baselines: numbers of retrievers.
        options: correction, seed, resamples.
        reassignments: of the tests; by default ``options.resamples``.
    """
    numbers = range(len(common.retrievers))
    wanted = [
        [(other, baseline) for other in numbers if other != baseline] for baseline in baselines
    ]
    place: dict[tuple[int, int], int] = {}
    for pair in chain.from_iterable(wanted):
        if pair[::-1] not in place:
            place[pair] = len(place)
    measures = range(len(common.measures))
    if not place:  # one retriever
        return [[[() for _ in inside] for _ in measures] for _ in baselines]
    tests = gap_tests(
        np.array([common.differences(at, *pair) for at in measures for pair in place]),
        inside,
        clusters=common.clusters,
        permutations=reassignments or options.resamples,
        seed=options.seed,
    )
    return [
        [_of_measure(common, tests, own, place, at * len(place), options) for at in measures]
        for own in wanted
    ]


def _of_measure(
    common: ScoreMatrix,
    tests: GapTests,
    wanted: Sequence[tuple[int, int]],
    place: dict[tuple[int, int], int],
    first: int,
    options: CompareOptions,
) -> list[tuple[Gap, ...]]:
    """By slice; ``first`` is the row of the measure's first pair."""
    turned = [pair not in place for pair in wanted]
    rows = [first + place[pair if pair in place else pair[::-1]] for pair in wanted]
    # No zero gets a sign.
    sign = np.where(turned, -1.0, 1.0)[:, None]
    within, without = (sign * of[rows] + 0.0 for of in (tests.inside, tests.outside))
    p = tests.p[rows]
    tested = ~np.isnan(p)
    adjusted = np.full(p.shape, np.nan)
    adjusted[tested] = adjust(p[tested], options.correction)
    return [
        tuple(
            Gap(
                common.retrievers[retriever],
                common.retrievers[baseline],
                float(within[at, column]),
                float(without[at, column]),
                float(within[at, column] - without[at, column]),
                int(tests.n_inside[rows[at], column]),
                int(tests.n_outside[rows[at], column]),
                float(p[at, column]) if tested[at, column] else None,
                float(adjusted[at, column]) if tested[at, column] else None,
                int(tested.sum()),
                tests.permutations,
            )
            for at, (retriever, baseline) in enumerate(wanted)
        )
        for column in range(p.shape[1])
    ]
