"""changes(): which rankings changed between two results or run files over the same queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, repeat
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import quantiles
from ragscore.change.match import (
    DataChange,
    counterpart,
    data_change,
    data_notes,
    matched_names,
)
from ragscore.change.ranking_changes import (
    ChangeKind,
    DatasetRankingChanges,
    NewPassage,
    QueryChange,
    RankingChanges,
    RetrieverChanges,
    ScoreShift,
    SliceOfChanges,
)
from ragscore.dataset import Ids, Qrels, Queries
from ragscore.dataset.judged_units import AnyUnit
from ragscore.dataset.labels import labels, rows_by_value
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError
from ragscore.estimate import Estimate
from ragscore.formats import DatasetSpec
from ragscore.judge import in_units, judged_ranks
from ragscore.messages import Message, _, counted, few_names
from ragscore.results.result import Result
from ragscore.results.runs_of_dataset import (
    RunsOfDataset,
    is_file,
    place_name,
    recorded_runs,
    runs_of,
)
from ragscore.results.slicing import slice_keys
from ragscore.run import Run
from ragscore.run.rank_overlap import (
    BLOCK,
    Places,
    check_overlap,
    looked_at,
    overlap_at,
    rank_biased_overlap,
)
from ragscore.scoring import LoadedQrels
from ragscore.stats.intervals import mean_intervals
from ragscore.stats.units import SAME

PERSISTENCE = 0.9
"""Of the rank-biased overlap: the first ten ranks carry 86 % of its weight."""
SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
"""Which quantiles of the shifts are shown."""
Alone = Literal["error", "left out", "unanswered"]
"""What queries are that only one side has."""
Slices = Mapping[str, Mapping[str, Sequence[str]]]
"""By key, query id to its values."""
Mask = NDArray[np.bool_]


def changes(
    before: Result | Run | str | Path,
    after: Result | Run | str | Path,
    *,
    k: int = 10,
    p: float = PERSISTENCE,
    pairs: Mapping[str, str] | Collection[str] = (),
    qrels: str | Path | DatasetSpec | None = None,
    unit: AnyUnit | None = None,
    slices: Sequence[str] = (),
    allow_intersect: bool = False,
    missing_is_empty: bool = False,
) -> RankingChanges:
    """What changed between two results or run files, without a judgment of which is right.

    Args:
        before, after: a result or its folder, a run or its file.
        k: the cutoff of the top k.
        p: persistence of the rank-biased overlap.
        pairs: earlier name to later name of renamed retrievers, or texts ``OLD=NEW``; others are
            matched by name.
        qrels: for run files: judgments, or the folder of their dataset, or how that is read.
        unit: what the judgments of this folder name in place of passages: ``metadata.document``.
        slices: tags or metadata to split the queries by; by default those that split them well.
        allow_intersect: where the queries differ, take the common ones.
        missing_is_empty: a query that only one run names counts as unanswered in the other.

    Raises:
        ConfigError: an option is out of its range, or a name is not there.
        DataError: something cannot be read, the queries differ, or nothing is in both.

    >>> old = Run.from_dict({"q1": ["a", "b"], "q2": ["c"]}, name="bm25")
    >>> new = Run.from_dict({"q1": ["a", "b"], "q2": ["d"]}, name="bm25")
    >>> (found,) = changes(old, new, k=2).datasets[0].retrievers
    >>> found.changed, found.share.n, found.queries[0].new[0].passage
    (1, 2, 'd')
    """
    check_overlap(k, p)
    if allow_intersect and missing_is_empty:
        raise ConfigError(
            "queries are left out or unanswered, not both",
            where="missing_is_empty",
            instead="Leave one of the two out",
        )
    judged = None if qrels is None else LoadedQrels(qrels, unit=unit)
    if judged is None and unit is not None:
        raise ConfigError(
            "no judgments are given that could name units",
            where="unit",
            instead="Give the dataset's folder, too: qrels",
        )
    earlier, later = (runs_of(place, judged) for place in (before, after))
    if judged is not None and not any(
        isinstance(place, Run) or is_file(place) for place in (before, after)
    ):
        raise ConfigError("results have their own judgments", where="qrels", instead="Leave it out")
    alone: Alone = "left out" if allow_intersect else "unanswered" if missing_is_empty else "error"
    known = [(part.dataset, part.digest) for part in earlier]
    found = []
    for part in later:
        at = counterpart(part.dataset, part.digest, known, only=len(later) == 1)
        if at is not None:
            dataset, data = _on_dataset(
                earlier[at], part, k=k, p=p, pairs=pairs, slices=slices, alone=alone
            )
            notes = (*_notes_on_names(dataset), *data_notes(data), *dataset.notes)
            found.append(replace(dataset, notes=notes))
    if not found:
        listed = [", ".join(part.dataset for part in side) for side in (earlier, later)]
        raise DataError(
            f"no dataset is in both: earlier {listed[0]}, later {listed[1]}",
            instead="Name two results over the same queries",
        )
    return RankingChanges(k, p, place_name(before), place_name(after), tuple(found))


def changes_on_dataset(
    before: Result, after: Result, names: tuple[str, str], *, k: int
) -> RankingChanges:
    """What :func:`changes` finds on one dataset of two results, on the queries of both, without
    notes on who is in both and on what differs in the dataset.

    Args:
        before, after: two results.
        names: of the dataset, in the earlier and the later one.
        k: the cutoff of the top k.

    Raises:
        ConfigError: no retriever is in both.
        DataError: a run cannot be read, or no query is in both.
    """
    earlier, later = recorded_runs(before, names[0]), recorded_runs(after, names[1])
    dataset, _data = _on_dataset(earlier, later, k=k, p=PERSISTENCE, alone="left out")
    return RankingChanges(k, PERSISTENCE, place_name(before), place_name(after), (dataset,))


def _on_dataset(
    before: RunsOfDataset,
    after: RunsOfDataset,
    *,
    k: int,
    p: float,
    alone: Alone,
    pairs: Mapping[str, str] | Collection[str] = (),
    slices: Sequence[str] = (),
) -> tuple[DatasetRankingChanges, DataChange]:
    """What changed on one dataset, and what differs in it."""
    names = matched_names(before.names, after.names, pairs)
    if not names.pairs:
        listed = [", ".join(side.names) or "none" for side in (before, after)]
        raise ConfigError(
            f"no retriever is in both: earlier {listed[0]}; later {listed[1]}",
            where="pair",
            instead="Match the renamed ones: --pair OLD=NEW",
        )
    runs = [(before.run(old).renamed(old), after.run(new).renamed(new)) for old, new in names.pairs]
    queries, left_out, notes = _queries_of(after.dataset, runs, alone)
    samples = [None if side.data is None else side.data.sample for side in (before, after)]
    data = data_change(
        (before.dataset, after.dataset),
        (before.digest, after.digest),
        (samples[0], samples[1]),
        (before.data, after.data),
        queries,
    )
    compared = Ids(query for query in queries if query not in data.reworded)
    if not len(compared):
        raise DataError(
            "no query is in both", where=after.dataset, instead="Name results of the same queries"
        )
    side = after if after.data is not None or before.data is None else before
    qrels = before.qrels if after.qrels is None else after.qrels
    sliced, more = _sliced(side, compared, slices)
    parts = [
        retriever_changes(
            old.for_queries(compared),
            new.for_queries(compared),
            k=k,
            p=p,
            qrels=qrels,
            asked=None if side.data is None else side.data.queries,
            slices=sliced,
        )
        for old, new in runs
    ]
    return DatasetRankingChanges(
        dataset=after.dataset or before.dataset,
        before=before.dataset,
        n=len(compared),
        left_out=left_out + len(data.reworded),
        retrievers=tuple(parts),
        only_before=names.only_before,
        only_after=names.only_after,
        notes=(*notes, *more, *(note for part in parts for note in _notes_on_runs(part, k))),
    ), data


def _queries_of(
    dataset: str, runs: Sequence[tuple[Run, Run]], alone: Alone
) -> tuple[list[str], int, list[Message]]:
    """The queries compared, how many are left out, and what must be known of that."""
    olds = Ids(dict.fromkeys(query for old, _new in runs for query in old.queries))
    news = Ids(dict.fromkeys(query for _old, new in runs for query in new.queries))
    common = [query for query in news if query in olds]
    before, after = len(olds) - len(common), len(news) - len(common)
    if not (before or after):
        return common, 0, []
    if alone == "unanswered":
        note = _(
            "queries that only one run names count as unanswered in the other: "
            "{before} only earlier, {after} only later",
            before=count_text(before),
            after=count_text(after),
        )
        return list(news.extended(olds)), 0, [note]
    if alone == "left out":
        note = counted(
            "1 query is in both and was compared; {before} only in the earlier and "
            "{after} only in the later one were left out",
            "{count} queries are in both and were compared; {before} only in the "
            "earlier and {after} only in the later one were left out",
            len(common),
            before=count_text(before),
            after=count_text(after),
        )
        return common, before + after, [note]
    raise DataError(
        f"the queries differ: {len(common)} in both, {before} only earlier, {after} only later",
        where=dataset or runs[0][1].name,
        instead="Compare the common ones: --allow-intersect; or where a run file leaves "
        "out what got no answer, count them as unanswered: --missing-is-empty",
    )


def _sliced(
    side: RunsOfDataset, queries: Ids, keys: Sequence[str]
) -> tuple[Slices, tuple[Message, ...]]:
    """By key, each query's values; and what must be known of that."""
    if side.data is None:
        if keys:
            raise ConfigError(
                "slices need the dataset, which is not known",
                where="slices",
                instead="For run files, give the dataset's folder as --qrels",
            )
        if side.error is None:
            return {}, ()
        note = _(
            "the dataset cannot be read, so texts, slices and judgments are left out: {error}",
            error=side.error,
        )
        return {}, (note,)
    for key in keys:  # as compare has it: a key that is not there is an error
        labels(side.data.queries, key)
    found = slice_keys(side.data.queries, tuple(keys), list(queries))
    return {key: labels(found.value.queries, key) for key in found.value.keys}, found.notes


def _notes_on_names(found: DatasetRankingChanges) -> Iterator[Message]:
    if found.only_before:
        yield _(
            "only the earlier result has {names}; --pair OLD=NEW matches a renamed retriever",
            names=few_names(found.only_before),
        )
    if found.only_after:
        yield _(
            "only the later result has {names}; --pair OLD=NEW matches a renamed retriever",
            names=few_names(found.only_after),
        )


def _notes_on_runs(part: RetrieverChanges, k: int) -> Iterator[Message]:
    name, depths = part.after, part.depths
    if min(part.returned) and not part.shared:
        yield _(
            "{name}: no passage id is in both runs, so they may come from different "
            "corpora or chunkings, and everything looks changed",
            name=name,
        )
    if max(depths) < k:
        yield _(
            "{name}: neither run is {k} deep, so the top {k} is the top {depth}",
            name=name,
            k=k,
            depth=max(depths),
        )
    if depths[0] != depths[1]:
        yield _(
            "{name}: the earlier run recorded {before} passages per query, the later one "
            "{after}; RBO assumes that the shorter ranking continues as it ends",
            name=name,
            before=depths[0],
            after=depths[1],
        )
    if any(part.failed):
        yield _(
            "{name}: failed queries: {before} earlier, {after} later; what they would have "
            "returned is unknown, so they count as empty",
            name=name,
            before=count_text(part.failed[0]),
            after=count_text(part.failed[1]),
        )


def retriever_changes(
    before: Run,
    after: Run,
    *,
    k: int,
    p: float,
    qrels: Qrels | None = None,
    asked: Queries | None = None,
    slices: Slices | None = None,
) -> RetrieverChanges:
    """What changed between two runs of the same queries.

    Args:
        before, after: with the same queries in the same order.
        k: the cutoff.
        p: persistence of the rank-biased overlap.
        qrels: judgments; None if there are none.
        asked: the queries with their texts; None if no dataset is known.
        slices: by key, query id to its values.
    """
    if qrels is not None and qrels.units is not None:
        of_units, qrels = in_units({"before": before, "after": after}, qrels)
        before, after = of_units["before"], of_units["after"]
    pair = RankedPair(before, after, k, p)
    unjudged = None if qrels is None else pair.unjudged(qrels)
    used = [_used(run) for run in (pair.before, pair.after)]
    return RetrieverChanges(
        before=before.name,
        after=after.name,
        depths=(before.depth, after.depth),
        changed=int(pair.changed.sum()),
        share=_share(pair.changed),
        kinds={kind: int(those.sum()) for kind, those in pair.kinds.items()},
        unanswered=int(pair.empty.all(axis=0).sum()),
        failed=(len(before.failures), len(after.failures)),
        other_first=pair.other_first,
        overlap=_mean(pair.overlap),
        rbo=_mean(pair.rbo),
        new=int(pair.new.sum()),
        unjudged=None if unjudged is None else int(unjudged.sum()),
        returned=(int(used[0].sum()), int(used[1].sum())),
        shared=int((used[0] & used[1]).sum()),
        shifts=tuple(_shifts(pair)),
        slices=tuple(_slices(pair, slices or {})),
        queries=tuple(_queries(pair, asked, unjudged)),
    )


class RankedPair:
    """Two runs of the same Q queries over one vocabulary, and what differs.

    Args:
        before, after: runs with the same queries in the same order; their vocabularies are joined
            by passage id.
        k: the cutoff.
        p: persistence of the rank-biased overlap.

    Attributes:
        before, after: the runs, cut to where RBO looks.
        empty, failed: bool[2, Q], which queries got nothing, and which of them failed: before,
            after.
        overlap, rbo: float64[Q], NaN if neither run returned anything.
        new, gone: bool[Q, k], places of the later top k whose passage is not in the earlier one;
            places of the earlier one whose passage is not in the later one.
        other_order: bool[Q], whether the top k holds the same passages in another order.
        shifts: float64[n], the later minus the earlier score of each passage that both returned
            for a query; empty if a run has no scores.
    """

    def __init__(self, before: Run, after: Run, k: int, p: float) -> None:
        vocabulary = before.passages.extended(after.passages)
        runs = [run.onto(vocabulary).cut(looked_at(k, p)) for run in (before, after)]
        self.before, self.after = runs
        self.empty = np.stack([run.returned == 0 for run in runs])
        self.failed = np.stack([_failed(run) for run in runs])
        deepest = max(run.depth for run in runs)
        k = min(k, max(deepest, 1))  # no run is deeper
        tops = [_top(run, k) for run in runs]
        self.gone, self.new = (top >= 0 for top in tops)
        self.overlap, self.rbo = np.full(len(before), np.nan), np.full(len(before), np.nan)
        shifts = [np.empty(0)]
        step = max(1, BLOCK // max(deepest, 1))
        for start in range(0, len(before), step):
            block = slice(start, start + step)
            old, new = (Places.of(run, block, deepest) for run in runs)
            shared = old.shared(new)
            self.overlap[block] = overlap_at(shared, k)
            self.rbo[block] = rank_biased_overlap(shared, p)
            query = start + shared.query
            here, there = old.place[shared.here], new.place[shared.there]
            both = (here < k) & (there < k)
            self.gone[query[both], here[both]] = False
            self.new[query[both], there[both]] = False
            if self.scores is not None:
                was, now = self.scores
                shifts.append(now[query, there] - was[query, here])
        self.shifts = np.concatenate(shifts)
        same_set = ~(self.new.any(axis=1) | self.gone.any(axis=1))
        self.other_order = same_set & (tops[0] != tops[1]).any(axis=1)

    @property
    def scores(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """The scores of both runs; None if one has none."""
        was, now = self.before.scores, self.after.scores
        return None if was is None or now is None else (was, now)

    @cached_property
    def kinds(self) -> dict[ChangeKind, Mask]:
        """Which queries changed in which way: bool[Q]; each counts once."""
        (was_empty, now_empty), (was_failed, now_failed) = self.empty, self.failed
        lost, gained = now_empty & ~was_empty, was_empty & ~now_empty
        return {
            "newly failed": lost & now_failed,
            "newly empty": lost & ~now_failed,
            "no longer failed": gained & was_failed,
            "newly answered": gained & ~was_failed,
            "other passages": self.answered & (self.new.any(axis=1) | self.gone.any(axis=1)),
            "other order": self.other_order,
        }

    @cached_property
    def changed(self) -> Mask:
        """Queries whose top k changed: bool[Q]."""
        return np.asarray(np.any(list(self.kinds.values()), axis=0))

    @property
    def answered(self) -> Mask:
        """Queries that both runs answered: bool[Q]."""
        return np.asarray(~self.empty.any(axis=0))

    @property
    def other_first(self) -> int:
        """How many queries both runs answered with another first passage."""
        firsts = [run.rows[self.answered, :1] for run in (self.before, self.after)]
        return int((firsts[0] != firsts[1]).sum())

    def unjudged(self, qrels: Qrels) -> Mask:
        """New places whose passage nobody judged for its query: bool[Q, k]."""
        vocabulary = qrels.vocabulary.extended(self.after.passages)
        top = self.after.cut(self.new.shape[1]).onto(vocabulary)
        judged = qrels.onto(vocabulary)
        ranks = judged_ranks({"": top}, judged)[""]
        rows = np.repeat(top.queries.rows(judged.queries), judged.judgments)
        # A negative grade is in the pool, but nobody judged it.
        found = (ranks > 0) & (rows >= 0) & (judged.grades >= 0)
        open_places = self.new.copy()
        open_places[rows[found], ranks[found] - 1] = False
        return open_places

    def most_changed(self) -> NDArray[np.int64]:
        """Rows of the changed queries, most changed first: int64[n]."""
        rows = np.flatnonzero(self.changed)
        keys = [self.rbo, self.overlap, ~self.empty[0], ~self.empty[1], ~self.failed[1]]
        return np.asarray(rows[np.lexsort([key[rows] for key in keys])])


def _failed(run: Run) -> Mask:
    """Which queries failed: bool[Q]."""
    failed = np.zeros(len(run), dtype=bool)
    failed[run.queries.rows(run.failed_queries)] = True
    return failed


def _top(run: Run, k: int) -> NDArray[np.int32]:
    """The top k of each query, -1 behind its end: int32[Q, k]."""
    top = run.rows[:, :k]
    return np.pad(top, ((0, 0), (0, k - top.shape[1])), constant_values=-1)


def _share(those: Mask) -> Estimate:
    if not len(those):
        return Estimate(np.nan, method="wilson")
    (interval,) = mean_intervals(those[None].astype(np.float64), method="wilson")
    share = float(those.sum() / len(those))
    return Estimate(share, interval.low, interval.high, len(those), interval.note, "wilson")


def _mean(values: NDArray[np.float64]) -> float:
    """The mean over the queries that either run answered; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _used(run: Run) -> Mask:
    """Which passages of the vocabulary a run returned: bool[V]."""
    used = np.zeros(len(run.passages) + 1, dtype=bool)
    used[run.rows] = True  # pads, -1, mark the last place
    return used[:-1]


def _shifts(pair: RankedPair) -> Iterator[ScoreShift]:
    """How scores shifted; none if a run has no scores."""
    if pair.scores is None:
        return
    was, now = (scores[pair.answered, :1].ravel() for scores in pair.scores)
    found: dict[Literal["passages", "first"], NDArray[np.float64]]
    found = {"passages": pair.shifts, "first": now - was}
    for what, shifts in found.items():
        spread = quantiles(shifts, SHARES) if len(shifts) else np.full(len(SHARES), np.nan)
        lower, higher = int((shifts < -SAME).sum()), int((shifts > SAME).sum())
        yield ScoreShift(what, len(shifts), lower, higher, *spread.tolist())


def _slices(pair: RankedPair, slices: Slices) -> Iterator[SliceOfChanges]:
    """Each value of each key, that of most queries first."""
    queries = list(pair.after.queries)
    for key, of_each in slices.items():
        found = [
            SliceOfChanges(
                key=key,
                value=value,
                changed=int(pair.changed[rows].sum()),
                share=_share(pair.changed[rows]),
                overlap=_mean(pair.overlap[rows]),
                rbo=_mean(pair.rbo[rows]),
            )
            for value, rows in rows_by_value(of_each, queries).items()
        ]
        yield from sorted(found, key=lambda part: (-part.share.n, part.value))


def _queries(
    pair: RankedPair, asked: Queries | None, unjudged: Mask | None
) -> Iterator[QueryChange]:
    """The changed queries, the most changed first."""
    rows = pair.most_changed()
    new, gone = pair.new[rows], pair.gone[rows]
    judged = repeat(None) if unjudged is None else (~unjudged[rows][new]).tolist()
    ranks = (np.nonzero(new)[1] + 1).tolist()
    came = map(NewPassage, _ids(pair.after, rows, new), ranks, judged)
    left = iter(_ids(pair.before, rows, gone))
    failures = [*pair.before.failures, *pair.after.failures]
    errors = {failure.query: failure.reason for failure in failures}
    texts = {} if asked is None else dict(zip(asked.ids, asked.texts, strict=True))
    kinds = {
        at: kind for kind, those in pair.kinds.items() for at in np.flatnonzero(those).tolist()
    }
    for at, row in enumerate(rows.tolist()):
        query = pair.after.queries[row]
        yield QueryChange(
            query=query,
            text=texts.get(query),
            kind=kinds[row],
            overlap=float(pair.overlap[row]),
            rbo=float(pair.rbo[row]),
            new=tuple(islice(came, int(new[at].sum()))),
            gone=tuple(islice(left, int(gone[at].sum()))),
            error=errors.get(query),
        )


def _ids(run: Run, rows: NDArray[np.int64], places: Mask) -> list[str]:
    """Ids at some places (bool[n, k]) of the top k of some queries (int64[n]), query by query."""
    at, place = np.nonzero(places)
    return list(run.passages.texts(run.rows[rows[at], place]))
