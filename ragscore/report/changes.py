"""changes_on(before, after, panel): which measures rose or fell between two results.

Each retriever is held against itself, by name, on the queries of both results: paired differences
with interval and test, corrected over the retrievers as ``compare`` does over a family.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ragscore.comparison import CompareOptions
from ragscore.comparison.paired_changes import MeasureChanges, Pair, measure_changes
from ragscore.comparison.score_matrix import on_common_queries
from ragscore.errors import RagscoreError
from ragscore.measures import Measure
from ragscore.rank_changes.matching import counterpart, matched_names
from ragscore.results import DatasetResult, Result
from ragscore.results.same_data import DataChange, data_change
from ragscore.scoring import ProfileName, RetrieverScores, score


@dataclass(frozen=True)
class Changes:
    """What changed on one dataset.

    Attributes:
        dataset, before: its name in the later and in the earlier result.
        pairs: who is in both.
        only_before, only_after: retrievers that only one of them has a run of.
        data: what differs in the dataset.
        judged_again: both are scored by the later judgments and conventions, the earlier one
            from its recorded runs.
        n: common queries.
        dropped: queries that only one result averaged, or whose text differs.
        measures: by measure, in the order of the later result.
        lacking: measures that the earlier result does not have.
        clustered: queries were taken in clusters as the later result's options ask; False if
            they ask for it and the clusters are not known.
        trouble: why nothing could be compared; empty if something was.
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


def changes_on(before: Result, after: Result, panel: DatasetResult) -> Changes | None:
    """What changed on one dataset of the later result; None if the earlier one lacks it.

    A dataset is the same by name, else by its digest, else where each result has only one.
    """
    earlier = _counterpart(before, after, panel)
    if earlier is None:
        return None
    data = data_change(earlier, panel)
    pairs, only_before, only_after = _pairs(earlier, panel)
    names = (panel.dataset, earlier.dataset)
    found = Changes(*names, pairs, only_before, only_after, data, panel.options)
    profiles = [before.manifest.profile, after.manifest.profile]
    try:
        return _measured(found, earlier, panel, profiles)
    except RagscoreError as error:
        return replace(found, trouble=str(error))


def _counterpart(before: Result, after: Result, panel: DatasetResult) -> DatasetResult | None:
    earlier = before.dataset_results
    known = [(part.dataset, part.entry.digest) for part in earlier]
    only = len(after.dataset_results) == 1
    at = counterpart(panel.dataset, panel.entry.digest, known, only=only)
    return None if at is None else earlier[at]


def _pairs(
    before: DatasetResult, after: DatasetResult
) -> tuple[tuple[Pair, ...], tuple[str, ...], tuple[str, ...]]:
    matched = matched_names(before.retrievers, after.retrievers)
    pairs = tuple(
        Pair(
            old,
            new,
            before.entries[old].spec != after.entries[new].spec,
            (before.latency.get(old), after.latency.get(new)),
        )
        for old, new in matched.pairs
    )
    return pairs, matched.only_before, matched.only_after


def _measured(
    found: Changes, before: DatasetResult, after: DatasetResult, profiles: Sequence[ProfileName]
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
    clusters = after.clusters if after.data is not None else None
    common = on_common_queries(after.dataset, entries, clusters=clusters, allow_intersect=True)
    return replace(
        found,
        judged_again=again,
        n=len(common.queries),
        dropped=common.dropped + len(found.data.reworded),
        measures={
            changes.measure.measure: changes
            for changes in measure_changes(common, found.pairs, found.options)
        },
        lacking=lacking,
        clustered=after.options.cluster is None or after.data is not None,
    )


def _earlier(
    before: DatasetResult, after: DatasetResult, name: str, profile: ProfileName, *, again: bool
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
        profile=profile,
    ).entries
    searched = {*run.queries, *recorded.query_ids}
    return _only(entry, entry.measures, set(entry.query_ids) - searched, name=name)


def _entries(
    found: Changes, earlier: Mapping[Pair, RetrieverScores], after: DatasetResult
) -> tuple[list[Measure], list[RetrieverScores]]:
    """The measures that every pair has in both results, and the scores by these alone: of each
    pair the later ones, then the earlier ones."""
    both = [(after.scores[pair.after], earlier[pair]) for pair in found.pairs]
    shared = [
        measure
        for measure in after.scores.measures
        if all(measure in scores.measures for pair in both for scores in pair)
    ]
    entries = [
        _only(scores, shared, found.data.reworded, name=f"{number} {side}")
        for number, pair in enumerate(both)
        for side, scores in zip(("after", "before"), pair, strict=True)
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
