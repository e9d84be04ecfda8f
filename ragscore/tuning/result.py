"""Tuning: what was read off one run, and what is recommended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.measures import Measure
from ragscore.tuning.bands import Band
from ragscore.tuning.cross_validation import CrossValidated
from ragscore.tuning.cuts import Cuts
from ragscore.tuning.options import TuneOptions, Unit

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
        nothing: the share of them that gets none: float64[S].
        unanswerable: how many queries have no answer; 0 where none is known.
        refused: the share of these that gets nothing, as it should be: float64[S]; None where
            there are none.
    """

    mean: NDArray[np.float64]
    lowest: NDArray[np.float64]
    lower: NDArray[np.float64]
    median: NDArray[np.float64]
    upper: NDArray[np.float64]
    highest: NDArray[np.float64]
    nothing: NDArray[np.float64]
    unanswerable: int
    refused: NDArray[np.float64] | None


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
class Tuning:
    """One retriever on one dataset.

    Attributes:
        dataset, retriever: their names.
        queries: how many were averaged.
        depth: how many passages were recorded: nothing beyond it can be recommended.
        options: what was asked for.
        cuts: the settings, S of them, strictest first.
        curves: by measure, its mean and band at every setting.
        precision, recall, judged_by: P, R, and the measure that the rule looks at.
        setting: what is recommended: a place in ``cuts``.
        reached: whether the rule's target is reached there; true where it has none.
        at_edge: whether more passages than were recorded might be better still.
        held_out: by measure, what the choosing is worth on queries it did not choose on;
            ``judged_by`` first.
        steps: what the k-th passage is worth; None for score cuts.
        kept: how many passages the queries get.
        unit: of contexts; None where texts are not known.
        sizes: float64[S], of the mean context at each setting.
        context: P and R against the context's size.
        notes: what a reader must know.
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
    setting: int
    reached: bool
    at_edge: bool
    held_out: Mapping[Measure, CrossValidated]
    steps: Steps | None
    kept: Kept
    unit: Unit | None
    sizes: NDArray[np.float64] | None
    context: ContextCurve | None
    notes: tuple[str, ...]

    @property
    def k(self) -> int | None:
        """The recommended k; None where a score is cut."""
        return int(self.cuts.values[self.setting]) if self.cuts.by == "k" else None

    @property
    def cut(self) -> float:
        """The recommended k, score, gap or ratio."""
        return float(self.cuts.values[self.setting])

    @property
    def sentence(self) -> str:
        """What to do, in one sentence."""
        from ragscore.tuning.sentence import sentence

        return sentence(self)

    @property
    def reason(self) -> str:
        """Why: what the rule found."""
        from ragscore.tuning.sentence import reason

        return reason(self)

    def _repr_html_(self) -> str:
        from ragscore.report.notebook import tuning_html

        return tuning_html(self)

    def to_dict(self) -> dict[str, object]:
        """Everything, as plain data that JSON can hold: NaN is null."""
        from ragscore.tuning.record import as_dict

        return as_dict(self)

    def shown(self) -> list[int]:
        """The settings that a table shows, and the recommended one among them."""
        if self.cuts.by == "k":
            wanted = {k for k in LADDER if k <= self.depth} | set(self.options.at) | {self.depth}
            return sorted({k - 1 for k in wanted} | {self.setting})
        # As many passages as the ladder has, on average.
        at = {int(np.argmin(np.abs(self.kept.mean - k))) for k in LADDER if k <= self.depth}
        return sorted(at | {0, self.setting})

    def further(self) -> int | None:
        """The setting that a reader would look at next: the next k of the ladder, or the cut
        that lets by twice as many; None where nothing is further."""
        last = len(self.cuts) - 1
        if self.setting >= last:
            return None
        if self.cuts.by == "k":
            return min(next(k for k in LADDER if k > self.setting + 1) - 1, last)
        wanted = 2 * max(float(self.kept.mean[self.setting]), 0.5)
        further = int(np.argmin(np.abs(self.kept.mean - wanted)))
        return further if further > self.setting else last
