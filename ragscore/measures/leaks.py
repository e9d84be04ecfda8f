"""Leak, LeakCount and LeakRank: passages that must not come back, and came back.

A passage is forbidden by the list of a query (``"forbidden": ["x"]``) or by a rule on metadata
(``forbidden:`` of the dataset), whatever its grade: other tenants' passages, superseded versions,
spoilers. A query to which nothing is forbidden has no leak, and counts.

Source: ragscore's own; for the interval of Leak: Clopper and Pearson, The use of confidence or
fiducial limits illustrated in the case of the binomial, Biometrika 26, 1934.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import MeasureError
from ragscore.judge import Judged
from ragscore.measures.base import Aggregate, Curve, Measure

INSTEAD = (
    'Write "forbidden": ["ID"] in the rows of the ground truth, or give the dataset a rule: '
    'forbidden: {field: tenant, op: "!=", value: query.tenant}'
)


class LeakMeasure(Measure):
    """Base of the measures of forbidden passages."""

    reads_forbidden: ClassVar[bool] = True

    def leaks(self, judged: Judged) -> NDArray[np.int64]:
        """How many forbidden passages came back up to each rank: int64[Q, depth].

        Raises:
            MeasureError: nothing is forbidden.
        """
        if judged.forbidden is None:
            raise nothing_forbidden(self)
        return np.cumsum(judged.forbidden, axis=1, dtype=np.int64)

    def workings(self, judged: Judged) -> dict[str, NDArray[np.float64]]:
        leaks = self.leaks(judged)[0].astype(np.float64)
        return {"forbidden": np.diff(leaks, prepend=0.0), "leaks": leaks}


class Leak(LeakMeasure):
    """Leak@k: 1 if any forbidden passage is in the top k, else 0. Lower is better.

    Its mean is the share of the queries with a leak, and its interval Clopper's and Pearson's: that
    none of 300 queries leaked still allows a share of 1 % (0.00994, one-sided 95 %).

    >>> from ragscore import Dataset, score
    >>> passages = {"old": "Rent was due weekly.", "new": "Rent is due monthly."}
    >>> truth = [{"query_id": "q", "passages": {"new": 1}, "forbidden": ["old"]}]
    >>> dataset = Dataset.from_rows(passages, {"q": "When is rent due?"}, truth)
    >>> score({"q": ["new", "old"]}, dataset, ["Leak@1", "Leak@2"]).to_dict()
    {'dataset': {'run': {'Leak@1': 0.0, 'Leak@2': 1.0}}}
    """

    name: ClassVar[str] = "Leak"
    aliases: ClassVar[tuple[str, ...]] = ("LeakRate",)
    summary: ClassVar[str] = "1 if any forbidden passage is in the top k"
    lowest_is_best: ClassVar[bool] = True
    share_method: ClassVar[Literal["wilson", "clopper-pearson"]] = "clopper-pearson"

    @property
    def flat(self) -> bool:
        return True

    def curve(self, judged: Judged) -> Curve:
        return (self.leaks(judged) > 0).astype(np.float64)


class LeakCount(LeakMeasure):
    """LeakCount@k: how many forbidden passages are in the top k. Lower is better.

    >>> from ragscore import Dataset, score
    >>> passages = {"old": "Rent was due weekly.", "new": "Rent is due monthly."}
    >>> truth = [{"query_id": "q", "passages": {"new": 1}, "forbidden": ["old"]}]
    >>> dataset = Dataset.from_rows(passages, {"q": "When is rent due?"}, truth)
    >>> score({"q": ["new", "old"]}, dataset, ["LeakCount@2"]).to_dict()
    {'dataset': {'run': {'LeakCount@2': 1.0}}}
    """

    name: ClassVar[str] = "LeakCount"
    summary: ClassVar[str] = "number of forbidden passages in the top k"
    lowest_is_best: ClassVar[bool] = True
    bounded: ClassVar[bool] = False

    @property
    def flat(self) -> bool:
        return True

    def curve(self, judged: Judged) -> Curve:
        return self.leaks(judged).astype(np.float64)


class LeakRank(LeakMeasure):
    """LeakRank: the rank of the first forbidden passage, over the queries with one in the top k.

    Undefined (NaN) where none came back; how many are defined is reported beside it. Higher is
    better, and none at all is best: read it beside Leak, which says how many queries it is about.

    >>> from ragscore import Dataset, score
    >>> passages = {"old": "Rent was due weekly.", "new": "Rent is due monthly."}
    >>> truth = [{"query_id": "q", "passages": {"new": 1}, "forbidden": ["old"]}]
    >>> dataset = Dataset.from_rows(passages, {"q": "When is rent due?"}, truth)
    >>> score({"q": ["new", "old"]}, dataset, ["LeakRank"]).to_dict()
    {'dataset': {'run': {'LeakRank': 2.0}}}
    """

    name: ClassVar[str] = "LeakRank"
    summary: ClassVar[str] = "rank of the first forbidden passage, where one came back"
    needs_cutoff: ClassVar[bool] = False
    aggregate: ClassVar[Aggregate] = "mean of defined"
    bounded: ClassVar[bool] = False

    @property
    def flat(self) -> bool:
        return True

    def curve(self, judged: Judged) -> Curve:
        leaked = self.leaks(judged) > 0
        rank = 1.0 + (~leaked).sum(axis=1, keepdims=True)
        return np.where(leaked, rank, np.nan)

    def uncut(self, judged: Judged, curve: Curve) -> NDArray[np.float64]:
        """The last column; NaN if nothing was returned at all."""
        return curve[:, -1] if judged.depth else np.full(len(judged), np.nan)


def nothing_forbidden(measure: Measure) -> MeasureError:
    """What says that a measure needs forbidden passages, and how to give them."""
    what = f"{measure} needs forbidden passages, and the ground truth names none"
    return MeasureError(what, instead=INSTEAD)
