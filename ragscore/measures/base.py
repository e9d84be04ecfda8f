"""Measure: one small frozen spec; its value at every cutoff is a column of a curve."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, field_validator

from ragscore.described import in_short
from ragscore.errors import MeasureError, Problem, did_you_mean
from ragscore.judge import Judged, Pool, Ranked
from ragscore.messages import Text
from ragscore.spec import Spec
from ragscore.validation.findings import error_findings, show_path

Curve = NDArray[np.float64]
"""float64[Q, depth]; column k-1 is the value at cutoff k."""

Aggregate = Literal["mean", "mean of defined", "sum", "geometric mean"]
"""How the values of the queries become one: over all of them; over those that are defined
(not NaN; the number is reported); added up; the exponential of the mean logarithm, values below
0.00001 counting as that much, as in trec_eval."""

BoundsKind = Literal["exact", "outer", "none"]
"""Bounds on a value are reached; no value is beyond them; none are known."""

NeedsRead = Literal["together", "joint", "alternatives", "none"]
"""A measure is defined even where several passages cover a need only ``together``; not there, but
where a passage covers several needs at once (``joint``); only where several passages cover a need
(``alternatives``); or where the relevant passages are the needs (``none``)."""

Cutoff = Annotated[int, Field(ge=1)] | Literal["depth"] | None

M = TypeVar("M", bound="Measure")


class Measure(Spec):
    """Base of every measure; ``P(cutoff=10)`` equals ``P() @ 10`` and ``parse_measure("P@10")``.

    A subclass sets the class variables, adds its options as fields, and writes what it computes:
    :meth:`curve`, or :meth:`values` where it has no cutoff, or the totals of a
    :class:`~ragscore.measures.cumulative.Cumulative`. The class variables and the methods down to
    :meth:`settled` state everything else about it. Then it gets a line in
    :data:`ragscore.measures.TABLE`.
    """

    constructor_error = MeasureError

    name: ClassVar[str]
    """The name as printed, without options."""
    mean_name: ClassVar[str | None] = None
    """What reports call the mean, where the field has a name of its own for it (mAP)."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that are understood, in any case."""
    summary: ClassVar[str]
    """What it is, in one line."""
    needs_cutoff: ClassVar[bool] = True
    """False if the measure has a meaning over everything that was returned."""
    has_curve: ClassVar[bool] = True
    """False if the measure is one number a query, without cutoffs."""
    at: ClassVar[str] = "cutoff"
    """The field that is written behind the @."""
    bare: ClassVar[tuple[float, ...]] = ()
    """What the bare name stands for behind the @ in a list of measures, where it stands for
    several."""
    aggregate: ClassVar[Aggregate] = "mean"
    """How the values of the queries become one."""
    lowest_is_best: ClassVar[bool] = False
    """True if smaller values are better, as of MR."""
    bounded: ClassVar[bool] = True
    """Whether every query's value lies in [0, 1]; a default margin makes sense only there."""
    reads_hits: ClassVar[bool] = False
    """True if it counts the relevant passages of the top k, whatever their order: one more
    there never lowers the value, one more below k never raises it."""
    reads_first: ClassVar[bool] = False
    """True if the first relevant passage of the top k decides the value, which no further one
    lowers."""
    reads_needs: ClassVar[NeedsRead] = "together"
    """What it makes of needs that passages share; see :data:`NeedsRead`."""
    reads_forbidden: ClassVar[bool] = False
    """True if it needs ground truth with forbidden passages."""
    share_method: ClassVar[Literal["wilson", "clopper-pearson"]] = "wilson"
    """The interval of a mean of values that are all 0 or 1: the exact one of a binomial share
    (Clopper and Pearson) where it is to be 0, or nearly."""
    needs_spans: ClassVar[bool] = False
    """True if it reads evidence in documents, which only datasets with documents have."""
    also_used_by: ClassVar[Mapping[tuple[str, str], tuple[Text, ...]]] = {}
    """By option and value, who else chooses it, apart from the tools that are profiles."""

    cutoff: Cutoff = None
    """How many of the returned passages count; ``depth`` is as many as were recorded."""

    @field_validator("cutoff")
    @classmethod
    def _only_of_a_curve(cls, cutoff: Cutoff) -> Cutoff:
        if cutoff is not None and not cls.has_curve:
            raise MeasureError(
                f"{cls.name} has no cutoff",
                where=f"{cls.name}@{cutoff}",
                instead=f"Write {cls.name}; to cut the run itself, set a depth",
            )
        return cutoff

    @classmethod
    def parse_at(cls, at: str, text: str) -> Any:
        """The cutoff after the @ of ``text``; a MeasureError where it is not a cutoff."""
        if at.lower() == "depth":
            return "depth"
        if not re.fullmatch(r"0*[1-9][0-9]{0,8}", at):
            raise MeasureError(
                f"'{at}' is not a cutoff",
                where=text,
                instead="A cutoff is a whole number of 1 or more, or 'depth'",
            )
        return int(at)

    def curve(self, judged: Judged) -> Curve:
        """The value at every cutoff from 1 to the depth of ``judged``: float64[Q, depth]."""
        raise self._lacking("curve", "values")

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        """The value without cutoffs, for a measure that has no curve: float64[Q]."""
        raise self._lacking("values", "curve")

    def _lacking(self, method: str, other: str) -> MeasureError:
        """What says that nobody wrote a method, and when a measure needs the other one."""
        alone = f"with has_curve = {method == 'values'} the measure needs only {other}"
        return MeasureError(
            f"{self.name} has no method {method}", where=_place(self), instead=f"Write it; {alone}"
        )

    def uncut(self, judged: Judged, curve: Curve) -> NDArray[np.float64]:
        """The value without a cutoff: float64[Q]. By default that of the deepest cutoff."""
        return curve[:, -1] if curve.shape[1] else np.zeros(len(judged))

    def weights(self, judged: Judged) -> Curve | None:
        """The weight of each query in the mean, at every cutoff: float64[Q, depth]; None if all
        queries have the same weight."""
        return None

    @property
    def flat(self) -> bool:
        """True if a cutoff below everything that came back has the value of the last passage,
        so that nothing needs to be computed past it."""
        return False

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        """Columns that show how the value of one query comes about, by name: float64[depth] each.
        ``ragscore explain`` prints them between the grades and the values."""
        threshold = self.threshold or 1.0
        relevant = judged.relevant(threshold)[0].astype(np.float64)
        return {"rel": relevant, "hits": judged.hits(threshold)[0]}

    def quotient(self, judged: Judged) -> tuple[str, float, float] | None:
        """The formula of one query's value in words (``DCG / IDCG``), with numerator and
        denominator; None if the columns say enough."""
        return None

    def bounds_kind(self, scale: NDArray[np.float64]) -> BoundsKind:
        """How exactly the value is bounded if the unjudged passages were judged.

        Args:
            scale: the distinct grades above 0 of all judgments: float64[n].
        """
        return "exact" if self.reads_hits or self.reads_first else "none"

    @property
    def weighs_queries(self) -> bool:
        """Whether queries have different weights in the mean: a micro average."""
        return False

    def settled(self, curve: Curve, judged: Pool) -> Curve:
        """The curve, with the options applied to queries that have nothing relevant."""
        return curve

    @property
    def may_be_undefined(self) -> bool:
        """True if a query's value can be NaN, and is then left out of the mean."""
        return self.aggregate == "mean of defined"

    def value(self, judged: Judged) -> NDArray[np.float64]:
        """The value at its own cutoff, or without one, with the options applied to queries that
        have nothing relevant: float64[Q]."""
        if not self.has_curve:
            return self.settled_values(judged)
        curve = self.settled_curve(judged)
        if isinstance(self.cutoff, int):
            return curve[:, self.cutoff - 1]
        return self.settled(self.uncut(judged, curve)[:, None], judged)[:, 0]

    def settled_curve(self, judged: Judged) -> Curve:
        """The value at every cutoff, with the options applied to queries that have nothing
        relevant: float64[Q, depth]."""
        curve = self._checked("curve", self.curve(judged), (len(judged), judged.depth))
        return self.settled(curve, judged)

    def settled_values(self, judged: Ranked) -> NDArray[np.float64]:
        """The value without cutoffs, with the options applied to queries that have nothing
        relevant: float64[Q]."""
        values = self._checked("values", self.values(judged), (len(judged),))
        return self.settled(values[:, None], judged)[:, 0]

    def _checked(self, method: str, made: object, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """What a method of the measure returned, as float64.

        Raises:
            MeasureError: it is no array of numbers of this shape.
        """
        if isinstance(made, np.ndarray) and made.shape == shape and made.dtype.kind in "biuf":
            return made.astype(np.float64, copy=False)
        found = in_short(made)
        if isinstance(made, np.ndarray):
            found = f"{made.dtype}{list(made.shape)}"
        axes = "queries, depth" if len(shape) == 2 else "queries"
        raise MeasureError(
            f"{method} returned {found}",
            where=_place(self),
            instead=f"Return float64[{axes}], here {list(shape)}",
        )

    @property
    def needs_read(self) -> NeedsRead:
        """:attr:`reads_needs`, with these options."""
        return self.reads_needs

    def check_needs(self, judged: Pool) -> None:
        """Check that the measure is defined for the needs and units of a block.

        Raises:
            MeasureError: it is not: passages share needs in a way that it knows nothing of, or
                tie with others of their unit.
        """
        if judged.repeats and self.orders_ties:
            raise MeasureError(
                f"{self} is not defined here: it asks for other orders of tied passages, and "
                "several may be of one unit",
                instead="Leave tie out, or count units: unit.cutoff: units",
            )
        if judged.needs is None:
            return
        undefined = self.undefined_for_needs(joint=judged.joint, together=judged.needs.together)
        if undefined is not None:
            raise undefined

    def undefined_for_needs(self, *, joint: bool, together: bool) -> MeasureError | None:
        """Why the measure is not defined where passages share needs; None if it is.

        Args:
            joint: a passage may cover several needs.
            together: several passages may cover a need only together.
        """
        if together and self.needs_read != "together":
            return MeasureError(
                f"{self} is not defined here: chunks cover evidence together, and no best order of "
                "them is known",
                instead="Choose Complete, R, NeedRank, RR, P or AP, or leave together out",
            )
        if joint and self.needs_read not in ("joint", "together"):
            what = "a passage covers several needs at once"
        elif self.needs_read == "none":
            what = "several passages cover the same need, or none does"
        elif self.orders_ties:
            what = "it asks for other orders of tied passages, and passages share needs"
        else:
            return None
        return MeasureError(
            f"{self} is not defined here: {what}",
            instead="Choose R, P, AP, nDCG, Complete or alpha-nDCG without further options",
        )

    def within(self, depth: int) -> Self:
        """The same value from ``depth`` ranks: a flat measure with its cutoff there."""
        beyond = isinstance(self.cutoff, int) and self.cutoff > depth
        return self @ max(depth, 1) if beyond and self.flat else self

    @property
    def threshold(self) -> float | None:
        """The lowest grade that is relevant; None if the measure knows no such grade."""
        threshold: float | None = getattr(self, "relevant_from", None)
        return threshold

    def resolved(self, base: Path) -> Self:
        """The same measure, every path among its options absolute, taken from a folder."""
        return self

    @property
    def counts_tokens_of(self) -> str | None:
        """The name of the tokenizer that it counts with; None if it counts no tokens."""
        return None

    @property
    def orders_ties(self) -> bool:
        """True if ``tie`` asks for another order of tied passages than that by id."""
        tie: str = getattr(self, "tie", "id")
        return tie != "id"

    def options(self) -> dict[str, Any]:
        """The options that differ from their defaults, by name."""
        return {
            name: getattr(self, name)
            for name, field in type(self).model_fields.items()
            if name not in ("cutoff", self.at) and getattr(self, name) != field.default
        }

    def __matmul__(self, at: float | Literal["depth"]) -> Self:
        return build(type(self), {**self.options(), self.at: at}, str(self))

    def family(self) -> Self:
        """The same measure and options without the cutoff: all of them share one curve."""
        return self if self.cutoff is None else build(type(self), self.options(), str(self))

    def with_relevant_from(self, grade: float) -> Self:
        """The measure with this threshold, if it is binary and sets none itself; a measure that
        reads grades as they are (nDCG) is unchanged, as with ``trec_eval -l``."""
        field = type(self).model_fields.get("relevant_from")
        if field is None or field.default is None or "relevant_from" in self.model_fields_set:
            return self
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return build(type(self), {**given, "relevant_from": grade}, str(self))

    def at_depth(self, depth: int) -> Self:
        """``R@depth`` with its number; any other measure as it is."""
        return self @ depth if self.cutoff == "depth" else self

    def _printed(self, name: str, options: dict[str, Any]) -> str:
        inside = ",".join(f"{key}={option_text(value)}" for key, value in options.items())
        text = f"{name}({inside})" if inside else name
        at = getattr(self, self.at)
        return text if at is None else f"{text}@{option_text(at)}"

    def __str__(self) -> str:
        return self._printed(self.name, self.options())

    @property
    def label(self) -> str:
        """What tables print for the mean over queries: ``mAP@10`` for ``AP@10``."""
        return self._printed(self.mean_name or self.name, self.options())


def _place(measure: Measure) -> str:
    return f"{type(measure).__module__}.{type(measure).__name__}"


def build(family: type[M], options: dict[str, Any], text: str) -> M:
    """A measure from its options; a MeasureError in plain words where they are wrong."""
    allowed = [name for name in family.model_fields if name not in ("cutoff", family.at)]
    for name in options:
        if name not in family.model_fields:
            listed = did_you_mean(name, allowed) if allowed else "It has no options"
            raise MeasureError(f"{family.name} has no option '{name}'", where=text, instead=listed)
    try:
        return family.model_validate(options)
    except ValidationError as error:
        raise MeasureError(
            Problem(f"{show_path(finding.path)}: {finding.what}", text, finding.instead)
            for finding in error_findings(family, options, error)
        ) from None


def option_text(value: object) -> str:
    """The value of an option as it is written in a measure."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return f"{{{','.join(':'.join(map(option_text, pair)) for pair in value)}}}"
        return f"{{{','.join(map(option_text, value))}}}"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
