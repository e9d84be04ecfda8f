"""Two questions have the same words in another order."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    groups = Groups.of(data.asked_in_any_order)
    alike = data.asked_alike
    rows, examples = 0, list[str]()
    for group in range(len(groups)):
        members = groups[group]
        kinds = np.unique(alike[members]).tolist()
        if len(kinds) > 1:
            rows += len(members)
            examples.append(f"{data.question(kinds[0])} = {data.question(kinds[1])}")
    return (
        CheckOutcome(rows, len(data.dataset.queries), tuple(examples[:MAX_EXAMPLES]))
        if rows
        else None
    )


CHECK = Check(
    "note",
    what=_("Queries with the same words in another order"),
    why=_(
        "Retrievers that ignore the order of words, as BM25 does, return the same passages for "
        "them; if they mean the same, they count twice."
    ),
    fix=_("Read them: if they mean the same, keep one; if not, check their judgments."),
    look=_look,
)
