"""Needs that no passage of the corpus covers."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    qrels, needs = data.dataset.qrels, data.dataset.qrels.needs
    if needs is None:
        return None
    covering = np.repeat(np.arange(len(qrels)), np.diff(needs.indptr))
    covered = np.zeros(len(needs.best), dtype=bool)
    known = data.reachable[covering]
    covered[needs.bounds[data.query_of[covering[known]]] + needs.need[known]] = True
    if (spans := data.dataset.evidence) is not None:
        covered[needs.bounds[spans.query] + spans.need] = True
    for unplaced, _why in data.unplaced:  # found by a check of its own
        row = qrels.queries.row(unplaced.query_id)
        covered[needs.bounds[row] : needs.bounds[row + 1]][unplaced.need :][:1] = True
    at = np.flatnonzero(~covered)
    query = np.searchsorted(needs.bounds, at, side="right") - 1
    examples = (
        f"{data.question(row)}: needs.{place - needs.bounds[row]}"
        for row, place in zip(
            query[:MAX_EXAMPLES].tolist(), at[:MAX_EXAMPLES].tolist(), strict=True
        )
    )
    return CheckOutcome(len(at), len(needs.best), tuple(examples)) if len(at) else None


CHECK = Check(
    "error",
    what=_("Needs that no passage of the corpus covers"),
    why=_(
        "Such a need counts in every denominator: Complete is 0 for the query whatever is "
        "returned, and recall never reaches 1."
    ),
    fix=_("Name a passage that covers it, or drop the need."),
    look=_look,
)
