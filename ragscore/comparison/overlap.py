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
    check_overlap(k, p)
    names = [run.name for run in listed]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"two runs are called '{twice}'", instead="Give each its own name")
    entries = None if scores is None else _entries(scores, names)
    queries = _queries(listed, qrels, entries)
    if not len(queries):
        raise DataError(
            "the runs have no query in common to compare on",
            instead="Give runs and judgments of the same queries",
        )
    if qrels is not None and qrels.units is not None:
        of_units, qrels = in_units({run.name: run for run in listed}, qrels)
        listed = list(of_units.values())
    vocabulary, *others = (side.passages for side in (*listed, qrels) if side is not None)
    for more in others:
        vocabulary = vocabulary.extended(more)
    judged = None if qrels is None else qrels.onto(vocabulary)
    cut = [run.onto(vocabulary).for_queries(queries).cut(looked_at(k, p)) for run in listed]
    tops = [run.cut(k) for run in cut]
    recalls = [_recall(top, judged) for top in tops]
    pairs = list(combinations(range(len(listed)), 2))
    result = []
    for (one, other), alike in zip(pairs, _likeness(cut, pairs, k, p), strict=True):
        both = np.hstack([tops[one].rows, tops[other].rows])  # what both returned counts once
        known = ~np.isnan(alike[0])
        means = [float(values[known].mean()) if known.any() else None for values in alike]
        result.append(
            Overlap(
                names[one],
                names[other],
                queries=len(queries),
                compared=int(known.sum()),
                k=k,
                p=p,
                jaccard=means[0],
                rbo=means[1],
                recall_first=recalls[one],
                recall_second=recalls[other],
                union_recall=_recall(Run.make(queries, vocabulary, both), judged),
                best_of=() if entries is None else best_of(entries[one], entries[other]),
            )
        )
    return tuple(result)


def _likeness(
    runs: Sequence[Run], pairs: Sequence[tuple[int, int]], k: int, p: float
) -> NDArray[np.float64]:
    """Jaccard at k and rank-biased overlap of pairs of runs by query: float64[pairs, 2, Q]; NaN
    where neither returned anything."""
    n_queries = len(runs[0].queries) if runs else 0
    depth = max((run.depth for run in runs), default=0)
    found = np.full((len(pairs), 2, n_queries), np.nan)
    step = max(1, BLOCK // max(depth, 1))
    for start in range(0, n_queries, step):
        block = slice(start, start + step)
        places = [Places.of(run, block, depth) for run in runs]
        for at, (one, other) in enumerate(pairs):
            shared = places[one].shared(places[other])
            found[at, 0, block] = jaccard(shared, k)
            found[at, 1, block] = rank_biased_overlap(shared, p)
    return found


def _recall(run: Run, qrels: Qrels | None) -> float | None:
    """Mean recall of all that a run returned, as :class:`~ragscore.measures.R` counts needs; 0 for
    a query without any."""
    if qrels is None:
        return None
    judged = judge(run, qrels)
    at = run.queries.rows(qrels.queries.texts(judged.query_rows))
    shares = np.zeros(len(run.queries))
    found = divide(judged.n_covered(1.0), judged.n_relevant(1.0))
    shares[at[at >= 0]] = found[at >= 0]
    return float(shares.mean())


def best_of(first: RetrieverScores, second: RetrieverScores) -> tuple[BestOf, ...]:
    """The per-query best-of oracle of every measure whose value is a mean over the queries and
    that both have; the queries are those in both that are defined for both."""
    there = Ids(second.query_ids).rows(first.query_ids)
    here = there >= 0
    result = []
    for measure, values in zip(first.measures, first.values, strict=True):
        of_mean = measure.aggregate in ("mean", "mean of defined") and measure not in first.weights
        if not of_mean or measure not in second.measures:
            continue
        ours = values[here]
        theirs = second.values[second.measures.index(measure), there[here]]
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


def _entries(scores: Scores, runs: Sequence[str]) -> list[RetrieverScores]:
    """The scores of each run."""
    of = {entry.retriever: entry for entry in scores.entries}
    lost = next((run for run in runs if run not in of), None)
    if lost is not None:
        raise DataError(f"the run '{lost}' has no scores", instead=f"There are: {', '.join(of)}")
    return [of[run] for run in runs]


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
