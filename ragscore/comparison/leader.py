"""How retrievers stand on the measure that decides, and the verdict that follows.

Something is decided where the adjusted p is below .05 and the interval of the paired difference
excludes 0. The overlap of two retrievers' own intervals is never read.

There is one family. Where the experiment names a baseline, the comparisons with it are tested, else
all pairs are, and of any other pair a verdict claims nothing but what the family implies: what
beats the baseline beats all that the baseline beats. So the leader is the best of all where it
beats the baseline, and the baseline every other. Two that both beat the baseline stay open, however
far apart they are: what would settle them is a comparison without a baseline.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import get_args

import numpy as np

from ragscore.comparison.check import (
    ChunkSizes,
    DataProblem,
    QueryCost,
    SearchFacts,
    find_data_problem,
)
from ragscore.comparison.differences import ALPHA, AdjustedDifferences, Difference, Identical
from ragscore.comparison.score_matrix import ComparedMeasure
from ragscore.comparison.verdict import (
    Caveat,
    Contradiction,
    Expense,
    Finding,
    PairFinding,
    Reason,
    SameK,
    Saving,
    Verdict,
    VerdictState,
)
from ragscore.estimate import Estimate
from ragscore.measures import parse_measure
from ragscore.names import shortened
from ragscore.stats.few_differ import TOO_FEW

CUT = 0.1
"""A reader is told if an encoder cut more than this share of the texts."""
LONGEST_ERROR = 120
"""Characters of an error that a verdict repeats."""
TIMES, FASTER_MS = 2.0, 20.0
"""A cost decides where it differs by this factor; a median time also by these milliseconds."""


@dataclass(frozen=True, eq=False)
class Leader:
    """How the retrievers stand on the measure that decides, and what follows; they are named by
    their numbers, of which an identical one has that of the one that stands for it.

    Attributes:
        corrected: every pair of retrievers on every measure.
        primary: number of the measure that decides.
        means: on it, by name; they may be over fewer queries than the differences.
        costs: of a query, by name, as far as that is known.
    """

    corrected: AdjustedDifferences
    primary: int
    means: Mapping[str, Estimate] = field(default_factory=dict)
    costs: Mapping[str, QueryCost] = field(default_factory=dict)

    @cached_property
    def measure(self) -> ComparedMeasure:
        """The measure that decides."""
        return self.corrected.common.measures[self.primary]

    @cached_property
    def margin(self) -> float | None:
        """The largest difference that does not matter on it; None if there is none."""
        return self.corrected.options.margin_on(bounded=self.measure.bounded)

    def _means(self, measure: int) -> list[float]:
        """The mean of each retriever over the queries with a value for all; empty without any."""
        values = self.corrected.common.values[measure]
        values = values[:, ~np.isnan(values).any(axis=0)]
        return [math.fsum(row) / len(row) for row in values.tolist() if len(row)]

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """The distinct retrievers, the best mean first; of equal ones the named baseline, then the
        first listed."""
        plan = self.corrected.plan
        means = [round(self.measure.sign * mean, 12) for mean in self._means(self.primary)]
        if not means:
            return plan.distinct
        return tuple(sorted(plan.distinct, key=lambda r: (-means[r], r != plan.baseline, r)))

    def name(self, retriever: int) -> str:
        """The name of a number."""
        return self.corrected.common.retrievers[retriever]

    def difference(self, one: int, other: int, measure: int | None = None) -> Difference:
        """One against another on a measure, by default the one that decides."""
        return self.corrected.difference(self.primary if measure is None else measure, one, other)

    @cached_property
    def against(self) -> tuple[Difference, ...]:
        """The leader against every other retriever on the measure that decides."""
        return tuple(self.difference(self.ranking[0], other) for other in self.ranking[1:])

    def beats(self, one: int, other: int, measure: int | None = None) -> bool:
        """Whether one is decided to be better than another: in the family, or since it beats the
        named baseline, and that beats the other."""
        if one == other:
            return False
        pair, named = self.difference(one, other, measure), self.corrected.plan.baseline
        if named is None or named in (one, other):
            return pair.decided and pair.value > 0
        implied = self.beats(one, named, measure) and self.beats(named, other, measure)
        return implied and pair.value > 0 and pair.differing > TOO_FEW

    def finding(self, one: int, other: int, measure: int | None = None) -> PairFinding:
        """What is known of one against another."""
        at = self.primary if measure is None else measure
        pair, compared = self.difference(one, other, at), self.corrected.common.measures[at]
        low, high = pair.bounds
        finding: Finding = "open"
        if self.beats(one, other, at):
            finding = "slightly better" if pair.below_margin else "better"
        elif math.isnan(pair.p_adjusted):
            finding = "untested"
        elif pair.equal:
            finding = "equal"
        contradiction: Contradiction = ""
        if finding == "open" and pair.disagrees:
            corrected = pair.m > 1 and self.corrected.options.correction != "none"
            contradiction = "correction" if corrected else "test"
            contradiction = "interval" if pair.p_adjusted < ALPHA else contradiction
        means = self._means(at) or [math.nan] * len(self.corrected.common.retrievers)
        return PairFinding(
            compared.measure,
            compared.name,
            pair.retriever,
            pair.baseline,
            finding,
            means[one],
            means[other],
            Estimate(pair.value, low, high, pair.n),
            pair.differing,
            pair.clusters,
            pair.m,
            contradiction,
        )

    @cached_property
    def unbeaten(self) -> tuple[int, ...]:
        """Those that the leader is not decided to beat."""
        return tuple(r for r in self.ranking[1:] if not self.beats(self.ranking[0], r))

    @property
    def best(self) -> str | None:
        """The leader, where it is decided to beat every other."""
        several = len(self.ranking) > 1
        return self.name(self.ranking[0]) if several and not self.unbeaten else None

    @cached_property
    def tied(self) -> tuple[int, ...]:
        """All that may be the best, the leader first: nobody in it is decided to be worse than
        another."""
        beaten = {
            r for r in self.unbeaten if any(self.beats(o, r) for o in self.unbeaten if o != r)
        }
        return (self.ranking[0], *(r for r in self.unbeaten if r not in beaten))

    @cached_property
    def contenders(self) -> tuple[int, ...]:
        """Those between which the measure decides nothing that matters, the leader first."""
        found = (r for r in self.ranking[1:] if r not in self.unbeaten)
        return (*self.tied, *(r for r in found if self.difference(self.ranking[0], r).below_margin))

    @cached_property
    def clean(self) -> tuple[int, ...]:
        """The contenders that are not decided to leak more than another of them."""
        among = {*self.contenders}
        kept = tuple(r for r in self.contenders if not among & {*self.cleaner_than(r)})
        return kept or self.contenders

    def cleaner_than(self, retriever: int) -> Iterator[int]:
        """Who is decided to leak less."""
        for other in self.ranking:
            leak = self.leak(retriever, other)
            if leak is not None and leak.decided and leak.retriever == self.name(other):
                yield other

    def leak(self, one: int, other: int) -> PairFinding | None:
        """Two retrievers, the one that leaks less first, on the first measure of leaks that decides
        them, else the first on which they differ; None if there is none."""
        found = []
        for number, measure in enumerate(self.corrected.common.measures):
            if measure.guards and number != self.primary and one != other:
                value = self.difference(one, other, number).value
                found += [self.finding(one, other, number)] if value > 0 else []
                found += [self.finding(other, one, number)] if value < 0 else []
        return next((leak for leak in found if leak.decided), found[0] if found else None)

    @cached_property
    def on_measure(self) -> VerdictState:
        """Which kind of answer the measure alone gives: the first that applies."""
        if not self.against:
            return "SAME"
        if self.against[0].differing <= TOO_FEW:
            return "TOO FEW"
        if not self.unbeaten:
            return "SMALL" if self.against[0].below_margin else "CLEAR"
        near = [self.finding(self.ranking[0], other).finding for other in self.unbeaten]
        return "EQUAL" if {*near} == {"equal"} else "TIE"

    @cached_property
    def state(self) -> VerdictState:
        """Which kind of answer it is, leaks included."""
        if self.on_measure == "SAME":
            return "SAME"
        alone = self.on_measure == "CLEAR" or len(self.clean) == 1
        if alone and any(True for _ in self.cleaner_than(self.clean[0])):
            return "MIXED"
        return self.on_measure if self.clean == self.contenders else "LEAKS"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those of which one is recommended: the best mean first, without those that leak more;
        where all returned the same, all of them."""
        if self.on_measure == "SAME":
            return self.corrected.common.retrievers
        return tuple(map(self.name, self.clean))

    @cached_property
    def cheaper(self) -> tuple[str, Saving | None]:
        """The one that is recommended, and what it saves: the cheapest, where the first costs
        twice as much, and where a time says so, 20 ms more; else the first. Money counts before
        requests, these before the median time, and that before the time of the run; each only where
        it is known of all. An untested one is passed over where its interval says that it is
        worse."""
        first, *others = self.names
        worse = {
            pair.other
            for r in self.clean[1:]
            if (pair := self.finding(self.clean[0], r)).finding == "untested"
            and pair.difference.low > 0
        }
        names = [first, *(name for name in others if name not in worse)]
        known = [self.costs.get(name, QueryCost()) for name in names]
        currencies = {cost.currency for cost in known if cost.price}
        for by in get_args(Expense):
            spent = {name: getattr(cost, by) for name, cost in zip(names, known, strict=True)}
            if None in spent.values() or (by == "price" and len(currencies) > 1):
                continue
            cheapest = min(spent, key=spent.__getitem__)
            least, own = spent[cheapest], spent[first]
            if (
                own > least
                and own >= TIMES * least
                and (by not in ("p50", "search") or own - least >= FASTER_MS)
            ):
                return cheapest, Saving(by, least, own)
            if by == "p50":
                break
        return first, None

    @cached_property
    def recommended(self) -> int:
        """The one to use, by the number of the one that stands for it."""
        number = self.corrected.common.retrievers.index(self.cheaper[0])
        return self.corrected.plan.stands_for[number]

    @cached_property
    def reason(self) -> Reason:
        """Why that one."""
        if self.cheaper[1] is not None:
            return "cheaper"
        if self.on_measure == "SAME":
            return "identical"
        if self.clean != self.contenders:
            return "leaks less"
        if self.on_measure == "CLEAR":
            return "best"
        if self.on_measure in ("SMALL", "EQUAL") or not self.against[0].differing:
            return "equal"
        if self.against[0].value:
            return "leader"
        return "baseline" if self.recommended == self.corrected.plan.baseline else "level"

    @cached_property
    def alike(self) -> tuple[str, ...]:
        """Those that may be used alike: equal for practical purposes, or the same on each query."""
        leader = self.ranking[0]
        if self.on_measure == "TOO FEW":
            same = (
                r for r in self.clean if r == leader or not self.difference(leader, r).differing
            )
            return tuple(map(self.name, same))
        return self.names if self.on_measure in ("SAME", "SMALL", "EQUAL") else ()

    @cached_property
    def rival(self) -> PairFinding | None:
        """The leader against the recommended one; if it is that itself, against the nearest that
        is open, else the nearest that is equal."""
        leader, others = self.ranking[0], (*self.clean[1:], *self.contenders[1:])
        if self.recommended != leader:
            return self.finding(leader, self.recommended)
        found = [self.finding(leader, other) for other in others]
        undecided = (pair for pair in found if pair.finding in ("open", "untested"))
        return next(undecided, found[0] if found else None)

    @property
    def loss(self) -> float:
        """By how much the recommended one of the rivals may be worse; NaN if it may not."""
        if self.rival is None:
            return math.nan
        first = self.recommended == self.ranking[0]
        bounds = self.rival.difference
        worst = -bounds.low if first else bounds.high
        return worst if worst > 0 else math.nan

    @cached_property
    def more(self) -> int | None:
        """How many queries are missing to decide a difference of the rivals as large as the one
        seen, in 4 of 5 experiments; None if that is not known, or if they are enough."""
        pair = self.rival
        if pair is None or pair.finding != "open" or not pair.difference.value:
            return None
        names = self.corrected.common.retrievers
        power = self.difference(names.index(pair.retriever), names.index(pair.other)).power
        alpha = ALPHA if self.corrected.options.correction == "none" else ALPHA / pair.m
        needed = power.needed(abs(pair.difference.value), alpha) if power is not None else None
        return needed - pair.difference.n if needed and needed > pair.difference.n else None

    def sure(self, doubted: Collection[str]) -> Iterator[PairFinding]:
        """What is decided of the recommended one and of the baseline, each the largest first.

        Args:
            doubted: of whom nothing is sure, since failed queries made it worse.
        """
        plan = self.corrected.plan
        known = plan.stands_for[0] if plan.baseline is None else plan.baseline
        for about in dict.fromkeys((self.recommended, known)):
            wins = [self.finding(about, r) for r in self.ranking if self.beats(about, r)]
            losses = [self.finding(r, about) for r in self.ranking if self.beats(r, about)]
            for pairs in (wins, losses):
                pairs.sort(key=lambda pair: -pair.difference.value)
            seen = self.name(self.recommended) if about != self.recommended else ""
            for pair in (*wins, *losses):
                if pair.other not in doubted and seen not in (pair.retriever, pair.other):
                    yield pair

    def leaks(self) -> Iterator[PairFinding]:
        """Of the recommended one, what is decided and why a contender is not recommended; then
        what is open."""
        found = [leak for r in self.ranking if (leak := self.leak(self.recommended, r))]
        yield from (leak for leak in found if leak.decided)
        known = {leak.other for leak in found if leak.decided}
        for left in self.contenders:
            if left not in self.clean and self.name(left) not in known:
                cleaner = (r for r in self.cleaner_than(left) if r in self.clean)
                yield from filter(None, [self.leak(r, left) for r in cleaner][:1])
        yield from (leak for leak in found if not leak.decided)

    def but(self) -> PairFinding | None:
        """The first secondary measure on which another is decided to beat the recommended one."""
        for number, measure in enumerate(self.corrected.common.measures):
            for other in self.ranking if number != self.primary and not measure.guards else ():
                if self.beats(other, self.recommended, number):
                    return self.finding(other, self.recommended, number)
        return None


def verdict_of(
    leader: Leader,
    searches: SearchFacts,
    *,
    identical: Sequence[Identical] = (),
    answered: Leader | None = None,
    at_k: Leader | None = None,
) -> Verdict:
    """The verdict on one dataset.

    Args:
        leader: how the retrievers stand on what decides.
        searches: what is known of the searches.
        identical: retrievers that returned the same passages for every query.
        answered: how they stand without the queries that failed and count as empty; None if none
            does.
        at_k: how they stand at the same k, where ``leader`` is about the same context.
    """
    common, plan, at = leader.corrected.common, leader.corrected.plan, at_k or leader
    problem = find_data_problem(at.corrected.common, at.primary, at.against)
    if problem is None and (failed := searches.failed):
        count = len(failed)
        name, error = next(iter(failed.items()))
        said = error.partition("\n")[0].removeprefix(f"retriever '{name}'")
        n, said = count + len(common.retrievers), shortened(said.lstrip(":, "), LONGEST_ERROR)
        problem = DataProblem("search failed", count, n, tuple(failed), error=said)
    verdict = Verdict(
        state="CHECK DATA",
        problem=problem,
        measure=leader.measure.measure,
        label=leader.measure.name,
        retrievers=len(leader.ranking),
        baseline=None if plan.baseline is None else leader.name(plan.baseline),
    )
    if problem is not None:
        return verdict
    caveats = tuple(_caveats(leader, answered, searches))
    turning = [each for each in caveats if each.turns]
    if turning and leader.state in ("CLEAR", "LEAKS", "SMALL", "EQUAL"):
        names = tuple(each.retriever for each in turning)
        problem = DataProblem("outage", turning[0].count or 0, turning[0].n or 0, names)
        return replace(verdict, problem=problem, caveats=caveats)
    first, saving = leader.cheaper
    mean, rival = leader.means[first], leader.rival
    # What an outage made is not sure.
    pairs = ((each.retriever, each.answered) for each in caveats)
    doubted = {name for name, pair in pairs if pair is not None and not pair.decided}
    chunks = searches.chunk_sizes
    return replace(
        verdict,
        state=leader.state,
        recommended=first,
        reason=leader.reason,
        saving=saving,
        mean=replace(mean, note=""),
        leader=leader.name(leader.ranking[0]),
        tied=tuple(map(leader.name, leader.clean if leader.state == "LEAKS" else leader.tied)),
        alike=leader.alike,
        sure=tuple(leader.sure(doubted)),
        rival=rival,
        more=leader.more,
        loss=leader.loss,
        margin=leader.margin,
        leaks=tuple(leader.leaks()),
        but=leader.but(),
        caveats=caveats,
        common=mean.n,
        written=searches.written,
        context=chunks.context if chunks and at_k else None,
        same_k=None if chunks is None else _same_k(at, chunks),
        identical=tuple(identical),
        sample=common.sample,
    )


def _caveats(leader: Leader, answered: Leader | None, searches: SearchFacts) -> Iterator[Caveat]:
    """What may turn a verdict around; what only makes the leader look worse is left out.

    Args:
        leader: how the retrievers stand.
        answered: the same without the queries that failed and count as empty; None if none does.
        searches: what is known of the searches.
    """
    first = leader.name(leader.ranking[0])
    for entry in leader.corrected.common.entries:
        name, counts = entry.retriever, entry.counts
        if counts.left_out:
            yield Caveat("left out", name, counts.left_out, counts.queries)
        if counts.failed > counts.left_out:
            failed = Caveat("outage", name, counts.failed - counts.left_out, counts.queries)
            yield from _outage(failed, leader, answered)
        if name == first:
            continue
        if name in searches.english:
            yield Caveat("language", name)
        cuts = (cut for cut in searches.truncations if cut.retriever == name)
        most = max(cuts, key=lambda cut: cut.cut_share, default=None)
        if most is not None and most.cut_share > CUT:
            yield Caveat("cut", name, most.cut, most.texts)


def _outage(failed: Caveat, leader: Leader, answered: Leader | None) -> Iterator[Caveat]:
    """The caveat, if it matters to the difference to the leader, or if nobody knows which queries
    failed."""
    turns = answered is not None and (
        (leader.state, leader.clean) != (answered.state, answered.clean)
    )
    first = leader.ranking[0]
    if failed.retriever == leader.name(first):
        yield from [replace(failed, turns=True)] if turns else []
        return
    if answered is None:
        yield failed
        return
    pair = first, leader.corrected.common.retrievers.index(failed.retriever)
    before, after = leader.difference(*pair), answered.difference(*pair)
    near = abs(before.value - after.value) <= (leader.margin or 0.0)
    if turns or not near or before.decided != after.decided:
        better = pair[::-1] if answered.beats(*pair[::-1]) else pair
        yield replace(failed, answered=answered.finding(*better), turns=turns)


def _same_k(at_k: Leader, chunks: ChunkSizes) -> SameK:
    """What retrievers of different chunks reach and hold at the same k."""
    first, held = at_k.name(at_k.ranking[0]), chunks.characters
    made = SameK(at_k.measure.name, first, at_k.means[first].value)
    if not held or not all(map(len, held.values())):
        return made
    cutoff = parse_measure(at_k.measure.measure).cutoff
    k = cutoff if isinstance(cutoff, int) else max(map(len, held.values()))
    sizes = {name: float(own[min(k, len(own)) - 1]) for name, own in held.items()}
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    return replace(made, k=k, smallest=least, fewest=sizes[least], largest=most, most=sizes[most])
