"""changes_on(before, after, panel): what became better or worse between two results.

Each retriever is held against itself, by name, on the queries of both results: paired differences
with interval and test, corrected over the retrievers as ``compare`` does over a family.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ragscore.comparison.common_queries import CommonScores, on_common_queries
from ragscore.comparison.contrasts import Key, contrasts, difference_of
from ragscore.errors import RagscoreError
from ragscore.measures import Measure
from ragscore.report.change_model import Change, Changes, MeasureChanges, Moved, Pair
from ragscore.report.data import Panel, ReportData
from ragscore.report.gathered.compared import clusters_of
from ragscore.report.same_data import data_change
from ragscore.scoring import ProfileName, RetrieverScores, score
from ragscore.stats.corrections import adjust

MOST_MOVED = 10
"""Queries shown that rose, and as many that fell."""


def changes_on(before: ReportData, after: ReportData, panel: Panel) -> Changes | None:
    """What changed on one dataset of the later result; None where the earlier one lacks it.

    A dataset is the same by name, else by its digest, else where each result has only one.
    """
    earlier = _counterpart(before, after, panel)
    if earlier is None:
        return None
    data = data_change(earlier, panel)
    pairs, only_before, only_after = _pairs(earlier, panel)
    names = (panel.dataset, earlier.dataset)
    found = Changes(*names, pairs, only_before, only_after, data, panel.options)
    profiles = [one.manifest.get("profile", "trec") for one in (before, after)]
    try:
        return _measured(found, earlier, panel, profiles)
    except RagscoreError as error:
        return replace(found, trouble=str(error))


def _counterpart(before: ReportData, after: ReportData, panel: Panel) -> Panel | None:
    digest = panel.entry.get("digest")
    named = [one for one in before.panels if one.dataset == panel.dataset]
    equal = [one for one in before.panels if one.entry.get("digest") == digest]
    only = before.panels if len(before.panels) == len(after.panels) == 1 else ()
    return next(iter([*named, *equal, *only]), None)


def _pairs(
    before: Panel, after: Panel
) -> tuple[tuple[Pair, ...], tuple[str, ...], tuple[str, ...]]:
    shared = [(name, name) for name in after.retrievers if name in before.retrievers]
    if not shared and len(before.retrievers) == len(after.retrievers) == 1:
        shared = [(before.retrievers[0], after.retrievers[0])]
    pairs = tuple(
        Pair(
            one,
            two,
            before.entries[one].get("spec") != after.entries[two].get("spec"),
            (before.latency.get(one), after.latency.get(two)),
        )
        for one, two in shared
    )
    olds, news = {pair.before for pair in pairs}, {pair.after for pair in pairs}
    return (
        pairs,
        tuple(name for name in before.retrievers if name not in olds),
        tuple(name for name in after.retrievers if name not in news),
    )


def _measured(
    found: Changes, before: Panel, after: Panel, profiles: Sequence[ProfileName]
) -> Changes:
    if not found.pairs:
        return found
    other = not found.data.same or profiles[0] != profiles[1]
    again = other and after.data is not None
    earlier = {
        pair: _earlier(before, after, pair.before, profiles[1], again=again) for pair in found.pairs
    }
    shared, entries = _entries(found, earlier, after)
    lacking = tuple(name for name in after.measures if name not in map(str, shared))
    if not shared:
        return replace(found, lacking=lacking)
    common = on_common_queries(
        after.dataset, entries, clusters=clusters_of(after), allow_intersect=True
    )
    return replace(
        found,
        judged_again=again,
        n=len(common.query_ids),
        dropped=common.dropped + len(found.data.reworded),
        measures={one.measure.measure: one for one in _compared(common, found)},
        lacking=lacking,
        clustered=after.options.cluster is None or after.data is not None,
    )


def _earlier(
    before: Panel, after: Panel, name: str, profile: ProfileName, *, again: bool
) -> RetrieverScores:
    """The earlier scores: recorded; or by the later judgments and conventions, as far as the run
    is deep, on the queries that were searched then."""
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
        n_passages=len(data.corpus) if data.corpus is not None else None,
        profile=profile,
    ).entries
    searched = {*run.queries, *recorded.query_ids}
    return _only(entry, entry.measures, set(entry.query_ids) - searched, name=name)


def _entries(
    found: Changes, earlier: Mapping[Pair, RetrieverScores], after: Panel
) -> tuple[list[Measure], list[RetrieverScores]]:
    """The measures that every pair has in both results, and the scores by these alone: of each
    pair the later ones, then the earlier ones."""
    both = [(after.scores[pair.after], earlier[pair]) for pair in found.pairs]
    shared = [
        measure
        for measure in after.scores.measures
        if all(measure in one.measures for two in both for one in two)
    ]
    entries = [
        _only(one, shared, found.data.reworded, name=f"{number} {side}")
        for number, two in enumerate(both)
        for side, one in zip(("after", "before"), two, strict=True)
    ]
    return shared, entries


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


def _compared(common: CommonScores, found: Changes) -> Iterator[MeasureChanges]:
    sides = {pair: (2 * number, 2 * number + 1) for number, pair in enumerate(found.pairs)}
    keys: dict[tuple[int, Pair], Key] = {
        (at, pair): (at, *both)
        for at in range(len(common.measures))
        for pair, both in sides.items()
    }
    contrasted = contrasts(common, keys.values(), found.options)
    for at, measure in enumerate(common.measures):
        own = [contrasted[keys[at, pair]] for pair in found.pairs]
        adjusted = adjust([one.test.p for one in own], found.options.correction)
        changed = []
        for pair, contrast, p in zip(found.pairs, own, adjusted, strict=True):
            difference = difference_of(
                contrast,
                pair.after,
                pair.before,
                p_adjusted=float(p),
                m=len(own),
                options=found.options,
            )
            now, then = _means(common, at, sides[pair])
            changed.append(Change(pair, then, now, difference))
        moved = _moved(common, at, sides)
        yield MeasureChanges(measure, tuple(changed), *moved)


def _means(common: CommonScores, at: int, both: tuple[int, int]) -> tuple[float, float]:
    import numpy as np

    values = common.values[at][list(both)]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not values.shape[1]:
        return math.nan, math.nan
    now, then = (math.fsum(row) / len(row) for row in values.tolist())
    if common.measures[at].scale == "logarithm":
        return math.exp(now), math.exp(then)
    return now, then


def _moved(
    common: CommonScores, at: int, sides: Mapping[Pair, tuple[int, int]]
) -> tuple[tuple[Moved, ...], tuple[Moved, ...]]:
    """The queries that rose and fell most; each once, where it moved most."""
    import numpy as np

    values, sign = common.values[at], common.measures[at].sign
    risen: dict[str, Moved] = {}
    fallen: dict[str, Moved] = {}
    for pair, (now, then) in sides.items():
        by = sign * (values[now] - values[then])
        order = np.argsort(-np.abs(np.nan_to_num(by)), kind="stable")
        for up, found in ((1, risen), (-1, fallen)):
            way = order[np.nan_to_num(up * by[order]) > _SAME][:MOST_MOVED]
            for row in way.tolist():
                query, moved = common.query_ids[row], float(by[row])
                if query in found and abs(found[query].by) >= abs(moved):
                    continue
                one = Moved(
                    query, pair.after, float(values[then][row]), float(values[now][row]), moved
                )
                found[query] = one
    most = [sorted(found.values(), key=lambda one: -abs(one.by)) for found in (risen, fallen)]
    return tuple(most[0][:MOST_MOVED]), tuple(most[1][:MOST_MOVED])


_SAME = 1e-12
"""Differences this small are floating point."""
