"""What slices say: frozen, in full precision, the same in memory and in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragscore.described import in_short
from ragscore.estimate import Estimate
from ragscore.messages import Text
from ragscore.records import MaybeNaN, Record
from ragscore.stats.resampling import at_floor


@dataclass(frozen=True)
class OrderChange(Record):
    """Two retrievers whose order within a slice is opposite to that over all queries."""

    ahead: str
    """Which is better inside the slice."""
    behind: str
    """Which is worse there."""
    inside: float
    """The difference inside the slice, positive."""
    overall: float
    """The same difference over all queries, negative."""


@dataclass(frozen=True)
class Gap(Record):
    """The difference of two retrievers inside a slice against the same outside; positive where
    ``retriever`` is better."""

    retriever: str
    """Whose difference it is."""
    baseline: str
    """The retriever that it is compared with."""
    inside: MaybeNaN
    """Its mean over the queries in the slice."""
    outside: MaybeNaN
    """Its mean over the other queries."""
    value: MaybeNaN
    """inside - outside."""
    n_inside: int
    """Queries in the slice."""
    n_outside: int
    """Queries outside it."""
    p: float | None
    """Two-sided; null if fewer than 10 queries (or clusters) are inside or outside."""
    p_adjusted: float | None
    """Corrected for ``m``; null if ``p`` is."""
    m: int
    """Gap tests on this measure and dataset, over all slices and pairs."""
    resamples: int | None = None
    """Random re-assignments drawn for ``p``; null if none were."""

    @property
    def at_floor(self) -> bool:
        """Whether p is the smallest that this many re-assignments can give."""
        return self.p is not None and at_floor(self.p, self.resamples)


@dataclass(frozen=True)
class SliceMeasure(Record):
    """All retrievers on one measure within a slice."""

    measure: str
    """The measure as it parses."""
    label: Text
    """The measure as tables print its mean."""
    means: Mapping[str, Estimate]
    """The mean of each retriever."""
    swaps: tuple[OrderChange, ...]
    """Pairs whose order is not that over all queries."""
    gaps: tuple[Gap, ...]
    """The difference of each retriever to the baseline."""


@dataclass(frozen=True)
class Slice(Record):
    """The queries that share a value."""

    by: str
    """A tag or metadata key."""
    value: str
    """Its value."""
    n: int
    """How many of the compared queries have it."""
    small: bool
    """Fewer than 10 of them (or of their clusters): too few to conclude anything."""
    measures: tuple[SliceMeasure, ...]
    """The measures, in order."""


@dataclass(frozen=True)
class Slices(Record):
    """One dataset by one tag or metadata key."""

    dataset: str
    """Name of the dataset."""
    by: str
    """A tag or metadata key."""
    n: int
    """Queries compared."""
    without: int
    """Of these, how many have no value and are in no slice."""
    overlapping: bool
    """Whether queries have several values, so that the slices overlap."""
    baseline: str
    """The retriever that the gaps refer to."""
    left_out: tuple[Text, ...]
    """Measures that have no value within a slice: micro averages."""
    slices: tuple[Slice, ...]
    """The largest first."""

    def __repr__(self) -> str:
        values = ", ".join(found.value for found in self.slices)
        return f"Slices({in_short(self.dataset)} by {in_short(self.by)}: {in_short(values)})"
