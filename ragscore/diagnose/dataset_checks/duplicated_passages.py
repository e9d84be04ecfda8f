"""Passages with the same text."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    n = len(data.texts)
    groups = Groups.of(data.first_copy[:n])
    examples = (
        f"{data.quoted(groups[group][0])} = {data.passage(groups[group][1])}"
        for group in range(min(len(groups), MAX_EXAMPLES))
    )
    extra = len(groups.rows) - len(groups)
    return CheckOutcome(extra, n, tuple(examples), {"texts": f"{len(groups):,}"}) if extra else None


CHECK = Check(
    "note",
    what=_("Passages that repeat the title and text of another"),
    why=_("Copies take the places of other passages in the results, and only judged copies count."),
    fix=_(
        "Remove copies before you index, or return one passage for each text (`collapse`). "
        "Texts that occur more than once: {texts}."
    ),
    look=_look,
)
