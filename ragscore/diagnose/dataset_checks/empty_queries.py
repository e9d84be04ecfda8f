"""Queries without a text."""

from __future__ import annotations

import numpy as np

from ragscore.dataset.text_columns import empty_texts
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    queries = data.dataset.queries
    rows = np.flatnonzero(empty_texts(queries.texts))
    examples = map(data.query, rows[:MAX_EXAMPLES].tolist())
    return CheckOutcome(len(rows), len(queries), tuple(examples)) if len(rows) else None


CHECK = Check(
    "error",
    what={
        "en": "Queries without a text",
        "ko": "본문이 없는 질의",
    },
    why={
        "en": (
            "Nothing can be found for them: they score 0 for every retriever and pull all "
            "means down alike."
        ),
        "ko": "아무것도 찾을 수 없으므로 모든 검색기에서 0점이고 모든 평균을 똑같이 낮춥니다.",
    },
    fix={
        "en": "Write the questions, or drop the queries and their judgments.",
        "ko": "질문을 적거나, 질의와 그 판정을 지우십시오.",
    },
    look=_look,
)
