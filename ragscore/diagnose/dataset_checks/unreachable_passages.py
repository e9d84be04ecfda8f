"""Relevant passages that no retriever can return."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.messages import _


def _look(data: CheckedData) -> CheckOutcome | None:
    qrels, at = data.dataset.qrels, data.relevant[~data.reachable[data.relevant]]
    examples = (
        f"{data.query(int(data.query_of[one]))}: {data.passage(int(qrels.rows[one]))}"
        for one in at[:MAX_EXAMPLES].tolist()
    )
    return CheckOutcome(len(at), len(data.relevant), tuple(examples)) if len(at) else None


CHECK = Check(
    "error",
    what=_(
        "Relevant judgments of passages that can't be returned: empty, not in the corpus, or the "
        "query itself"
    ),
    why=_(
        "They count in every denominator of recall, AP and nDCG (unless another passage covers "
        "the same need), so no retriever reaches 1."
    ),
    fix=_("Add the texts, or drop these judgments."),
    look=_look,
)
