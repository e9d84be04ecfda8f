"""gmAP and gmbpref: the geometric mean over the queries, which a few bad ones pull down.

Source: trec_eval (m_gm_map.c, m_gm_bpref.c); Robertson, On GMAP and Other Transformations,
CIKM 2006.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import Judged, Ranked
from ragscore.measures.average_precision import AP, precision_at_hits
from ragscore.measures.base import Aggregate, NeedsRead
from ragscore.measures.preference import BPref
from ragscore.measures.relevance import Binary


class GeometricMean(Binary):
    """Base of the geometric means over the queries of another measure."""

    of: ClassVar[type[AP | BPref]]
    """The measure whose value each query has."""
    needs_cutoff: ClassVar[bool] = False
    has_curve: ClassVar[bool] = False
    aggregate: ClassVar[Aggregate] = "geometric mean"

    @property
    def needs_read(self) -> NeedsRead:
        return self.of.reads_needs

    def values(self, judged: Ranked) -> NDArray[np.float64]:
        return self.of(relevant_from=self.relevant_from).everything(judged)


class GMAP(GeometricMean):
    """The geometric mean of AP, in which a value below 0.00001 counts as 0.00001.

    A query's own value is its AP.

    >>> from ragscore import score
    >>> run = {"q": ["a"], "r": ["x", "y", "z", "a"]}
    >>> score(run, {"q": ["a"], "r": ["a"]}, ["AP", "gmAP"]).to_dict()
    {'dataset': {'run': {'AP': 0.625, 'gmAP': 0.5}}}
    """

    name: ClassVar[str] = "gmAP"
    summary: ClassVar[str] = "AP, as the geometric mean over the queries"
    of: ClassVar[type[AP | BPref]] = AP

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        return super().workings(judged) | precision_at_hits(judged, self.relevant_from)


class GMBPref(GeometricMean):
    """The geometric mean of bpref, in which a value below 0.00001 counts as 0.00001.

    A query's own value is its bpref.

    >>> from ragscore import score
    >>> run = {"q": ["a"], "r": ["x", "a", "y", "b"]}
    >>> qrels = {"q": ["a"], "r": {"a": 1, "b": 1, "x": 0, "y": 0, "z": 0}}
    >>> score(run, qrels, ["gmbpref"]).to_dict()
    {'dataset': {'run': {'gmbpref': 0.5}}}
    """

    name: ClassVar[str] = "gmbpref"
    summary: ClassVar[str] = "bpref, as the geometric mean over the queries"
    of: ClassVar[type[AP | BPref]] = BPref
