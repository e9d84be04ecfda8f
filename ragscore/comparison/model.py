"""What a comparison says: frozen, in full precision, nothing rounded but the verdict's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ragscore.described import in_short
from ragscore.display import Displayed

if TYPE_CHECKING:
    from ragscore.comparison.options import CompareOptions
    from ragscore.comparison.wording import Part
    from ragscore.stats.equivalence import Equivalence
    from ragscore.stats.intervals import Interval
    from ragscore.stats.paired import PairedTest
    from ragscore.strings import Language

ALPHA = 0.05
"""An adjusted p-value below this, with an interval that excludes 0, decides."""
LEVEL = 0.95
INTERVAL_LABEL = "95 %, not adjusted"
"""What stands over every interval of a mean or difference."""

Withheld = Literal["", "one unit", "few differ", "no spread", "no margin"]
"""Why a difference carries no claim: fewer than two queries (clusters); 5 or fewer of them
differ; all differ by the same; no margin on a measure that does not lie in [0, 1]."""
State = Literal["CHECK DATA", "SAME", "TOO FEW", "SMALL", "CLEAR", "EQUAL", "TIE"]
Kind = Literal["use", "sure", "open", "but", "same"]


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
        p_adjusted: the p-value within its family; NaN where it is in none.
        m: comparisons in that family, identical retrievers counted once.
        effect: d_z, the mean difference over the standard deviation of the queries' differences;
            infinite where they don't vary.
        wins, ties, losses: queries on which ``retriever`` is better, as good, worse.
        n: queries with a value for both.
        clusters: clusters that these queries form, None where queries are independent.
        differing: units (queries, or clusters where there are some) with a difference.
        margin: the largest difference that does not matter on this measure; None where none was
            given and the measure does not lie in [0, 1].
        detectable: the smallest true difference that is found with 80 % power at alpha / m,
            from how the differences spread; None where nothing can be said: see ``withheld``.
        needed: queries that would find a true difference of the margin with 80 % power at
            alpha / m, these among them; never computed from the observed difference. None as
            ``detectable``, and without a margin.
        equivalence: what the margin says; None as ``needed``.
        withheld: why the three are None; empty where none is, and ``no margin`` where
            ``detectable`` stands alone.
        decided: adjusted p below .05, the interval excludes 0, and more than 5 units differ,
            whichever test was asked for; never outside the family.
        below_margin: decided, and the whole interval is closer to 0 than the margin.
        disagrees: the p-value says it or the interval does, and not both.
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
    margin: float | None
    detectable: float | None
    needed: int | None
    equivalence: Equivalence | None
    withheld: Withheld
    decided: bool
    below_margin: bool
    disagrees: bool


@dataclass(frozen=True)
class Family:
    """The comparisons whose p-values are corrected together, on each measure for itself; every
    mark of what is decided comes from it.

    Attributes:
        baseline: where the experiment names one, the comparisons with it are the family; None:
            all pairs.
        m: how many comparisons, identical retrievers counted once.
    """

    baseline: str | None
    m: int


@dataclass(frozen=True)
class Identical:
    """Retrievers that returned the same passages for every query: one retriever for statistics.

    Attributes:
        retrievers: two names or more, as listed; the first stands for all of them.
        reason: why they are the same, where that is known.
    """

    retrievers: tuple[str, ...]
    reason: Part | None = None


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
        differences: of each other retriever to the baseline that is shown.
        notes: what a reader must know of this measure.
    """

    measure: str
    label: str
    primary: bool
    lower_is_better: bool
    means: Mapping[str, MeanWithInterval]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def margin(self) -> float | None:
        """The margin of its differences; None where they have none."""
        return self.differences[0].margin if self.differences else None


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
class VerdictLine:
    """One line of a verdict.

    Attributes:
        kind: what it answers: which to use, what is sure, what is open, but what speaks against
            it, which retrievers are the same.
        label: key of the word before it.
        parts: what its text is made of.
        facts: the same as names and numbers in full precision, ready for JSON.
    """

    kind: Kind
    label: str
    parts: tuple[Part, ...]
    facts: Mapping[str, Any]

    def text(self, language: Language) -> str:
        """Its sentences, numbers rounded, without the word before them."""
        from ragscore.comparison.wording import say

        return say(self.parts, language)

    def word(self, language: Language) -> str:
        """The word before it: of the first line the state, such as ``Tie``."""
        from ragscore.comparison.wording import word

        return word(self.label, language)

    def mark(self) -> str:
        """What stands behind the word: a full stop behind the state, else a colon."""
        return "." if self.kind == "use" else ":"


@dataclass(frozen=True)
class Verdict:
    """What the comparison says: which to use, what is sure, what is open.

    Attributes:
        state: which kind of answer it is, the first that applied.
        lines: in order, the first of kind ``use``; with CHECK DATA it is the only one.
        leader: the retriever with the best mean on the primary measure; None for CHECK DATA.
        tied: all that may be the best, the leader first.
        language: of :attr:`text`.
    """

    state: State
    lines: tuple[VerdictLine, ...]
    leader: str | None
    tied: tuple[str, ...]
    language: Language

    def printed(self, language: Language) -> list[str]:
        """Each line with its word: ``Tie. hybrid leads with ...``, ``Sure: ...``."""
        return [f"{line.word(language)}{line.mark()} {line.text(language)}" for line in self.lines]

    @property
    def text(self) -> str:
        """All lines, in the language of the options."""
        return "\n".join(self.printed(self.language))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class DatasetComparison:
    """All retrievers on one dataset.

    Attributes:
        dataset: its name.
        retrievers: in order.
        baseline: what the tables compare the others with.
        family: which comparisons are corrected together.
        identical: retrievers that returned the same passages for every query.
        primary: the measure that the verdict reads, as it parses.
        n: queries compared.
        clusters: clusters that they form, None where queries are independent.
        measures: in order, the primary first.
        leader: the best on the primary measure against each other retriever that is not the same
            as another: what the verdict reads. Since the data chose it, its p-values are adjusted
            over all pairs; those of a baseline that the experiment names, in its family. Empty
            where nothing could be compared.
        pairs: by randomized Tukey HSD, None where that was not asked for.
        verdict: in plain sentences.
        notes: what a reader must know: queries left out, few clusters.
    """

    dataset: str
    retrievers: tuple[str, ...]
    baseline: str
    family: Family
    identical: tuple[Identical, ...]
    primary: str
    n: int
    clusters: int | None
    measures: tuple[MeasureComparison, ...]
    leader: tuple[Difference, ...]
    pairs: tuple[PairDifference, ...] | None
    verdict: Verdict
    notes: tuple[str, ...] = ()

    def same(self, one: str, other: str) -> bool:
        """Whether two retrievers returned the same passages for every query."""
        pair = {one, other}
        return len(pair) == 2 and any(pair <= set(group.retrievers) for group in self.identical)

    def __getitem__(self, measure: str) -> MeasureComparison:
        """The comparison on one measure as it parses; KeyError where it was not scored."""
        for one in self.measures:
            if one.measure == measure:
                return one
        raise KeyError(
            f"{measure} was not compared; there is: {[m.measure for m in self.measures]}"
        )

    def __repr__(self) -> str:
        retrievers = in_short(", ".join(self.retrievers))
        return f"DatasetComparison({in_short(self.dataset)}: {retrievers}, {self.verdict.state})"

    def __str__(self) -> str:
        return str(self.verdict)


@dataclass(frozen=True)
class Comparison(Displayed):
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

    def __repr__(self) -> str:
        return f"Comparison({', '.join(map(repr, self.datasets[:3]))[:200]})"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON, in full precision; a number that does not exist is null."""
        from ragscore.comparison.recorded import comparison_record

        return comparison_record(self).model_dump(mode="json", by_alias=True)

    def __str__(self) -> str:
        from ragscore.comparison.rendering import brief_text

        return brief_text(self)
