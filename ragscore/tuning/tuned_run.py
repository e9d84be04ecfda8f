"""TunedRun: what was read off one run, at every setting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from pydantic import Field, PlainSerializer

from ragscore.dataset import SampledCorpus, Unit
from ragscore.measures import Measure
from ragscore.messages import Message
from ragscore.records import FloatArray, Record, json_property
from ragscore.stats.bands import Band
from ragscore.stats.cross_validation import CrossValidated
from ragscore.stats.intervals import LEVEL
from ragscore.stats.units import SAME
from ragscore.tuning.options import TuneOptions
from ragscore.tuning.parts import (
    ContextCurve,
    Marginal,
    Overflow,
    PassagesKept,
    PossiblePrecision,
    Setting,
    State,
)
from ragscore.tuning.thresholds import Thresholds

RECALLS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""The recall that a reader without a rule may want."""
COVERAGES = (0.1, 0.25, 0.5, 0.75)
"""Shares of the queries answered that a table of score cuts shows."""
LADDER = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
"""The k that tables show, and that a sentence goes on to."""


def _by_name(of_measures: Mapping[Measure, Any]) -> dict[str, Any]:
    return {str(measure): value for measure, value in of_measures.items()}


@dataclass(frozen=True)
class TunedRun(Record):
    """One run at S settings, in numbers; a ``Tuning`` puts them into sentences."""

    dataset: str
    """Name of the dataset."""
    retriever: str
    """Name of the retriever."""
    queries: int
    """How many queries were averaged."""
    depth: int
    """How many passages were recorded: nothing beyond it can be recommended."""
    options: TuneOptions
    """The options of the tuning."""
    thresholds: Annotated[
        Thresholds,
        PlainSerializer(lambda thresholds: thresholds.values.tolist(), return_type=list[float]),
        Field(serialization_alias="settings"),
    ]
    """The settings, strictest first: each k, or the score, gap or ratio at each cut."""
    curves: Annotated[
        Mapping[Measure, Band], PlainSerializer(_by_name, return_type=dict[str, Band])
    ]
    """By measure, its mean and band at every setting. Where a score is cut, P is the mean over the
    queries that are answered, an answered query without an answer counting 0 (null if none is
    answered); every other measure is the mean over all averaged queries, where one that gets
    nothing has 0."""
    precision: Annotated[Measure, Field(exclude=True)]
    """P."""
    recall: Annotated[Measure, Field(exclude=True)]
    """R."""
    judged_by: Annotated[Measure, Field(exclude=True)]
    """The measure that the rule looks at."""
    state: Annotated[State, Field(exclude=True)]
    """Whether the rule recommends a setting, and if not, why."""
    nearest_setting: Annotated[int | None, Field(exclude=True)]
    """The place in ``thresholds`` that the rule recommends, or where its target is not reached the
    place that comes nearest; None if there is no rule."""
    at_edge: Annotated[bool, Field(exclude=True)]
    """Whether more passages than were recorded might be better still."""
    held_out: Annotated[
        Mapping[Measure, CrossValidated],
        PlainSerializer(_by_name, return_type=dict[str, CrossValidated]),
    ]
    """By measure, what the choice is worth on queries that were not used for it; the rule's
    measure first. Empty if nothing is recommended."""
    unit: Unit | None
    """Unit of contexts; null if texts are not known."""
    context: FloatArray | None
    """The size of the mean context at each setting."""
    passages: PassagesKept
    """How many passages the queries get."""
    overflow: Overflow | None
    """What the budget cuts off; null if contexts have no limit."""
    marginal: Marginal | None
    """What the k-th passage is worth; null for score cuts."""
    by_context: ContextCurve | None
    """P and R against the context's size."""
    remarks: Annotated[tuple[Message, ...], Field(exclude=True)]
    """What a reader must know; ``notes`` has their texts."""
    possible: PossiblePrecision | None = None
    """How high P can be; null but for the rule ``precision`` on k."""
    sample: SampledCorpus | None = None
    """What the corpus that was searched is a sample of: no number holds for the whole. Null where
    it is whole, or only judgments are known."""
    level: float = field(default=LEVEL, init=False)
    """Coverage of the intervals."""

    @property
    def setting(self) -> int | None:
        """What is recommended: a place in ``thresholds``; None if nothing is."""
        return self.nearest_setting if self.state == "recommended" else None

    @property
    def k(self) -> int | None:
        """The recommended k; None if nothing is recommended, or a score is cut."""
        return int(self.cut) if self.cut is not None and self.thresholds.by == "k" else None

    @property
    def cut(self) -> float | None:
        """The recommended k, score, gap or ratio; None if nothing is recommended."""
        return None if self.setting is None else float(self.thresholds.values[self.setting])

    @json_property
    def notes(self) -> tuple[str, ...]:
        """Notes beside the numbers."""
        return tuple(map(str, self.remarks))

    def at(self, place: int | None) -> Setting:
        """The setting at a place in ``thresholds``; its fields are None if the place is None."""
        if place is None:
            return Setting(None, None, None, None, None, None)
        cut = float(self.thresholds.values[place])
        return Setting(
            value=int(cut) if self.thresholds.by == "k" else cut,
            label=self.thresholds.label(place),
            measures={str(measure): band.at(place) for measure, band in self.curves.items()},
            passages=float(self.passages.mean[place]),
            answered=float(self.passages.answered.mean[place]),
            context=None if self.context is None else float(self.context[place]),
        )

    def reaching_settings(self) -> list[tuple[float | None, int]]:
        """For each recall of ``RECALLS`` that is reached, it and the place of the strictest setting
        that has it; None and the strictest with the highest recall of all as the last."""
        recall = self.curves[self.recall].mean
        found: list[tuple[float | None, int]] = [
            (target, int(np.argmax(recall >= target - SAME)))
            for target in RECALLS
            if recall.max() >= target - SAME
        ]
        return [*found, (None, int(np.argmax(recall >= recall.max() - SAME)))]

    def shown(self) -> list[int]:
        """The settings that a table shows, the recommended one or the nearest among them."""
        own = set() if self.nearest_setting is None else {self.nearest_setting}
        if self.thresholds.by == "k":
            wanted = {k for k in LADDER if k <= self.depth} | set(self.options.at) | {self.depth}
            return sorted({k - 1 for k in wanted} | own)
        # As many passages as the ladder has, on average; before these, parts of the queries.
        mean, answered = self.passages.mean, self.passages.answered.mean
        at = {int(np.argmin(np.abs(mean - k))) for k in LADDER if k <= self.depth}
        at |= {int(np.argmin(np.abs(answered - share))) for share in COVERAGES}
        return sorted(at | {0} | own)

    def further(self) -> int | None:
        """The setting that a reader would look at next: the next k of the ladder, or the cut
        that keeps twice as many; None if nothing is recommended or nothing is further."""
        last = len(self.thresholds) - 1
        if self.setting is None or self.setting >= last:
            return None
        if self.thresholds.by == "k":
            after = self.setting + 1
            return min(next(k for k in LADDER if k > after) - 1, last)
        wanted = 2 * max(float(self.passages.mean[self.setting]), 0.5)
        further = int(np.argmin(np.abs(self.passages.mean - wanted)))
        return further if further > self.setting else last

    def rows(self) -> Iterator[dict[str, str | float]]:
        """The curves as rows of a table: one for each setting and measure; ``passages``,
        ``context`` and what the k-th adds are rows too. NaN if nothing can be estimated."""

        def row(at: int, measure: str, mean: float, low: float, high: float) -> dict[str, Any]:
            return {
                "dataset": self.dataset,
                "retriever": self.retriever,
                "by": self.thresholds.by,
                "cut": float(self.thresholds.values[at]),
                "measure": measure,
                "mean": float(mean),
                "low": float(low),
                "high": float(high),
            }

        bands = {str(measure): band for measure, band in self.curves.items()}
        if self.marginal is not None:
            bands |= {"added R": self.marginal.recall, "added P": self.marginal.precision}
        if self.thresholds.by != "k":
            bands["answered"] = self.passages.answered
            if self.passages.unanswerable_answered is not None:
                bands["unanswerable answered"] = self.passages.unanswerable_answered
        plain = {"passages": self.passages.mean}
        if self.context is not None:
            plain[f"context {self.unit}"] = self.context
        for at in range(len(self.thresholds)):
            for name, band in bands.items():
                yield row(at, name, band.mean[at], band.low[at], band.high[at])
            for name, values in plain.items():
                yield row(at, name, values[at], math.nan, math.nan)
