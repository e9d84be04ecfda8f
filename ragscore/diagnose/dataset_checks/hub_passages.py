"""Passages that answer suspiciously many queries."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _
from ragscore.names import shortened

MIN_QUERIES, MIN_SHARE, MIN_TIMES = 10, 0.1, 10
"""At least this many queries, more than this share of all, and this multiple of the relevant
passages answer on average."""


def _look(data: CheckedData) -> CheckOutcome | None:
    qrels = data.dataset.qrels
    answered = np.bincount(qrels.rows[data.relevant], minlength=len(qrels.passages))
    queries = len(np.unique(data.query_of[data.relevant]))
    usual = len(data.relevant) / max(int(np.count_nonzero(answered)), 1)
    often = (answered >= MIN_QUERIES) & (answered >= MIN_TIMES * usual)
    rows = np.flatnonzero(often & (answered > MIN_SHARE * queries))
    rows = rows[np.argsort(-answered[rows], kind="stable")]
    examples = (
        f"{shortened(qrels.passages[row])}: {answered[row]:,}"
        for row in rows[:MAX_EXAMPLES].tolist()
    )
    return CheckOutcome(len(rows), len(qrels.passages), tuple(examples)) if len(rows) else None


CHECK = Check(
    "note",
    what=_(
        "Passages that are relevant for at least ten queries and for more than a tenth of all "
        "queries"
    ),
    why=_(
        "A retriever that returns such a passage for every query scores well without reading "
        "the question."
    ),
    fix=_(
        "Read it: a table of contents or an introduction is rarely the answer. Ask more "
        "questions about other passages."
    ),
    look=_look,
    of_documents=False,  # one document may well answer most questions
)
