"""Passages that are empty, or so short that nobody can mean them."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _

MIN_SIGNS = 20
"""Letters and digits from which on a passage is not tiny."""
MEDIAN_SHARE = 0.1
"""Nor is one that has this share of what half of all passages have."""


def _look(data: CheckedData) -> CheckOutcome | None:
    lengths = np.array([sum(map(str.isalnum, text)) for text in data.texts], dtype=np.int64)
    if not len(lengths):
        return None
    least = min(MIN_SIGNS, MEDIAN_SHARE * float(np.median(lengths)))
    rows = np.flatnonzero((lengths < least) | data.empty).tolist()
    examples = tuple(data.quoted(row) for row in rows[:MAX_EXAMPLES])
    return CheckOutcome(len(rows), len(lengths), examples) if rows else None


CHECK = Check(
    "note",
    what=_("Passages that are empty, or much shorter than the others"),
    why=_(
        "Page numbers, headings and leftovers of a conversion take up places in the results; "
        "BM25 and many models favour short texts."
    ),
    fix=_("Drop them, or join each with its neighbour if it answers nothing alone."),
    look=_look,
)
