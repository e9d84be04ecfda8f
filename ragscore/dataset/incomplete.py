"""What is missing in data that can be read: texts, judgments, relevant passages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.ids import Ids
from ragscore.dataset.qrels import Qrels
from ragscore.dataset.queries import Queries


def without_judgments(
    queries: Queries, qrels: Qrels, evidence: EvidenceColumns | None = None
) -> NDArray[np.bool_]:
    """Which answerable queries nobody judged: bool[Q]. A negative grade is no judgment; a span of
    a document is one."""
    none: NDArray[np.bool_] = _spans(queries, evidence) == 0
    return queries.answerable & ~_judged(qrels) & none


def without_relevant(
    queries: Queries, qrels: Qrels, evidence: EvidenceColumns | None = None
) -> NDArray[np.bool_]:
    """Which answerable queries are judged, and have neither a grade above 0 nor evidence:
    bool[Q]."""
    positive = bounds_of((qrels.grades > 0).astype(np.int64))
    none: NDArray[np.bool_] = np.diff(positive[qrels.indptr]) + _spans(queries, evidence) == 0
    return _judged(qrels) & queries.answerable & none


def relevant_outside(qrels: Qrels, passages: Ids) -> list[str]:
    """Passages with a grade above 0 that are not among some others, such as chunks."""
    relevant = np.unique(qrels.rows[qrels.grades > 0])
    return [passage for passage in qrels.passages.texts(relevant) if passage not in passages]


def forbidden_outside(qrels: Qrels, passages: Ids) -> list[str]:
    """Passages that rows of ground truth forbid and that are not among some others."""
    if qrels.forbidden is None:
        return []
    named = qrels.passages.texts(np.unique(qrels.forbidden.rows))
    return [passage for passage in named if passage not in passages]


def _judged(qrels: Qrels) -> NDArray[np.bool_]:
    indptr, _ = qrels.ideal
    judged: NDArray[np.bool_] = np.diff(indptr) > 0
    return judged


def _spans(queries: Queries, evidence: EvidenceColumns | None) -> NDArray[np.int64]:
    """How many spans of documents answer each query: int64[Q]."""
    if evidence is None:
        return np.zeros(len(queries), dtype=np.int64)
    return np.bincount(evidence.query, minlength=len(queries))
