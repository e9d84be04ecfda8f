"""Several relevant passages of one query are copies of each other."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels = data.dataset.qrels
    order, both = data.copies_beside(data.relevant)
    if qrels.needs is not None:  # copies that cover the same need count once
        need = qrels.needs.need[qrels.needs.indptr[order]]
        both &= need[1:] != need[:-1]
    at = np.flatnonzero(both)
    examples = (
        f"{data.query(int(data.query_of[order[place]]))}: "
        + " = ".join(data.passage(int(row)) for row in qrels.rows[order[place : place + 2]])
        for place in at[:MAX_EXAMPLES].tolist()
    )
    count = len(np.unique(data.query_of[order[at]]))
    return CheckOutcome(count, len(data.dataset.queries), tuple(examples)) if count else None


CHECK = Check(
    "warning",
    what=_("Queries whose relevant passages are copies of each other"),
    why=_(
        "Returning the same text twice counts as two hits, and a retriever that returns it once "
        "loses recall although the reader misses nothing."
    ),
    fix=_(
        "Write the copies as one need (`needs: [[a, b]]`), or remove all but one from the corpus."
    ),
    look=_look,
)
