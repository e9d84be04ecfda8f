"""A comparison as pydantic models: what comparison.json and ``ragscore compare --json`` hold."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragscore.comparison.model import State
from ragscore.comparison.options import CompareOptions
from ragscore.scoring.records import Record


class IntervalRecord(Record):
    """A confidence interval, not adjusted for other comparisons."""

    low: float | None
    """Lower end; null where it can't be estimated."""
    high: float | None
    """Upper end."""
    level: float
    """Coverage: 0.95."""
    method: Literal["bca", "percentile", "t", "wilson"]
    """How it was made."""
    note: str
    """What a reader must know, such as "not estimable"; mostly empty."""


class MeanRecord(Record):
    """The mean of one retriever on one measure, over the compared queries."""

    retriever: str
    """Name of the retriever."""
    value: float | None
    """The mean, not rounded; null where it is defined for no query."""
    interval: IntervalRecord
    """Its interval."""
    n: int
    """Queries with a value."""


class TestRecord(Record):
    """A paired test of a difference."""

    p: float
    """Two-sided p-value, not adjusted."""
    method: Literal["randomization", "t", "wilcoxon"]
    """Which test."""
    exact: bool
    """Whether p comes from the whole distribution of the sign flips or ranks."""
    resamples: int | None
    """Random sign patterns drawn; null where none were."""
    n: int
    """Queries, or clusters where queries are clustered."""
    nonzero: int
    """Of these, those with a difference."""


class EquivalenceRecord(Record):
    """What the margin says of a difference, by paired t tests at .05."""

    margin: float
    """The largest difference that does not matter."""
    equivalent: bool
    """The 90 % interval lies inside ±margin (TOST)."""
    p_tost: float
    """The larger of the two one-sided p-values."""
    interval90: IntervalRecord
    """The 90 % interval."""
    non_inferior: bool
    """The one-sided 95 % bound lies above -margin."""
    p_non_inferior: float
    """Its p-value."""
    bound95: float | None
    """The lower one-sided 95 % bound."""
    note: str
    """Why nothing can be shown; mostly empty."""


class DifferenceRecord(Record):
    """One retriever against another; positive where ``retriever`` is better."""

    retriever: str
    """Whom."""
    baseline: str
    """Against whom."""
    value: float | None
    """Mean difference; null where no query has a value for both."""
    interval: IntervalRecord
    """95 %, not adjusted."""
    test: TestRecord
    """The paired test, not adjusted."""
    p_adjusted: float
    """The p-value within its family."""
    m: int
    """Comparisons in the family."""
    effect: float | None
    """d_z: mean difference over the standard deviation of the differences; null where these
    don't vary."""
    wins: int
    """Queries on which ``retriever`` is better."""
    ties: int
    """Queries on which both are as good."""
    losses: int
    """Queries on which ``retriever`` is worse."""
    n: int
    """Queries with a value for both."""
    clusters: int | None
    """Clusters that these form; null where queries are independent."""
    differing: int
    """Queries (clusters, where there are some) with a difference."""
    detectable: float | None
    """The smallest true difference found with 80 % power at .05 / m; null without a spread."""
    needed: int | None
    """Queries that would find a true difference of the margin with 80 % power at .05 / m."""
    equivalence: EquivalenceRecord | None
    """What the margin says; null with fewer than two units."""
    decided: bool
    """Adjusted p below .05, and the interval excludes 0."""
    disagrees: bool
    """One of these two, and not the other."""


class MeasureRecord(Record):
    """All retrievers on one measure."""

    measure: str
    """The measure as it parses."""
    label: str
    """The measure as tables print it."""
    primary: bool
    """Whether the verdict reads it; a secondary measure is a family of its own."""
    lower_is_better: bool
    """Small values are good; differences are signed so that + is better."""
    means: list[MeanRecord]
    """By retriever, in order."""
    differences: list[DifferenceRecord]
    """Of each other retriever to the baseline."""
    notes: list[str]
    """What a reader must know of this measure."""


class PairRecord(Record):
    """Two retrievers by randomized Tukey HSD over all pairs."""

    measure: str
    """The measure as it parses."""
    label: str
    """The measure as tables print it."""
    first: str
    """One retriever."""
    second: str
    """The other."""
    value: float
    """Mean difference, positive where ``first`` is better."""
    p: float
    """P-value for all pairs of the measure together."""
    n: int
    """Queries that have a value for every retriever."""


class VerdictRecord(Record):
    """What the comparison says."""

    state: State
    """Which template applied."""
    text: str
    """Its sentences; numbers rounded."""
    mixed: str | None
    """A sentence behind it where another measure says the opposite."""
    leader: str | None
    """The retriever with the best mean on the primary measure; null for CHECK DATA."""
    other: str | None
    """The retriever that the text compares it with."""
    tied: list[str]
    """For TIE GROUP: all that can't be told from the leader, the leader first."""


class DatasetRecord(Record):
    """All retrievers on one dataset."""

    dataset: str
    """Name of the dataset."""
    retrievers: list[str]
    """Names, in order."""
    baseline: str
    """What the others are compared with."""
    primary: str
    """The measure that the verdict reads."""
    queries: int
    """Queries compared."""
    clusters: int | None
    """Clusters that they form; null where queries are independent."""
    verdict: VerdictRecord
    """What the comparison says."""
    measures: list[MeasureRecord]
    """In order, the primary first."""
    leader: list[DifferenceRecord]
    """The best on the primary measure against each other retriever: what the verdict reads.
    Against others than the baseline the p-value is adjusted over all pairs."""
    pairs: list[PairRecord] | None
    """Randomized Tukey HSD; null where that was not asked for."""
    notes: list[str]
    """What a reader must know."""


class ComparisonRecord(Record):
    """A comparison alone; comparison.json also has slices and overlap."""

    schema_version: Literal[1] = Field(alias="schema")
    """Version of this format."""
    options: CompareOptions
    """How it was done."""
    datasets: list[DatasetRecord]
    """One comparison for each dataset; they are never pooled."""
