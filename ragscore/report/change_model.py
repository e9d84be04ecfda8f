"""What changed between two results: frozen, in full precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragscore.comparison import CompareOptions, Difference
from ragscore.comparison.compared_measure import ComparedMeasure
from ragscore.report.same_data import DataChange


@dataclass(frozen=True)
class Pair:
    """A retriever in both results; one each with different names where each has but one.

    Attributes:
        before, after: its names.
        settings_changed: its own settings are others; those of its inputs are not looked at.
        milliseconds: of a query, before and after; None where none was timed.
    """

    before: str
    after: str
    settings_changed: bool
    milliseconds: tuple[float | None, float | None]


@dataclass(frozen=True)
class Moved:
    """A query on which a retriever's value changed; ``by`` is signed so that + is better."""

    query: str
    retriever: str
    before: float
    after: float
    by: float


@dataclass(frozen=True)
class Change:
    """One retriever on one measure, over the queries with a value in both.

    Attributes:
        pair: who.
        before, after: its means.
        difference: after - before, signed so that + is better; corrected over the pairs.
    """

    pair: Pair
    before: float
    after: float
    difference: Difference


@dataclass(frozen=True)
class MeasureChanges:
    """All pairs on one measure.

    Attributes:
        measure: what is compared.
        changes: by pair, in order.
        risen, fallen: the queries that moved most, each with the pair on which it did.
    """

    measure: ComparedMeasure
    changes: tuple[Change, ...]
    risen: tuple[Moved, ...]
    fallen: tuple[Moved, ...]


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
