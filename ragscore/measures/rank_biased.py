"""RBP and RBPresidual: what a reader gains who goes on with probability p, and what may be missing.

Source: Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness,
TOIS 2008; trec_eval (m_rbp.c, m_rbp_resid.c).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.judge import JUDGED, PAD, Judged, Pool, Ranked
from ragscore.measures.base import Curve, Measure
from ragscore.measures.cumulative import Cumulative
from ragscore.measures.relevance import ANY_GRADE, Gained, RelevantFrom
from ragscore.messages import Text

Persistence = Annotated[float, Field(gt=0, lt=1)]


class RBP(Cumulative, Gained):
    """Rank-biased precision: ``(1 - p) * sum over i <= k of p ** (i - 1) * gain(i)``.

    The gain is 1 for a relevant passage; with ``gain=graded`` it is the grade as a share of the
    largest grade of all judgments, and ``relevant_from`` has no effect. trec_eval's default p is
    0.9, that of ir_measures 0.8.

    >>> from ragscore import score
    >>> round(score({"q": ["x", "a"]}, {"q": ["a"]}, ["RBP"]).entries[0].mean("RBP"), 4)
    0.09
    """

    name: ClassVar[str] = "RBP"
    summary: ClassVar[str] = "gain of a reader who goes on to the next rank with probability p"
    needs_cutoff: ClassVar[bool] = False
    also_used_by: ClassVar[Mapping[tuple[str, str], tuple[Text, ...]]] = {
        ("p", "0.8"): ("cwl_eval",),
    }

    p: Persistence = 0.9
    """The probability that the reader goes on to the next rank."""
    gain: Literal["binary", "graded"] = "binary"
    """What a passage is worth."""
    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    def totals(self, judged: Ranked) -> Curve:
        reached = (1.0 - self.p) * self.p ** (judged.ranks - 1.0)
        if self.gain == "binary":
            return np.cumsum(judged.relevant(self.relevant_from) * reached, axis=1)
        largest = judged.largest_grade if judged.largest_grade > 0 else 1.0
        return np.cumsum(judged.grades / largest * reached, axis=1)

    def without_relevant(self, judged: Pool) -> NDArray[np.bool_]:
        if self.gain == "binary":
            return super().without_relevant(judged)
        nothing: NDArray[np.bool_] = judged.n_relevant(ANY_GRADE) == 0
        return nothing

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | {"p^(rank-1)": self.p ** (judged.ranks - 1)}


class RBPResidual(Measure):
    """What RBP would gain if all unjudged passages, and all below the last, were relevant.

    ``residual = p ** n + (1 - p) * sum of p ** (i - 1) over unjudged ranks i <= n``, where n is
    the smaller of k and what came back. 0 if nothing came back, like every measure of
    such a query. trec_eval's rbp_resid is also 0 if every returned passage is judged:
    ``complete=0``. Lower is better.

    >>> from ragscore import score
    >>> scores = score({"q": ["x", "a"]}, {"q": ["a"]}, ["RBPresidual"]).entries[0]
    >>> round(scores.mean("RBPresidual"), 4)
    0.91
    """

    name: ClassVar[str] = "RBPresidual"
    summary: ClassVar[str] = "what RBP could still gain from unjudged and unseen passages"
    needs_cutoff: ClassVar[bool] = False
    lowest_is_best: ClassVar[bool] = True

    p: Persistence = 0.9
    """The probability that the reader goes on to the next rank."""
    complete: Literal["rest", "0"] = "rest"
    """The value where every returned passage is judged. ``rest``: p ** n. ``0``: zero."""

    def curve(self, judged: Judged) -> Curve:
        unknown = (judged.state != JUDGED) & (judged.state != PAD)
        at_stake = np.cumsum(unknown * self.p ** (judged.ranks - 1.0), axis=1)
        came = np.minimum(judged.ranks, judged.returned[:, None])
        residual = self.p**came + (1.0 - self.p) * at_stake
        kept = at_stake > 0 if self.complete == "0" else came > 0
        return np.where(kept, residual, 0.0)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | {"p^(rank-1)": self.p ** (judged.ranks - 1)}
