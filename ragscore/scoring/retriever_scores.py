"""RetrieverScores: the values of measures over the queries of one dataset, for one retriever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.described import in_short
from ragscore.judge import PartGaps
from ragscore.measures import Measure, parse_measures
from ragscore.records import MaybeNaN, Record
from ragscore.scoring.bounds import UnjudgedBounds
from ragscore.scoring.counts import CountRow, Counts
from ragscore.scoring.means import CurveMeans, aggregate
from ragscore.scoring.mismatch import IdMismatch


@dataclass(frozen=True, eq=False)
class RetrieverScores:
    """The scores of one retriever on one dataset.

    Attributes:
        dataset, retriever: their names.
        query_ids: ids of the Q queries that were averaged.
        measures: the M measures, cutoffs as numbers.
        resolved: the measure in ``measures`` of each measure as requested (``R@depth``).
        values: float64[M, Q], NaN if a measure is undefined for a query, or the query failed
            and is left out.
        curves: by family (``nDCG``), its values at all cutoffs.
        counts: how many queries the means rest on.
        weights: for a measure whose mean weights its queries, their weights: float64[Q].
        bounds: the lowest and highest value that the unjudged passages allow, where requested.
        mismatch: why ids of the run and of the judgments differ, where they do.
        dropped: judged queries that were left out since the run lacks them (``missing=drop``).
        gaps: what the run may lack where it lies in several parts.
    """

    dataset: str
    retriever: str
    query_ids: Sequence[str]
    measures: tuple[Measure, ...]
    resolved: Mapping[Measure, Measure]
    values: NDArray[np.float64]
    curves: Mapping[str, CurveMeans]
    counts: Counts
    weights: Mapping[Measure, NDArray[np.float64]] = field(default_factory=dict)
    bounds: UnjudgedBounds | None = None
    mismatch: IdMismatch | None = None
    dropped: int = 0
    gaps: PartGaps = field(default_factory=PartGaps)

    def __repr__(self) -> str:
        named = f"{in_short(self.retriever)} on {in_short(self.dataset)}"
        counts = f"{len(self.query_ids)} queries, {len(self.measures)} measures"
        return f"RetrieverScores({named}: {counts})"

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The value of each measure over the queries, by its own aggregate: float64[M]."""
        pairs = zip(self.measures, self.values, strict=True)
        return np.array(
            [aggregate(measure, values, self.weights.get(measure)) for measure, values in pairs]
        )

    def mean(self, measure: str | Measure) -> float:
        """The mean of one measure; KeyError where it was not scored."""
        return float(self.means[self._at(measure)])

    def by(self, measures: Sequence[Measure]) -> RetrieverScores:
        """The scores of some of the measures, in this order, without bounds."""
        at = [self.measures.index(measure) for measure in measures]
        return replace(
            self,
            measures=tuple(measures),
            resolved={measure: measure for measure in measures},
            values=self.values[at],
            weights={
                measure: self.weights[measure] for measure in measures if measure in self.weights
            },
            bounds=None,
        )

    def per_query(self, measure: str | Measure) -> dict[str, float]:
        """Query id to value of one measure; KeyError where it was not scored."""
        return dict(zip(self.query_ids, self.values[self._at(measure)].tolist(), strict=True))

    def _at(self, measure: str | Measure) -> int:
        (wanted,) = parse_measures([measure])
        wanted = self.resolved.get(wanted, wanted)
        if wanted not in self.measures:
            listed = ", ".join(map(str, self.measures))
            raise KeyError(f"{wanted} was not scored; available: {listed}")
        return self.measures.index(wanted)

    @property
    def count_row(self) -> CountRow:
        """The counts with the names of dataset and retriever."""
        return CountRow(dataset=self.dataset, retriever=self.retriever, **vars(self.counts))

    def rows(self) -> Iterator[ScoreRow]:
        """Every mean, measure by measure."""
        for at, measure in enumerate(self.measures):
            yield ScoreRow(
                self.dataset,
                self.retriever,
                str(measure),
                measure.label,
                float(self.means[at]),
                self.counts.queries,
                int((~np.isnan(self.values[at])).sum()),
                *(self.bounds.means(at, measure) if self.bounds else ()),
            )


@dataclass(frozen=True)
class ScoreRow(Record):
    """One mean: a line of summary.json and of every table."""

    dataset: str
    """Name of the dataset; ``average`` in ``averages``."""
    retriever: str
    """Name of the retriever."""
    measure: str
    """The measure as it parses and as scores.parquet has it: AP@10."""
    label: str
    """The measure as tables print its mean: mAP@10."""
    value: MaybeNaN
    """The mean, not rounded; null if it is defined for no query."""
    queries: int
    """Queries averaged."""
    defined: int
    """Of these, how many have a value."""
    low: float | None = None
    """The mean of the lowest values that the unjudged passages allow; null if that was not
    asked for (``bounds: true``) or is not known."""
    high: float | None = None
    """The mean of the highest values."""
    bounds: Literal["exact", "outer"] | None = None
    """Whether ``low`` and ``high`` are reached (``exact``), or only never passed (``outer``)."""
