"""Queries whose judgments are all 0."""

from __future__ import annotations

import numpy as np

from ragscore.dataset.incomplete import without_relevant
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    queries = data.dataset.queries
    rows = np.flatnonzero(without_relevant(queries, data.dataset.qrels, data.dataset.evidence))
    examples = map(data.question, rows[:MAX_EXAMPLES].tolist())
    return CheckOutcome(len(rows), len(queries), tuple(examples)) if len(rows) else None


CHECK = Check(
    "warning",
    what={
        "en": "Queries that are judged and have no relevant passage",
        "ko": "판정되었으나 적합한 문단이 없는 질의",
    },
    why={
        "en": (
            "They score 0 for every retriever, so they lower all means and tell no two "
            "retrievers apart."
        ),
        "ko": "모든 검색기에서 0점이므로 평균만 낮추고 검색기를 가리지 못합니다.",
    },
    fix={
        "en": (
            "Find the passage that answers them, mark them `answerable: false`, or leave "
            "them out (`empty=skip` of a measure)."
        ),
        "ko": (
            "답하는 문단을 찾거나, `answerable: false`로 표시하거나, 측도의 `empty=skip`으로 "
            "빼십시오."
        ),
    },
    look=_look,
)
