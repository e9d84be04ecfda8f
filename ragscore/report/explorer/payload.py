"""What the explorer's script reads: columns of all queries, and the texts of passages apart.

Both are plain objects that become JSON. Numbers stand in flat lists, query by query, because
that is what compresses best and what a script turns into typed arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.dataset import Ids
from ragscore.diagnose import CAUSES
from ragscore.elements.numbers import number_text
from ragscore.report.charts.style import colour_class, shape
from ragscore.report.explorer.filters import filterable
from ragscore.report.explorer.rankings import Rankings
from ragscore.report.ranking import lower_is_better
from ragscore.report.report import Report
from ragscore.results import DatasetResult

LONGEST_QUERY = 2000
"""Characters of a query's text that are kept."""
NO_VALUE = -1_000_000
"""Stands for a value that is not defined: no measure is as low as -100."""
SHARP = 4
"""Digits of a score, and decimals of a value."""
NOT_DIGITS = str.maketrans("", "", ".,")


@dataclass(frozen=True, eq=False)
class ShownPassages:
    """The passages that a panel shows at some depth, numbered as they first appear.

    Attributes:
        depth: passages of each ranking that are shown at most.
        rows: int32[P]: by number, the row in the vocabulary.
        hits: int32[Q, R, depth], numbers of passages, -1 behind the last.
        judgments: int64[n]: the judgments of passages that are shown or relevant.
        judged: int32[n]: the number of each one's passage.
        kept: bool[P]: relevant for some query, or among the first three of some ranking.
    """

    depth: int
    rows: NDArray[np.int32]
    hits: NDArray[np.int32]
    judgments: NDArray[np.int64]
    judged: NDArray[np.int32]
    kept: NDArray[np.bool_]


FIRST = 3
"""The first passages of each ranking, which keep their text as long as relevant ones do."""


def shown(made: Rankings, depth: int) -> ShownPassages:
    """The passages of a panel that are shown when rankings are cut at a depth."""
    width = min(depth, max((run.depth for run in made.runs.values()), default=0))
    rows = np.full((len(made.queries), len(made.runs), width), -1, dtype=np.int32)
    for at, run in enumerate(made.runs.values()):
        here = run.rows[:, :width]
        rows[:, at, : here.shape[1]] = here
    returned = np.zeros(len(made.grades), dtype=bool)
    for rank in made.ranks.values():
        returned |= (rank > 0) & (rank <= width)
    judgments = np.flatnonzero(returned | made.relevant)
    relevant = made.passages[made.relevant]
    used = np.concatenate([rows.ravel(), relevant])
    used = used[used >= 0]
    known = distinct(used)
    first = np.full(len(made.vocabulary) + 1, len(used), dtype=np.int64)
    # Written from the end, so that the first appearance stays.
    first[used[::-1]] = np.arange(len(used))[::-1]
    order = known[np.argsort(first[known], kind="stable")].astype(np.int32)
    number = np.full(len(made.vocabulary) + 1, -1, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    kept = np.zeros(len(order), dtype=bool)
    top = rows[:, :, :FIRST]
    kept[number[np.concatenate([top[top >= 0], relevant])]] = True
    return ShownPassages(
        width, order, number[rows], judgments, number[made.passages[judgments]], kept
    )


def explorer_columns(
    report: Report, panel: DatasetResult, made: Rankings, seen: ShownPassages
) -> dict[str, Any]:
    """Everything of a panel but the passages: see ``queries`` in explorer_data.js."""
    ids, texts, states = _queries(panel, made.queries)
    runs = list(made.runs.values())
    judgments = seen.judgments
    per_query = np.diff(np.searchsorted(made.query_of[judgments], np.arange(len(ids) + 1)))
    returned = (seen.hits >= 0).sum(axis=2)
    return {
        "k": panel.k,
        "depth": seen.depth,
        "grades": float(made.grades.max(initial=0.0)),
        "judged": panel.data is not None,
        "retrievers": [_retriever(name, report.number(name)) for name in made.runs],
        "measures": [panel.labels.get(name, name) for name in panel.measures],
        "primaries": [panel.labels.get(name, name) for name in panel.primaries],
        "id": ids,
        "text": texts,
        "state": states,
        "lower": [lower_is_better(name) for name in panel.measures],
        "values": _values(panel, made.queries),
        "tags": filterable(panel.data.queries, made.queries) if panel.data is not None else [],
        **_causes(panel, made.queries),
        "errors": _errors(panel, made.queries),
        "built": _built(panel),
        "returned": returned.ravel().tolist(),
        "hits": _as_new(seen.hits[seen.hits >= 0]).tolist(),
        "scores": [_scores(run.scores, seen.depth) for run in runs],
        "ties": [_ties(run.tie_start, run.returned, seen.depth) for run in runs],
        "judgments": per_query.tolist(),
        "judgedPassage": seen.judged.tolist(),
        "grade": _short(made.grades[judgments]),
        "needs": [[need + 1 for need in made.needs_of(at)] for at in judgments.tolist()]
        if made.covers is not None
        else None,
        "relevant": np.diff(np.flatnonzero(made.relevant[judgments]), prepend=0).tolist(),
        "ranks": [_ranks(made, name, judgments) for name in made.ranks],
    }


def _retriever(name: str, number: int) -> dict[str, Any]:
    """A name with the colour and the shape that it has in every chart."""
    return {
        "name": name,
        "number": number,
        "colour": colour_class(number),
        "shape": shape(number, 8, 8, 5),
    }


def _queries(panel: DatasetResult, queries: Ids) -> tuple[list[str], list[str], str]:
    """Ids, texts, and by query a letter: ``a`` averaged, ``u`` has no answer, ``n`` left out."""
    averaged = {query_id for entry in panel.scores.entries for query_id in entry.query_ids}
    ids = list(queries)
    texts = [""] * len(ids)
    unanswerable: frozenset[str] = frozenset()
    if panel.data is not None:
        source = panel.data.queries
        unanswerable = source.unanswerable
        rows = source.ids.rows(ids).tolist()
        texts = [source.texts[row] if row >= 0 else "" for row in rows]
    return (
        ids,
        [f"{text[:LONGEST_QUERY]} …" if len(text) > LONGEST_QUERY else text for text in texts],
        "".join("u" if i in unanswerable else "a" if i in averaged else "n" for i in ids),
    )


def _values(panel: DatasetResult, queries: Ids) -> list[list[list[int]]]:
    """By measure and retriever the value of each query, times 10,000."""
    entries = {entry.retriever: entry for entry in panel.scores.entries}
    at = {name: Ids(entry.query_ids).rows(queries) for name, entry in entries.items()}
    columns = []
    for measure in panel.measures:
        of_measure = []
        for name in panel.retrievers:
            # One behind the last stands for queries that were not averaged.
            known = np.append(list(entries[name].per_query(measure).values()), np.nan)[at[name]]
            different, where = np.unique(known, return_inverse=True)
            scaled = [_scaled(value) for value in different.tolist()]
            of_measure.append([scaled[number] for number in where.tolist()])
        columns.append(of_measure)
    return columns


def _scaled(value: float) -> int:
    """A value times 10,000, moved by one where the script would otherwise round it to another
    number than the tables print. Of any size: gains may be 2 to the power of a grade.

    >>> _scaled(0.0625), _scaled(0.31546), _scaled(0.5)
    (624, 3154, 5000)
    """
    if not math.isfinite(value):
        return NO_VALUE
    printed = 10 * int(number_text(value).translate(NOT_DIGITS))
    return min(max(round(value * 10.0**SHARP), printed - 4), printed + 4)


def _causes(panel: DatasetResult, queries: Ids) -> dict[str, Any]:
    """Names of causes, the cause of each query by retriever (-1: none), and near-duplicates."""
    found = panel.causes
    if found is None:
        return {"causes": [], "cause": [], "duplicates": []}
    at = Ids(found.query_ids).rows(queries)
    order = {name: number for number, name in enumerate(panel.retrievers)}
    return {
        "causes": list(CAUSES),
        "cause": [np.append(found.of[name], np.int8(-1))[at].tolist() for name in panel.retrievers],
        "duplicates": [
            [order[name], queries.row(query_id), *passages]
            for (name, query_id), passages in found.duplicate.items()
        ],
    }


def _errors(panel: DatasetResult, queries: Ids) -> list[list[Any]]:
    """The queries that failed: number of the retriever, place of the query, what happened."""
    return [
        [number, queries.row(failure.query), failure.reason]
        for number, name in enumerate(panel.retrievers)
        for failure in panel.entries[name].failed
        if failure.query in queries
    ]


def _built(panel: DatasetResult) -> list[list[Any]]:
    """By retriever that builds on others: its number, its inputs' and how much of these it reads.
    Left out where an input or the texts are not known."""
    if panel.data is None:
        return []
    order = {name: number for number, name in enumerate(panel.retrievers)}
    return [
        [order[name], [order[source] for source in lost.inputs], lost.pool]
        for name, lost in panel.losses.items()
        if all(source in order for source in lost.inputs)
    ]


def _ranks(made: Rankings, retriever: str, judgments: NDArray[np.int64]) -> list[int]:
    """The rank of each judged passage; -1 for one that the retriever does not search: a chunk of
    another chunker."""
    ranks, own = made.ranks[retriever][judgments], made.searched.get(retriever)
    if own is None:
        return list(ranks.tolist())
    searched = np.append(own, False)[np.minimum(made.passages[judgments], len(own))]
    return list(np.where(searched, ranks, -1).tolist())


def _as_new(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Each number as its distance below the largest before it; -1 is a new one. Passages are
    numbered as they appear, so that these are small."""
    none = np.array([-1], dtype=np.int32)
    below: NDArray[np.int32] = np.maximum.accumulate(np.append(none, numbers))[:-1] - numbers
    return below


def _scores(scores: NDArray[np.float64] | None, depth: int) -> list[float | int] | None:
    """Scores with four digits, only where something was returned."""
    if scores is None:
        return None
    cut = scores[:, :depth]
    return _short(cut[~np.isnan(cut)])


def _short(values: NDArray[np.float64]) -> list[float | int]:
    """Numbers with four digits, whole ones without a point."""
    size = np.abs(values)
    exponent = np.floor(np.log10(np.where(size > 0, size, 1.0)))
    # Dividing by a whole power of ten leaves the nearest number to what is written; very small
    # numbers have no such power.
    digits = np.clip(SHARP - 1 - exponent, -300, 300)
    up, down = 10.0 ** np.maximum(digits, 0), 10.0 ** np.maximum(-digits, 0)
    rounded = np.where(digits >= 0, np.round(values * up) / up, np.round(values / down) * down)
    if (rounded == np.round(rounded)).all() and size.max(initial=0.0) < 2**53:
        return list(rounded.astype(np.int64).tolist())
    return list(rounded.tolist())


def _ties(tie_start: NDArray[np.int32], returned: NDArray[np.int32], depth: int) -> list[int]:
    """Places whose score is that of the one before, as steps through query * depth + place."""
    cut = tie_start[:, :depth]
    places = np.arange(cut.shape[1])
    query, place = np.nonzero((cut < places) & (places < returned[:, None]))
    flat = query * depth + place
    return list(np.diff(flat, prepend=0).tolist())
