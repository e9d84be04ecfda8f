"""iprec@r and 11pt: precision interpolated at levels of recall.

Source: trec_eval (m_iprec_at_recall.c, m_11pt_avg.c); Manning, Raghavan and Schütze,
Introduction to Information Retrieval, 2008, section 8.4.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from ragscore.errors import MeasureError
from ragscore.judge import Judged, Ranked
from ragscore.measures.average_precision import precision_at_hits
from ragscore.measures.base import NeedsRead
from ragscore.measures.relevance import Gained, RelevantFrom

LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The eleven standard levels of recall."""

Recall = Annotated[float, Field(ge=0, le=1)]
Rounding = Literal["trec10", "trec9"]


def _parsed_levels(value: Any) -> Any:
    """``{.25,.5}`` or any list as a tuple."""
    if isinstance(value, str):
        value = [level for level in value.strip("{}").split(",") if level.strip()]
    return tuple(value) if isinstance(value, list) else value


def interpolated(
    judged: Ranked, recalls: NDArray[np.float64], relevant_from: float, rounding: Rounding
) -> NDArray[np.float64]:
    """The highest precision at any rank that reaches each level of recall: float64[Q, levels]."""

    def at_hits() -> NDArray[np.float64]:
        """The interpolated precision at each relevant passage, query after query: float64[n]."""
        precision = judged.hits(relevant_from) / judged.ranks
        highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        kept: NDArray[np.float64] = highest[judged.relevant(relevant_from)]
        return kept

    precision = judged.once("interpolated precision", relevant_from, at_hits)
    found = judged.n_found(relevant_from).astype(np.int64)
    level = recalls * judged.n_relevant(relevant_from)[:, None]
    whole = np.floor(level)
    older = rounding == "trec9"
    level = np.floor(level + 0.9) if older else whole + (level - whole >= 0.5)
    # No precision before the first relevant passage is higher than there.
    wanted = np.maximum(level, 1).astype(np.int64)
    reached = wanted <= found[:, None]
    place = (np.cumsum(found) - found)[:, None] + wanted - 1
    values = np.zeros(place.shape)
    values[reached] = precision[place[reached]]
    return values


class IPrec(Gained):
    """iprec@r: the highest precision at any rank where recall is r or more.

    The level is r * R relevant passages, rounded to a whole number: half away from zero
    (trec_eval 10), or ``rounding=trec9``: floor(r * R + 0.9), as trec_eval 9 and pytrec_eval.
    Level 0 is the highest precision of all. The value is 0 if the level was not reached. In a
    list of measures, ``iprec`` without a level is the eleven standard levels.

    >>> from ragscore import score
    >>> score({"q": ["a", "x", "b"]}, {"q": ["a", "b"]}, ["iprec@0.5", "iprec@1"]).to_dict()
    {'dataset': {'run': {'iprec@0.5': 1.0, 'iprec@1': 0.6666666666666666}}}
    """

    name: ClassVar[str] = "iprec"
    summary: ClassVar[str] = "highest precision at any rank where recall is r or more (iprec@0.1)"
    has_curve: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "alternatives"
    at: ClassVar[str] = "recall"
    bare: ClassVar[tuple[float, ...]] = LEVELS

    recall: Recall
    """The level of recall, 0 to 1, after the @."""
    rounding: Rounding = "trec10"
    """How the level becomes a number of passages."""
    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    @classmethod
    def parse_at(cls, at: str, text: str) -> Any:
        try:
            level = float(at)
        except ValueError:
            level = -1.0
        if not 0 <= level <= 1:
            raise MeasureError(
                f"'{at}' is not a level of recall",
                where=text,
                instead="A level of recall is a number from 0 to 1: write iprec@0.1",
            )
        return level

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        level = np.array([self.recall])
        return interpolated(judged, level, self.relevant_from, self.rounding)[:, 0]

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | precision_at_hits(judged, self.relevant_from)


class ElevenPoint(Gained):
    """11pt: the mean of iprec over the eleven standard levels of recall.

    ``points`` takes other levels, as trec_eval's ``11pt_avg`` does.

    >>> from ragscore import score
    >>> score({"q": ["x", "a"]}, {"q": ["a"]}, ["11pt", "11pt(points={0.25,0.5})"]).to_dict()
    {'dataset': {'run': {'11pt': 0.5, '11pt(points={0.25,0.5})': 0.5}}}
    """

    name: ClassVar[str] = "11pt"
    summary: ClassVar[str] = "mean of iprec over eleven levels of recall"
    needs_cutoff: ClassVar[bool] = False
    has_curve: ClassVar[bool] = False
    reads_needs: ClassVar[NeedsRead] = "alternatives"

    points: Annotated[tuple[Recall, ...], BeforeValidator(_parsed_levels), Field(min_length=1)] = (
        LEVELS
    )
    """The levels of recall."""
    rounding: Rounding = "trec10"
    """How a level becomes a number of passages; see iprec."""
    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        levels = np.array(self.points)
        mean: NDArray[np.float64] = interpolated(
            judged, levels, self.relevant_from, self.rounding
        ).mean(axis=1)
        return mean

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | precision_at_hits(judged, self.relevant_from)
