"""GateOptions: what has to hold of a result: an experiment's ``gate:``, the command's flags."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, get_args

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from ragscore.elements.numbers import plain_number
from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.files import expanded
from ragscore.measures import Measure, load_named, parse_measure
from ragscore.spec import Spec
from ragscore.validation.findings import carried

Quantity = Literal["p50_ms", "p95_ms", "p99_ms", "failed"]
"""What a search costs and how often it fails: milliseconds of one query, and the share of the
queries that failed."""
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)


def _refused(what: str, instead: str) -> PydanticCustomError:
    return carried(Problem(what, instead=instead))


def _measure(text: str) -> Measure:
    if text in QUANTITIES:
        example = "0.01" if text == "failed" else "200"
        what = f"{text} is not a measure, and may only have a maximum"
        raise _refused(what, f"Write max: {{{text}: {example}}}")
    try:
        load_named(text)
        return parse_measure(text)
    except ConfigError as error:
        first = error.problems[0]
        raise _refused(first.what, first.instead) from None


def _high_is_best(text: str) -> str:
    measure = _measure(text)
    if measure.lowest_is_best:
        what = f"{measure} is better when it is lower, so no minimum of it makes sense"
        raise _refused(what, f"Write max: {{{measure}: ...}}")
    return str(measure)


def _can_fall(text: str) -> str:
    measure = _measure(text)
    if measure.weighs_queries or measure.aggregate == "geometric mean":
        what = f"the drop of {measure} is not a mean over queries, so it cannot be tested"
        instead = "Name a measure that is averaged over queries, such as nDCG@10 or AP@10"
        raise _refused(what, instead)
    return str(measure)


def _quantity(text: str) -> str:
    if text in QUANTITIES:
        return text
    try:
        measure = parse_measure(text)
    except ConfigError:
        raise _refused(f"unknown quantity '{text}'", did_you_mean(text, QUANTITIES)) from None
    if not measure.lowest_is_best:
        what = f"{measure} is better when it is higher, so no maximum of it makes sense"
        raise _refused(what, f"Write min: {{{measure}: ...}}")
    return str(measure)


def _each_once(limits: object) -> object:
    """Refuse a measure that is there in two spellings: only one of them would be judged."""
    seen: dict[str, str] = {}
    for text in limits if isinstance(limits, Mapping) else ():
        try:
            measure = str(parse_measure(text))
        except (ConfigError, TypeError):
            continue
        if measure in seen:
            what = f"{measure} is there twice: '{seen[measure]}' and '{text}'"
            raise _refused(what, "Keep one of them")
        seen[measure] = text
    return limits


def _reachable(minima: dict[str, float]) -> dict[str, float]:
    for text, least in minima.items():
        if parse_measure(text).bounded and not 0 <= least <= 1:
            fate = "can never be reached" if least > 1 else "is always reached"
            what = f"a target of {plain_number(least)} {fate}: {text} lies between 0 and 1"
            raise _refused(what, f"Write a number from 0 to 1: {{{text}: 0.55}}")
    return minima


def _exceedable(drops: dict[str, float]) -> dict[str, float]:
    for text, allowance in drops.items():
        if parse_measure(text).bounded and allowance >= 1:
            what = (
                f"{text} lies between 0 and 1, so it can never fall by more than "
                f"{plain_number(allowance)}"
            )
            raise _refused(what, f"Write how far it may fall in its own units: {{{text}: 0.02}}")
    return drops


def _share_of_queries(maxima: dict[str, float]) -> dict[str, float]:
    if maxima.get("failed", 0) > 1:
        share = plain_number(maxima["failed"])
        what = f"failed is a share of the queries, and {share} is more than all of them"
        raise _refused(what, "Write a number from 0 to 1: {failed: 0.01}")
    return maxima


Limit = Annotated[float, Field(allow_inf_nan=False)]
Allowance = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Once = BeforeValidator(_each_once)
Minima = Annotated[
    dict[Annotated[str, AfterValidator(_high_is_best)], Limit], Once, AfterValidator(_reachable)
]
Drops = Annotated[
    dict[Annotated[str, AfterValidator(_can_fall)], Allowance], Once, AfterValidator(_exceedable)
]
Maxima = Annotated[
    dict[Annotated[str, AfterValidator(_quantity)], Allowance],
    Once,
    AfterValidator(_share_of_queries),
]
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}}),
]
"""A name alone, or several."""


class GateOptions(Spec):
    """What has to hold of a result; every retriever has to keep every condition.

    >>> GateOptions(min={"ndcg@10": 0.55}, max_drop={"nDCG@10": 0.02}).measures
    ('nDCG@10',)
    """

    min: Minima = Field({})
    """The least value of a measure: `{nDCG@10: 0.55}`."""
    max_drop: Drops = Field({})
    """How far a measure may fall below the baseline, in its own units: `{nDCG@10: 0.02}`."""
    max: Maxima = Field({})
    """The most of what a search costs, `{p95_ms: 200, failed: 0.01}` (milliseconds of one query,
    share of the queries that failed), or of a measure that is better when it is lower."""
    confident: bool = False
    """Judge `min` and `max` of a measure by the 95 % interval in place of the observed value (Leak
    by its exact one-sided 95 % bounds): UNDECIDED if the interval holds the limit."""
    by: Names = ()
    """Tags and metadata keys; each of their values is a condition of its own, beside all queries.
    """
    retrievers: Annotated[Names, Field(min_length=1)] | None = None
    """The retrievers that have to keep the conditions; by default all, those that failed
    included."""
    baseline: str | None = None
    """The baseline to compare with: a file that `ragscore baseline save` wrote, or the folder of
    an earlier result."""
    strict: bool = False
    """Fail where the observed drop is above the allowance, whatever the queries can show."""
    undecided: Literal["pass", "fail"] | None = None
    """What UNDECIDED counts as; by default the command exits with 6."""
    allow_intersect: bool = False
    """Compare on the common queries where the baseline's dataset or judgments are others."""

    @model_validator(mode="after")
    def _asks_something(self) -> GateOptions:
        if not (self.min or self.max_drop or self.max):
            instead = "Write min, max_drop or max, for example max_drop: {nDCG@10: 0.02}"
            raise _refused("the gate has no condition", instead)
        return self

    def resolved(self, base: Path) -> GateOptions:
        """The same with the paths of the baseline and of measures' tokenizers taken from a
        folder."""
        update: dict[str, Any] = {
            key: {
                name if name in QUANTITIES else str(parse_measure(name).resolved(base)): value
                for name, value in conditions.items()
            }
            for key in ("min", "max_drop", "max")
            if (conditions := getattr(self, key))
        }
        if self.baseline is not None:
            update["baseline"] = os.path.normpath(base / expanded(self.baseline))
        return self.model_copy(update=update)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of all conditions."""
        named = [*self.min, *self.max_drop, *(key for key in self.max if key not in QUANTITIES)]
        return tuple(dict.fromkeys(named))


class GateChanges(TypedDict, total=False):
    """The fields of :class:`GateOptions` as keywords, so that an editor completes them."""

    min: Mapping[str, float]
    max_drop: Mapping[str, float]
    max: Mapping[str, float]
    confident: bool
    by: tuple[str, ...]
    retrievers: tuple[str, ...] | None
    strict: bool
    undecided: Literal["pass", "fail"] | None
    allow_intersect: bool
