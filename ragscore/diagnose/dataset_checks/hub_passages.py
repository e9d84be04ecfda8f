"""Passages that answer suspiciously many queries."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.names import shortened

MIN_QUERIES, MIN_SHARE, MIN_TIMES = 10, 0.1, 10
"""At least so many queries, more than this share of all, and so many times as many as the relevant
passages answer on average."""


def _look(data: CheckedData) -> CheckOutcome | None:
    qrels = data.dataset.qrels
    answered = np.bincount(qrels.rows[data.relevant], minlength=len(qrels.passages))
    queries = len(np.unique(data.query_of[data.relevant]))
    usual = len(data.relevant) / max(int(np.count_nonzero(answered)), 1)
    often = (answered >= MIN_QUERIES) & (answered >= MIN_TIMES * usual)
    rows = np.flatnonzero(often & (answered > MIN_SHARE * queries))
    rows = rows[np.argsort(-answered[rows], kind="stable")]
    examples = (
        f"{shortened(qrels.passages[row])}: {answered[row]:,}"
        for row in rows[:MAX_EXAMPLES].tolist()
    )
    return CheckOutcome(len(rows), len(qrels.passages), tuple(examples)) if len(rows) else None


CHECK = Check(
    "note",
    what={
        "en": (
            "Passages that are relevant for at least ten queries and for more than a tenth of all"
        ),
        "ko": "열 개 이상이면서 전체의 10분의 1이 넘는 질의에 적합한 문단",
    },
    why={
        "en": (
            "A retriever that returns such a passage for every query scores well without "
            "reading the question."
        ),
        "ko": "이런 문단을 모든 질의에 돌려주는 검색기는 질문을 읽지 않고도 점수가 좋습니다.",
    },
    fix={
        "en": (
            "Read it: a table of contents or an introduction is seldom the answer. Ask more "
            "questions about other passages."
        ),
        "ko": (
            "읽어 보십시오. 차례나 머리말이 답인 경우는 드뭅니다. 다른 문단에 대한 질문을 "
            "더하십시오."
        ),
    },
    look=_look,
    of_documents=False,  # one document may well answer most questions
)
