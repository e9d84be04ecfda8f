"""Complementarity: what two runs find together, and how alike their rankings are.

A pair whose rankings differ and whose union recall is far above both recalls is worth fusing; a
pair that returns the same passages is not, whatever the two are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.dataset import Ids, Qrels
from ragscore.elements import Cell, Column, Paragraph, Table
from ragscore.elements.cells import number_cell, text_cell
from ragscore.elements.numbers import plain_number
from ragscore.elements.tables import column, table
from ragscore.errors import ConfigError, DataError
from ragscore.judge import in_units, judge
from ragscore.measures import parse_measure
from ragscore.messages import Text, _
from ragscore.records import MaybeNaN, Record
from ragscore.run import Run
from ragscore.run.rank_overlap import (
    BLOCK,
    Places,
    check_overlap,
    jaccard,
    looked_at,
    rank_biased_overlap,
)
from ragscore.scoring import RetrieverScores, Scores


@dataclass(frozen=True)
class BestOf(Record):
    """What choosing the better of two retrievers for each query would reach.

    No system reaches the oracle: it knows the judgments. It is never below either mean, and for
    noisy measures it is above both even where the retrievers are equally good everywhere.
    """

    measure: str
    """The measure as it parses."""
    label: str
    """The measure as tables print its mean."""
    first: MaybeNaN
    """The mean of the first over the queries that are defined for both."""
    second: MaybeNaN
    """The mean of the second over these."""
    oracle: MaybeNaN
    """The mean of the better value of each query."""
    n: int
    """How many queries these are."""


@dataclass(frozen=True)
class Overlap(Record):
    """How much two runs overlap; null if a number cannot be computed."""

    first: str
    """Name of a run."""
    second: str
    """Name of the other."""
    queries: int
    """The queries considered: those scored for every run, without those that failed and are left
    out; or, without scores, the judged ones."""
    compared: int
    """Of these, how many got a passage from either run; the means of ``jaccard`` and ``rbo`` are
    over them."""
    k: int
    """Cutoff of Jaccard and recalls."""
    p: float
    """Persistence of the rank-biased overlap."""
    jaccard: float | None
    """Mean share of the passages in either top k that are in both."""
    rbo: float | None
    """Mean extrapolated rank-biased overlap."""
    recall_first: float | None = None
    """Mean recall of the first at k; 0 for a query without relevant passages, as ``R@k``."""
    recall_second: float | None = None
    """Mean recall of the second at k."""
    union_recall: float | None = None
    """Mean recall of the two top k together (up to 2k passages)."""
    best_of: tuple[BestOf, ...] = ()
    """The per-query best-of oracle of each measure."""


def overlaps(
    runs: Iterable[Run],
    qrels: Qrels | None = None,
    scores: Scores | None = None,
    *,
    k: int = 10,
    p: float = 0.9,
) -> tuple[Overlap, ...]:
    """Compare every pair of runs, in the order (first, second), (first, third), ...

    Args:
        runs: with different names; their vocabularies are common by passage id.
        qrels: for the recalls.
        scores: on one dataset, for the best-of oracle, and for which queries count: those averaged
            for all runs. Without it the judged queries count, and without judgments all that were
            run.
        k: cutoff of recall and Jaccard.
        p: persistence of the rank-biased overlap, above 0 and below 1.

    >>> runs = [Run.from_dict({"q": ["a", "b"]}, name="bm25"),
    ...         Run.from_dict({"q": ["b", "c"]}, name="dense")]
    >>> (pair,) = overlaps(runs, Qrels.from_dict({"q": ["a", "c"]}), k=2)
    >>> pair.recall_first, pair.recall_second, pair.union_recall, round(pair.jaccard, 4)
    (0.5, 0.5, 1.0, 0.3333)

    Raises:
        ConfigError: k or p is out of range, or two runs have one name.
        DataError: a run has no scores, or no query counts.
    """
    listed = list(runs)
    _check(listed, k, p)
    entries = None if scores is None else _entries(scores, listed)
    queries = _queries(listed, qrels, entries)
    if not len(queries):
        raise DataError(
            "the runs have no query in common to compare on",
            instead="Give runs and judgments of the same queries",
        )
    if qrels is not None and qrels.units is not None:
        of_units, qrels = in_units({run.name: run for run in listed}, qrels)
        listed = list(of_units.values())
    vocabulary = listed[0].passages if listed else Ids(())
    for run in listed[1:]:
        vocabulary = vocabulary.extended(run.passages)
    found = None
    if qrels is not None:
        vocabulary = vocabulary.extended(qrels.passages)
        qrels = qrels.onto(vocabulary)
        if qrels.shared_needs is None:
            found = _relevant(listed, qrels, vocabulary, queries, k)
    depth = looked_at(k, p)
    cut = [run.onto(vocabulary).for_queries(queries).cut(depth) for run in listed]
    deepest = max((run.depth for run in cut), default=0)
    pairs = list(combinations(range(len(listed)), 2))
    likeness = np.full((len(pairs), 2, len(queries)), np.nan)
    both = np.zeros((len(pairs), len(queries)))
    step = max(1, BLOCK // max(deepest, 1))
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        places = [Places.of(run, block, deepest) for run in cut]
        for at, (one, other) in enumerate(pairs):
            shared = places[one].shared(places[other])
            likeness[at, 0, block] = jaccard(shared, k)
            likeness[at, 1, block] = rank_biased_overlap(shared, p)
            if found is not None:
                both[at, block] = shared.both(found[0][one][block], k)
    result = []
    for at, (one, other) in enumerate(pairs):
        recalls: tuple[float | None, ...] = (None, None, None)
        if found is not None:
            hits = [found[0][run].sum(axis=1) for run in (one, other)]
            counts = (*hits, hits[0] + hits[1] - both[at])
            recalls = tuple(_share(count, found[1]) for count in counts)
        elif qrels is not None:
            tops = [cut[run].cut(k) for run in (one, other)]
            rows = np.hstack([top.rows for top in tops])
            union = Run.make(queries, vocabulary, rows)  # what both returned is in it once
            recalls = tuple(_recall(top, qrels) for top in (*tops, union))
        known = ~np.isnan(likeness[at, 0])
        means = [float(values[known].mean()) if known.any() else None for values in likeness[at]]
        result.append(
            Overlap(
                listed[one].name,
                listed[other].name,
                queries=len(queries),
                compared=int(known.sum()),
                k=k,
                p=p,
                jaccard=means[0],
                rbo=means[1],
                recall_first=recalls[0],
                recall_second=recalls[1],
                union_recall=recalls[2],
                best_of=() if entries is None else best_of(entries[one], entries[other]),
            )
        )
    return tuple(result)


def best_of(first: RetrieverScores, second: RetrieverScores) -> tuple[BestOf, ...]:
    """The per-query best-of oracle of every measure whose value is a mean over the queries and
    that both have; the queries are those in both that are defined for both."""
    place = {query_id: at for at, query_id in enumerate(second.query_ids)}
    shared = [(at, place[q]) for at, q in enumerate(first.query_ids) if q in place]
    here, there = (
        np.array(side, dtype=np.int64) for side in ([a for a, _ in shared], [b for _, b in shared])
    )
    result = []
    for at, measure in enumerate(first.measures):
        if (
            measure not in second.measures
            or measure.aggregate not in ("mean", "mean of defined")
            or measure in first.weights
        ):
            continue
        ours = first.values[at, here]
        theirs = second.values[second.measures.index(measure), there]
        known = ~(np.isnan(ours) | np.isnan(theirs))
        if known.any():
            ours, theirs = ours[known], theirs[known]
            better = np.minimum if measure.lowest_is_best else np.maximum
            result.append(
                BestOf(
                    str(measure),
                    measure.label,
                    float(ours.mean()),
                    float(theirs.mean()),
                    float(better(ours, theirs).mean()),
                    int(known.sum()),
                )
            )
    return tuple(result)


def _check(runs: Sequence[Run], k: int, p: float) -> None:
    check_overlap(k, p)
    names = [run.name for run in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"two runs are called '{twice}'", instead="Give each its own name")


def _entries(scores: Scores, runs: Sequence[Run]) -> list[RetrieverScores]:
    """The scores of each run."""
    of = {entry.retriever: entry for entry in scores.entries}
    lost = next((run.name for run in runs if run.name not in of), None)
    if lost is not None:
        raise DataError(f"the run '{lost}' has no scores", instead=f"There are: {', '.join(of)}")
    return [of[run.name] for run in runs]


def _queries(
    runs: Sequence[Run], qrels: Qrels | None, entries: Sequence[RetrieverScores] | None
) -> Ids:
    """The queries that count."""
    left_out = {query for run in runs if run.leaves_out for query in run.failed_queries}
    if entries is not None:
        common = set.intersection(*(set(entry.query_ids) for entry in entries))
        listed: Iterable[str] = filter(common.__contains__, entries[0].query_ids)
    elif qrels is not None:
        listed = qrels.queries.texts(np.flatnonzero(qrels.judgments > 0))
    else:
        listed = dict.fromkeys(query_id for run in runs for query_id in run.queries)
    return Ids(query_id for query_id in listed if query_id not in left_out)


def _relevant(
    runs: Sequence[Run],
    qrels: Qrels,
    vocabulary: Ids,
    queries: Ids,
    k: int,
) -> tuple[list[NDArray[np.bool_]], NDArray[np.float64]]:
    """Which of the top k of each run are relevant (grade 1 or more), bool[Q, k] each, and the
    number of relevant passages of each query, float64[Q]; nothing is relevant for a query without
    judgments."""
    found = []
    n_relevant = np.zeros(len(queries))
    for run in runs:
        judged = judge(run.onto(vocabulary).cut(k), qrels, depth=k)
        at = queries.rows(qrels.queries.texts(judged.query_rows))
        relevant = np.zeros((len(queries), k), dtype=bool)
        relevant[at[at >= 0]] = judged.relevant(1.0)[at >= 0]
        n_relevant[at[at >= 0]] = judged.n_relevant(1.0)[at >= 0]
        found.append(relevant)
    return found, n_relevant


def _recall(run: Run, qrels: Qrels) -> float:
    """Mean recall of all that a run returned, as :class:`~ragscore.measures.R` counts needs; 0 for
    a query without any."""
    judged = judge(run, qrels, depth=max(run.depth, 1))
    shares = divide(judged.covered(1.0)[:, -1], judged.n_relevant(1.0))
    known = run.queries.rows(qrels.queries.texts(judged.query_rows)) >= 0
    return float(shares[known].sum() / len(run.queries))


def _share(hits: NDArray[np.float64], n_relevant: NDArray[np.float64]) -> float:
    """Mean over the queries of hits / relevant, 0 if nothing is relevant."""
    return float(divide(hits, n_relevant).mean())


def overlap_table(pairs: Sequence[Overlap], measure: str, *, id: str = "overlap") -> Table:
    """What pairs of runs find together; ``measure`` is that of the best of both."""
    k, p = pairs[0].k, pairs[0].p

    def best(pair: Overlap) -> float | None:
        return next((best.oracle for best in pair.best_of if best.measure == measure), None)

    def number(
        name: str, label: Text, read: Callable[[Overlap], float | None], hint: Text = ""
    ) -> tuple[Column, Callable[[Overlap], Cell]]:
        return column(
            name,
            label,
            lambda pair: number_cell(read(pair)),
            hint=hint,
            better="" if hint else "high",
        )

    alike = _("How similar the rankings are, weighted towards the top; 1 if they are equal")
    shared = _("Share of the {ranked_items} in either top {k} that are in both", k=k)
    best_label = _("Best of both, {label}", label=parse_measure(measure).label)
    return table(
        id,
        _("What pairs find together"),
        (
            column(
                "pair", _("Pair"), lambda pair: text_cell(f"{pair.first} + {pair.second}"), "text"
            ),
            number("R first", _("R@{k} first", k=k), lambda pair: pair.recall_first),
            number("R second", _("R@{k} second", k=k), lambda pair: pair.recall_second),
            number("R union", _("R@{k} union", k=k), lambda pair: pair.union_recall),
            number("best of", best_label, best),
            number("RBO", f"RBO({plain_number(p)})", lambda pair: pair.rbo, alike),
            number("Jaccard", f"Jaccard@{k}", lambda pair: pair.jaccard, shared),
        ),
        pairs,
    )


def overlap_note(pairs: Sequence[Overlap]) -> Paragraph:
    """What union and best of both mean."""
    k = pairs[0].k
    return Paragraph(
        _(
            "Union: the two top {k} together, up to {twice} {ranked_items}. Best of "
            "both: the better value for each query, which no system knows in "
            "advance. Where both are far above the single retrievers, fusing them "
            "may pay off. RBO: rank-biased overlap, 1 for equal rankings.",
            k=k,
            twice=2 * k,
        ),
        "note",
    )
