"""The relevant passages of queries, among all that were judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset import Ids, Qrels


def relevant_judgments(
    qrels: Qrels, query_ids: Sequence[str], relevant_from: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The relevant judgments of the queries, query by query.

    Args:
        qrels: the judgments.
        query_ids: the queries; nobody need have judged them.
        relevant_from: the lowest relevant grade.

    Returns:
        Their places among the judgments, and for each the place of its query among ``query_ids``:
        int64[J] each.

    >>> qrels = Qrels.from_dict({"q": {"a": 1}, "r": {"b": 0, "c": 2}})
    >>> [places.tolist() for places in relevant_judgments(qrels, ["r", "s", "q"], 1)]
    [[2, 0], [0, 2]]
    """
    rows = qrels.queries.rows(Ids(query_ids)).astype(np.int64)
    counts = np.append(qrels.judgments, 0)[rows]  # a query without judgments is row -1
    at = ranges(qrels.indptr[rows], counts)
    query = np.repeat(np.arange(len(rows)), counts)
    relevant = qrels.grades[at] >= relevant_from
    return at[relevant], query[relevant]
