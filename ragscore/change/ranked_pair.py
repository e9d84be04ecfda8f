"""Two runs of the same queries, measured against each other: arrays over all queries at once, then
the record of what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import quantiles
from ragscore.change.record import (
    ChangeKind,
    NewPassage,
    QueryChange,
    RetrieverChanges,
    ScoreShift,
    SliceOfChanges,
)
from ragscore.dataset import Qrels, Queries
from ragscore.dataset.labels import rows_by_value
from ragscore.estimate import Estimate
from ragscore.judge import in_units, judged_ranks
from ragscore.run import Run
from ragscore.run.rank_overlap import (
    BLOCK,
    Places,
    looked_at,
    overlap_at,
    rank_biased_overlap,
)
from ragscore.stats.intervals import mean_intervals
from ragscore.stats.units import SAME

SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
"""Which quantiles of the shifts are shown."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class KnownQueries:
    """What is known of the queries beside their rankings.

    Attributes:
        asked: with their texts; None if no dataset is known.
        qrels: judgments; None if there are none.
        slices: by key, query id to its values.
    """

    asked: Queries | None = None
    qrels: Qrels | None = None
    slices: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    def texts(self, queries: Sequence[str]) -> list[str | None]:
        """The text of each query; None where it has none."""
        if self.asked is None:
            return [None] * len(queries)
        rows = [self.asked.ids.row(query) for query in queries]
        return [self.asked.texts[row] if row >= 0 else None for row in rows]


@dataclass(frozen=True, eq=False)
class RankedPair:
    """Two runs of the same Q queries over one vocabulary, and what differs.

    Attributes:
        before, after: the runs, cut to where RBO looks.
        overlap, rbo: float64[Q], NaN if neither run returned anything.
        other_order: bool[Q], whether the top k holds the same passages in another order.
        new, gone: bool[Q, k], places of the later top k whose passage is not in the earlier one;
            places of the earlier one whose passage is not in the later one.
        shifts: float64[n], the later minus the earlier score of each passage that both returned
            for a query; None if a run has no scores.
    """

    before: Run
    after: Run
    overlap: NDArray[np.float64]
    rbo: NDArray[np.float64]
    other_order: Mask
    new: Mask
    gone: Mask
    shifts: NDArray[np.float64] | None

    @cached_property
    def empty(self) -> Mask:
        """Which queries got nothing, before and after: bool[2, Q]."""
        return np.stack([run.returned == 0 for run in (self.before, self.after)])

    @cached_property
    def kinds(self) -> dict[ChangeKind, Mask]:
        """Which queries changed in which way: bool[Q]; each counts once."""
        was_empty, now_empty = self.empty
        was_failed, now_failed = _failed(self.before), _failed(self.after)
        lost, gained = now_empty & ~was_empty, was_empty & ~now_empty
        other_set = self.new.any(axis=1) | self.gone.any(axis=1)
        return {
            "newly failed": lost & now_failed,
            "newly empty": lost & ~now_failed,
            "no longer failed": gained & was_failed,
            "newly answered": gained & ~was_failed,
            "other passages": other_set & ~was_empty & ~now_empty,
            "other order": self.other_order,
        }

    @cached_property
    def changed(self) -> Mask:
        """Queries whose top k changed: bool[Q]."""
        return np.asarray(np.any(list(self.kinds.values()), axis=0))

    @property
    def other_first(self) -> int:
        """How many queries both runs answered with another first passage."""
        if not min(self.before.depth, self.after.depth):
            return 0
        differs = self.before.rows[:, 0] != self.after.rows[:, 0]
        return int((differs & ~self.empty.any(axis=0)).sum())

    @property
    def first_shifts(self) -> NDArray[np.float64]:
        """Shift of the highest score of each query that both answered: float64[n]."""
        both = ~self.empty.any(axis=0)
        if self.before.scores is None or self.after.scores is None or not both.any():
            return np.empty(0)
        return np.asarray(self.after.scores[both, 0] - self.before.scores[both, 0])

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
        keys = [self.rbo, self.overlap, ~self.empty[0], ~self.empty[1], ~_failed(self.after)]
        return np.asarray(rows[np.lexsort([key[rows] for key in keys])])


def ranked_pair(before: Run, after: Run, k: int, p: float) -> RankedPair:
    """Measure two runs of the same queries against each other.

    Args:
        before, after: runs with the same queries in the same order; their vocabularies are joined
            by passage id.
        k: the cutoff.
        p: persistence of the rank-biased overlap.
    """
    vocabulary = before.passages.extended(after.passages)
    first, second = (run.onto(vocabulary).cut(looked_at(k, p)) for run in (before, after))
    queries, deepest = len(first), max(first.depth, second.depth)
    k = min(k, max(deepest, 1))  # no run is deeper
    overlap, rbo = np.full(queries, np.nan), np.full(queries, np.nan)
    tops = [_top(run, k) for run in (first, second)]
    gone, new = (top >= 0 for top in tops)
    shifts = [np.empty(0)]
    step = max(1, BLOCK // max(deepest, 1))
    for start in range(0, queries, step):
        block = slice(start, start + step)
        places = [Places.of(run, block, deepest) for run in (first, second)]
        shared = places[0].shared(places[1])
        overlap[block] = overlap_at(shared, k)
        rbo[block] = rank_biased_overlap(shared, p)
        query, here, there = shared.query, places[0].place, places[1].place
        here, there = here[shared.here], there[shared.there]
        both = (here < k) & (there < k)
        gone[block][query[both], here[both]] = False
        new[block][query[both], there[both]] = False
        if first.scores is not None and second.scores is not None and len(query):
            shifts.append(second.scores[block][query, there] - first.scores[block][query, here])
    same_set = ~(new.any(axis=1) | gone.any(axis=1))
    return RankedPair(
        before=first,
        after=second,
        overlap=overlap,
        rbo=rbo,
        other_order=same_set & (tops[0] != tops[1]).any(axis=1),
        new=new,
        gone=gone,
        shifts=None if first.scores is None or second.scores is None else np.concatenate(shifts),
    )


def _failed(run: Run) -> Mask:
    """Which queries failed: bool[Q]."""
    failed = np.zeros(len(run), dtype=bool)
    if run.failures:
        failed[run.queries.rows(run.failed_queries)] = True
    return failed


def _top(run: Run, k: int) -> NDArray[np.int32]:
    """The top k of each query, -1 behind its end: int32[Q, k]."""
    top = run.rows[:, :k]
    return np.pad(top, ((0, 0), (0, k - top.shape[1])), constant_values=-1)


def retriever_changes(
    before: Run, after: Run, known: KnownQueries, *, k: int, p: float
) -> RetrieverChanges:
    """What changed between two runs of the same queries.

    Args:
        before, after: with the same queries in the same order.
        known: texts, judgments and slices, where they are known.
        k: the cutoff.
        p: persistence of the rank-biased overlap.
    """
    qrels = known.qrels
    if qrels is not None and qrels.units is not None:
        of_units, qrels = in_units({"before": before, "after": after}, qrels)
        before, after = of_units["before"], of_units["after"]
    pair = ranked_pair(before, after, k, p)
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
        shifts=()
        if pair.shifts is None
        else (_shift("passages", pair.shifts), _shift("first", pair.first_shifts)),
        slices=tuple(_slices(pair, known.slices)),
        queries=tuple(_queries(pair, known, unjudged)),
    )


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


def _shift(what: Literal["passages", "first"], shifts: NDArray[np.float64]) -> ScoreShift:
    spread = quantiles(shifts, SHARES) if len(shifts) else np.full(len(SHARES), np.nan)
    p5, p25, median, p75, p95 = map(float, spread)
    return ScoreShift(
        what=what,
        n=len(shifts),
        lower=int((shifts < -SAME).sum()),
        higher=int((shifts > SAME).sum()),
        p5=p5,
        p25=p25,
        median=median,
        p75=p75,
        p95=p95,
    )


def _slices(
    pair: RankedPair, slices: Mapping[str, Mapping[str, Sequence[str]]]
) -> Iterator[SliceOfChanges]:
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


def _queries(pair: RankedPair, known: KnownQueries, unjudged: Mask | None) -> Iterator[QueryChange]:
    """The changed queries, the most changed first."""
    rows = pair.most_changed()
    kinds = list(pair.kinds)
    kind_of = np.argmax(np.stack([pair.kinds[kind] for kind in kinds])[:, rows], axis=0)
    new, gone = pair.new[rows], pair.gone[rows]
    judged: list[bool | None] = [None] * int(new.sum())
    if unjudged is not None:
        judged = (~unjudged[rows][new]).tolist()
    ranks = (np.nonzero(new)[1] + 1).tolist()
    came = map(NewPassage, _ids(pair.after, rows, new), ranks, judged)
    left = iter(_ids(pair.before, rows, gone))
    errors = {
        failure.query: failure.reason
        for run in (pair.before, pair.after)
        for failure in run.failures
    }
    queries = pair.after.queries.texts(rows)
    for query, text, kind, overlap, rbo, n_new, n_gone in zip(
        queries,
        known.texts(queries),
        kind_of.tolist(),
        pair.overlap[rows].tolist(),
        pair.rbo[rows].tolist(),
        new.sum(axis=1).tolist(),
        gone.sum(axis=1).tolist(),
        strict=True,
    ):
        yield QueryChange(
            query=query,
            text=text,
            kind=kinds[kind],
            overlap=overlap,
            rbo=rbo,
            new=tuple(islice(came, n_new)),
            gone=tuple(islice(left, n_gone)),
            error=errors.get(query),
        )


def _ids(run: Run, rows: NDArray[np.int64], places: Mask) -> list[str]:
    """Ids at some places of the top k, query by query.

    Args:
        run: whose passages.
        rows: int64[n] of its queries.
        places: bool[n, k], which of their ranks.
    """
    at, place = np.nonzero(places)
    return list(run.passages.texts(run.rows[rows[at], place]))
