"""The verdict: which retriever to use, what is sure, what is open; each line from its facts.

Something is decided where the adjusted p is below .05 and the interval of the paired difference
excludes 0. The overlap of two retrievers' own intervals is never read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ragscore.blocks.numbers import (
    count_text,
    interval_text,
    latency_text,
    number_text,
    plain_number,
    signed_text,
    size_text,
)
from ragscore.comparison.check import Trouble
from ragscore.comparison.compared_measure import ComparedMeasure, MeasureName
from ragscore.comparison.families import Compared
from ragscore.comparison.model import (
    ALPHA,
    Difference,
    Identical,
)
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.standing import Standing, bounds_of
from ragscore.comparison.verdict_lines import Verdict, VerdictLine, VerdictState
from ragscore.stats.few_differ import TOO_FEW
from ragscore.strings import LISTED, Listed, Sentence


def verdict_of(
    compared: Compared,
    measures: Sequence[ComparedMeasure],
    identical: Sequence[Identical],
    trouble: Trouble | None,
    *,
    latency: Mapping[str, float],
    options: CompareOptions,
) -> Verdict:
    """What to use, what is sure, what is open.

    Args:
        compared: the measures and the leader.
        measures: what was compared of each measure.
        identical: retrievers that returned the same.
        trouble: what is wrong with the data, if anything is: nothing else is stated then.
        latency: milliseconds a query by retriever, where known.
        options: margin, correction, language.
    """
    if trouble is not None:
        facts = {"count": trouble.count, "n": trouble.n}
        line = VerdictLine("use", "word_check_data", (trouble.part,), facts)
        return Verdict("CHECK DATA", (line,), None, (), options.language)
    return _Verdict(compared, measures, identical, latency, options).made()


@dataclass(frozen=True, eq=False)
class _Verdict(Standing):
    measures: Sequence[ComparedMeasure]
    identical: Sequence[Identical]
    latency: Mapping[str, float]
    options: CompareOptions

    def made(self) -> Verdict:
        state = self.state()
        lines = [self._use(state)]
        if self.against:
            lines += [self._sure(state), *self._open(state), *self._but()]
        lines += [_same(group) for group in self.identical]
        return Verdict(state, tuple(lines), self.leader, self.tied, self.options.language)

    @cached_property
    def _margin_text(self) -> str:
        return "" if self.margin is None else plain_number(self.margin)

    @cached_property
    def name(self) -> MeasureName:
        return self.measures[0].name

    def _use(self, state: VerdictState) -> VerdictLine:
        label = f"word_{state.lower().replace(' ', '_')}"
        mean = self.primary.means[self.leader]
        low, high = mean.interval.low, mean.interval.high
        a = number_text(mean.value) + _bracket(low, high)
        own = {"A": self.leader, "M": self.name, "a": a}
        if state == "SAME":
            either = Listed(self.identical[0].retrievers, "or")
            parts = [
                Sentence("use_same", {**own, "either": either}),
                *self._cost(either.parts, state),
            ]
        elif state == "CLEAR":
            parts = [Sentence("use_clear", {**own, "r": len(self.compared.ranking)})]
            if not all(_at_least(pair) for pair in self.against):
                label = "word_decided"
        elif state == "TIE":
            parts = [self._tie(own), *self._cost(self.tied, state)]
        else:
            pair = self.open_pairs[0] if state == "EQUAL" else self.against[0]
            parts = [
                self._of_two(state, pair),
                *self._cost((self.leader, pair.baseline), state),
            ]
        facts = {
            "retriever": self.leader,
            "measure": self.primary.measure,
            "value": mean.value,
            "low": low,
            "high": high,
            "tied": list(self.tied),
            "margin": self.margin,
        }
        return VerdictLine("use", label, tuple(parts), facts)

    def _of_two(self, state: VerdictState, pair: Difference) -> Sentence:
        facts: dict[str, Any] = {"A": self.leader, "B": pair.baseline}
        if state == "TOO FEW":
            key = "use_too_few" if pair.clusters is None else "use_too_few_clusters"
            return Sentence(
                key,
                {
                    **facts,
                    "x": count_text(pair.differing),
                    "n": count_text(pair.test.n),
                },
            )
        facts |= {"M": self.name, "m": self._margin_text, "ci": _interval(pair)}
        if state == "SMALL":
            return Sentence("use_small", {**facts, "size": size_text(pair.value)})
        return Sentence("use_equal", {**facts, "d": signed_text(pair.value)})

    def _tie(self, own: Mapping[str, Any]) -> Sentence:
        names = [name for name in self.tied if name != self.leader]
        values = {pair.baseline: pair.value for pair in self.against}
        level = [name for name in names if values[name] == 0]
        if not level:
            return Sentence("use_tie", {**own, "tied": Listed(tuple(names))})
        facts = {**own, "level": Listed((self.leader, *level))}
        others = tuple(name for name in names if name not in level)
        if not others:
            return Sentence("use_level", facts)
        return Sentence("use_level_tie", {**facts, "tied": Listed(others)})

    def _cost(self, names: Sequence[str], state: VerdictState) -> list[Sentence]:
        """What each of those takes that the scores do not tell apart."""
        if not all(name in self.latency for name in names):
            return [] if state in ("TIE", "TOO FEW") else [Sentence("cost_unknown", {})]
        listed = [f"{name} {latency_text(self.latency[name])} ms" for name in names]
        costs = ", ".join(listed) if len(listed) <= LISTED else Listed(tuple(listed))
        return [Sentence("cost", {"costs": costs})]

    def _sure(self, state: VerdictState) -> VerdictLine:
        decided = sorted(
            (pair for pair in self.against if pair.decided),
            key=lambda pair: -pair.value,
        )
        listed: dict[str, list[Difference]] = {self.leader: decided} if decided else {}
        for pair in self.beaten_by_others:
            listed.setdefault(pair.retriever, []).append(pair)
        parts = [
            Sentence("sure", {"A": name, "beaten": Listed(tuple(map(self._beaten, ones)))})
            for name, ones in listed.items()
        ]
        if not parts and state == "EQUAL":
            names = {"A": self.leader, "B": self.open_pairs[0].baseline}
            parts.append(Sentence("sure_equal", {**names, "m": self._margin_text}))
        differences = [pair for ones in listed.values() for pair in ones]
        facts = {"differences": [self._difference(pair) for pair in differences]}
        return VerdictLine(
            "sure", "label_sure", tuple(parts or [Sentence("sure_nothing", {})]), facts
        )

    def _beaten(self, pair: Difference) -> Sentence:
        facts = {
            "D": pair.baseline,
            "size": size_text(pair.value),
            "ci": _interval(pair),
        }
        if pair.below_margin:
            return Sentence("beaten_small", {**facts, "m": self._margin_text})
        return Sentence("beaten", facts)

    def _open(self, state: VerdictState) -> list[VerdictLine]:
        if not self.open_pairs or state == "EQUAL":
            return []
        against = Listed(tuple(map(_against, self.open_pairs)))
        facts: dict[str, Any] = {"against": against}
        # A pair inside the margin leaves no difference of the margin to decide.
        wide = [pair for pair in self.open_pairs[:LISTED] if not self.equal([pair])]
        needs = [pair.needed for pair in wide]
        more = [_more(pair) or 0 for pair in wide]
        if all(pair.differing <= TOO_FEW for pair in self.open_pairs):
            part = Sentence("open_not_shown", facts)
        elif None in needs or max(more, default=0) <= 0:
            part = Sentence("open", facts)
        else:
            part = Sentence(
                "open_needs", {**facts, "need": count_text(max(more)), "m": self._margin_text}
            )
        found = {"differences": [self._difference(pair) for pair in self.open_pairs]}
        return [VerdictLine("open", "label_open", (part, *self._remarks()), found)]

    def _remarks(self) -> list[Sentence]:
        """Why open pairs that seem decided are not, each reason once."""
        by_reason: dict[str, list[Difference]] = {}
        for pair in self.open_pairs:
            if reason := self._why_open(pair):
                by_reason.setdefault(reason, []).append(pair)
        parts = []
        for reason, ones in by_reason.items():
            facts = {"A": ones[0].retriever, "comparisons": ones[0].m}
            if reason == "not_after_correction" and len(ones) > 1:
                beaten = Listed(tuple(pair.baseline for pair in ones))
                parts.append(Sentence(f"{reason}_several", {**facts, "B": beaten}))
            else:
                parts.append(Sentence(reason, {**facts, "B": ones[0].baseline}))
        return parts

    def _why_open(self, pair: Difference) -> str:
        """The string that says why a pair that seems decided is not; empty where none seems so."""
        if self._in_family(pair):
            return "only_baseline"
        if not pair.disagrees:
            return ""
        if pair.p_adjusted < ALPHA:
            return "not_by_interval"
        corrected = pair.m > 1 and self.options.correction != "none"
        return "not_after_correction" if corrected else "not_by_test"

    def _in_family(self, pair: Difference) -> bool:
        """Whether the family of a named baseline decides what all pairs together do not."""
        if pair.baseline != self.options.baseline:
            return False
        marked = self.primary.differences
        return any(
            other.decided and (other.retriever, other.baseline) == (pair.retriever, pair.baseline)
            for other in marked
        )

    def _but(self) -> list[VerdictLine]:
        """The first secondary measure on which another is decided to beat the leader."""
        for measure, of_leader in zip(self.measures[1:], self.compared.leader[1:], strict=True):
            for pair in of_leader:
                if not (pair.decided and pair.value < 0):
                    continue
                low, high = bounds_of(pair)
                facts = {
                    "B": pair.baseline,
                    "M2": measure.name,
                    "d": signed_text(-pair.value),
                }
                part = Sentence("but", {**facts, "ci": _bracket(-high, -low, sign=True)})
                found = {"measure": measure.measure, "differences": [self._difference(pair)]}
                return [VerdictLine("but", "label_but", (part,), found)]
        return []

    def _difference(self, pair: Difference) -> dict[str, Any]:
        low, high = bounds_of(pair)
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
    facts: dict[str, Any] = {"names": Listed(group.retrievers)}
    part = Sentence("same", facts)
    if group.reason is not None:
        part = Sentence("same_because", {**facts, "why": group.reason})
    return VerdictLine("same", "label_same", (part,), {"retrievers": list(group.retrievers)})


def _against(pair: Difference) -> Sentence:
    facts = {
        "A": pair.retriever,
        "B": pair.baseline,
        "d": signed_text(pair.value),
    }
    return Sentence("against", {**facts, "ci": _interval(pair)})


def _more(pair: Difference) -> int | None:
    """Queries that are missing to decide a difference of the margin; None where not shown."""
    if pair.needed is None or pair.differing <= TOO_FEW:
        return None
    return max(pair.needed - pair.n, 0)


def _at_least(pair: Difference) -> bool:
    """Whether a decided difference is no smaller than the margin, where there is one."""
    low, high = bounds_of(pair)
    return pair.margin is None or min(abs(low), abs(high)) >= pair.margin


def _interval(pair: Difference) -> str:
    return _bracket(*bounds_of(pair), sign=True) if pair.differing else ""


def _bracket(low: float, high: float, *, sign: bool = False) -> str:
    """The bounds behind a number; empty where they can't be estimated."""
    bounds = interval_text(low, high, sign=sign)
    return f" {bounds}" if bounds else ""
