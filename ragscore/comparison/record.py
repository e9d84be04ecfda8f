"""The numbers of a comparison: frozen, in full precision, the same in memory and in JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.dataset import Unit
from ragscore.described import in_short
from ragscore.encoders.truncation import Truncation
from ragscore.estimate import Estimate
from ragscore.messages import Message, Text, joined
from ragscore.records import MaybeNaN, Record
from ragscore.scoring import RetrieverScores
from ragscore.stats.corrections import Correction
from ragscore.stats.equivalence import Equivalence
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.intervals import Interval
from ragscore.stats.paired import PairedTest
from ragscore.stats.paired_power import PairedPower

ALPHA = 0.05
"""An adjusted p-value below this, with an interval that excludes 0, decides."""

Withheld = Literal["", "one unit", "few differ", "no spread", "no margin"]
"""Why a difference carries no claim: fewer than two queries (clusters); 5 or fewer of them
differ; all differ by the same; no margin on a measure that does not lie in [0, 1]."""


@dataclass(frozen=True)
class Difference(Record):
    """One retriever minus another on one measure; positive where ``retriever`` is better."""

    retriever: str
    """The retriever that is compared."""
    baseline: str
    """The retriever that it is compared with."""
    value: MaybeNaN
    """Mean difference; null if no query has a value for both."""
    interval: Interval
    """95 %, not adjusted."""
    test: PairedTest
    """The paired test, not adjusted."""
    p_adjusted: MaybeNaN
    """The p-value within its family; null if it is in none."""
    m: int
    """Comparisons in the family, identical retrievers counted once."""
    effect: MaybeNaN
    """d_z: mean difference over the standard deviation of the differences; null (infinite in
    Python) where these don't vary."""
    wins: int
    """Queries on which ``retriever`` is better."""
    ties: int
    """Queries on which both are as good."""
    losses: int
    """Queries on which ``retriever`` is worse."""
    n: int
    """Queries with a value for both."""
    clusters: int | None
    """Clusters that these form; null if queries are independent."""
    differing: int
    """Queries (clusters, where there are some) with a difference."""
    margin: float | None
    """The largest difference that does not matter; null if none was given and the measure does
    not lie in [0, 1]."""
    detectable: float | None
    """The smallest true difference detected with 80 % power at .05 / m, computed from the spread
    of the differences; null if it cannot be computed: see ``withheld``."""
    needed: int | None
    """How many queries, these among them, detect a true difference of the margin with 80 % power
    at .05 / m; never computed from the observed difference; null if ``detectable`` is, and
    without a margin."""
    equivalence: Equivalence | None
    """What the margin says; null if ``needed`` is."""
    withheld: Withheld
    """Why these three are null: fewer than two units, 5 or fewer units that differ, no spread, or
    no margin (then ``detectable`` is not null); empty if none is null."""
    decided: bool
    """Adjusted p below .05, the interval excludes 0, and more than 5 units differ, whichever test
    was asked for; never outside the family."""
    below_margin: bool
    """Whether it is decided, and the whole interval is closer to 0 than the margin."""
    disagrees: bool
    """Whether only one of p-value and interval shows the difference."""

    power: Annotated[PairedPower | None, Field(exclude=True)] = field(
        default=None, repr=False, compare=False
    )
    """How the differences spread; None if that is not known."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval, or the mean alone where all differences are the same, so that no spread
        can be estimated; NaN if there are not two units, or where too few differ for any interval
        to hold."""
        if self.interval.estimable or self.test.n < 2 or 0 < self.test.nonzero < self.test.n:
            return self.interval.low, self.interval.high
        return self.value, self.value

    @property
    def equal(self) -> bool:
        """Whether the whole interval is closer to 0 than the margin, and enough differ to say
        so."""
        if self.margin is None or self.differing <= TOO_FEW:
            return False
        return all(-self.margin < bound < self.margin for bound in self.bounds)

    @property
    def reversed(self) -> Difference:
        """The same seen from the other retriever, before it is corrected; the tests are two-sided.
        No zero gets a sign."""
        return replace(
            self,
            retriever=self.baseline,
            baseline=self.retriever,
            value=0.0 - self.value,
            interval=self.interval.reversed,
            effect=0.0 - self.effect,
            wins=self.losses,
            losses=self.wins,
            equivalence=self.equivalence.reversed if self.equivalence else None,
        )

    def corrected(self, p: float, m: int, correction: Correction) -> Difference:
        """The same, with what its family decides.

        Args:
            p: the p-value within its family; NaN if it is in none.
            m: comparisons in the family.
            correction: how p-values are corrected.
        """
        low, high = self.bounds
        excludes, shown = low > 0 or high < 0, p < ALPHA
        decided = shown and excludes and self.differing > TOO_FEW
        alpha = ALPHA / m if correction != "none" else ALPHA
        power, margin = self.power, self.margin
        return replace(
            self,
            p_adjusted=p,
            m=m,
            detectable=power.detectable(alpha) if power else None,
            needed=power.needed(margin, alpha) if power and margin is not None else None,
            decided=decided,
            below_margin=decided and margin is not None and max(abs(low), abs(high)) < margin,
            disagrees=not math.isnan(p) and shown != excludes,
        )

    def __repr__(self) -> str:
        names = f"{in_short(self.retriever)} against {in_short(self.baseline)}"
        return f"Difference({names}: {self.value:+.4g}, {self.n} queries)"


@dataclass(frozen=True)
class Family(Record):
    """The comparisons whose p-values are corrected together, on each measure separately; every
    mark of what is decided comes from it."""

    baseline: str | None
    """Where the experiment names one, the comparisons with it are the family; null: all pairs."""
    m: int
    """How many comparisons, identical retrievers counted once."""


@dataclass(frozen=True)
class Identical:
    """Retrievers that returned the same passages for every query: one retriever for statistics.

    Attributes:
        retrievers: two names or more, as listed; the first stands for all of them.
        reason: why they are the same, where that is known.
    """

    retrievers: tuple[str, ...]
    reason: Message | None = None


@dataclass(frozen=True)
class ContextSize(Record):
    """The context in which retrievers are compared that search different chunks."""

    unit: Unit
    """What is counted."""
    limit: int
    """The most that it holds; the first passage that does not fit ends it."""
    chosen: Literal["experiment", "default"]
    """By whom: the experiment's budget, or the largest that is shown and that all fill."""
    short: tuple[str, ...]
    """The retrievers that a deeper run might let fill it, for more than 5 % of the queries."""


@dataclass(frozen=True, eq=False)
class ChunkSizes:
    """How much text retrievers return that search the chunks of different chunkers.

    Attributes:
        characters: by retriever, the mean over its queries of what its first 1, 2, ... passages
            hold: float64[depth]; empty if the chunks are not known any more.
        context: the context that decides; None if texts are not known, or no context that is
            shown is filled by all.
        entries: the scores of each retriever in it, by measures without cutoffs.
    """

    characters: Mapping[str, NDArray[np.float64]]
    context: ContextSize | None = None
    entries: tuple[RetrieverScores, ...] = ()


@dataclass(frozen=True)
class QueryCost:
    """What a query costs, what a retriever is built on included.

    Attributes:
        price: in ``currency``; None if it is not known.
        currency: such as ``USD``; empty if nothing is paid.
        requests: to other systems; None if that is not known.
        p50: the median time of a query in milliseconds; None if it was not measured.
        search: milliseconds a query over the whole run; None if that is not known.
    """

    price: float | None = None
    currency: str = ""
    requests: float | None = None
    p50: float | None = None
    search: float | None = None


@dataclass(frozen=True, eq=False)
class SearchFacts:
    """What is known of the searches, and may turn a verdict around.

    Attributes:
        chunk_sizes: where retrievers search different chunks, how large these are.
        failed: the retrievers without a run, which are not compared, with their errors.
        unanswered: by retriever, the queries that failed and count as empty.
        english: the retrievers whose encoder was trained on English, or whose inputs' was, where
            the texts are in another language.
        written: that language, or its script.
        truncations: what encoders did not read.
        costs: by retriever, what a query costs.
    """

    chunk_sizes: ChunkSizes | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    unanswered: Mapping[str, Collection[str]] = field(default_factory=dict)
    english: tuple[str, ...] = ()
    written: str = ""
    truncations: tuple[Truncation, ...] = ()
    costs: Mapping[str, QueryCost] = field(default_factory=dict)


@dataclass(frozen=True)
class MeasureComparison(Record):
    """All retrievers on one measure."""

    measure: str
    """The measure as it parses: ``AP@10``."""
    label: Text
    """The measure as tables print it: ``mAP@10``."""
    primary: bool
    """Whether it decides the verdict; a secondary measure is a family of its own."""
    lower_is_better: bool
    """Whether small values are good; differences are signed so that + is better."""
    logarithm: bool
    """Whether differences are those of natural logarithms: of a geometric mean."""
    means: Mapping[str, Estimate]
    """By retriever, in order: the mean by the measure's own aggregate (a sum becomes a mean per
    query) with its interval, 95 %, not adjusted, over its queries with a value."""
    differences: tuple[Difference, ...]
    """The difference of each other retriever to the baseline that is shown."""
    best: str | None
    """The retriever that is decided to be better than every other, whatever the baseline; null
    if none is, or the measure cannot rank them. Bold where a table shows its mean."""
    notes: tuple[Text, ...] = ()
    """Notes on this measure."""

    def __repr__(self) -> str:
        return f"MeasureComparison({in_short(str(self.label))}: {in_short(', '.join(self.means))})"

    @property
    def margin(self) -> float | None:
        """The margin of its differences; None if they have none."""
        return self.differences[0].margin if self.differences else None

    @property
    def difference_label(self) -> Text:
        """What its differences are differences of: its label, of a geometric mean ``ln`` of it."""
        return joined(["ln", self.label]) if self.logarithm else self.label
