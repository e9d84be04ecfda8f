"""Standing: who leads on the primary measure, who may be as good, and what is decided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ragscore.comparison.differences import AdjustedDifferences
from ragscore.comparison.record import Difference
from ragscore.comparison.verdict import LeakDifference, VerdictState
from ragscore.estimate import Estimate
from ragscore.stats.few_differ import TOO_FEW


@dataclass(frozen=True, eq=False)
class Standing:
    """How the retrievers stand on the primary measure.

    Attributes:
        corrected: every pair of retrievers on every measure.
        primary: number of the measure that the verdict reads.
        means: on it, by retriever.
    """

    corrected: AdjustedDifferences
    primary: int
    means: Mapping[str, Estimate]

    @cached_property
    def margin(self) -> float | None:
        """The largest difference that does not matter on it; None if there is none."""
        bounded = self.corrected.common.measures[self.primary].bounded
        return self.corrected.options.margin_on(bounded=bounded)

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """Numbers of the distinct retrievers by their mean over the queries defined for all, best
        first; of equal ones the named baseline, then the first listed."""
        common, plan = self.corrected.common, self.corrected.plan
        values = common.measures[self.primary].sign * common.values[self.primary]
        values = values[:, ~np.isnan(values).any(axis=0)]
        if not values.shape[1]:
            return plan.distinct
        means = [round(math.fsum(row) / len(row), 12) for row in values.tolist()]
        return tuple(sorted(plan.distinct, key=lambda r: (-means[r], r != plan.baseline, r)))

    @cached_property
    def leader(self) -> str:
        """The retriever with the best mean."""
        return self.corrected.common.retrievers[self.ranking[0]]

    def against_others(self, measure: int) -> tuple[Difference, ...]:
        """The leader against every other retriever, in the order of the ranking: corrected over all
        pairs, since the data chose it; in the family where it is the named baseline."""
        leader, *others = self.ranking
        over_all = leader != self.corrected.plan.baseline
        return tuple(
            self.corrected.difference(measure, leader, other, over_all=over_all) for other in others
        )

    @cached_property
    def against(self) -> tuple[Difference, ...]:
        """The leader against every other retriever on the primary measure."""
        return self.against_others(self.primary)

    @cached_property
    def open_pairs(self) -> tuple[Difference, ...]:
        """The leader against those that it is not decided to beat."""
        return tuple(pair for pair in self.against if not pair.decided)

    @property
    def best(self) -> str | None:
        """The leader, where it is decided to beat every other."""
        return self.leader if self.against and not self.open_pairs else None

    @cached_property
    def beaten_by_others(self) -> tuple[Difference, ...]:
        """Retrievers that are open against the leader, but worse than another possible best."""
        candidates = {pair.baseline for pair in self.open_pairs}
        found: dict[str, Difference] = {}
        for numbers in combinations(self.ranking, 2):  # the best first
            pair = self.corrected.difference(self.primary, *numbers, over_all=True)
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

    @cached_property
    def on_all(self) -> VerdictState:
        """Which kind of answer it is, leaks included: the first that applies."""
        if self.on_primary == "SAME":
            return "SAME"
        alone = self.on_primary == "CLEAR" or len(self.recommended) == 1
        if alone and self.cleaner_than(self.recommended[0]):
            return "MIXED"
        return self.on_primary if self.recommended == self.contenders else "LEAKS"

    @cached_property
    def contenders(self) -> tuple[str, ...]:
        """Those between which the primary measure decides nothing that matters, leader first."""
        small = (pair.baseline for pair in self.against if pair.below_margin)
        return (*self.tied, *small)

    @cached_property
    def recommended(self) -> tuple[str, ...]:
        """The contenders that are not decided to leak more than another of them."""
        kept = [
            name
            for name in self.contenders
            if not set(self.cleaner_than(name)) & {*self.contenders}
        ]
        return tuple(kept) or self.contenders

    def cleaner_than(self, retriever: str) -> tuple[str, ...]:
        """Who is decided to leak less than a retriever."""
        return tuple(
            leak.difference.retriever
            for leak in self.leaks_beside(retriever)
            if leak.difference.decided and leak.difference.baseline == retriever
        )

    def leaks_beside(self, retriever: str) -> tuple[LeakDifference, ...]:
        """A retriever against each other, where they differ in what must not come back."""
        names = (self.corrected.common.retrievers[number] for number in self.ranking)
        found = (self._leak(retriever, name) for name in names if name != retriever)
        return tuple(leak for leak in found if leak is not None)

    def _leak(self, retriever: str, other: str) -> LeakDifference | None:
        """Two retrievers on the first measure of leaks that decides them, else the first on which
        they differ; corrected over the pairs that the verdict is corrected over."""
        common, apart = self.corrected.common, []
        named = self.ranking[0] == self.corrected.plan.baseline
        over_all = not (named and self.leader in (retriever, other))
        for number, measure in enumerate(common.measures):
            if not measure.guards or number == self.primary:
                continue
            pair = [common.retrievers.index(name) for name in (retriever, other)]
            found = self.corrected.difference(number, *pair, over_all=over_all)
            if found.value < 0:
                found = self.corrected.difference(number, *pair[::-1], over_all=over_all)
            if found.value > 0:
                apart.append(LeakDifference(measure.measure, found))
        decided = (leak for leak in apart if leak.difference.decided)
        return next(decided, apart[0] if apart else None)

    @cached_property
    def on_primary(self) -> VerdictState:
        """Which kind of answer the primary measure alone gives: the first that applies."""
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
        low, high = pairs[0].bounds
        return self.margin is not None and -self.margin < low and high < self.margin
