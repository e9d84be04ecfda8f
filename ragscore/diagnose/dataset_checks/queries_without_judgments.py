"""Queries that nobody judged."""

from __future__ import annotations

import numpy as np

from ragscore.dataset.incomplete import without_judgments
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    queries = data.dataset.queries
    without = without_judgments(queries, data.dataset.qrels, data.dataset.evidence)
    unplaced = queries.ids.rows(row.query_id for row, _ in data.unplaced)
    without[unplaced[unplaced >= 0]] = False  # found by a check of its own
    rows = np.flatnonzero(without)
    examples = map(data.question, rows[:MAX_EXAMPLES].tolist())
    return CheckOutcome(len(rows), len(queries), tuple(examples)) if len(rows) else None


CHECK = Check(
    "warning",
    what={
        "en": "Queries without ground truth",
        "ko": "정답이 없는 질의",
    },
    why={
        "en": (
            "They are searched and then left out of every mean, so the numbers rest on fewer "
            "queries than the dataset has."
        ),
        "ko": (
            "검색은 하지만 모든 평균에서 빠지므로, 숫자는 데이터셋의 질의보다 적은 질의에 "
            "근거합니다."
        ),
    },
    fix={
        "en": (
            "Judge them; drop them; or mark them `answerable: false` where nothing in the "
            "corpus answers them."
        ),
        "ko": "판정하거나 지우십시오. 말뭉치에 답이 없다면 `answerable: false`로 표시하십시오.",
    },
    look=_look,
)
