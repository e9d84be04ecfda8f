"""Rows of ground truth from the columns of a dataset: the way back from reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ragscore.dataset.documents import Documents
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.qrels import Qrels
from ragscore.models import Evidence, GroundTruth, Need


class QueryTruth(NamedTuple):
    """What answers one query."""

    query_id: str
    judged: Mapping[str, float]
    """Passage id to grade."""
    covered: Sequence[Mapping[str, float]]
    """For each need, the grade of each passage that covers it."""
    spans: Mapping[int, Sequence[Evidence]]
    """Evidence by the number of its need."""
    forbidden: Sequence[str]
    """What must not come back."""


def ground_truth_rows(
    qrels: Qrels, evidence: EvidenceColumns | None = None, documents: Documents | None = None
) -> Iterator[GroundTruth]:
    """What answers each query, as rows that are read as the same columns: the needs of a query
    where passages alone do not say them, evidence by its offsets, and the passages that are
    forbidden by lists; rules are options of the dataset.

    A need that nothing of these covers, as after projection, is left out.
    """
    return map(_row, query_truths(qrels, evidence, documents))


def query_truths(
    qrels: Qrels, evidence: EvidenceColumns | None, documents: Documents | None
) -> Iterator[QueryTruth]:
    """What answers each query that anything is said of."""
    judged = qrels.to_dict()
    spans: Mapping[str, Mapping[int, list[Evidence]]] = {}
    if evidence is not None and documents is not None:
        spans = evidence.rows(documents)
    covered = passages_of_needs(qrels)
    forbidden = qrels.listed_forbidden
    for query_id in dict.fromkeys([*judged, *spans, *forbidden]):
        yield QueryTruth(
            query_id,
            judged.get(query_id, {}),
            covered.get(query_id, []),
            spans.get(query_id, {}),
            forbidden.get(query_id, []),
        )


def passages_of_needs(qrels: Qrels) -> dict[str, list[dict[str, float]]]:
    """For each query with needs, the passages that cover each of them, with their grades."""
    if qrels.needs is None:
        return {}
    needs, found = qrels.needs, dict[str, list[dict[str, float]]]()
    judgments, bounds = qrels.indptr.tolist(), needs.bounds.tolist()
    starts, numbers, grades = needs.indptr.tolist(), needs.need.tolist(), needs.grades.tolist()
    ids = qrels.passages.texts(qrels.rows)
    for row, query_id in enumerate(qrels.queries):
        if (count := bounds[row + 1] - bounds[row]) == 0:
            continue
        of_query: list[dict[str, float]] = [{} for _ in range(count)]
        for at in range(judgments[row], judgments[row + 1]):
            for covered in range(starts[at], starts[at + 1]):
                of_query[numbers[covered]][ids[at]] = grades[covered]
        found[query_id] = of_query
    return found


def _row(truth: QueryTruth) -> GroundTruth:
    query_id, judged, covered, spans, forbidden = truth
    not_allowed = list(forbidden)
    numbers = range(max(len(covered), max(spans, default=-1) + 1))
    by_need = [
        ({**covered[number]} if number < len(covered) else {}, list(spans.get(number, ())))
        for number in numbers
    ]
    if not by_need:
        return GroundTruth(query_id=query_id, passages=dict(judged), forbidden=not_allowed)
    # A list of ids takes their grades from `passages`.
    passages = {passage_id: grade for passage_id, grade in judged.items() if grade <= 0}
    for ids, cited in by_need:
        if cited:
            passages |= ids
    trailing: list[Evidence] = []
    # Evidence is named once under `evidence`; where it covers two needs, in a list for each.
    while (
        by_need
        and not by_need[-1][0]
        and len(by_need[-1][1]) == 1
        and by_need[-1][1][0] not in trailing
    ):
        trailing.insert(0, by_need.pop()[1][0])
    needs: list[Need] = []
    for ids, cited in by_need:
        plain = all(grade == 1 and name not in passages for name, grade in ids.items())
        if cited or (ids and plain):
            needs.append([*ids, *cited])
        elif ids:
            needs.append(ids)
    return GroundTruth(
        query_id=query_id,
        passages=passages,
        needs=needs,
        evidence=trailing,
        forbidden=not_allowed,
    )
