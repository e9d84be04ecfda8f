"""Queries that nobody judged."""

from __future__ import annotations

import numpy as np

from ragscore.dataset.incomplete import without_judgments
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    queries = data.dataset.queries
    without = without_judgments(queries, data.dataset.qrels, data.dataset.evidence)
    unplaced = queries.ids.rows(row.query_id for row, _why in data.unplaced)
    without[unplaced[unplaced >= 0]] = False  # found by a check of its own
    rows = np.flatnonzero(without)
    examples = map(data.question, rows[:MAX_EXAMPLES].tolist())
    return CheckOutcome(len(rows), len(queries), tuple(examples)) if len(rows) else None


CHECK = Check(
    "warning",
    what=_("Queries without ground truth"),
    why=_(
        "They are searched and then left out of every mean, so the numbers rest on fewer "
        "queries than the dataset has."
    ),
    fix=_(
        "Judge them, drop them, or mark them `answerable: false` if nothing in the corpus "
        "answers them."
    ),
    look=_look,
)
