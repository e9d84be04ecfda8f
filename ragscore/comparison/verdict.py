"""The verdict of a comparison: which retriever to use, what is sure, what is open, in numbers and
reasons. :mod:`~ragscore.comparison.leader` finds it, :mod:`~ragscore.comparison.verdict_text` words
it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from ragscore.comparison.check import DataProblem
from ragscore.comparison.differences import ALPHA, Identical
from ragscore.comparison.query_slices import Slices
from ragscore.comparison.score_matrix import ContextSize
from ragscore.dataset import SampledCorpus
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.estimate import Estimate
from ragscore.measures import parse_measure
from ragscore.messages import KeptText
from ragscore.records import MaybeNaN, Record

VerdictState = Literal[
    "CHECK DATA", "SAME", "MIXED", "LEAKS", "TOO FEW", "SMALL", "CLEAR", "EQUAL", "TIE"
]
Reason = Literal[
    "", "best", "cheaper", "leaks less", "equal", "identical", "leader", "baseline", "level"
]
Finding = Literal["better", "slightly better", "equal", "open", "untested"]
BETTER: tuple[Finding, ...] = ("better", "slightly better")
CaveatReason = Literal["left out", "outage", "language", "cut"]
Contradiction = Literal["", "correction", "test", "interval"]
Expense = Literal["price", "requests", "p50", "search"]


@dataclass(frozen=True)
class PairFinding(Record):
    """What is known of two retrievers on one measure."""

    measure: str
    """The measure as it parses."""
    label: KeptText
    """The measure as it is printed."""
    retriever: str
    """The better one, if one is."""
    other: str
    """The one that it is compared with."""
    finding: Finding
    """The first is decided to be better; it is, by less than the margin; their whole interval lies
    inside the margin; nothing of this is decided; or the pair is outside of the family."""
    mean: MaybeNaN
    """The mean of the first, over the queries that have a value for every retriever."""
    other_mean: MaybeNaN
    """That of the other."""
    difference: Estimate
    """By how much the first is better, with its interval."""
    differing: int
    """Queries (clusters, where there are some) with a difference."""
    clusters: int | None
    """Clusters of queries; null if these are independent."""
    m: int
    """Comparisons in the family."""
    contradiction: Contradiction = ""
    """Why it is open although it seems decided: only before the correction; only by the interval;
    only by the test."""

    @property
    def decided(self) -> bool:
        """Whether the first is decided to be better."""
        return self.finding in BETTER


@dataclass(frozen=True)
class Saving(Record):
    """How much less the recommended retriever costs than the one with the best mean."""

    by: Expense
    """In money, in requests to other systems, in the median time of a query or, where that was not
    measured, in the time of the run."""
    cost: float
    """What a query of it costs: in the currency, in requests, in milliseconds."""
    leader_cost: float
    """And of the other."""


@dataclass(frozen=True)
class SliceWinner(Record):
    """Which of two retrievers is better in a slice where their difference is decided to be another
    one than outside of it."""

    value: str
    """The slice, by its tag or the value that its queries share."""
    better: str
    """Which is better there."""
    mean: MaybeNaN
    """Its mean."""
    worse: str
    """And the other."""
    worse_mean: MaybeNaN
    """Its mean."""


@dataclass(frozen=True)
class Caveat(Record):
    """Something about a retriever that may turn the verdict around."""

    reason: CaveatReason
    """Queries that failed are left out, so that its mean is over others; queries that failed count
    as empty; its encoder was trained on English, and the texts are in another language; its encoder
    cut texts."""
    retriever: str
    """Whom it is about."""
    count: int | None = None
    """How many queries failed, or texts were cut."""
    n: int | None = None
    """Of how many."""
    answered: PairFinding | None = None
    """Where failed queries count as empty: the leader against it on the others."""
    turns: bool = False
    """Whether the verdict on the others is another one."""


@dataclass(frozen=True)
class SameK(Record):
    """What retrievers of different chunks reach, and hold, at the same k."""

    measure: KeptText
    """The measure as it is printed."""
    leader: str
    """Who leads at the same k."""
    value: MaybeNaN
    """With which mean."""
    k: int | None = None
    """How many passages; null if it is not known what they hold."""
    smallest: str = ""
    """The retriever whose first k hold the fewest characters."""
    fewest: MaybeNaN = math.nan
    """How many, on average."""
    largest: str = ""
    """The one whose first k hold the most."""
    most: MaybeNaN = math.nan
    """How many, on average."""


@dataclass(frozen=True)
class Verdict(Record, Shown):
    """The answer of a comparison: which retriever to use, what is sure, what is open."""

    state: VerdictState
    """The kind of answer: the first that applies."""
    problem: DataProblem | None
    """Why the ranking cannot be read yet; null if it can."""
    measure: str
    """The measure that decides, as it parses."""
    label: KeptText
    """The same as it is printed."""
    retrievers: int
    """How many are compared, identical ones counted once."""
    baseline: str | None
    """Where the experiment names one, the family is the comparisons with it; null: all pairs."""
    recommended: str | None = None
    """The retriever to use; null if the data cannot be read."""
    reason: Reason = ""
    """Why: it is decided to be the best; it is not decided to be worse, and costs less; it leaks
    less; it is equal for practical purposes; all returned the same; it has the best mean; it is the
    baseline, or the first listed, of those with the same mean."""
    saving: Saving | None = None
    """By how much it is cheaper, if that is why."""
    mean: Estimate | None = None
    """Its mean, with the interval."""
    leader: str | None = None
    """The retriever with the best mean."""
    tied: tuple[str, ...] = ()
    """All that may be the best, the leader first; for LEAKS without those that leak more than
    another, whose mean may be the best."""
    alike: tuple[str, ...] = ()
    """Those that may be used alike, the recommended one among them: equal for practical purposes,
    or the same on every query; empty if nothing says so."""
    sure: tuple[PairFinding, ...] = ()
    """What is decided of the recommended retriever and of the baseline (the first listed, if the
    experiment names none), the largest difference first."""
    rival: PairFinding | None = None
    """The leader against the recommended retriever or, if it is recommended, against the nearest
    that is open, else equal; null if there is none."""
    more: int | None = None
    """Queries like these that are missing to decide a difference of the rivals as large as the one
    seen, in 4 of 5 such experiments; null if that cannot be computed."""
    loss: MaybeNaN = math.nan
    """By how much the recommended one of the rivals may be worse than the other: the end of their
    interval; null if it may not."""
    margin: float | None = None
    """The largest difference that does not matter; null if there is none."""
    leaks: tuple[PairFinding, ...] = ()
    """What must not come back: the decided differences, then the open ones of the recommended
    retriever; empty if no such measure was scored, or nothing differs."""
    but: PairFinding | None = None
    """The first secondary measure on which another is decided to beat the recommended one."""
    depends: tuple[SliceWinner, ...] = ()
    """Who is better in which slices, where that is decided."""
    caveats: tuple[Caveat, ...] = ()
    """What may turn it around."""
    common: int = 0
    """Queries with a value for every retriever."""
    written: str = ""
    """The language of the texts, where an encoder was trained on another."""
    context: ContextSize | None = None
    """The context that the verdict is about, where retrievers search different chunks; null if
    all search the same passages, or no context could be compared."""
    same_k: SameK | None = None
    """What the same k means there; null if all search the same passages."""
    identical: tuple[Identical, ...] = ()
    """Retrievers that returned the same: one in all that is said above."""
    sample: SampledCorpus | None = None
    """What the corpus is a sample of; null if it is whole."""

    def elements(self) -> tuple[Element, ...]:
        """The card, and what is said in smaller print."""
        from ragscore.comparison.verdict_text import verdict_elements

        return verdict_elements(self)

    def __repr__(self) -> str:
        return f"Verdict({self.state}: {self.recommended})"

    def depending_on(self, slices: Iterable[Slices]) -> Verdict:
        """The same with the slices in which one of two rivals is decided to do better or worse;
        none where the recommended one has the best mean in each, or where the verdict is about the
        same context, and slices are not."""
        if self.context is not None:
            return self
        rivals = {self.recommended, self.leader} | ({self.rival.other} if self.rival else set())
        sign = -1 if parse_measure(self.measure).lowest_is_best else 1
        found: list[tuple[float, SliceWinner]] = []
        for part in chain.from_iterable(each.slices for each in slices):
            for measure in part.measures:
                means = measure.means
                for gap in measure.gaps if measure.measure == self.measure else ():
                    pair = [gap.retriever, gap.baseline]
                    if (gap.p_adjusted or 1.0) >= ALPHA or not gap.p or not {*pair} <= rivals:
                        continue
                    better, worse = sorted(pair, key=lambda name: -sign * means[name].value)
                    winner = SliceWinner(
                        part.value, better, means[better].value, worse, means[worse].value
                    )
                    found.append((-abs(gap.value), winner))
        found.sort(key=lambda each: each[0])
        winners = tuple(winner for _, winner in found)
        turns = any(winner.better != self.recommended for winner in winners)
        return replace(self, depends=winners if turns else ())
