"""value_changes(): which measures rose or fell between two results.

Each retriever is held against itself, by name, on the queries of both results: paired differences
with interval and test, corrected over the retrievers as ``compare`` does over a family.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ragscore.change.match import MatchedNames, counterpart, data_change, matched_names
from ragscore.change.record import (
    MeasureChanges,
    MovedQuery,
    RetrieverPair,
    ValueChange,
    ValueChanges,
)
from ragscore.comparison.differences import paired_differences
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.score_matrix import ScoreMatrix, on_common_queries
from ragscore.errors import RagscoreError
from ragscore.measures import Measure
from ragscore.results import DatasetResult, Result
from ragscore.scoring import RetrieverScores, score
from ragscore.stats.corrections import adjust
from ragscore.stats.units import largest_moves

MAX_MOVED = 10
"""Queries shown that rose, and as many that fell."""


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
    names = matched_names(earlier.retrievers, panel.retrievers)
    averaged = set(_averaged(earlier))
    found = ValueChanges(
        dataset=panel.dataset,
        before=earlier.dataset,
        since=before.manifest.created,
        folder=before.parts.where,
        profiles=(before.manifest.profile, after.manifest.profile),
        primary=panel.primary,
        pairs=_pairs(names, earlier, panel),
        only_before=names.only_before,
        only_after=names.only_after,
        data=data_change(
            (earlier.entry.digest, panel.entry.digest),
            (earlier.data, panel.data),
            (earlier.entry.sample, panel.entry.sample),
            [query for query in _averaged(panel) if query in averaged],
        ),
        options=panel.options,
    )
    if not found.pairs:
        return found
    try:
        return _measured(found, earlier, panel)
    except RagscoreError as error:
        return replace(found, trouble=str(error))


def _averaged(side: DatasetResult) -> Sequence[str]:
    """Ids of the queries whose values were averaged."""
    return side.scores.entries[0].query_ids if side.scores.entries else ()


def _pairs(
    names: MatchedNames, before: DatasetResult, after: DatasetResult
) -> tuple[RetrieverPair, ...]:
    return tuple(
        RetrieverPair(
            before=old,
            after=new,
            settings_changed=before.entries[old].spec != after.entries[new].spec,
            milliseconds=(before.latency.get(old), after.latency.get(new)),
        )
        for old, new in names.pairs
    )


def _measured(found: ValueChanges, before: DatasetResult, after: DatasetResult) -> ValueChanges:
    other = not found.data.same or found.profiles[0] != found.profiles[1]
    again = other and after.data is not None
    sides = [
        (after.scores[pair.after], _earlier(found, before, after, pair.before, again=again))
        for pair in found.pairs
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
            for changes in _measure_changes(common, found.pairs, found.options)
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
    common: ScoreMatrix, pairs: Sequence[RetrieverPair], options: CompareOptions
) -> Iterator[MeasureChanges]:
    """What changed, measure by measure; p-values are corrected over the pairs.

    Args:
        common: of each pair the later scores, then the earlier ones, in the order of the pairs.
        pairs: who is in both results.
        options: how it is compared.
    """
    rows = {pair: (2 * number, 2 * number + 1) for number, pair in enumerate(pairs)}
    numbers = range(len(common.measures))
    found = paired_differences(
        common, [(at, *both) for at in numbers for both in rows.values()], options
    )
    for at, measure in enumerate(common.measures):
        own = [found[at, *both] for both in rows.values()]
        adjusted = adjust([single.test.p for single in own], options.correction).tolist()
        changed = []
        for pair, single, p in zip(pairs, own, adjusted, strict=True):
            now, then = _means(common, at, rows[pair])
            paired = replace(single, retriever=pair.after, baseline=pair.before)
            difference = paired.corrected(p, len(own), options.correction)
            changed.append(ValueChange(pair=pair, before=then, after=now, difference=difference))
        yield MeasureChanges(
            measure=measure,
            changes=tuple(changed),
            risen=_moved(common, at, rows, 1),
            fallen=_moved(common, at, rows, -1),
        )


def _means(common: ScoreMatrix, at: int, both: tuple[int, int]) -> tuple[float, float]:
    values = common.values[at][list(both)]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not values.shape[1]:
        return math.nan, math.nan
    now, then = (math.fsum(row) / len(row) for row in values.tolist())
    if common.measures[at].logarithm:
        return math.exp(now), math.exp(then)
    return now, then


def _moved(
    common: ScoreMatrix, at: int, rows: Mapping[RetrieverPair, tuple[int, int]], way: int
) -> tuple[MovedQuery, ...]:
    """The queries that rose (``way`` 1) or fell (-1) most; each once, where it moved most."""
    values = common.values[at]
    found: dict[str, MovedQuery] = {}
    for pair, (now, then) in rows.items():
        changes = common.differences(at, now, then)
        for row in largest_moves(changes, way, MAX_MOVED).tolist():
            query, change = common.queries[row], float(changes[row])
            if query not in found or abs(found[query].change) < abs(change):
                found[query] = MovedQuery(
                    query=query,
                    retriever=pair.after,
                    before=float(values[then][row]),
                    after=float(values[now][row]),
                    change=change,
                )
    ordered = sorted(found.values(), key=lambda moved: -abs(moved.change))
    return tuple(ordered[:MAX_MOVED])
