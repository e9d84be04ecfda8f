"""Baselines held against each other: what a new one lowers, and whether both are of the same data.

The digests decide whether data are the same. Where they differ, values can differ although every
retriever returns what it returned, so that a comparison needs somebody's leave.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ragscore.blocks import Block, Column, Table
from ragscore.blocks.cells import (
    count_cell,
    name_cell,
    nothing,
    number_cell,
    signed_cell,
    text_cell,
)
from ragscore.errors import ConfigError, DataError
from ragscore.gate.baseline import Baseline, BaselineDataset, BaselineRetriever, JudgedResult
from ragscore.gate.baseline_strings import BASELINE_STRINGS
from ragscore.measures import parse_measure
from ragscore.strings import Joined, Language, Note

ROUNDING = 1e-12
"""Means that differ by less are the same: their queries were added in another order."""


@dataclass(frozen=True)
class LoweredValue:
    """A value of a baseline that a new one lowers, or no longer has.

    Attributes:
        dataset, retriever, measure: whose value.
        before: the mean in the old baseline.
        now: the mean in the new one; NaN where it has none.
        lost: queries of the old baseline that the new one lacks.
    """

    dataset: str
    retriever: str
    measure: str
    before: float
    now: float
    lost: int = 0


def lowered(old: Baseline, new: Baseline) -> tuple[LoweredValue, ...]:
    """What a new baseline asks less of: values that fall, and those of retrievers, measures and
    queries that it no longer has."""
    found = []
    for entry in old.entries:
        after = new.get(entry.dataset, entry.retriever)
        known = set(after.query_ids) if after is not None else set[str]()
        lost = sum(query not in known for query in entry.query_ids)
        for measure, before in zip(entry.measures, entry.means.tolist(), strict=True):
            now = math.nan
            if after is not None and measure in after.measures:
                now = float(after.means[after.measures.index(measure)])
            if _is_worse(measure, before, now) or lost:
                found.append(
                    LoweredValue(entry.dataset, entry.retriever, measure, before, now, lost)
                )
    return tuple(found)


def _is_worse(measure: str, before: float, now: float) -> bool:
    if math.isnan(before):
        return False
    if math.isnan(now):
        return True
    try:
        falls = before - now if not parse_measure(measure).lowest_is_best else now - before
    except ConfigError:  # of a package that is not installed here
        falls = before - now
    return falls > ROUNDING


def lowered_blocks(
    values: Iterable[LoweredValue], language: Language, *, accepted: bool
) -> list[Block]:
    """A table of the values that fall.

    Args:
        values: of :func:`lowered`.
        language: of what is not a name.
        accepted: whether the new baseline was written all the same.
    """
    strings = BASELINE_STRINGS.strings(language)
    columns = (
        Column("dataset", strings("baseline_column_dataset"), "text"),
        Column("retriever", strings("column_retriever"), "text"),
        Column("measure", strings("baseline_column_measure"), "text"),
        Column("before", strings("baseline_column_before")),
        Column("now", strings("baseline_column_now")),
        Column("change", strings("baseline_column_change")),
        Column("lost", strings("baseline_column_lost")),
    )
    rows = tuple(
        (
            text_cell(value.dataset),
            name_cell(value.retriever),
            text_cell(value.measure),
            number_cell(value.before),
            number_cell(value.now),
            signed_cell(value.now - value.before),
            count_cell(value.lost) if value.lost else nothing(),
        )
        for value in values
    )
    title = strings("baseline_accepted" if accepted else "baseline_refused")
    notes = () if accepted else (strings("baseline_accept"),)
    return [Table("lowered", title, columns, rows, notes)]


def matched(
    baseline: Baseline, result: JudgedResult, *, allow_intersect: bool = False
) -> tuple[Baseline, tuple[Note, ...]]:
    """A baseline as a result can be compared with it.

    Args:
        baseline: what was reached before.
        result: what is reached now.
        allow_intersect: compare on the common queries where the data are others.

    Returns:
        The baseline, its dataset named as the result's where each has only one, and what a reader
        must know.

    Raises:
        DataError: the baseline has none of the datasets, or was measured on another dataset or
            other judgments, or by the conventions of another profile.
    """
    here = {entry.name: str(entry.digest) for entry in result.manifest.datasets}
    if len(here) == len(baseline.datasets) == 1:
        baseline = baseline.renamed(next(iter(here)))
    before = {dataset.name: dataset for dataset in baseline.datasets}
    if not here.keys() & before.keys():
        raise DataError(
            f"the baseline has none of the datasets: it was measured on {', '.join(before)}, and "
            f"this result on {', '.join(here)}",
            where=baseline.where,
            instead="Save a baseline of this one: ragscore baseline save DIR -o FILE",
        )
    if baseline.profile != result.manifest.profile:
        raise DataError(
            f"the baseline was scored by the profile '{baseline.profile}', and this result by "
            f"'{result.manifest.profile}'",
            where=baseline.where,
            instead="Score both by one profile",
        )
    notes = []
    for name in here.keys() & before.keys():
        what = _changed(before[name], here[name], result)
        if what is None:
            continue
        if not allow_intersect:
            raise DataError(
                f"{what} since the baseline was saved, so their values can't be compared",
                where=baseline.where,
                instead="Save a new baseline of the new data, or compare on the common queries: "
                "--allow-intersect",
            )
        old = _queries(entry for entry in baseline.entries if entry.dataset == name)
        new = {
            query
            for scored in result.scores.entries
            if scored.dataset == name
            for query in scored.query_ids
        }
        counts = {"common": len(old & new), "before": len(old), "now": len(new)}
        notes.append(BASELINE_STRINGS.note("baseline_other_data", what=Joined((what,)), **counts))
    return baseline, tuple(notes)


def _changed(before: BaselineDataset, digest: str, result: JudgedResult) -> Note | None:
    """What is not the same: the judgments, or anything else of a dataset; None where all is."""
    if before.digest == digest:
        return None
    key = "baseline_dataset_changed"
    try:
        judgments = str(result.qrels(before.name).digest)
    except DataError:
        judgments = ""
    if before.judgments and judgments and before.judgments != judgments:
        key = "baseline_judgments_changed"
    return BASELINE_STRINGS.note(key, dataset=before.name)


def _queries(entries: Iterable[BaselineRetriever]) -> set[str]:
    return {query for entry in entries for query in entry.query_ids}
