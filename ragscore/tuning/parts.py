"""The parts of a tuning: what the queries get at each setting, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ragscore.records import CountArray, FloatArray, MaybeNaN, Record
from ragscore.stats.bands import Band, MeanAtSetting
from ragscore.tuning.options import By

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
    """The measures and sizes at one setting; every field is null if nothing is recommended."""

    value: int | float | None
    """The k, or the score, gap or ratio at the cut."""
    label: str | None
    """The value as sentences name it: ``k = 5``."""
    measures: Mapping[str, MeanAtSetting] | None
    """The measures of the curves there."""
    passages: MaybeNaN | None
    """Passages that a query gets, on average."""
    answered: MaybeNaN | None
    """The share of the queries that get at least one."""
    context: MaybeNaN | None
    """The size of the mean context; null also where texts are not known."""


@dataclass(frozen=True)
class _Recommended(Record):
    state: State
    """Whether the rule recommends a setting, and if not, why."""
    rule: str | None
    """The rule in words; null without one."""
    sentence: str
    """What to do, in one sentence."""
    by: By
    """What is cut."""
    at_edge: bool
    """Whether more passages than were recorded might be better still."""


@dataclass(frozen=True)
class Recommended(Setting, _Recommended):
    """What the rule recommends; the setting is null if it recommends nothing."""


@dataclass(frozen=True)
class _Recall(Record):
    recall: float | None
    """The recall that is reached; null for the highest of all."""


@dataclass(frozen=True)
class Reaching(Setting, _Recall):
    """The strictest setting that reaches a recall."""
