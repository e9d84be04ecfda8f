"""Quotes of evidence that stand nowhere in their document, several times, or not where given."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _
from ragscore.names import shortened


def _look(data: CheckedData) -> CheckOutcome | None:
    examples = (
        f"{shortened(row.query_id)}: {shortened(row.evidence.document)} "
        f'"{shortened(row.evidence.quote or "")}" ({count})'
        for row, count in data.unplaced[:MAX_EXAMPLES]
    )
    known = 0 if data.dataset.evidence is None else len(data.dataset.evidence)
    count = len(data.unplaced)
    return CheckOutcome(count, known + count, tuple(examples)) if count else None


CHECK = Check(
    "error",
    what=_(
        "Quotes of evidence that don't occur exactly once in their document, or not at their "
        "start and end"
    ),
    why=_(
        "Evidence without a certain place judges nothing, so a run refuses this dataset; the "
        "other checks cover the rest. In brackets: how often the quote occurs."
    ),
    fix=_(
        "`ragscore anchor` finds quotes that differ in a few characters. A quote that occurs "
        "several times needs `start` and `end`, or more words; if it occurs once, its `start` "
        "and `end` are wrong."
    ),
    look=_look,
)
