"""The verdict: which retriever to use, what is sure, what is open; each line from its facts.

Something is decided where the adjusted p is below .05 and the interval of the paired difference
excludes 0. The overlap of two retrievers' own intervals is never read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ragscore.comparison.caveats import (
    against,
    bracket,
    caveat_lines,
    caveats_of,
    interval_of,
    outage_decides,
)
from ragscore.comparison.check import DataProblem
from ragscore.comparison.record import (
    ALPHA,
    Difference,
    Identical,
    SearchFacts,
)
from ragscore.comparison.score_matrix import ComparedMeasure
from ragscore.comparison.standing import Standing
from ragscore.comparison.verdict import (
    STATE_WORDS,
    Caveat,
    LeakDifference,
    Verdict,
    VerdictLine,
    VerdictState,
)
from ragscore.dataset import Unit
from ragscore.elements.numbers import (
    count_text,
    latency_text,
    number_text,
    plain_number,
    signed_text,
    size_text,
)
from ragscore.measures import parse_measure
from ragscore.messages import LISTED, Message, _, listed
from ragscore.stats.few_differ import TOO_FEW

SIZES: Mapping[Unit, Message] = {
    "words": _("{limit} words"),
    "characters": _("{limit} characters"),
    "tokens": _("{limit} tokens"),
}
ONLY_BASELINE = _(
    "{A} is decided to be better among the comparisons with {B} alone, but not over all pairs."
)
NOT_AFTER_CORRECTION = _(
    "The interval of {A} over {B} excludes 0, but the difference is not decided after correction "
    "for {comparisons} comparisons."
)
SEVERAL_NOT_AFTER_CORRECTION = _(
    "The intervals of {A} over {B} exclude 0, but these differences are not decided after "
    "correction for {comparisons} comparisons."
)
NOT_BY_TEST = _(
    "The interval of {A} over {B} excludes 0, but the test does not decide the difference."
)
NOT_BY_INTERVAL = _("The test alone would show {A} over {B}, but the interval does not exclude 0.")


@dataclass(frozen=True, eq=False)
class VerdictWriter(Standing):
    """How the retrievers stand, and the lines of the verdict about it.

    Attributes:
        identical: retrievers that returned the same passages for every query.
        latency: milliseconds a query by retriever, where known.
        searches: what is known of the searches.
        answered: how they stand without the queries that failed and count as empty; None if
            none does.
        at_k: how they stand at the same k, where this is about the same context.
    """

    identical: Sequence[Identical]
    latency: Mapping[str, float]
    searches: SearchFacts
    answered: Standing | None = None
    at_k: Standing | None = None

    def verdict(self, problem: DataProblem | None) -> Verdict:
        """What to use, what is sure, what is open.

        Args:
            problem: what is wrong with the data, if anything is: nothing else is stated then.
        """
        if problem is not None:
            facts = {"count": problem.count, "n": problem.n}
            line = VerdictLine("use", STATE_WORDS["CHECK DATA"], (problem.sentence,), facts)
            return Verdict("CHECK DATA", (line,), None, (), (), None, ())
        lines = [self._use()]
        if self.against:
            lines += [*self._leaks(), *self._sure(), *self._open(), *self._but()]
        common = self.means[self.leader].n
        lines += caveat_lines(self._caveats, common, self.searches.written)
        lines += [*self._chunks(), *self._sample()]
        lines += [_same(group) for group in self.identical]
        tied = self.recommended if self.state == "LEAKS" else self.tied
        leaks = (*self._decided_leaks, *self._open_leaks)
        context = (
            self.searches.chunk_sizes.context if self.searches.chunk_sizes and self.at_k else None
        )
        return Verdict(
            self.state,
            tuple(lines),
            self.leader,
            tied,
            leaks,
            context,
            self._caveats,
        )

    @cached_property
    def state(self) -> VerdictState:
        """The kind of answer: MIXED where it is clear only because of failed queries."""
        claimed = self.on_all in ("CLEAR", "LEAKS", "SMALL", "EQUAL")
        return "MIXED" if claimed and outage_decides(self, self.answered) else self.on_all

    @cached_property
    def _caveats(self) -> tuple[Caveat, ...]:
        return tuple(caveats_of(self, self.answered, self.searches))

    @cached_property
    def _decided_leaks(self) -> tuple[LeakDifference, ...]:
        """Those of the recommended retriever, and why a contender is not recommended."""
        found = [leak for leak in self.leaks_beside(self.recommended[0]) if leak.difference.decided]
        for name in self.contenders:
            if name not in self.recommended and name not in self._leaking(found):
                found += [
                    leak
                    for leak in self.leaks_beside(name)
                    if leak.difference.retriever in self.recommended and leak.difference.decided
                ][:1]
        return tuple(found)

    @staticmethod
    def _leaking(leaks: Sequence[LeakDifference]) -> set[str]:
        return {leak.difference.baseline for leak in leaks}

    @cached_property
    def _open_leaks(self) -> tuple[LeakDifference, ...]:
        """Those of the recommended retriever that are not decided."""
        found = self.leaks_beside(self.recommended[0])
        return tuple(leak for leak in found if not leak.difference.decided)

    @cached_property
    def _measure(self) -> ComparedMeasure:
        return self.corrected.common.measures[self.primary]

    @cached_property
    def _margin_text(self) -> str:
        return "" if self.margin is None else plain_number(self.margin)

    def _use(self) -> VerdictLine:
        word = STATE_WORDS[self.state]
        first = self.recommended[0] if self.state in ("LEAKS", "MIXED") else self.leader
        mean = self.means[first]
        low, high = mean.low, mean.high
        a = number_text(mean.value) + bracket(low, high)
        own = {"A": first, "M": self._measure.name, "a": a}
        if self.state == "SAME":
            same = self.identical[0].retrievers
            either = listed(same, "or")
            parts = [
                _("Use {either}: {M} {a} for each of them.", **own, either=either),
                *self._cost(same),
            ]
        elif self.state == "CLEAR":
            parts = [_("Use {A}: {M} {a}, the best of {r}.", **own, r=len(self.ranking))]
            if not all(map(_at_least, self.against)):
                word = _("Decided")
        elif self.state == "TOO FEW" and not self.against[0].differing:
            word = _("Same")
            level = [pair.baseline for pair in self.against if not pair.differing]
            same = (self.leader, *level)
            either = listed(same, "or")
            own |= {"n": count_text(self.against[0].n), "either": either}
            parts = [
                _("Use {either}: each has the same {M} on all {n} queries, on average {a}.", **own),
                *self._cost(same),
            ]
        elif self.state == "MIXED":
            cleaner = self.cleaner_than(first)
            outage = tuple(caveat.retriever for caveat in self._caveats if caveat.turns)
            if cleaner:
                own["B"] = listed(cleaner)
                parts = [_("{A} reaches {M} {a}, but leaks more than {B}. Weigh the two.", **own)]
            else:
                own["B"] = listed(outage)
                parts = [
                    _(
                        "{A} reaches {M} {a}, but the verdict changes without the failed queries "
                        "of {B}. Search them again.",
                        **own,
                    )
                ]
        elif self.state == "LEAKS":
            if len(self.recommended) > 1:
                word = _("Tie")
            worse = tuple(name for name in self.contenders if name not in self.recommended)
            facts = {"either": listed(self.recommended, "or"), "worse": listed(worse)}
            parts = [
                _(
                    "Use {either}: {M} {a}, with fewer leaks than {worse}. No difference "
                    "that matters is decided on {M}.",
                    **own,
                    **facts,
                )
            ]
        elif self.state == "TIE":
            parts = [self._tie(own), *self._cost(self.tied)]
        else:
            pair = self.open_pairs[0] if self.state == "EQUAL" else self.against[0]
            parts = [self._of_two(pair), *self._cost((self.leader, pair.baseline))]
        found = {
            "retriever": first,
            "measure": self._measure.measure,
            "value": mean.value,
            "low": low,
            "high": high,
            "tied": list(self.recommended if self.state == "LEAKS" else self.tied),
            "margin": self.margin,
        }
        return VerdictLine("use", word, tuple(parts), found)

    def _of_two(self, pair: Difference) -> Message:
        facts: dict[str, Any] = {"A": self.leader, "B": pair.baseline}
        if self.state == "TOO FEW":
            facts |= {"x": count_text(pair.differing), "n": count_text(pair.test.n)}
            if pair.clusters is None:
                return _("These queries cannot decide: {A} and {B} differ on {x} of {n}.", **facts)
            return _(
                "These queries cannot decide: {A} and {B} differ on {x} of {n} clusters.", **facts
            )
        facts |= {"M": self._measure.name, "m": self._margin_text, "ci": interval_of(pair)}
        if self.state == "SMALL":
            return _(
                "Use {A} or {B}: {A} is better on {M} by {size}{ci}, less than the margin of {m}.",
                **facts,
                size=size_text(pair.value),
            )
        return _(
            "Use {A} or {B}: equal on {M} for practical purposes (difference "
            "{d}{ci}, inside ±{m}).",
            **facts,
            d=signed_text(pair.value),
        )

    def _tie(self, own: Mapping[str, Any]) -> Message:
        names = [name for name in self.tied if name != self.leader]
        values = {pair.baseline: pair.value for pair in self.against}
        level = [name for name in names if values[name] == 0]
        if not level:
            return _(
                "{A} leads with {M} {a}; {tied} may be as good.", **own, tied=listed(tuple(names))
            )
        facts = {**own, "level": listed((self.leader, *level))}
        others = tuple(name for name in names if name not in level)
        if not others:
            return _("{level} have the same mean on {M}: {a}.", **facts)
        return _(
            "{level} have the same mean on {M}: {a}; {tied} may be as good.",
            **facts,
            tied=listed(others),
        )

    def _cost(self, names: Sequence[str]) -> list[Message]:
        """What retrievers cost that the scores cannot separate."""
        if not all(name in self.latency for name in names):
            return [] if self.state in ("TIE", "TOO FEW") else [_("Let the cost decide.")]
        times = [f"{name} {latency_text(self.latency[name])} ms" for name in names]
        costs = ", ".join(times) if len(times) <= LISTED else listed(times)
        return [_("Let the cost decide: {costs}.", costs=costs)]

    def _leaks(self) -> list[VerdictLine]:
        """Which retrievers are decided to leak less."""
        decided: dict[tuple[str, str], list[Difference]] = {}
        for leak in self._decided_leaks:
            pair = leak.difference
            decided.setdefault((leak.measure, pair.retriever), []).append(pair)
        parts = []
        for (measure, name), pairs in decided.items():
            worse = listed(tuple(self._leaking_more(measure, pair) for pair in pairs))
            own = {"M": self._name_of(measure), "A": name, "a": self._mean_on(measure, name)}
            parts.append(_("{A} ({M} {a}) leaks less than {worse}.", **own, worse=worse))
        facts = {"differences": [_facts(leak.difference) for leak in self._decided_leaks]}
        return [VerdictLine("leaks", _("Leaks"), tuple(parts), facts)] if parts else []

    def _leaking_more(self, measure: str, pair: Difference) -> Message:
        own = {"B": pair.baseline, "b": self._mean_on(measure, pair.baseline)}
        return _(
            "{B} ({b}), by {size}{ci}", **own, size=size_text(pair.value), ci=interval_of(pair)
        )

    def _name_of(self, measure: str) -> Any:
        measures = self.corrected.common.measures
        return next(found.label for found in measures if found.measure == measure)

    def _mean_on(self, measure: str, retriever: str) -> str:
        """The mean over the queries that have a value for every retriever."""
        common = self.corrected.common
        values = common.values[[found.measure for found in common.measures].index(measure)]
        known = values[common.retrievers.index(retriever), ~np.isnan(values).any(axis=0)]
        return number_text(math.fsum(known.tolist()) / len(known) if len(known) else math.nan)

    def _sure(self) -> list[VerdictLine]:
        by_outage = {
            caveat.retriever
            for caveat in self._caveats
            if (pair := caveat.answered) is not None and not (pair.decided and pair.value > 0)
        }
        decided = [pair for pair in self.against if pair.decided and pair.baseline not in by_outage]
        decided.sort(key=lambda pair: -pair.value)
        beaten: dict[str, list[Difference]] = {self.leader: decided} if decided else {}
        for pair in self.beaten_by_others:
            if pair.baseline not in by_outage:
                beaten.setdefault(pair.retriever, []).append(pair)
        parts = [
            _(
                "{A} is better than {beaten}.",
                A=name,
                beaten=listed(tuple(map(self._beaten, pairs))),
            )
            for name, pairs in beaten.items()
        ]
        if not parts and self.on_primary == "EQUAL":
            names = {"A": self.leader, "B": self.open_pairs[0].baseline}
            parts.append(_("{A} and {B} differ by less than {m}.", **names, m=self._margin_text))
        if not parts and self._decided_leaks:
            return []
        facts = {"differences": [_facts(pair) for pairs in beaten.values() for pair in pairs]}
        parts = parts or [_("nothing yet.")]
        return [VerdictLine("sure", _("Sure"), tuple(parts), facts)]

    def _beaten(self, pair: Difference) -> Message:
        facts = {"D": pair.baseline, "size": size_text(pair.value), "ci": interval_of(pair)}
        if pair.below_margin:
            return _("{D} by {size}{ci}, less than the margin of {m}", **facts, m=self._margin_text)
        return _("{D} by {size}{ci}", **facts)

    def _open(self) -> list[VerdictLine]:
        pairs = self.open_pairs if self._open_pairs else ()
        leaks = (leak.difference for leak in self._open_leaks)
        facts = {"differences": [_facts(pair) for pair in (*pairs, *leaks)]}
        parts = (*self._open_on_primary(), *self._open_on_leaks())
        return [VerdictLine("open", _("Open"), parts, facts)] if parts else []

    def _open_on_leaks(self) -> Iterator[Message]:
        """The differences in leaks that are not decided."""
        first = self.recommended[0]
        on: dict[str, list[str]] = {}
        for leak in self._open_leaks:
            pair = leak.difference
            other = pair.baseline if pair.retriever == first else pair.retriever
            on.setdefault(leak.measure, []).append(f"{other} {self._mean_on(leak.measure, other)}")
        for measure, others in on.items():
            own = {"M": self._name_of(measure), "A": first, "a": self._mean_on(measure, first)}
            yield _(
                "{M} of {A} {a} against {others}: not decided.", **own, others=listed(tuple(others))
            )

    @cached_property
    def _open_pairs(self) -> list[Difference]:
        if self.on_primary == "EQUAL":
            return []
        return [pair for pair in self.open_pairs if pair.differing]

    def _open_on_primary(self) -> list[Message]:
        if not self._open_pairs:
            return []
        facts: dict[str, Any] = {"against": listed(tuple(map(against, self._open_pairs)))}
        # A pair inside the margin leaves no difference of the margin to decide.
        wide = [pair for pair in self.open_pairs[:LISTED] if not self.equal([pair])]
        needs = [pair.needed for pair in wide]
        more = [_more(pair) or 0 for pair in wide]
        if all(pair.differing <= TOO_FEW for pair in self.open_pairs):
            part = _(
                "{against}; too few queries differ to say how many more would decide.", **facts
            )
        elif None in needs or max(more, default=0) <= 0:
            part = _("{against}.", **facts)
        else:
            facts |= {"need": count_text(max(more)), "m": self._margin_text}
            part = _(
                "{against}; about {need} more queries like these would decide a "
                "difference of {m} (80 % power).",
                **facts,
            )
        return [part, *self._remarks()]

    def _remarks(self) -> list[Message]:
        """Why open pairs that seem decided are not, each reason once."""
        by_reason: dict[Message, list[Difference]] = {}
        for pair in self.open_pairs:
            if reason := self._why_open(pair):
                by_reason.setdefault(reason, []).append(pair)
        parts = []
        for reason, pairs in by_reason.items():
            facts = {"A": pairs[0].retriever, "comparisons": pairs[0].m}
            if reason == NOT_AFTER_CORRECTION and len(pairs) > 1:
                beaten = listed([pair.baseline for pair in pairs])
                parts.append(SEVERAL_NOT_AFTER_CORRECTION.given(**facts, B=beaten))
            else:
                parts.append(reason.given(**facts, B=pairs[0].baseline))
        return parts

    def _why_open(self, pair: Difference) -> Message | None:
        """Why a pair that seems decided is not; None if it does not seem so."""
        if self._in_family(pair):
            return ONLY_BASELINE
        if not pair.disagrees:
            return None
        if pair.p_adjusted < ALPHA:
            return NOT_BY_INTERVAL
        several = pair.m > 1 and self.corrected.options.correction != "none"
        return NOT_AFTER_CORRECTION if several else NOT_BY_TEST

    def _in_family(self, pair: Difference) -> bool:
        """Whether the family of a named baseline decides what all pairs together do not."""
        named = self.corrected.plan.baseline
        if named is None or pair.baseline != self.corrected.common.retrievers[named]:
            return False
        return self.corrected.difference(self.primary, self.ranking[0], named).decided

    def _but(self) -> list[VerdictLine]:
        """The first secondary measure on which another is decided to beat the leader."""
        for number, measure in enumerate(self.corrected.common.measures):
            other = number != self.primary and not measure.guards
            for pair in self.against_others(number) if other else ():
                if not (pair.decided and pair.value < 0):
                    continue
                low, high = pair.bounds
                facts = {
                    "B": pair.baseline,
                    "M2": measure.name,
                    "d": signed_text(-pair.value),
                    "ci": bracket(-high, -low, sign=True),
                }
                found = {"measure": measure.measure, "differences": [_facts(pair)]}
                return [
                    VerdictLine(
                        "but",
                        _("But"),
                        (_("{B} is better on {M2} ({d}{ci}).", **facts),),
                        found,
                    )
                ]
        return []

    def _chunks(self) -> list[VerdictLine]:
        """What the same context means, and what the same k would, where retrievers search different
        chunks."""
        if self.searches.chunk_sizes is None:
            return []
        context = self.searches.chunk_sizes.context
        standing = self.at_k or self
        compared = standing.corrected.common.measures[standing.primary]
        facts: dict[str, Any] = {"M": compared.name}
        found: dict[str, Any] = {}
        parts = []
        if self.at_k is not None and context is not None:
            leader = self.at_k.leader
            size = SIZES[context.unit].given(limit=count_text(context.limit))
            own = {"A": leader, "a": number_text(self.at_k.means[leader].value), "size": size}
            parts.append(
                _(
                    "Chunks differ, so what {size} hold is compared. At the same k, {A} "
                    "leads with {M} {a}.",
                    **facts,
                    **own,
                )
            )
            if context.short:
                parts.append(
                    _("A larger depth would let {short} fill them.", short=listed(context.short))
                )
            found = {"at_k": leader}
        held = self._held(compared)
        if held:
            k, at_k = held
            least, most = min(at_k, key=at_k.__getitem__), max(at_k, key=at_k.__getitem__)
            if at_k[least] == at_k[most] and not parts:
                return []
            facts |= {"k": count_text(k), "A": least, "B": most}
            sizes = {"least": at_k[least], "most": at_k[most]}
            facts |= {name: count_text(round(size)) for name, size in sizes.items()}
            found |= {"k": k, "characters": at_k}
        if not parts:
            parts.append(
                _(
                    "{M} compares retrievers of different chunks at the same k, not in the "
                    'same context: see "What the same context holds" (--section budgets).',
                    **facts,
                )
            )
        if held:
            parts.append(
                _(
                    "The top {k} hold {least} characters on average with {A}, {most} with {B}.",
                    **facts,
                )
            )
            if context is None:
                parts.append(
                    _(
                        "No context in the table is filled by all of them: give the one that you "
                        "use (tune: {budget: {limit: N}})."
                    )
                )
        return [VerdictLine("chunks", _("Chunks"), tuple(parts), found)]

    def _held(self, measure: ComparedMeasure) -> tuple[int, dict[str, float]] | None:
        """The cutoff, and how many characters this many passages hold; None if not known."""
        held = self.searches.chunk_sizes.characters if self.searches.chunk_sizes else {}
        if not held or not all(map(len, held.values())):
            return None
        cutoff = parse_measure(measure.measure).cutoff
        k = cutoff if isinstance(cutoff, int) else max(map(len, held.values()))
        return k, {name: float(sizes[min(k, len(sizes)) - 1]) for name, sizes in held.items()}

    def _sample(self) -> list[VerdictLine]:
        """A warning that no number holds for the whole corpus, if only a sample was searched."""
        sample = self.corrected.common.sample
        if sample is None:
            return []
        part = _("{note}.", note=sample.note())
        return [VerdictLine("sample", _("Sample"), (part,), sample.to_dict())]


def _facts(pair: Difference) -> dict[str, Any]:
    low, high = pair.bounds
    return {
        "retriever": pair.retriever,
        "baseline": pair.baseline,
        "value": pair.value,
        "low": low,
        "high": high,
        "p_adjusted": pair.p_adjusted,
        "m": pair.m,
        "wins": pair.wins,
        "losses": pair.losses,
        "ties": pair.ties,
        "decided": pair.decided,
        "below_margin": pair.below_margin,
        "more_queries": None if pair.decided else _more(pair),
    }


def _same(group: Identical) -> VerdictLine:
    facts: dict[str, Any] = {"names": listed(group.retrievers)}
    part = _(
        "{names} returned the same passages for every query. They count as one retriever in "
        "everything above.",
        **facts,
    )
    if group.reason is not None:
        part = _(
            "{names} returned the same passages for every query ({why}). They count as one "
            "retriever in everything above.",
            **facts,
            why=group.reason,
        )
    return VerdictLine("same", _("Same"), (part,), {"retrievers": list(group.retrievers)})


def _more(pair: Difference) -> int | None:
    """Queries that are missing to decide a difference of the margin; None if not shown."""
    if pair.needed is None or pair.differing <= TOO_FEW:
        return None
    return max(pair.needed - pair.n, 0)


def _at_least(pair: Difference) -> bool:
    """Whether a decided difference is at least the margin, if there is a margin."""
    low, high = pair.bounds
    return pair.margin is None or min(abs(low), abs(high)) >= pair.margin
