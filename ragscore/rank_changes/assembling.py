"""Records from what two runs were measured to differ in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import quantiles
from ragscore.dataset import Qrels
from ragscore.dataset.labels import rows_by_value
from ragscore.judge import in_units
from ragscore.rank_changes.measuring import RankedPair, ranked_pair
from ragscore.rank_changes.model import (
    ChangeKind,
    NewPassage,
    QueryChange,
    RetrieverChanges,
    ScoreShift,
    ShareOfQueries,
    SliceOfChanges,
)
from ragscore.run import Run
from ragscore.stats.intervals import LEVEL, Interval, mean_intervals
from ragscore.stats.units import SAME

SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
"""Which quantiles of the shifts are shown."""


@dataclass(frozen=True, eq=False)
class QueryFacts:
    """What is known of the queries beside their rankings.

    Attributes:
        texts: what gives the text of a query by its id; None if it has none.
        qrels: judgments; None if there are none.
        slices: by key, query id to its values.
    """

    texts: Callable[[str], str | None] = lambda query: None
    qrels: Qrels | None = None
    slices: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


def retriever_changes(
    before: Run, after: Run, facts: QueryFacts, *, k: int, p: float
) -> RetrieverChanges:
    """What changed between two runs of the same queries.

    Args:
        before, after: with the same queries in the same order.
        facts: texts, judgments and slices, where they are known.
        k: the cutoff.
        p: persistence of the rank-biased overlap.
    """
    qrels = facts.qrels
    if qrels is not None and qrels.units is not None:
        of_units, qrels = in_units({"before": before, "after": after}, qrels)
        before, after = of_units["before"], of_units["after"]
    pair = ranked_pair(before, after, k, p)
    unjudged = None if qrels is None else pair.unjudged(qrels)
    used = [_used(run) for run in (pair.before, pair.after)]
    kinds = _kinds(pair)
    return RetrieverChanges(
        before=before.name,
        after=after.name,
        depths=(before.depth, after.depth),
        changed=_share(pair.changed),
        kinds={kind: int(those.sum()) for kind, those in kinds.items()},
        unanswered=int(pair.empty.all(axis=0).sum()),
        failed=(len(before.failures), len(after.failures)),
        other_first=int(pair.other_first.sum()),
        overlap=_mean(pair.overlap),
        rbo=_mean(pair.rbo),
        new=int(pair.new.sum()),
        unjudged=None if unjudged is None else int(unjudged.sum()),
        returned=(int(used[0].sum()), int(used[1].sum())),
        shared=int((used[0] & used[1]).sum()),
        shifts=tuple(_shifts(pair)),
        slices=tuple(_slices(pair, facts.slices)),
        queries=tuple(_queries(pair, kinds, facts, unjudged)),
    )


def _kinds(pair: RankedPair) -> dict[ChangeKind, NDArray[np.bool_]]:
    """Which queries changed in which way: bool[Q]; each counts once."""
    (was_empty, now_empty), (was_failed, now_failed) = pair.empty, pair.failed
    lost, gained = now_empty & ~was_empty, was_empty & ~now_empty
    return {
        "newly failed": lost & now_failed,
        "newly empty": lost & ~now_failed,
        "no longer failed": gained & was_failed,
        "newly answered": gained & ~was_failed,
        "other passages": pair.other_set & ~was_empty & ~now_empty,
        "other order": pair.other_order,
    }


def _share(those: NDArray[np.bool_]) -> ShareOfQueries:
    count, of = int(those.sum()), len(those)
    if not of:
        return ShareOfQueries(0, 0, np.nan, Interval(np.nan, np.nan, LEVEL, "wilson"))
    (interval,) = mean_intervals(those[None].astype(np.float64), method="wilson")
    return ShareOfQueries(count, of, count / of, interval)


def _mean(values: NDArray[np.float64]) -> float:
    """The mean over the queries that either run answered; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _used(run: Run) -> NDArray[np.bool_]:
    """Which passages of the vocabulary a run returned: bool[V]."""
    used = np.zeros(len(run.passages) + 1, dtype=bool)
    used[run.rows] = True  # pads, -1, mark the last place
    return used[:-1]


def _shifts(pair: RankedPair) -> Iterator[ScoreShift]:
    passages, first = pair.shifts, pair.first_shifts
    if passages is None or first is None:
        return
    parts: tuple[tuple[Literal["passages", "first"], NDArray[np.float64]], ...]
    parts = ("passages", passages), ("first", first)
    for what, shifts in parts:
        spread = quantiles(shifts, SHARES) if len(shifts) else np.full(len(SHARES), np.nan)
        lower, higher = int((shifts < -SAME).sum()), int((shifts > SAME).sum())
        yield ScoreShift(what, len(shifts), lower, higher, *map(float, spread))


def _slices(
    pair: RankedPair, slices: Mapping[str, Mapping[str, Sequence[str]]]
) -> Iterator[SliceOfChanges]:
    """Each value of each key, that of most queries first."""
    queries = list(pair.after.queries)
    for key, of_each in slices.items():
        found = []
        for value, rows in rows_by_value(of_each, queries).items():
            means = _mean(pair.overlap[rows]), _mean(pair.rbo[rows])
            found.append(SliceOfChanges(key, value, _share(pair.changed[rows]), *means))
        yield from sorted(found, key=lambda part: (-part.changed.of, part.value))


def _queries(
    pair: RankedPair,
    kinds: Mapping[ChangeKind, NDArray[np.bool_]],
    facts: QueryFacts,
    unjudged: NDArray[np.bool_] | None,
) -> Iterator[QueryChange]:
    """The changed queries, the most changed first."""
    rows = pair.most_changed()
    new, gone = pair.new[rows], pair.gone[rows]
    place = np.nonzero(new)[1]
    came = _ids(pair.after, rows, new)
    judged: list[bool | None] = [None] * len(came)
    if unjudged is not None:
        judged = (~unjudged[rows][new]).tolist()
    passages = list(map(NewPassage, came, (place + 1).tolist(), judged))
    left = _ids(pair.before, rows, gone)
    ends = [np.cumsum(places.sum(axis=1)).tolist() for places in (new, gone)]
    names = list(kinds)
    kind_of = np.argmax(np.stack([kinds[name] for name in names])[:, rows], axis=0)
    overlap, rbo = pair.overlap[rows], pair.rbo[rows]
    listed = (*pair.before.failures, *pair.after.failures)
    errors = {failure.query: failure.reason for failure in listed}
    start = left_start = 0
    for query, kind, overlap_here, rbo_here, end, left_end in zip(
        pair.after.queries.texts(rows),
        kind_of.tolist(),
        overlap.tolist(),
        rbo.tolist(),
        *ends,
        strict=True,
    ):
        yield QueryChange(
            query,
            facts.texts(query),
            names[kind],
            overlap_here,
            rbo_here,
            tuple(passages[start:end]),
            tuple(left[left_start:left_end]),
            errors.get(query),
        )
        start, left_start = end, left_end


def _ids(run: Run, rows: NDArray[np.int64], places: NDArray[np.bool_]) -> list[str]:
    """Ids at some places of the top k, query by query.

    Args:
        run: whose passages.
        rows: int64[n] of its queries.
        places: bool[n, k], which of their ranks.
    """
    at, place = np.nonzero(places)
    return list(run.passages.texts(run.rows[rows[at], place]))
