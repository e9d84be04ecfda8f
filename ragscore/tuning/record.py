"""Tuning: what was read off one run at every setting, and what is recommended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, PlainSerializer

from ragscore.dataset import SampledCorpus, Unit
from ragscore.described import in_short
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.estimate import Estimate
from ragscore.measures import Measure
from ragscore.messages import Text
from ragscore.names import Language
from ragscore.records import CountArray, FloatArray, MaybeNaN, Record, json_property
from ragscore.stats.bands import Band
from ragscore.stats.cross_validation import CrossValidated
from ragscore.stats.intervals import LEVEL
from ragscore.stats.units import SAME
from ragscore.tuning.options import TuneOptions
from ragscore.tuning.tuning_input import Thresholds

RECALLS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""The recall that a reader without a rule may want."""
COVERAGES = (0.1, 0.25, 0.5, 0.75)
"""Shares of the queries answered that a table of score cuts shows."""
LADDER = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
"""The k that tables show, and that a sentence goes on to."""

State = Literal["recommended", "no rule", "not reached", "nothing fits", "nothing found"]
"""The result of the rule: ``no rule`` where nobody gave one; ``not reached`` where its target is
reached nowhere; ``nothing fits`` where the budget holds no query's first passage; ``nothing
found`` where no relevant passage is in any context. Something is recommended in the first alone."""


@dataclass(frozen=True)
class Marginal(Record):
    """What the k-th passage is worth, for every k."""

    recall: Band
    """What the k-th passage adds to R."""
    precision: Band
    """How the k-th passage changes P; null for the first."""
    context: FloatArray | None
    """The size of the k-th passage, the mean over the queries, in the context's unit; null if
    texts are not known."""


@dataclass(frozen=True)
class PossiblePrecision(Record):
    """How high P can be at each setting, whatever is retrieved."""

    relevant: float
    """Relevant passages of a query, the mean."""
    highest: FloatArray
    """P where all of these come first."""
    unjudged: FloatArray
    """The share of what the queries get that nobody judged, and that counts as not relevant."""


@dataclass(frozen=True)
class PassagesKept(Record):
    """How many passages the averaged queries get at each setting."""

    mean: FloatArray
    """The mean over the queries."""
    lowest: FloatArray
    """The fewest that a query gets."""
    lower_quartile: FloatArray
    """The lower quartile."""
    median: FloatArray
    """The median."""
    upper_quartile: FloatArray
    """The upper quartile."""
    highest: FloatArray
    """The most that a query gets."""
    answered: Band
    """The share of the queries that get at least one: the coverage of a score cut."""
    unanswerable: int
    """How many queries have no answer; 0 if none is known."""
    unanswerable_answered: Band | None
    """The share of these that get a passage anyway; null if there are none."""


@dataclass(frozen=True)
class Overflow(Record):
    """The contexts as they would be without the cut to the budget."""

    context: FloatArray
    """The size of the mean context at each setting."""
    queries: FloatArray
    """The share of the averaged queries whose context exceeds the budget."""
    shortest: int
    """The smallest first passage."""


@dataclass(frozen=True)
class ContextCurve(Record):
    """P, R and Complete of what fits a context, whatever its size in passages."""

    limits: CountArray
    """Sizes of the context, in its unit."""
    passages: FloatArray
    """How many fit, the mean over the queries."""
    precision: Annotated[Band, Field(serialization_alias="P")]
    """Precision of these."""
    recall: Annotated[Band, Field(serialization_alias="R")]
    """Recall of these."""
    complete: Annotated[Band, Field(serialization_alias="Complete")]
    """The share of the queries of which these cover every need."""

    def at(self, limit: int) -> int | None:
        """The setting of a context of one size; None if it is too small for any passage."""
        place = int(np.searchsorted(self.limits, limit, side="right")) - 1
        return place if place >= 0 else None


@dataclass(frozen=True)
class Setting(Record):
    """The measures and sizes at one setting."""

    place: Annotated[int, Field(exclude=True)]
    """Its place among the settings."""
    value: int | float
    """The k, or the score, gap or ratio at the cut."""
    label: str
    """The value as sentences name it: ``k = 5``."""
    measures: Mapping[str, Estimate]
    """The measures of the curves there."""
    passages: float
    """Passages that a query gets, on average."""
    answered: float
    """The share of the queries that get at least one."""
    context: MaybeNaN | None
    """The size of the mean context; null if texts are not known."""


@dataclass(frozen=True)
class Reaching(Record):
    """The strictest setting that reaches a recall."""

    recall: float | None
    """The recall that is reached; null for the highest of all."""
    setting: Setting
    """The k or cut, and what it gives."""


def _by_name(of_measures: Mapping[Measure, Any]) -> dict[str, Any]:
    return {str(measure): value for measure, value in of_measures.items()}


@dataclass(frozen=True)
class Tuning(Record, Shown):
    """One retriever on one dataset, at S settings."""

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
    state: State
    """Whether the rule recommends a setting, and if not, why."""
    nearest_setting: Annotated[int | None, Field(exclude=True)]
    """The place in ``thresholds`` that the rule recommends, or where its target is not reached the
    place that comes nearest; None if there is no rule."""
    at_edge: bool
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
    possible: PossiblePrecision | None
    """How high P can be; null but for the rule ``precision`` on k."""
    sample: SampledCorpus | None
    """What the corpus that was searched is a sample of: no number holds for the whole. Null where
    it is whole, or only judgments are known."""
    notes: tuple[Text, ...]
    """What a reader must know beside the numbers."""
    level: float = field(default=LEVEL, init=False)
    """Coverage of the intervals."""

    def __repr__(self) -> str:
        where = f"{in_short(self.retriever)} on {in_short(self.dataset)}"
        return f"Tuning({where}: {self.queries} queries, {self.thresholds.by}, {self.state})"

    @property
    def language(self) -> Language:
        """That of its options."""
        return self.options.language

    def elements(self) -> list[Element]:
        """What ``ragscore tune`` prints."""
        from ragscore.tuning.text import tuning_elements

        return list(tuning_elements([self]))

    @json_property
    def sentence(self) -> Text:
        """What to do, in one sentence."""
        from ragscore.tuning.text import sentence

        return sentence(self)

    @json_property
    def rule(self) -> Text | None:
        """The rule in words, such as ``smallest k with recall at least 0.8``; null without one."""
        from ragscore.tuning.text import rule

        return rule(self)

    @property
    def setting(self) -> int | None:
        """What is recommended: a place in ``thresholds``; None if nothing is."""
        return self.nearest_setting if self.state == "recommended" else None

    @property
    def cut(self) -> float | None:
        """The recommended k, score, gap or ratio; None if nothing is recommended."""
        return None if self.setting is None else float(self.thresholds.values[self.setting])

    @property
    def k(self) -> int | None:
        """The recommended k; None if nothing is recommended, or a score is cut."""
        return int(self.cut) if self.cut is not None and self.thresholds.by == "k" else None

    @json_property
    def recommended(self) -> Setting | None:
        """The setting that the rule recommends; null if it recommends none."""
        return None if self.setting is None else self.at(self.setting)

    @json_property
    def nearest(self) -> Setting | None:
        """The setting that comes nearest, where the rule's target is not reached."""
        if self.state != "not reached" or self.nearest_setting is None:
            return None
        return self.at(self.nearest_setting)

    @json_property
    def reaching(self) -> tuple[Reaching, ...]:
        """For each of a few recalls that is reached, the strictest setting that has it; the
        strictest with the highest recall of all as the last."""
        recall = self.curves[self.recall].mean
        highest = float(recall.max())
        wanted = {target: target for target in RECALLS if highest >= target - SAME}
        return tuple(
            Reaching(target, self.at(int(np.argmax(recall >= least - SAME))))
            for target, least in (*wanted.items(), (None, highest))
        )

    def at(self, place: int) -> Setting:
        """What is known of a place in ``thresholds``."""
        cut = float(self.thresholds.values[place])
        return Setting(
            place=place,
            value=int(cut) if self.thresholds.by == "k" else cut,
            label=self.thresholds.label(place),
            measures={str(measure): band.at(place) for measure, band in self.curves.items()},
            passages=float(self.passages.mean[place]),
            answered=float(self.passages.answered.mean[place]),
            context=None if self.context is None else float(self.context[place]),
        )

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

    def further(self) -> Setting | None:
        """The setting that a reader would look at next: the next k of the ladder, or the cut
        that keeps twice as many; None if nothing is recommended or nothing is further."""
        last = len(self.thresholds) - 1
        if self.setting is None or self.setting >= last:
            return None
        if self.thresholds.by == "k":
            after = self.setting + 1
            return self.at(min(next(k for k in LADDER if k > after) - 1, last))
        wanted = 2 * max(float(self.passages.mean[self.setting]), 0.5)
        further = int(np.argmin(np.abs(self.passages.mean - wanted)))
        return self.at(further if further > self.setting else last)

    def rows(self) -> Iterator[dict[str, str | float]]:
        """The curves as rows of a table: one for each setting and measure; ``passages``,
        ``context`` and what the k-th adds are rows too. NaN if nothing can be estimated."""
        bands = _by_name(self.curves)
        if self.marginal is not None:
            bands |= {"added R": self.marginal.recall, "added P": self.marginal.precision}
        if self.thresholds.by != "k":
            bands["answered"] = self.passages.answered
            if self.passages.unanswerable_answered is not None:
                bands["unanswerable answered"] = self.passages.unanswerable_answered
        for at, cut in enumerate(self.thresholds.values.tolist()):
            found = {name: band.at(at) for name, band in bands.items()}
            found["passages"] = Estimate(float(self.passages.mean[at]))
            if self.context is not None:
                found[f"context {self.unit}"] = Estimate(float(self.context[at]))
            for name, estimate in found.items():
                yield {
                    "dataset": self.dataset,
                    "retriever": self.retriever,
                    "by": self.thresholds.by,
                    "cut": cut,
                    "measure": name,
                    "mean": estimate.value,
                    "low": estimate.low,
                    "high": estimate.high,
                }


@dataclass(frozen=True)
class TuningDocument(Record):
    """What ``ragscore tune --format json`` prints."""

    schema_version: Annotated[Literal[3], Field(serialization_alias="schema")] = field(
        default=3, init=False
    )
    """Version of this format."""
    tunings: tuple[Tuning, ...]
    """One for each retriever on each dataset."""


def tuning_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore tune --format json`` prints."""
    return TuningDocument.json_schema("ragscore tuning")
