"""What a comparison says: frozen, in full precision, nothing rounded but the verdict's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ragscore.comparison.options import CompareOptions, Language
    from ragscore.comparison.wording import Part
    from ragscore.stats.equivalence import Equivalence
    from ragscore.stats.intervals import Interval
    from ragscore.stats.paired import PairedTest

ALPHA = 0.05
"""An adjusted p-value below this, with an interval that excludes 0, decides."""
LEVEL = 0.95
INTERVAL_LABEL = "95 %, not adjusted"
"""What stands over every interval of a mean or difference."""

State = Literal["CHECK DATA", "TOO FEW", "SMALL", "CLEAR", "EQUAL", "TIE GROUP", "UNDECIDED"]


@dataclass(frozen=True)
class MeanWithInterval:
    """The mean of one retriever on one measure.

    Attributes:
        retriever: its name.
        value: the mean over the compared queries by the measure's own aggregate (a sum becomes
            a mean per query); NaN where it is defined for none.
        interval: 95 %, not adjusted; low and high NaN where it can't be estimated.
        n: queries with a value.
    """

    retriever: str
    value: float
    interval: Interval
    n: int


@dataclass(frozen=True)
class Difference:
    """One retriever against another on one measure; positive where ``retriever`` is better.

    Attributes:
        retriever, baseline: whom, and against whom.
        value: mean difference; NaN where no query has a value for both.
        interval: 95 %, not adjusted.
        test: the paired test, its p-value not adjusted.
        p_adjusted: the p-value within its family.
        m: comparisons in that family.
        effect: d_z, the mean difference over the standard deviation of the queries' differences;
            infinite where they don't vary.
        wins, ties, losses: queries on which ``retriever`` is better, as good, worse.
        n: queries with a value for both.
        clusters: clusters that these queries form, None where queries are independent.
        differing: units (queries, or clusters where there are some) with a difference.
        detectable: the smallest true difference that is found with 80 % power at alpha / m,
            from the spread of the differences; None where they have no spread.
        needed: queries that would find a true difference of the margin with 80 % power at
            alpha / m; never computed from the observed difference.
        equivalence: what the margin says; None with fewer than two units.
        decided: adjusted p below .05, and the interval excludes 0.
        disagrees: one of these two, and not the other.
    """

    retriever: str
    baseline: str
    value: float
    interval: Interval
    test: PairedTest
    p_adjusted: float
    m: int
    effect: float
    wins: int
    ties: int
    losses: int
    n: int
    clusters: int | None
    differing: int
    detectable: float | None
    needed: int | None
    equivalence: Equivalence | None
    decided: bool
    disagrees: bool


@dataclass(frozen=True)
class MeasureComparison:
    """All retrievers on one measure.

    Attributes:
        measure: as it parses (``AP@10``).
        label: as tables print it (``mAP@10``), with what must be known of the direction.
        primary: True for the first measure listed, which the verdict reads; the others are
            secondary, each a family of comparisons of its own.
        lower_is_better: small values are good; differences are signed so that + is better.
        means: by retriever, in order.
        differences: of each other retriever to the baseline.
        notes: what a reader must know of this measure.
    """

    measure: str
    label: str
    primary: bool
    lower_is_better: bool
    means: Mapping[str, MeanWithInterval]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairDifference:
    """Two retrievers on one measure, by randomized Tukey HSD over all pairs.

    Attributes:
        measure, label: as in :class:`MeasureComparison`.
        first, second: the two retrievers.
        value: mean difference, positive where ``first`` is better.
        p: holds for all pairs of this measure together: it needs no further correction.
        n: queries that have a value for every retriever.
    """

    measure: str
    label: str
    first: str
    second: str
    value: float
    p: float
    n: int


@dataclass(frozen=True)
class Verdict:
    """What the comparison says, in plain sentences.

    Attributes:
        state: which template applied, the first that did.
        text: its sentences, in the language of the options; numbers rounded.
        mixed: a sentence to print behind it where another measure says the opposite.
        leader: the retriever with the best mean on the primary measure; None for CHECK DATA.
        other: the retriever that it is compared with in the text.
        tied: for TIE GROUP, all that can't be told from the leader, the leader first.
        parts: what the text is made of; see :meth:`said`.
    """

    state: State
    text: str
    mixed: str | None
    leader: str | None
    other: str | None
    tied: tuple[str, ...]
    parts: tuple[Part, ...]

    def said(self, language: Language) -> str:
        """All sentences, ``mixed`` too, in a language."""
        from ragscore.comparison.wording import say

        return say(self.parts, language)

    def __str__(self) -> str:
        return f"{self.text} {self.mixed}" if self.mixed else self.text


@dataclass(frozen=True)
class DatasetComparison:
    """All retrievers on one dataset.

    Attributes:
        dataset: its name.
        retrievers: in order.
        baseline: what the others are compared with.
        primary: the measure that the verdict reads, as it parses.
        n: queries compared.
        clusters: clusters that they form, None where queries are independent.
        measures: in order, the primary first.
        leader: the best on the primary measure against each other retriever: what the verdict
            reads. Against the baseline the p-value is adjusted in the family of comparisons with
            the baseline; against others over all pairs, since the data chose the leader. Empty
            where nothing could be compared.
        pairs: by randomized Tukey HSD, None where that was not asked for.
        verdict: in plain sentences.
        notes: what a reader must know: queries left out, few clusters.
    """

    dataset: str
    retrievers: tuple[str, ...]
    baseline: str
    primary: str
    n: int
    clusters: int | None
    measures: tuple[MeasureComparison, ...]
    leader: tuple[Difference, ...]
    pairs: tuple[PairDifference, ...] | None
    verdict: Verdict
    notes: tuple[str, ...] = ()

    def __getitem__(self, measure: str) -> MeasureComparison:
        """The comparison on one measure as it parses; KeyError where it was not scored."""
        for one in self.measures:
            if one.measure == measure:
                return one
        raise KeyError(
            f"{measure} was not compared; there is: {[m.measure for m in self.measures]}"
        )


@dataclass(frozen=True)
class Comparison:
    """Retrievers compared on each dataset; datasets are never pooled.

    Attributes:
        datasets: one comparison each.
        options: how it was done.
    """

    datasets: tuple[DatasetComparison, ...]
    options: CompareOptions

    def __getitem__(self, dataset: str) -> DatasetComparison:
        """The comparison on one dataset; KeyError where there is none."""
        for one in self.datasets:
            if one.dataset == dataset:
                return one
        raise KeyError(f"no dataset {dataset!r}; there is: {[d.dataset for d in self.datasets]}")

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON, in full precision; a number that does not exist is null."""
        from ragscore.comparison.recorded import comparison_record

        return comparison_record(self).model_dump(mode="json", by_alias=True)

    def __str__(self) -> str:
        return "\n".join(f"{one.dataset}: {one.verdict}" for one in self.datasets)

    def _repr_html_(self) -> str:
        from ragscore.report.notebook import comparison_html

        return comparison_html(self)
