"""Gains: what a grade is worth, for the measures that add it up."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from ragscore.errors import MeasureError, Problem, did_you_mean
from ragscore.judge import JUDGED, Judged, Pool
from ragscore.measures.base import Measure
from ragscore.measures.relevance import ANY_GRADE, RelevantFrom
from ragscore.validation.findings import carried

GainName = Literal["linear", "exp", "binary"]
GainMap = tuple[tuple[float, float], ...]
"""Pairs of grade and gain."""
LARGEST_GAIN = 1e150
"""Squares of larger ones, which intervals add up, are no 64-bit numbers."""


def _parsed_map(value: Any) -> Any:
    """``{1:3,2:9}``, a mapping or pairs as pairs sorted by grade; anything else as it is."""
    if isinstance(value, str) and value not in get_args(GainName):
        if not re.fullmatch(r"\{[^{}]+\}", value):
            allowed = did_you_mean(value, get_args(GainName))
            instead = f"{allowed}, or a map such as {{1:3,2:9}}"
            raise carried(Problem(f"unknown gain '{value}'", instead=instead))
        value = [pair.split(":") for pair in value[1:-1].split(",") if pair.strip()]
    elif isinstance(value, dict):
        value = list(value.items())
    if not isinstance(value, list | tuple):
        return value
    try:
        pairs = sorted((float(grade), float(gain)) for grade, gain in value)
    except (TypeError, ValueError) as error:
        raise ValueError("a map has a number for each grade: {1:3,2:9}") from error
    if not pairs or len({grade for grade, _ in pairs}) < len(pairs):
        raise ValueError("a map needs at least one grade, and each grade once: {1:3,2:9}")
    return tuple(pairs)


Gain = Annotated[GainName | GainMap, BeforeValidator(_parsed_map)]


class Graded(Measure):
    """Base of the measures that add up gains: the options ``gain`` and ``relevant_from``."""

    gain: Gain = "linear"
    """The gain of a grade. ``linear``: the grade itself. ``exp``: 2 ** grade - 1. ``binary``: 1
    from grade 1 (or ``relevant_from``) on. A map such as ``{1:3,2:9}`` gives each grade its
    gain; the gain of any other grade is the grade itself."""
    relevant_from: RelevantFrom | None = None
    """Grades below this are worth nothing; by default all count."""

    def gains(self, grades: NDArray[np.float64]) -> NDArray[np.float64]:
        """What grades are worth; grade 0 is worth 0 unless a map says otherwise.

        Raises:
            MeasureError: a gain is larger than :data:`LARGEST_GAIN`.
        """
        if self.gain == "linear":
            worth = grades
        elif self.gain == "exp":
            with np.errstate(over="ignore"):  # too large, and refused below
                worth = np.exp2(grades) - 1.0
        elif self.gain == "binary":
            return (grades >= (self.relevant_from or 1.0)).astype(np.float64)
        else:
            worth = grades.copy()
            for grade, gain in self.gain:
                worth[grades == grade] = gain
        if max(worth.max(initial=0.0), -worth.min(initial=0.0)) > LARGEST_GAIN:
            at = np.abs(worth).argmax()
            raise MeasureError(
                f"the gain of grade {grades.flat[at]:g} is {worth.flat[at]:g}, too large to add up",
                instead=f"A gain is at most {LARGEST_GAIN:g}: scale the grades down, or choose "
                "another gain",
            )
        if self.relevant_from is None:
            return worth
        return np.where(grades >= self.relevant_from, worth, 0.0)

    def found(self, judged: Pool) -> NDArray[np.float64]:
        """The gain at each place, 0 if nobody judged: float64[Q, width]. Where the ground truth
        names needs, it is the sum over those that are first covered there."""
        if judged.needs is not None:
            needs = judged.needs
            return needs.added(self.gains(needs.grades), needs.newly(self.threshold or ANY_GRADE))
        worth = self.gains(judged.grades)
        if isinstance(self.gain, tuple) and any(grade == 0 for grade, _ in self.gain):
            worth = np.where(judged.state == JUDGED, worth, 0.0)
        return worth

    def best(self, judged: Pool, width: int) -> NDArray[np.float64]:
        """Gains of the judged passages, best first, 0 past the last: float64[Q, width], or
        narrower where no query has as many."""
        if isinstance(self.gain, str):
            return self.gains(judged.ideal_matrix(width))
        # A map need not keep the order, so that any grade may be among the best up to the width;
        # what it makes worth less than 0, an ideal leaves out.
        worth = self.gains(judged.ideal_matrix(judged.most_judged))
        there = np.arange(judged.most_judged) < np.diff(judged.ideal_indptr)[:, None]
        ordered: NDArray[np.float64] = np.sort(
            np.where(there, np.minimum(-worth, 0.0), 0.0), axis=1
        )
        return -ordered[:, :width]

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return {"gain": self.found(judged)[0]}

    def worths(self, scale: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gains above 0 that occur among these grades, ascending; that of the lowest relevant
        grade where none does: float64[n]."""
        worths = np.unique(self.gains(scale))
        worths = worths[worths > 0]
        return worths if len(worths) else self.gains(np.array([self.threshold or 1.0]))
