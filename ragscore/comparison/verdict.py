"""The verdict: which template applies, and the facts that fill it.

A retriever is "best" only where it is decided against every other one: adjusted p below .05 and
an interval of the paired difference that excludes 0. The overlap of two retrievers' own intervals
is never read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragscore.comparison.check import Trouble
from ragscore.comparison.contrasts import bounds
from ragscore.comparison.families import Compared
from ragscore.comparison.model import ALPHA, Difference, MeasureComparison, State, Verdict
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.quantity import Quantity
from ragscore.comparison.wording import Part, say

TOO_FEW = 5
"""So many differing units at most can't reach p < .05: two-sided, 2 / 2**5 = .0625."""


def verdict_of(
    compared: Compared,
    quantities: Sequence[Quantity],
    trouble: Trouble | None,
    *,
    latency: Mapping[str, float],
    options: CompareOptions,
) -> Verdict:
    """The first template that applies, in the order of shared/VERDICTS.md.

    Args:
        compared: the measures and the leader.
        quantities: what was compared of each measure.
        trouble: what is wrong with the data, if anything is.
        latency: milliseconds a query by retriever, where known.
        options: margin, correction, language.
    """
    if trouble is not None:
        facts = {"count": trouble.count, "n": trouble.n}
        part = Part("check_data", {**facts, "problem": trouble.problem, "fix": trouble.fix})
        return _verdict("CHECK DATA", [part], options=options)
    return _Decider(compared, quantities, latency, options).verdict()


def _verdict(
    state: State,
    parts: Sequence[Part],
    *,
    options: CompareOptions,
    mixed: Part | None = None,
    leader: str | None = None,
    other: str | None = None,
    tied: tuple[str, ...] = (),
) -> Verdict:
    return Verdict(
        state=state,
        text=say(parts, options.language),
        mixed=say([mixed], options.language) if mixed else None,
        leader=leader,
        other=other,
        tied=tied,
        parts=(*parts, mixed) if mixed else tuple(parts),
    )


class _Decider:
    def __init__(
        self,
        compared: Compared,
        quantities: Sequence[Quantity],
        latency: Mapping[str, float],
        options: CompareOptions,
    ) -> None:
        self.compared, self.quantities = compared, quantities
        self.latency, self.options = latency, options
        self.against = compared.leader[0]
        self.primary: MeasureComparison = compared.measures[0]
        self.name = quantities[0].name
        self.leader = self.against[0].retriever

    def verdict(self) -> Verdict:
        first, margin = self.against[0], self.options.margin
        if first.differing <= TOO_FEW:
            return self._of("TOO FEW", first, [self._too_few(first), *self._behind()], mixed=None)
        low, high = _bounds(first)
        facts = self._facts(first)
        if all(one.decided for one in self.against):
            if high < margin:
                parts = [Part("small", facts), self._cost(first), *_no_width(first)]
                return self._of("SMALL", first, parts)
            size = "at_least_margin" if low >= margin else "maybe_below_margin"
            parts = [Part("clear", facts), Part(size, {"lo": low, "m": margin})]
            return self._of("CLEAR", first, [*parts, *_no_width(first)])
        tied = [one for one in self.against if not one.decided]
        if len(tied) == 1:
            [only] = tied
            low, high = _bounds(only)
            if -margin < low and high < margin:
                parts = [Part("equal", self._facts(only)), self._cost(only)]
                return self._of("EQUAL", only, [*parts, *self._behind(), *self._remarks(tied)])
        if len(self.against) > 1:
            return self._tie_group(tied)
        level = "undecided" if first.value > 0 else "undecided_level"
        parts = [Part(level, facts), *self._could_see(first), *self._remarks(tied)]
        return self._of("UNDECIDED", first, parts)

    def _tie_group(self, tied: Sequence[Difference]) -> Verdict:
        names = (self.leader, *(one.baseline for one in tied))
        means = [self.primary.means[name].value for name in names]
        facts = {"tied": names, "M": self.name, "v1": min(means), "v2": max(means)}
        part = Part("tie_group", {**facts, "worse": self._worse() or ""})
        parts = [part, *self._not_worse_than(names), *self._remarks(tied), *self._apart(names)]
        return self._of("TIE GROUP", tied[0], parts, mixed=None, tied=names)

    def _not_worse_than(self, names: Sequence[str]) -> list[Part]:
        """Of whom the clearly worse one is not shown to be worse, as far as the family of the
        baseline tells: that the leader beats it and is tied with them says nothing of them."""
        worse = self._worse()
        if worse is None:
            return []
        pairs = [
            (one.retriever, one.baseline) for one in self.primary.differences if not one.decided
        ]
        behind = worse.facts["D"]
        open_pairs = [pair for pair in pairs if behind in pair]
        others = tuple(
            name for pair in open_pairs for name in pair if name != behind and name in names
        )
        return [Part("not_worse_than", {"D": behind, "open": others})] if others else []

    def _apart(self, names: Sequence[str]) -> list[Part]:
        """Where the family of the baseline decides between two that the leader is tied with."""
        parts = []
        for one in self.primary.differences:
            if not (one.decided and {one.retriever, one.baseline} <= set(names)):
                continue
            (low, high), value = _bounds(one), one.value
            worse, better = one.retriever, one.baseline
            if value > 0:
                worse, better = better, worse
                low, high, value = -high, -low, -value
            facts = {**self._facts(one), "A": better, "B": worse, "d": value, "lo": low, "hi": high}
            parts.append(Part("apart", facts))
        return parts

    def _worse(self) -> Part | None:
        """One that is clearly worse than the leader: the baseline, else the nearest."""
        decided = [one for one in self.against if one.decided]
        if not decided:
            return None
        baseline = self.primary.differences[0].baseline
        one = next((one for one in decided if one.baseline == baseline), decided[0])
        low, high = _bounds(one)
        return Part("worse", {"D": one.baseline, "d": -one.value, "lo": -high, "hi": -low})

    def _behind(self) -> list[Part]:
        """The same as a sentence, behind one that names the first two only."""
        worse = self._worse()
        return [Part("worse_sentence", worse.facts)] if worse else []

    def _too_few(self, one: Difference) -> Part:
        facts = {"x": one.differing, "n": one.test.n, "A": one.retriever, "B": one.baseline}
        return Part("too_few" if one.clusters is None else "too_few_clusters", facts)

    def _facts(self, one: Difference) -> dict[str, Any]:
        low, high = _bounds(one)
        return {
            "A": one.retriever,
            "B": one.baseline,
            "M": self.name,
            "a": self.primary.means[one.retriever].value,
            "d": one.value,
            "lo": low,
            "hi": high,
            "m": self.options.margin,
            "P": Part(f"p_{self.options.correction}", {}),
            "p": one.p_adjusted,
            "n": one.n,
            "w": one.wins,
            "l": one.losses,
            "t": one.ties,
        }

    def _cost(self, one: Difference) -> Part:
        both = [self.latency.get(name) for name in (one.retriever, one.baseline)]
        if None in both:
            return Part("cost_unknown", {})
        names = {"A": one.retriever, "B": one.baseline}
        return Part("cost", {**names, "ms_a": both[0], "ms_b": both[1]})

    def _could_see(self, one: Difference) -> list[Part]:
        if one.detectable is None or one.needed is None:
            return []
        facts = {"n": one.n, "mde": one.detectable, "need": one.needed, "m": self.options.margin}
        return [Part("could_see", facts)]

    def _remarks(self, tied: Sequence[Difference]) -> list[Part]:
        """Where interval and adjusted p disagree: the first of those that are not decided."""
        for one in tied:
            if not one.disagrees:
                continue
            facts = {"A": one.retriever, "B": one.baseline}
            if one.p_adjusted < ALPHA:
                return [Part("not_by_interval", facts)]
            if one.m > 1 and self.options.correction != "none":
                return [Part("not_after_correction", {**facts, "comparisons": one.m})]
            return [Part("not_by_test", facts)]
        return []

    def _mixed(self, among: Sequence[str]) -> Part | None:
        """The first secondary measure on which one of these is decided to beat the leader."""
        for quantity, family in zip(self.quantities[1:], self.compared.leader[1:], strict=True):
            for one in family:
                if one.baseline in among and one.decided and one.value < 0:
                    low, high = _bounds(one)
                    facts = {"B": one.baseline, "M2": quantity.name}
                    return Part("mixed", {**facts, "d2": -one.value, "lo": -high, "hi": -low})
        return None

    def _of(
        self,
        state: State,
        one: Difference,
        parts: Sequence[Part],
        *,
        mixed: str | None = "look",
        tied: tuple[str, ...] = (),
    ) -> Verdict:
        """A verdict; a claim over all others is contradicted by any of them."""
        overall = state in ("SMALL", "CLEAR")
        among = [other.baseline for other in self.against] if overall else [one.baseline]
        return _verdict(
            state,
            parts,
            options=self.options,
            mixed=self._mixed(among) if mixed else None,
            leader=self.leader,
            other=one.baseline,
            tied=tied,
        )


def _bounds(one: Difference) -> tuple[float, float]:
    return bounds(one.interval, one.value, one.test)


def _no_width(one: Difference) -> list[Part]:
    return [] if one.interval.estimable else [Part("no_width", {})]
