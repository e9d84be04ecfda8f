"""Passages that are nearly the same have different grades for the same query."""

from __future__ import annotations

import numpy as np

from ragscore.arrays import ranges
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels = data.dataset.qrels
    pairs = data.near_pairs
    width = len(qrels.passages)
    keys = data.query_of * width + qrels.rows  # ascending, as judgments are
    order = np.argsort(qrels.rows, kind="stable")
    starts = np.searchsorted(qrels.rows[order], pairs[:, 0], side="left")
    lengths = np.searchsorted(qrels.rows[order], pairs[:, 0], side="right") - starts
    one = order[ranges(starts, lengths)]
    sought = data.query_of[one] * width + np.repeat(pairs[:, 1], lengths)
    other = np.minimum(np.searchsorted(keys, sought), max(len(keys) - 1, 0))
    found = (keys[other] == sought) & (qrels.grades[one] >= 0) & (qrels.grades[other] >= 0)
    at = np.flatnonzero(found & ((qrels.grades[one] > 0) != (qrels.grades[other] > 0)))
    examples = (
        f"{data.query(int(data.query_of[one[place]]))}: "
        + ", ".join(
            f"{data.passage(int(qrels.rows[judgment]))} ({qrels.grades[judgment]:g})"
            for judgment in (one[place], other[place])
        )
        for place in at[:MAX_EXAMPLES].tolist()
    )
    count = len(np.unique(data.query_of[one[at]]))
    return CheckOutcome(count, len(data.dataset.queries), tuple(examples)) if count else None


CHECK = Check(
    "note",
    what=_("Queries for which one of two nearly equal passages is relevant and the other is not"),
    why=_(
        "Either the small difference is what the question is about (a superseded rule, another "
        "year), or one of the grades is wrong."
    ),
    fix=_(
        "Read the examples. If the difference is intended, this is a hard and useful query; "
        "otherwise give both the same grade."
    ),
    look=_look,
)
