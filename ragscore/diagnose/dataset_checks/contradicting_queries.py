"""The same question is asked twice and judged in two ways."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    groups = Groups.of(data.asked_alike)
    rows, examples = 0, list[str]()
    for group in range(len(groups)):
        judged = [row for row in groups[group] if any(data.answers_of(row))]
        first = data.answers_of(judged[0]) if judged else None
        if all(data.answers_of(row) == first for row in judged):
            continue
        rows += len(judged)
        other = next(row for row in judged if data.answers_of(row) != first)
        examples.append(f"{data.question(judged[0])} = {data.question(other)}")
    return (
        CheckOutcome(rows, len(data.dataset.queries), tuple(examples[:MAX_EXAMPLES]))
        if rows
        else None
    )


CHECK = Check(
    "error",
    what=_("Queries with the same words and different judgments"),
    why=_(
        "A retriever returns the same passages for both, so it is wrong for one of them "
        "whatever it returns: no retriever reaches the highest score."
    ),
    fix=_(
        "Give both the same judgments, keep one of them, or write down in their metadata what "
        "tells them apart."
    ),
    look=_look,
)
