"""The gap tests of slices, put together for each baseline."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.common_queries import CommonScores
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.slice_model import Gap
from ragscore.stats.corrections import adjust
from ragscore.stats.gaps import GapTests, gap_tests

OfMeasures = list[list[tuple[Gap, ...]]]
"""By measure and slice: of each other retriever against the baseline."""


def slice_gaps(
    common: CommonScores,
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
    common: CommonScores,
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
            )
            for at, (retriever, baseline) in enumerate(wanted)
        )
        for column in range(p.shape[1])
    ]
