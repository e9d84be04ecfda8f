"""Queries whose judgments are all 0."""

from __future__ import annotations

import numpy as np

from ragscore.dataset.incomplete import without_relevant
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    queries = data.dataset.queries
    rows = np.flatnonzero(without_relevant(queries, data.dataset.qrels, data.dataset.evidence))
    examples = map(data.question, rows[:MAX_EXAMPLES].tolist())
    return CheckOutcome(len(rows), len(queries), tuple(examples)) if len(rows) else None


CHECK = Check(
    "warning",
    what=_("Judged queries without a relevant passage"),
    why=_(
        "They score 0 for every retriever, so they lower all means without telling retrievers "
        "apart."
    ),
    fix=_(
        "Find the passage that answers them, mark them `answerable: false`, or leave them out "
        "(`empty=skip` of a measure)."
    ),
    look=_look,
)
