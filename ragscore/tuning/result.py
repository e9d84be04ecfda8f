"""Tuning: what was read off one run, and what is recommended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.blocks import Block, as_text
from ragscore.described import in_short
from ragscore.display import Displayed
from ragscore.measures import Measure
from ragscore.strings import Language, Sentence
from ragscore.tuning.bands import Band
from ragscore.tuning.cross_validation import SAME, CrossValidated
from ragscore.tuning.cuts import Cuts
from ragscore.tuning.options import TuneOptions, Unit
from ragscore.tuning.strings import STRINGS

State = Literal["recommended", "no rule", "not reached", "nothing fits", "nothing found"]
"""What came of the rule: ``no rule`` where nobody gave one; ``not reached`` where its target is
reached nowhere; ``nothing fits`` where the budget holds no query's first passage; ``nothing
found`` where no relevant passage is in any context. Something is recommended in the first alone."""
RECALLS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""The recall that a reader without a rule may want."""
COVERAGES = (0.1, 0.25, 0.5, 0.75)
"""Shares of the queries answered that a table of score cuts shows."""
LADDER = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
"""The k that tables show, and that a sentence goes on to."""


@dataclass(frozen=True, eq=False)
class Steps:
    """What the k-th passage is worth, for every k.

    Attributes:
        recall: what it adds to R.
        precision: what it does to P; NaN for the first.
        size: what it takes up, the mean over the queries, in the context's unit; None where
            texts are not known.
    """

    recall: Band
    precision: Band
    size: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Kept:
    """How many passages the queries get at each setting.

    Attributes:
        mean, lowest, lower, median, upper, highest: over the averaged queries: float64[S]; lower
            and upper are the quartiles.
        answered: the share of them that gets at least one: [S]; the coverage of a score cut.
        unanswerable: how many queries have no answer; 0 where none is known.
        wrongly: the share of these that gets a passage all the same: [S]; None where there are
            none.
    """

    mean: NDArray[np.float64]
    lowest: NDArray[np.float64]
    lower: NDArray[np.float64]
    median: NDArray[np.float64]
    upper: NDArray[np.float64]
    highest: NDArray[np.float64]
    answered: Band
    unanswerable: int
    wrongly: Band | None


@dataclass(frozen=True, eq=False)
class Overflow:
    """What the contexts would be, were they not cut to the budget.

    Attributes:
        sizes: float64[S], of the mean context.
        queries: float64[S], the share of the averaged queries whose context exceeds the budget.
        shortest: the smallest first passage.
    """

    sizes: NDArray[np.float64]
    queries: NDArray[np.float64]
    shortest: int


@dataclass(frozen=True, eq=False)
class ContextCurve:
    """P and R of what fits a context, whatever its size in passages.

    Attributes:
        limits: int64[L], sizes of the context, in the unit.
        passages: float64[L], how many fit, the mean over the queries.
        precision, recall: of these: [L].
    """

    limits: NDArray[np.int64]
    passages: NDArray[np.float64]
    precision: Band
    recall: Band


@dataclass(frozen=True, eq=False)
class Tuning(Displayed):
    """One retriever on one dataset.

    Attributes:
        dataset, retriever: their names.
        queries: how many were averaged.
        depth: how many passages were recorded: nothing beyond it can be recommended.
        options: what was asked for.
        cuts: the settings, S of them, strictest first.
        curves: by measure, its mean and band at every setting. Where a score is cut, P is the mean
            over the queries that are answered, an answered query without an answer counting 0 (NaN
            where none is answered); every other measure is the mean over all averaged queries,
            where one that gets nothing has 0.
        precision, recall, judged_by: P, R, and the measure that the rule looks at.
        state: whether the rule recommends a setting, and if not, why.
        nearest: the place in ``cuts`` that the rule recommends, or where its target is not reached
            the place that comes nearest; None where there is no rule.
        at_edge: whether more passages than were recorded might be better still.
        held_out: by measure, what the choosing is worth on queries it did not choose on;
            ``judged_by`` first. Empty where nothing is recommended.
        steps: what the k-th passage is worth; None for score cuts.
        kept: how many passages the queries get.
        unit: of contexts; None where texts are not known.
        sizes: float64[S], of the mean context at each setting.
        overflow: what is cut off; None where contexts have no limit.
        context: P and R against the context's size.
        remarks: what a reader must know; ``notes`` has their texts.
    """

    dataset: str
    retriever: str
    queries: int
    depth: int
    options: TuneOptions
    cuts: Cuts
    curves: Mapping[Measure, Band]
    precision: Measure
    recall: Measure
    judged_by: Measure
    state: State
    nearest: int | None
    at_edge: bool
    held_out: Mapping[Measure, CrossValidated]
    steps: Steps | None
    kept: Kept
    unit: Unit | None
    sizes: NDArray[np.float64] | None
    overflow: Overflow | None
    context: ContextCurve | None
    remarks: tuple[Sentence, ...]

    def __repr__(self) -> str:
        where = f"{in_short(self.retriever)} on {in_short(self.dataset)}"
        return f"Tuning({where}: {self.queries} queries, {self.cuts.by}, {self.state})"

    def __str__(self) -> str:
        return as_text(self.blocks())

    def blocks(self, language: Language | None = None) -> list[Block]:
        """What ``ragscore tune`` prints.

        Args:
            language: by default that of the options.
        """
        from ragscore.tuning.tuning_tables import tuning_blocks

        return list(tuning_blocks([self], language or self.options.language))

    @property
    def setting(self) -> int | None:
        """What is recommended: a place in ``cuts``; None where nothing is."""
        return self.nearest if self.state == "recommended" else None

    @property
    def k(self) -> int | None:
        """The recommended k; None where nothing is recommended, or a score is cut."""
        return int(self.cut) if self.cut is not None and self.cuts.by == "k" else None

    @property
    def cut(self) -> float | None:
        """The recommended k, score, gap or ratio; None where nothing is recommended."""
        return None if self.setting is None else float(self.cuts.values[self.setting])

    @property
    def sentence(self) -> str:
        """What to do, in one sentence, in the language of the options."""
        return self.sentence_in(self.options.language)

    def sentence_in(self, language: Language) -> str:
        """The same in another language."""
        from ragscore.tuning.sentence import sentence

        return sentence(self, STRINGS.strings(language))

    @property
    def rule(self) -> str | None:
        """The rule in words, such as ``smallest k with recall at least 0.8``; None without one."""
        return self.rule_in(self.options.language)

    def rule_in(self, language: Language) -> str | None:
        """The same in another language."""
        from ragscore.tuning.sentence import rule

        return rule(self, STRINGS.strings(language))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know beside the numbers, in the language of the options."""
        return self.notes_in(self.options.language)

    def notes_in(self, language: Language) -> tuple[str, ...]:
        """The same in another language."""
        strings = STRINGS.strings(language)
        return tuple(remark.text_in(strings) for remark in self.remarks)

    def reaching(self) -> list[tuple[float | None, int]]:
        """For each recall of ``RECALLS`` that is reached, it and the strictest setting that has
        it; None and the strictest with the highest recall of all as the last."""
        recall = self.curves[self.recall].mean
        found: list[tuple[float | None, int]] = [
            (target, int(np.argmax(recall >= target - SAME)))
            for target in RECALLS
            if recall.max() >= target - SAME
        ]
        return [*found, (None, int(np.argmax(recall >= recall.max() - SAME)))]

    def to_dict(self) -> dict[str, object]:
        """Everything, as plain data that JSON can hold: NaN is null."""
        from ragscore.tuning.record import as_dict

        return as_dict(self)

    def shown(self) -> list[int]:
        """The settings that a table shows, the recommended one or the nearest among them."""
        own = set() if self.nearest is None else {self.nearest}
        if self.cuts.by == "k":
            wanted = {k for k in LADDER if k <= self.depth} | set(self.options.at) | {self.depth}
            return sorted({k - 1 for k in wanted} | own)
        # As many passages as the ladder has, on average; before these, parts of the queries.
        mean, answered = self.kept.mean, self.kept.answered.mean
        at = {int(np.argmin(np.abs(mean - k))) for k in LADDER if k <= self.depth}
        at |= {int(np.argmin(np.abs(answered - share))) for share in COVERAGES}
        return sorted(at | {0} | own)

    def further(self) -> int | None:
        """The setting that a reader would look at next: the next k of the ladder, or the cut
        that keeps twice as many; None where nothing is recommended or nothing is further."""
        last = len(self.cuts) - 1
        if self.setting is None or self.setting >= last:
            return None
        if self.cuts.by == "k":
            after = self.setting + 1
            return min(next(k for k in LADDER if k > after) - 1, last)
        wanted = 2 * max(float(self.kept.mean[self.setting]), 0.5)
        further = int(np.argmin(np.abs(self.kept.mean - wanted)))
        return further if further > self.setting else last
