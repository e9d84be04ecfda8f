"""ERR: the reciprocal rank at which a reader is expected to stop.

Source: Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance,
CIKM 2009; TREC's gdeval.pl, whose max_grade is 4.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.errors import MeasureError
from ragscore.judge import Judged, Pool, Ranked
from ragscore.measures.base import Curve
from ragscore.measures.cumulative import Cumulative
from ragscore.measures.relevance import ANY_GRADE, Gained


class ERR(Cumulative, Gained):
    """Expected reciprocal rank: a reader goes down the list and stops once satisfied.

    ``ERR@k = sum over i <= k of (1 / i) * stop(i) * product over j < i of (1 - stop(j))`` with
    ``stop(i) = (2 ** g(i) - 1) / 2 ** max_grade``.

    >>> from ragscore import score
    >>> score({"q": ["a", "b"]}, {"q": {"a": 1, "b": 2}}, ["ERR"]).to_dict()
    {'dataset': {'run': {'ERR': 0.53125}}}
    """

    name: ClassVar[str] = "ERR"
    summary: ClassVar[str] = "reciprocal rank at which a reader is expected to stop"
    needs_cutoff: ClassVar[bool] = False

    max_grade: Annotated[float, Field(gt=0)] | None = None
    """The highest grade there can be; by default the largest of all judgments."""

    @property
    def flat(self) -> bool:
        return True

    def totals(self, judged: Ranked) -> Curve:
        highest = judged.largest_grade
        if self.max_grade is not None:
            if highest > self.max_grade:
                raise MeasureError(
                    f"there is a grade of {highest:g}, above max_grade",
                    where=str(self),
                    instead=f"Write ERR(max_grade={highest:g}), or leave max_grade out",
                )
            highest = self.max_grade
        # 2 ** (g - max) - 2 ** -max: 2 ** g itself overflows for grades above 1023.
        stops = np.exp2(judged.grades - highest) - np.exp2(-highest)
        reached = np.ones(stops.shape)
        np.cumprod(1.0 - stops[:, :-1], axis=1, out=reached[:, 1:])
        return np.cumsum(stops * reached / judged.ranks, axis=1)

    def without_relevant(self, judged: Pool) -> NDArray[np.bool_]:
        nothing: NDArray[np.bool_] = judged.n_relevant(ANY_GRADE) == 0
        return nothing

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        most = self.max_grade or judged.largest_grade
        stops = (np.exp2(judged.grades[0]) - 1) / 2**most
        return super().workings(judged) | {"stops": stops}
