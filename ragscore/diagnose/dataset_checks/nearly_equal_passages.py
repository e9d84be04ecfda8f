"""Passages that are nearly the same as another."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    pairs = data.near_pairs
    rows = np.unique(pairs)
    examples = (
        f"{data.quoted(first)} = {data.quoted(second)}"
        for first, second in pairs[:MAX_EXAMPLES].tolist()
    )
    return CheckOutcome(len(rows), len(data.texts), tuple(examples)) if len(rows) else None


CHECK = Check(
    "note",
    what=_("Passages that share four fifths of their word triples with another"),
    why=_(
        "Nearly equal passages (versions, overlapping chunks, page headers) crowd each other "
        "out of the results, and only those that are judged count."
    ),
    fix=_("Check that they belong there, and judge all that answer a query."),
    look=_look,
)
