"""What changed between two results: frozen, in full precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragscore.comparison import CompareOptions
from ragscore.comparison.changes import MeasureChanges, Pair
from ragscore.report.same_data import DataChange


@dataclass(frozen=True)
class Changes:
    """What changed on one dataset.

    Attributes:
        dataset, before: its name in the later and in the earlier result.
        pairs: who is in both.
        only_before, only_after: retrievers that only one of them has a run of.
        data: what differs in the dataset.
        judged_again: both are measured by the later judgments and conventions, the earlier one
            from its recorded runs.
        n: common queries.
        dropped: queries that only one result averaged, or whose text is another.
        measures: by measure, in the order of the later result.
        lacking: measures that the earlier result does not have.
        clustered: queries were taken in clusters as the later result's options ask; False where
            they ask for it and the clusters are not known.
        trouble: why nothing could be compared; empty where something was.
        options: how it was compared.
    """

    dataset: str
    before: str
    pairs: tuple[Pair, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    data: DataChange
    options: CompareOptions
    judged_again: bool = False
    n: int = 0
    dropped: int = 0
    measures: Mapping[str, MeasureChanges] | None = None
    lacking: tuple[str, ...] = ()
    clustered: bool = True
    trouble: str = ""
