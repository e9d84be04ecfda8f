"""What slices say: frozen, in full precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragscore.stats.intervals import Interval


@dataclass(frozen=True)
class SliceMean:
    """One retriever on one measure within a slice.

    Attributes:
        retriever: its name.
        value: the mean; NaN where it is defined for none of the queries.
        interval: 95 %, not adjusted.
        n: queries that have a value.
    """

    retriever: str
    value: float
    interval: Interval
    n: int


@dataclass(frozen=True)
class Swap:
    """Two retrievers that stand the other way round within a slice than over all queries.

    Attributes:
        ahead, behind: which is better inside the slice, and which is there worse.
        inside: by how much, positive.
        overall: the same difference over all queries, negative.
    """

    ahead: str
    behind: str
    inside: float
    overall: float


@dataclass(frozen=True)
class Gap:
    """The difference of two retrievers inside a slice against the same outside.

    Attributes:
        retriever, baseline: whose difference, positive where ``retriever`` is better.
        inside, outside: its mean over the queries in the slice, and over the others.
        value: inside - outside.
        n_inside, n_outside: the queries.
        p: two-sided; None where fewer than 10 queries (or clusters) are inside or outside.
        p_adjusted: corrected for ``m``; None where ``p`` is.
        m: gap tests on this measure and dataset, over all slices and pairs.
    """

    retriever: str
    baseline: str
    inside: float
    outside: float
    value: float
    n_inside: int
    n_outside: int
    p: float | None
    p_adjusted: float | None
    m: int


@dataclass(frozen=True)
class SliceMeasure:
    """All retrievers on one measure within a slice.

    Attributes:
        measure, label: as in :class:`~ragscore.comparison.model.MeasureComparison`.
        means: of each retriever.
        swaps: pairs whose order is not that over all queries.
        gaps: the difference of each retriever to the baseline.
    """

    measure: str
    label: str
    means: tuple[SliceMean, ...]
    swaps: tuple[Swap, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True)
class Slice:
    """The queries that share a value.

    Attributes:
        by, value: a tag or metadata key, and its value.
        n: how many of the compared queries have it.
        small: fewer than 10 of them (or of their clusters): too few to conclude anything.
        measures: in order.
    """

    by: str
    value: str
    n: int
    small: bool
    measures: tuple[SliceMeasure, ...]


@dataclass(frozen=True)
class Slices:
    """One dataset by one tag or metadata key.

    Attributes:
        dataset, by: whose slices, by what.
        n: queries compared.
        without: of these, how many have no value and are in no slice.
        overlapping: True where queries have several values, so that the slices overlap.
        baseline: the retriever that the gaps refer to.
        left_out: measures that can't be computed for a slice: micro averages.
        slices: the largest first.
    """

    dataset: str
    by: str
    n: int
    without: int
    overlapping: bool
    baseline: str
    left_out: tuple[str, ...]
    slices: tuple[Slice, ...]

    def swapped(self, measure: str) -> tuple[Slice, ...]:
        """The slices in which retrievers change places on a measure."""
        return tuple(
            one
            for one in self.slices
            if any(m.measure == measure and m.swaps for m in one.measures)
        )
