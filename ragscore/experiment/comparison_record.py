"""comparison.json as pydantic models: the comparison, its slices, and what pairs find together."""

from __future__ import annotations

from typing import Any

from ragscore.comparison.records import ComparisonRecord, IntervalRecord
from ragscore.scoring.records import Record


class SliceMeanRecord(Record):
    """One retriever on one measure within a slice."""

    retriever: str
    """Name of the retriever."""
    value: float | None
    """The mean; null where it is defined for none of the queries."""
    interval: IntervalRecord
    """95 %, not adjusted."""
    n: int
    """Queries that have a value."""


class SwapRecord(Record):
    """Two retrievers that stand the other way round within a slice than over all queries."""

    ahead: str
    """Which is better inside the slice."""
    behind: str
    """Which is worse there."""
    inside: float
    """By how much, positive."""
    overall: float
    """The same difference over all queries, negative."""


class GapRecord(Record):
    """The difference of two retrievers inside a slice against the same outside."""

    retriever: str
    """Whose difference, positive where it is better."""
    baseline: str
    """Against whom."""
    inside: float | None
    """Its mean over the queries in the slice."""
    outside: float | None
    """The same over the others."""
    value: float | None
    """inside - outside."""
    n_inside: int
    """Queries in the slice."""
    n_outside: int
    """The others."""
    p: float | None
    """Two-sided; null where too few queries are inside or outside."""
    p_adjusted: float | None
    """Corrected for ``m``."""
    m: int
    """Gap tests on this measure and dataset."""


class SliceMeasureRecord(Record):
    """All retrievers on one measure within a slice."""

    measure: str
    """The measure as it parses."""
    label: str
    """The measure as tables print its mean."""
    means: list[SliceMeanRecord]
    """Of each retriever."""
    swaps: list[SwapRecord]
    """Pairs whose order is not that over all queries."""
    gaps: list[GapRecord]
    """The difference of each retriever to the baseline."""


class SliceRecord(Record):
    """The queries that share a value."""

    by: str
    """A tag or metadata key."""
    value: str
    """Its value."""
    n: int
    """How many of the compared queries have it."""
    small: bool
    """Too few of them to conclude anything."""
    measures: list[SliceMeasureRecord]
    """In order."""


class SlicesRecord(Record):
    """One dataset by one tag or metadata key."""

    dataset: str
    """Name of the dataset."""
    by: str
    """A tag or metadata key."""
    n: int
    """Queries compared."""
    without: int
    """Of these, how many are in no slice."""
    overlapping: bool
    """Whether queries have several values."""
    baseline: str
    """The retriever that the gaps refer to."""
    left_out: list[str]
    """Measures that have no value within a slice: micro averages."""
    slices: list[SliceRecord]
    """The largest first."""


class BestOfRecord(Record):
    """What the better of two retrievers would reach, were it known for each query."""

    measure: str
    """The measure as it parses."""
    label: str
    """The measure as tables print its mean."""
    first: float | None
    """The mean of the first over the queries that are defined for both."""
    second: float | None
    """The mean of the second over these."""
    oracle: float | None
    """The mean of the better value of each query."""
    n: int
    """These queries."""


class OverlapRecord(Record):
    """How two runs relate; null where nothing allows a number to be computed."""

    first: str
    """Name of a run."""
    second: str
    """Name of the other."""
    queries: int
    """Queries that were looked at."""
    compared: int
    """Of these, how many got a passage from either run."""
    k: int
    """Cutoff of Jaccard and recalls."""
    p: float
    """Persistence of the rank-biased overlap."""
    jaccard: float | None
    """Mean share of the passages in either top k that are in both."""
    rbo: float | None
    """Mean extrapolated rank-biased overlap."""
    recall_first: float | None
    """Mean recall of the first at k."""
    recall_second: float | None
    """Mean recall of the second at k."""
    union_recall: float | None
    """The same of the two top k together."""
    best_of: list[BestOfRecord]
    """The per-query best-of oracle of each measure."""


class ComparedRecord(ComparisonRecord):
    """comparison.json."""

    slices: list[SlicesRecord]
    """By tag or metadata; empty where none were asked for."""
    overlap: dict[str, list[OverlapRecord]]
    """By dataset, of each pair of runs; empty where the judgments are not known."""


def compared_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of comparison.json."""
    schema = ComparedRecord.model_json_schema(by_alias=True, mode="serialization")
    title = {"title": "ragscore comparison"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, **title}
