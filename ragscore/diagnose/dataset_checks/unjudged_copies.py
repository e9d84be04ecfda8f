"""A copy of a relevant passage is not judged."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels = data.dataset.qrels
    copied = np.flatnonzero(data.copies[data.first_copy[qrels.rows]] > 1)
    keys = data.query_of[copied] * len(qrels.passages) + data.first_copy[qrels.rows[copied]]
    named, judged_copies = np.unique(keys, return_counts=True)
    relevant = np.isin(named, keys[qrels.grades[copied] > 0])
    text = named % max(len(qrels.passages), 1)
    at = np.flatnonzero(relevant & (judged_copies < data.copies[text]))
    queries = np.unique(named[at] // max(len(qrels.passages), 1))
    examples = list[str]()
    for place in at[:MAX_EXAMPLES].tolist():
        query = int(named[place] // len(qrels.passages))
        judged = data.judgments_of(query)
        rows = np.flatnonzero(data.first_copy == text[place]).tolist()
        known = next(row for row in rows if judged.get(row, 0) > 0)
        unknown = next(row for row in rows if row not in judged)
        grade = f"{judged[known]:g}"
        examples.append(
            f"{data.query(query)}: {data.passage(known)} ({grade}) = {data.passage(unknown)} (-)"
        )
    return (
        CheckOutcome(len(queries), len(data.dataset.queries), tuple(examples)) if len(at) else None
    )


CHECK = Check(
    "warning",
    what=_("Queries whose relevant passage has a copy that is not judged"),
    why=_(
        "A retriever that returns the unjudged copy has answered the question, but scores as if "
        "it hadn't."
    ),
    fix=_("Judge the copies too, or remove all but one from the corpus."),
    look=_look,
)
