"""Rprec: precision where it equals recall.

Source: trec_eval (m_Rprec.c, m_Rprec_mult.c); Buckley and Voorhees, Retrieval System
Evaluation, in TREC: Experiment and Evaluation in Information Retrieval, 2005.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.arrays import divide
from ragscore.judge import Ranked
from ragscore.measures.relevance import Gained, RelevantFrom


class Rprec(Gained):
    """R-precision: precision at rank R, the number of the query's relevant passages.

    ``Rprec = hits(R) / R``; ``multiple=m`` is trec_eval's Rprec_mult: ``hits(c) / c`` with
    ``c = floor(m * R + 0.9)``, which divides by c even where fewer came back.

    >>> from ragscore import score
    >>> score({"q": ["a", "x", "b"]}, {"q": ["a", "b"]}, ["Rprec"]).to_dict()
    {'dataset': {'run': {'Rprec': 0.5}}}
    """

    name: ClassVar[str] = "Rprec"
    aliases: ClassVar[tuple[str, ...]] = ("RPrecision",)
    summary: ClassVar[str] = "precision at rank R"
    needs_cutoff: ClassVar[bool] = False
    has_curve: ClassVar[bool] = False

    multiple: Annotated[float, Field(gt=0)] = 1.0
    """The multiple of R at which precision is taken."""
    relevant_from: RelevantFrom = 1.0
    """The lowest grade that counts as relevant."""

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        rank = np.floor(self.multiple * judged.n_relevant(self.relevant_from) + 0.9)
        above = judged.relevant(self.relevant_from) & (judged.ranks <= rank[:, None])
        return divide(np.count_nonzero(above, axis=1).astype(np.float64), rank)
