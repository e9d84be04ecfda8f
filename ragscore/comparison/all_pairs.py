"""Every pair of retrievers by randomized Tukey HSD."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.common_queries import CommonScores
from ragscore.comparison.model import PairDifference
from ragscore.comparison.options import CompareOptions
from ragscore.stats.tukey import randomized_tukey


def all_pairs(common: CommonScores, options: CompareOptions) -> tuple[PairDifference, ...]:
    """Every pair on every measure by randomized Tukey HSD; a measure without a query that is
    defined for all is left out. The permutations are the same for all measures."""
    known: NDArray[np.bool_] = np.logical_not(np.isnan(common.values).any(axis=1))
    some = [at for at in range(len(common.measures)) if known[at].any()]
    if not some:
        return ()
    p = randomized_tukey(
        common.values[some],
        permutations=options.permutations,
        seed=options.seed,
        clusters=common.clusters,
    )
    found = []
    for place, at in enumerate(some):
        measure = common.measures[at]
        means = measure.sign * common.values[at][:, known[at]].mean(axis=1)
        for first, second in combinations(range(len(common.entries)), 2):
            found.append(
                PairDifference(
                    measure=measure.measure,
                    label=measure.label,
                    first=common.retrievers[first],
                    second=common.retrievers[second],
                    value=float(means[first] - means[second]),
                    p=float(p[place, first, second]),
                    n=int(known[at].sum()),
                )
            )
    return tuple(found)
