"""Standing: who leads on the primary measure, who may be as good, and what is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ragscore.comparison.contrasts import bounds
from ragscore.comparison.families import Compared
from ragscore.comparison.model import Difference, MeasureComparison
from ragscore.comparison.verdict_lines import VerdictState
from ragscore.stats.few_differ import TOO_FEW


@dataclass(frozen=True, eq=False)
class Standing:
    """How the retrievers stand on the primary measure.

    Attributes:
        compared: the measures and the leader.
    """

    compared: Compared

    @cached_property
    def against(self) -> tuple[Difference, ...]:
        """The leader against each other retriever, the best of them first."""
        return self.compared.leader[0]

    @cached_property
    def primary(self) -> MeasureComparison:
        """All retrievers on the measure that the verdict reads."""
        return self.compared.measures[0]

    @cached_property
    def margin(self) -> float | None:
        """The largest difference that does not matter on it; None where there is none."""
        return self.primary.margin

    @cached_property
    def leader(self) -> str:
        """The retriever with the best mean."""
        return list(self.primary.means)[self.compared.ranking[0]]

    @cached_property
    def open_pairs(self) -> tuple[Difference, ...]:
        """The leader against those that it is not decided to beat."""
        return tuple(pair for pair in self.against if not pair.decided)

    @cached_property
    def beaten_by_others(self) -> tuple[Difference, ...]:
        """Who is open against the leader, but worse than another that may be the best."""
        candidates = {pair.baseline for pair in self.open_pairs}
        found: dict[str, Difference] = {}
        for pair in self.compared.pairs:  # the best first
            open_both = {pair.retriever, pair.baseline} <= candidates
            if pair.decided and pair.value > 0 and open_both and pair.retriever not in found:
                found.setdefault(pair.baseline, pair)
        return tuple(found.values())

    @cached_property
    def tied(self) -> tuple[str, ...]:
        """All that may be the best, the leader first: nobody in it is decided to be worse than
        another."""
        beaten = {pair.baseline for pair in self.beaten_by_others}
        names = (pair.baseline for pair in self.open_pairs)
        return (self.leader, *(name for name in names if name not in beaten))

    def state(self) -> VerdictState:
        """Which kind of answer it is: the first that applies."""
        if not self.against:
            return "SAME"
        first = self.against[0]
        if first.differing <= TOO_FEW:
            return "TOO FEW"
        if not self.open_pairs:
            return "SMALL" if first.below_margin else "CLEAR"
        return "EQUAL" if self.equal(self.open_pairs) else "TIE"

    def equal(self, pairs: Sequence[Difference]) -> bool:
        """One pair is open, and its whole interval lies inside the margin."""
        if len(pairs) > 1 or pairs[0].differing <= TOO_FEW:
            return False
        low, high = bounds_of(pairs[0])
        return self.margin is not None and -self.margin < low and high < self.margin


def bounds_of(pair: Difference) -> tuple[float, float]:
    """Where the mean difference may lie; see :func:`~ragscore.comparison.contrasts.bounds`."""
    return bounds(pair.interval, pair.value, pair.test)
