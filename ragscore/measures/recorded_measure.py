"""Measures of other packages as a result records them: read without importing the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragscore.measures.base import Aggregate, Measure


@dataclass(frozen=True)
class Traits:
    """What a result records of a measure that another package adds.

    Attributes:
        label: what tables print for the mean over the queries.
        summary: one line for lists.
        aggregate: how the queries' values become one.
        lowest_is_best: whether less is better.
        bounded: whether every query's value lies in [0, 1].
        may_be_undefined: whether a query may have no value.
        cutoff: its cutoff, None if it has none.
    """

    label: str
    summary: str
    aggregate: Aggregate
    lowest_is_best: bool
    bounded: bool
    may_be_undefined: bool
    cutoff: int | None

    @classmethod
    def of(cls, measure: Measure) -> Traits:
        """What is recorded of a measure."""
        return cls(
            label=measure.label,
            summary=measure.summary,
            aggregate=measure.aggregate,
            lowest_is_best=measure.lowest_is_best,
            bounded=measure.bounded,
            may_be_undefined=measure.may_be_undefined,
            cutoff=measure.cutoff if isinstance(measure.cutoff, int) else None,
        )


class RecordedMeasure(Measure):
    """Base of the measures that are known by their recorded values alone: they compute none."""

    text: ClassVar[str]
    traits: ClassVar[Traits]

    def __str__(self) -> str:
        return self.text

    @property
    def label(self) -> str:
        return self.traits.label

    @property
    def may_be_undefined(self) -> bool:
        return self.traits.may_be_undefined


def recorded_measure(text: str, traits: Traits) -> Measure:
    """A measure as a result records it.

    >>> traits = Traits("mGain@5", "", "mean", False, True, False, 5)
    >>> measure = recorded_measure("Gain(p=2)@5", traits)
    >>> str(measure), measure.label, measure.cutoff
    ('Gain(p=2)@5', 'mGain@5', 5)
    """
    family = type(
        "RecordedMeasure",
        (RecordedMeasure,),
        {
            "__module__": __name__,
            "__doc__": traits.summary,
            "text": text,
            "traits": traits,
            "name": text.partition("@")[0].partition("(")[0],
            "summary": traits.summary,
            "aggregate": traits.aggregate,
            "lowest_is_best": traits.lowest_is_best,
            "bounded": traits.bounded,
        },
    )
    measure: Measure = family(cutoff=traits.cutoff)
    return measure
