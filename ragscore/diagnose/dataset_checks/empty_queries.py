"""Queries without a text."""

from __future__ import annotations

import numpy as np

from ragscore.dataset.text_columns import empty_texts
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    queries = data.dataset.queries
    rows = np.flatnonzero(empty_texts(queries.texts))
    examples = map(data.query, rows[:MAX_EXAMPLES].tolist())
    return CheckOutcome(len(rows), len(queries), tuple(examples)) if len(rows) else None


CHECK = Check(
    "error",
    what=_("Queries without a text"),
    why=_(
        "Nothing can be found for them: they score 0 for every retriever and lower all means alike."
    ),
    fix=_("Write the questions, or drop the queries and their judgments."),
    look=_look,
)
