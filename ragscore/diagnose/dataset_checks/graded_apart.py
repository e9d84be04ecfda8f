"""Copies of one text have different grades for the same query."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels = data.dataset.qrels
    order, same = data.copies_beside(np.flatnonzero(qrels.grades >= 0))
    at = np.flatnonzero(same & (qrels.grades[order[1:]] != qrels.grades[order[:-1]]))
    examples = (
        f"{data.query(int(data.query_of[order[place]]))}: "
        + ", ".join(
            f"{data.passage(int(qrels.rows[one]))} ({qrels.grades[one]:g})"
            for one in order[place : place + 2]
        )
        for place in at[:MAX_EXAMPLES].tolist()
    )
    count = len(np.unique(data.query_of[order[at]]))
    return CheckOutcome(count, len(data.dataset.queries), tuple(examples)) if count else None


CHECK = Check(
    "error",
    what=_("Queries for which copies of one text have different grades"),
    why=_(
        "No retriever can tell the copies apart, so which one it returns first is chance, and so "
        "is the query's score."
    ),
    fix=_("Give all copies the same grade, or remove all but one from the corpus."),
    look=_look,
)
