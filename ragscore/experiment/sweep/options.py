"""``sweep:`` of an experiment: which parameters of which retrievers take which values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer
from pydantic.config import JsonDict

from ragscore.experiment.measure_text import MeasureText
from ragscore.spec import Spec
from ragscore.sweeps.model import MAX_CONFIGURATIONS

DIGITS = 12
"""Of the values of a range: enough for any setting, and 0.8 is not 0.8000000000000002."""

EXACT = 2**53
"""From here on not every whole number is a float: a range has none as such."""


class ValueRange(Spec):
    """Values at equal steps.

    >>> ValueRange(**{"from": 0.6, "to": 2.0, "steps": 8}).values()
    [0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2]
    >>> ValueRange(**{"from": 1, "to": 64, "steps": 4, "log": True}).values()
    [1, 4, 16, 64]
    """

    first: float = Field(alias="from")
    """The first value."""
    last: float = Field(alias="to")
    """The last value."""
    steps: int = Field(ge=2, le=MAX_CONFIGURATIONS)
    """How many values, the first and the last included."""
    log: bool = False
    """Equal ratios between the values in place of equal differences."""

    def values(self) -> list[int | float]:
        """The values; those that are whole numbers as such."""
        first, last = self.first, self.last
        parts = [at / (self.steps - 1) for at in range(self.steps)]
        if self.log:
            found = [first * (last / first) ** part for part in parts]
        else:
            found = [first + (last - first) * part for part in parts]
        rounded = [float(f"{value:.{DIGITS}g}") for value in found]
        whole = (value.is_integer() and abs(value) < EXACT for value in rounded)
        return [int(value) if exact else value for value, exact in zip(rounded, whole, strict=True)]


_VALUES: JsonDict = {
    "anyOf": [
        {"type": "array", "minItems": 1},
        {
            "type": "object",
            "properties": {
                "from": {"type": "number"},
                "to": {"type": "number"},
                "steps": {"type": "integer", "minimum": 2},
                "log": {"type": "boolean"},
            },
            "required": ["from", "to", "steps"],
            "additionalProperties": False,
        },
    ]
}


class Sweep(Spec):
    """A search over settings: every combination of the values of a retriever's parameters.

    The keys besides ``for``, ``sample`` and ``seed`` are names of retrievers, each with its
    parameters (``k1``, or ``encoder.model`` for an option of an option) and their values, as a
    list or as ``{from: 0.6, to: 2.0, steps: 8}``.
    """

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "additionalProperties": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": _VALUES,
            }
        },
    )

    measure: MeasureText | None = Field(None, alias="for")
    """The measure to choose by; by default the first of the experiment."""
    sample: int | None = Field(None, ge=1, le=MAX_CONFIGURATIONS)
    """Score this many configurations of each retriever, drawn at random without replacement; by
    default all of them."""
    seed: int = Field(1234, ge=0)
    """Random seed of the sample."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """By retriever, its parameters with their values, as they were written.

        >>> Sweep(bm25={"k1": [0.9, 1.5]}, sample=50).parameters
        {'bm25': {'k1': [0.9, 1.5]}}
        """
        return dict(self.__pydantic_extra__ or {})

    def reduced(self, retrievers: Collection[str]) -> Sweep | Literal[False]:
        """The same sweep of some retrievers; False if none of them is swept."""
        kept = {name: grid for name, grid in self.parameters.items() if name in retrievers}
        return self.with_parameters(kept) if kept else False

    def with_parameters(self, parameters: Mapping[str, Any]) -> Sweep:
        """The same sweep over other parameters."""
        options = {"for": self.measure, "sample": self.sample, "seed": self.seed}
        return type(self).model_validate({**options, **parameters})

    @model_serializer(mode="wrap")
    def _as_written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written = dict(handler(self))
        return {"for": written.pop("measure", written.pop("for", None)), **written}


RESERVED = ("for", "sample", "seed")
"""Keys that are no names of retrievers."""
