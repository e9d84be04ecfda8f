"""Bases of the measures that look for relevant passages: queries without any, and the threshold."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.errors import MeasureError
from ragscore.judge import ANY_GRADE as ANY_GRADE
from ragscore.judge import Pool
from ragscore.measures.base import Curve, Measure

Empty = Literal["0", "1", "skip", "error"]
"""The value of a query that has nothing relevant; ``skip`` leaves it out of the mean, ``error``
refuses it."""

RelevantFrom = Annotated[float, Field(gt=0)]


class Gained(Measure):
    """Base of the measures that are 0 for a query without relevant passages, unless ``empty`` says
    otherwise."""

    empty: Empty = "0"
    """The value for a query without any relevant passage; ``skip`` leaves it out of the mean."""

    def without_relevant(self, judged: Pool) -> NDArray[np.bool_]:
        """Which queries have nothing to find: bool[Q]."""
        nothing: NDArray[np.bool_] = judged.n_relevant(self.threshold or 1.0) == 0
        return nothing

    def settled(self, curve: Curve, judged: Pool) -> Curve:
        if self.empty == "0":
            return curve
        none = self.without_relevant(judged)
        if self.empty == "error" and none.any():
            raise MeasureError(
                f"{int(none.sum())} queries have no relevant passage",
                where=str(self),
                instead="Judge them, or choose empty=0, empty=1 or empty=skip",
            )
        return np.where(none[:, None], 1.0 if self.empty == "1" else np.nan, curve)

    @property
    def may_be_undefined(self) -> bool:
        return self.empty == "skip"


class Binary(Gained):
    """Base of the measures for which a passage is relevant or not."""

    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""
