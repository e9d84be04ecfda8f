"""Questions that are copied from the passage that answers them."""

from __future__ import annotations

import numpy as np

from ragscore.arrays import bounds_of, ranges
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome, Severity
from ragscore.diagnose.near_duplicate_pairs import shared_counts
from ragscore.diagnose.text_words import SHINGLE_BITS, SHINGLE_MASK
from ragscore.elements.numbers import share_text
from ragscore.messages import _

MIN_SHARE = 0.7
MANY, MANY_SHARE = 5, 0.1
"""From this many questions on, and this share of all, it is how they were made; a user, too,
now and then asks in the words of the text."""
MIN_SHINGLES = 5
"""Shorter questions share words with their answer by nature."""


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels, (queries, passages) = data.dataset.qrels, data.words
    sizes = np.bincount(
        (queries.shingles >> np.uint64(SHINGLE_BITS)).astype(np.int64), minlength=len(queries)
    )
    long = sizes[data.query_of[data.relevant]] >= MIN_SHINGLES
    judged = data.relevant[long & (qrels.rows[data.relevant] < len(passages))]
    query = data.query_of[judged]
    asked = queries.shingles[ranges(bounds_of(sizes)[query], sizes[query])] & SHINGLE_MASK
    rows = np.repeat(qrels.rows[judged], sizes[query]).astype(np.int64)
    share = shared_counts(passages.shingles, asked, rows, bounds_of(sizes[query])) / sizes[query]
    at = np.flatnonzero(share >= MIN_SHARE)
    found, first = np.unique(query[at], return_index=True)
    examples = (
        f"{data.question(int(query[place]))}: {data.passage(int(qrels.rows[judged[place]]))} "
        f"({share_text(float(share[place]))})"
        for place in at[first[:MAX_EXAMPLES]].tolist()
    )
    many = len(found) >= max(MANY, MANY_SHARE * len(queries))
    severity: Severity = "warning" if many else "note"
    kept = tuple(examples)
    return CheckOutcome(len(found), len(queries), kept, severity=severity) if len(found) else None


CHECK = Check(
    "warning",
    what=_("Questions copied from a passage that answers them"),
    why=_(
        "At least seven in ten word triples of the question occur in the passage, in the same "
        "order. Retrievers that match words find it at once, and look better than they would "
        "with real users."
    ),
    fix=_(
        "Ask the question as a user would who has not read the passage; or tag these queries, "
        "and look at the others separately (`--slices`)."
    ),
    look=_look,
)
