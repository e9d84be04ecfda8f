"""Whole numbers of the scale that no judgment has."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _

MAX_SCALE = 10
"""Larger numbers are scores, such as votes, and no scale."""


def _look(data: CheckedData) -> CheckOutcome | None:
    grades = data.dataset.qrels.grades
    used, counts = np.unique(grades[grades > 0], return_counts=True)
    if not len(used) or (used != np.rint(used)).any() or used[-1] > MAX_SCALE:
        return None  # real-valued grades have no scale with gaps
    scale = np.arange(1, used[-1] + 1)
    unused = scale[~np.isin(scale, used)]
    examples = (
        f"{grade:g}: {count:,}" for grade, count in zip(used.tolist(), counts.tolist(), strict=True)
    )
    listed = ", ".join(f"{grade:g}" for grade in unused.tolist())
    kept = tuple(examples)[:MAX_EXAMPLES]
    return CheckOutcome(len(unused), len(scale), kept, {"grades": listed}) if len(unused) else None


CHECK = Check(
    "note",
    what=_("Grades above 0 that no judgment has ({grades})"),
    why=_(
        "nDCG uses grades as they are: 3 has three times the gain of 1, whether or not 2 is "
        "used. And relevant_from may be set to a grade that nobody gives."
    ),
    fix=_(
        "Check that no grade was lost on the way. If the gap is intended, choose the gain with "
        "`nDCG(gain={1: 1, 3: 2})`."
    ),
    look=_look,
)
