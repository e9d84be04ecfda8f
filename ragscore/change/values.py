"""value_changes(): which measures rose or fell between two results.

Each retriever is held against itself, by name, on the queries of both results: paired differences
with interval and test, corrected over the retrievers as ``compare`` does over a family.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ragscore.change.match import (
    DataChange,
    MatchedNames,
    both_names,
    counterpart,
    data_change,
    matched_names,
)
from ragscore.comparison.differences import Difference, paired_differences
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.score_matrix import ComparedMeasure, ScoreMatrix, on_common_queries
from ragscore.errors import RagscoreError
from ragscore.measures import Measure
from ragscore.results import DatasetResult, Result
from ragscore.scoring import RetrieverScores, score
from ragscore.stats.corrections import adjust
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.units import largest_moves

MAX_MOVED = 10
"""Queries shown that rose, and as many that fell."""
ValueState = Literal["no value", "same", "too few", "better", "worse", "equal", "open"]
"""What is known of a change: no query has both values; none differs; 5 or fewer differ; decided;
equal within the margin; not decided."""


@dataclass(frozen=True)
class ValueChange:
    """One retriever on one measure, over the queries with a value in both.

    Attributes:
        before, after: its means.
        difference: after - before, signed so that + is better; corrected over the retrievers.
            ``retriever`` is its name in the later result, ``baseline`` that in the earlier one.
        settings_changed: its own settings are others; those of its inputs are not looked at.
        milliseconds: of a query, before and after; None if none was timed.
    """

    before: float
    after: float
    difference: Difference
    settings_changed: bool
    milliseconds: tuple[float | None, float | None]

    @property
    def name(self) -> str:
        """The retriever's name; both where it was renamed."""
        return both_names(self.difference.baseline, self.difference.retriever)

    @property
    def state(self) -> ValueState:
        """What is known of the change."""
        difference, (low, high) = self.difference, self.difference.bounds
        if not difference.n:
            return "no value"
        if not difference.differing:
            return "same"
        if difference.differing <= TOO_FEW:
            return "too few"
        if difference.decided:
            return "better" if difference.value > 0 else "worse"
        margin = difference.margin
        return "equal" if margin is not None and -margin < low and high < margin else "open"


@dataclass(frozen=True)
class MovedQuery:
    """A query on which a retriever's value changed; ``change`` is signed so that + is better."""

    query: str
    retriever: str
    before: float
    after: float
    change: float


@dataclass(frozen=True)
class MeasureChanges:
    """All retrievers on one measure.

    Attributes:
        measure: what is compared.
        changes: by retriever, in the order of the later result.
        risen, fallen: the queries that moved most, each with the retriever for which it did.
    """

    measure: ComparedMeasure
    changes: tuple[ValueChange, ...]
    risen: tuple[MovedQuery, ...]
    fallen: tuple[MovedQuery, ...]


@dataclass(frozen=True)
class ValueChanges:
    """Which measures rose or fell on one dataset: each retriever against itself.

    Attributes:
        since, folder: when the earlier result was made, and where it stands.
        profiles: the conventions of each.
        primary: the measure that the later result is about.
        names: the retrievers of both; one each with different names where each has but one.
        data: what differs in the dataset.
        options: how it was compared.
        judged_again: both are scored by the later judgments and conventions, the earlier one
            from its recorded runs.
        n: common queries.
        dropped: queries that only one result averaged, or whose text differs.
        measures: by measure, in the order of the later result.
        lacking: measures that the earlier result does not have.
        clustered: queries were taken in clusters as the later result's options ask; False if
            they ask for it and the clusters are not known.
        trouble: why nothing could be compared; empty if something was.
    """

    since: str
    folder: str
    profiles: tuple[str, str]
    primary: str
    names: MatchedNames
    data: DataChange
    options: CompareOptions
    judged_again: bool = False
    n: int = 0
    dropped: int = 0
    measures: Mapping[str, MeasureChanges] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    clustered: bool = True
    trouble: str = ""

    @property
    def judged_otherwise(self) -> bool:
        """Judgments or conventions of the two results differ, or may differ."""
        data, profiles = self.data, self.profiles
        return not data.known or bool(data.rejudged) or profiles[0] != profiles[1]

    @property
    def comparable(self) -> bool:
        """One ground truth and one set of conventions stand behind the numbers of both sides."""
        return self.judged_again or not self.judged_otherwise


def value_changes(before: Result, after: Result, panel: DatasetResult) -> ValueChanges | None:
    """What changed on one dataset of the later result; None if the earlier one lacks it.

    A dataset is the same by name, else by its digest, else where each result has only one.
    """
    known = [(part.dataset, part.entry.digest) for part in before.dataset_results]
    only = len(after.dataset_results) == 1
    at = counterpart(panel.dataset, panel.entry.digest, known, only=only)
    if at is None:
        return None
    earlier = before.dataset_results[at]
    averaged = set(_averaged(earlier))
    found = ValueChanges(
        since=before.manifest.created,
        folder=before.parts.where,
        profiles=(before.manifest.profile, after.manifest.profile),
        primary=panel.primary,
        names=matched_names(earlier.retrievers, panel.retrievers),
        data=data_change(
            (earlier.dataset, panel.dataset),
            (earlier.entry.digest, panel.entry.digest),
            (earlier.entry.sample, panel.entry.sample),
            (earlier.data, panel.data),
            [query for query in _averaged(panel) if query in averaged],
        ),
        options=panel.options,
    )
    if not found.names.pairs:
        return found
    try:
        return _measured(found, earlier, panel)
    except RagscoreError as error:
        return replace(found, trouble=str(error))


def _averaged(side: DatasetResult) -> Sequence[str]:
    """Ids of the queries whose values were averaged."""
    return side.scores.entries[0].query_ids if side.scores.entries else ()


def _measured(found: ValueChanges, before: DatasetResult, after: DatasetResult) -> ValueChanges:
    other = not found.data.same or found.profiles[0] != found.profiles[1]
    again = other and after.data is not None
    sides = [
        (after.scores[new], _earlier(found, before, after, old, again=again))
        for old, new in found.names.pairs
    ]
    shared = [
        measure
        for measure in after.scores.measures
        if all(measure in scores.measures for side in sides for scores in side)
    ]
    lacking = tuple(name for name in after.measures if name not in map(str, shared))
    if not shared:
        return replace(found, lacking=lacking)
    entries = [
        _only(scores, shared, found.data.reworded, name=f"{number} {side}")
        for number, both in enumerate(sides)
        for side, scores in zip(("after", "before"), both, strict=True)
    ]
    clusters = after.clusters if after.data is not None else None
    common = on_common_queries(after.dataset, entries, clusters=clusters, allow_intersect=True)
    return replace(
        found,
        judged_again=again,
        n=len(common.queries),
        dropped=common.dropped + len(found.data.reworded),
        measures={
            changes.measure.measure: changes
            for changes in _measure_changes(common, found, before, after)
        },
        lacking=lacking,
        clustered=after.options.cluster is None or after.data is not None,
    )


def _earlier(
    found: ValueChanges, before: DatasetResult, after: DatasetResult, name: str, *, again: bool
) -> RetrieverScores:
    """The earlier scores: as recorded, or computed again by the later judgments and conventions, on
    the queries that were searched then and to the depth of the run."""
    recorded, wanted = before.scores[name], after.scores.measures
    if after.data is None or not (again or set(wanted) - set(recorded.measures)):
        return recorded
    # As it was recorded: what the earlier conventions dropped or tied may count by the later.
    run, data = before.recorded_runs[name], after.data
    reached = [m for m in wanted if not isinstance(m.cutoff, int) or m.cutoff <= run.depth]
    if not reached:
        return recorded
    (entry,) = score(
        run,
        data.qrels,
        reached,
        dataset=after.dataset,
        unanswerable=data.queries.unanswerable,
        recorded=run.depth,
        n_passages=data.n_judgeable,
        profile=found.profiles[1],
    ).entries
    searched = {*run.queries, *recorded.query_ids}
    return _only(entry, entry.measures, set(entry.query_ids) - searched, name=name)


def _only(
    entry: RetrieverScores, measures: Sequence[Measure], without: Collection[str], *, name: str
) -> RetrieverScores:
    """The scores by some measures, without some queries, under another name."""
    chosen = entry.by(measures)
    rows = [row for row, query in enumerate(chosen.query_ids) if query not in without]
    return replace(
        chosen,
        retriever=name,
        query_ids=[chosen.query_ids[row] for row in rows],
        values=chosen.values[:, rows],
        weights={measure: of_each[rows] for measure, of_each in chosen.weights.items()},
    )


def _measure_changes(
    common: ScoreMatrix, found: ValueChanges, before: DatasetResult, after: DatasetResult
) -> Iterator[MeasureChanges]:
    """What changed, measure by measure; p-values are corrected over the retrievers.

    Args:
        common: of each retriever the later scores, then the earlier ones.
        found: who is in both results, and how it is compared.
        before, after: the two results.
    """
    pairs, correction = found.names.pairs, found.options.correction
    rows = [(2 * number, 2 * number + 1) for number in range(len(pairs))]
    numbers = range(len(common.measures))
    of_all = paired_differences(
        common, [(at, *both) for at in numbers for both in rows], found.options
    )
    for at, measure in enumerate(common.measures):
        own = [of_all[at, *both] for both in rows]
        adjusted = adjust([each.test.p for each in own], correction).tolist()
        changes = []
        for (old, new), both, each, p in zip(pairs, rows, own, adjusted, strict=True):
            now, then = _means(common, at, both)
            named = replace(each, retriever=new, baseline=old)
            change = ValueChange(
                before=then,
                after=now,
                difference=named.corrected(p, len(own), correction),
                settings_changed=before.entries[old].spec != after.entries[new].spec,
                milliseconds=(before.latency.get(old), after.latency.get(new)),
            )
            changes.append(change)
        by_name = {new: both for (_old, new), both in zip(pairs, rows, strict=True)}
        risen, fallen = (_moved(common, at, by_name, way) for way in (1, -1))
        yield MeasureChanges(measure, tuple(changes), risen, fallen)


def _means(common: ScoreMatrix, at: int, both: tuple[int, int]) -> list[float]:
    """The means of two rows over the queries with a value in both."""
    values = common.values[at][list(both)]
    values = values[:, ~np.isnan(values).any(axis=0)]
    means = [math.fsum(row) / len(row) if row else math.nan for row in values.tolist()]
    return list(map(math.exp, means)) if common.measures[at].logarithm else means


def _moved(
    common: ScoreMatrix, at: int, rows: Mapping[str, tuple[int, int]], way: int
) -> tuple[MovedQuery, ...]:
    """The queries that rose (``way`` 1) or fell (-1) most; each once, where it moved most.

    Args:
        common: the values.
        at: the number of the measure.
        rows: by retriever, that of its later and that of its earlier scores.
        way: see above.
    """
    values = common.values[at]
    found: dict[str, MovedQuery] = {}
    for retriever, (now, then) in rows.items():
        changes = common.differences(at, now, then)
        for row in largest_moves(changes, way, MAX_MOVED).tolist():
            query, change = common.queries[row], float(changes[row])
            if query not in found or abs(found[query].change) < abs(change):
                was, became = float(values[then][row]), float(values[now][row])
                found[query] = MovedQuery(query, retriever, was, became, change)
    ordered = sorted(found.values(), key=lambda moved: -abs(moved.change))
    return tuple(ordered[:MAX_MOVED])
