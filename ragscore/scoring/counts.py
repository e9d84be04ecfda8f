"""What stands beside the values of queries: means at all cutoffs, and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.measures import Measure


@dataclass(frozen=True, eq=False)
class CurveMeans:
    """One measure at all cutoffs, over the queries.

    Attributes:
        mean: float64[depth], the mean over the defined queries, NaN where none is.
        squares: float64[depth], the sum of the squared values.
        defined: int64[depth], the number of queries that have a value.
    """

    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    defined: NDArray[np.int64]


@dataclass(frozen=True)
class Counts:
    """What stands behind a mean: how many queries, and what was the matter with some.

    Attributes:
        queries: queries that were averaged: they have a judgment and are answerable.
        missing: of these, the run does not know the query; it scores 0.
        empty: of these, nothing came back; it scores 0.
        without_relevant: of these, no judged passage is relevant (grade >= 1); it scores 0.
        unanswerable: of the qrels' queries (a dataset's are all there, judged or not), those
            left out of all means because they have no answer; not among ``queries``.
        answered_unanswerable: of these, something came back all the same.
        without_judgments: queries of the run that nobody judged; ignored.
        returned: passages that came back for the averaged queries.
        duplicates: passages that came back a second time and were dropped.
        largest_grade: the largest grade of the averaged queries, 0 where there is none.
        tied: by cutoff, the averaged queries with a tie across it; at the depth, those whose
            last two passages tie, since what came after can't be seen.
        unjudged: by cutoff, the share of what came back in the top k that nobody judged.
    """

    queries: int
    missing: int
    empty: int
    without_relevant: int
    unanswerable: int
    answered_unanswerable: int
    without_judgments: int
    returned: int
    duplicates: int
    largest_grade: float
    tied: Mapping[int, int]
    unjudged: Mapping[int, float]

    def unreached(self, measures: Iterable[Measure]) -> Iterator[str]:
        """A sentence for each ``relevant_from`` of these measures that no grade reaches, though
        some are positive."""
        thresholds = {getattr(measure, "relevant_from", None) or 0.0 for measure in measures}
        for threshold in sorted(thresholds):
            if self.queries and 0 < self.largest_grade < threshold:
                yield (
                    f"no grade reaches relevant_from={threshold:g} (the largest is "
                    f"{self.largest_grade:g}), so measures that look for it are 0"
                )
