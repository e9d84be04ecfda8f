"""The gap tests of slices, put together for each baseline."""

from __future__ import annotations

from collections.abc import Sequence

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
    count, measures = len(common.retrievers), len(common.measures)
    wanted = [
        (other, baseline) for baseline in baselines for other in range(count) if other != baseline
    ]
    place: dict[tuple[int, int], int] = {}
    for first, second in wanted:
        if (second, first) not in place:
            place[first, second] = len(place)
    pairs = list(place)
    if not pairs:  # one retriever
        return [[[() for _ in inside] for _ in range(measures)] for _ in baselines]
    signs = np.array([measure.sign for measure in common.measures], dtype=np.float64)
    differences = np.array(
        [common.values[:, first] - common.values[:, second] for first, second in pairs]
    )
    differences = differences.transpose(1, 0, 2) * signs[:, None, None]
    tests = gap_tests(
        differences.reshape(-1, differences.shape[-1]),
        inside,
        clusters=common.clusters,
        permutations=reassignments or options.resamples,
        seed=options.seed,
    )
    return [
        [
            _of_measure(
                common,
                tests,
                [(other, baseline) for other in range(count) if other != baseline],
                place,
                at * len(pairs),
                options,
            )
            for at in range(measures)
        ]
        for baseline in baselines
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
