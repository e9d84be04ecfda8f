"""Passages that are empty, or so short that nobody can mean them."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome

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
    what={
        "en": "Passages that are empty, or much shorter than the others",
        "ko": "비었거나 다른 것보다 훨씬 짧은 문단",
    },
    why={
        "en": (
            "Page numbers, headings and leftovers of a conversion take places in the results; BM25 "
            "and many models like short texts."
        ),
        "ko": (
            "쪽 번호, 제목, 변환 찌꺼기가 검색 결과의 자리를 차지합니다. BM25와 많은 모델은 짧은 "
            "글에 높은 점수를 줍니다."
        ),
    },
    fix={
        "en": "Drop them, or join each with its neighbour, where they answer nothing alone.",
        "ko": "혼자서 답이 되지 않으면 지우거나 이웃 문단과 합치십시오.",
    },
    look=_look,
)
