"""The same question is asked twice and judged in the same way."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    groups = Groups.of(data.asked_alike)
    rows, examples = 0, list[str]()
    for group in range(len(groups)):
        first, *others = groups[group]
        judged = data.answers_of(first)
        same = [row for row in others if data.answers_of(row) == judged]
        rows += len(same)
        examples += [f"{data.question(first)} = {data.question(row)}" for row in same[:1]]
    return (
        CheckOutcome(rows, len(data.dataset.queries), tuple(examples[:MAX_EXAMPLES]))
        if rows
        else None
    )


CHECK = Check(
    "warning",
    what=_("Queries that repeat another one, with the same judgments"),
    why=_(
        "A question asked twice counts twice in every mean. Intervals and tests take the two as "
        "independent, so they look surer than they are."
    ),
    fix=_(
        "Keep one of them; or, if real traffic repeats them, give them a tag and name it with "
        "--cluster."
    ),
    look=_look,
)
