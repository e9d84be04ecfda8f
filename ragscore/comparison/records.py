"""A comparison as pydantic models: what comparison.json and ``ragscore compare --json`` hold."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ragscore.comparison.model import Kind, State, Withheld
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
    method: Literal["bca", "percentile", "t", "plus-two", "wilson"]
    """How it was made; plus-two: t with two more queries, one won and one lost, where few
    differ."""
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
    """What the margin says of a difference, by two one-sided tests at .05."""

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
    p_adjusted: float | None
    """The p-value within its family; null where it is in none."""
    m: int
    """Comparisons in the family, identical retrievers counted once."""
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
    margin: float | None
    """The largest difference that does not matter; null where none was given and the measure does
    not lie in [0, 1]."""
    detectable: float | None
    """The smallest true difference found with 80 % power at .05 / m; null where nothing can be
    said: see ``withheld``."""
    needed: int | None
    """Queries that would find a true difference of the margin with 80 % power at .05 / m, these
    among them; null as ``detectable``, and without a margin."""
    equivalence: EquivalenceRecord | None
    """What the margin says; null as ``needed``."""
    withheld: Withheld
    """Why these three are null: fewer than two units, 5 or fewer of which differ, no spread, no
    margin; empty where none is."""
    decided: bool
    """Adjusted p below .05, the interval excludes 0, and more than 5 units differ."""
    below_margin: bool
    """Decided, and the whole interval is closer to 0 than the margin."""
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


class LineTextRecord(Record):
    """A line of a verdict in one language; numbers rounded."""

    word: str
    """What stands before it: of the first line the state, such as "Tie"."""
    text: str
    """Its sentences."""


class VerdictLineRecord(Record):
    """One line of a verdict."""

    kind: Kind
    """What it answers: which to use, what is sure, what is open, but what speaks against it, which
    retrievers are the same."""
    en: LineTextRecord
    """In English."""
    ko: LineTextRecord
    """In Korean."""
    facts: dict[str, Any]
    """What the text says, as names and numbers in full precision."""


class VerdictRecord(Record):
    """What the comparison says."""

    state: State
    """Which kind of answer it is."""
    lines: list[VerdictLineRecord]
    """In order, the first of kind ``use``; with CHECK DATA it is the only one."""
    leader: str | None
    """The retriever with the best mean on the primary measure; null for CHECK DATA."""
    tied: list[str]
    """All that may be the best, the leader first."""


class FamilyRecord(Record):
    """The comparisons whose p-values are corrected together, on each measure for itself."""

    baseline: str | None
    """Where the experiment names one, the comparisons with it are the family; null: all pairs."""
    m: int
    """How many comparisons, identical retrievers counted once."""


class DatasetRecord(Record):
    """All retrievers on one dataset."""

    dataset: str
    """Name of the dataset."""
    retrievers: list[str]
    """Names, in order."""
    baseline: str
    """What the tables compare the others with: the first where the experiment names none."""
    family: FamilyRecord
    """Which comparisons are corrected together."""
    identical: list[list[str]]
    """Retrievers that returned the same passages for every query: one retriever in the family."""
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
    """The best on the primary measure against each other retriever: what the verdict reads. The
    p-values are adjusted over all pairs, or in the family where a named baseline is the best."""
    pairs: list[PairRecord] | None
    """Randomized Tukey HSD; null where that was not asked for."""
    notes: list[str]
    """What a reader must know."""


class ComparisonRecord(Record):
    """A comparison alone; comparison.json also has slices and overlap."""

    schema_version: Literal[2] = Field(alias="schema")
    """Version of this format."""
    options: CompareOptions
    """How it was done."""
    datasets: list[DatasetRecord]
    """One comparison for each dataset; they are never pooled."""
