"""Copies of one text have different grades for the same query."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels = data.dataset.qrels
    order, same = data.copies_beside(np.flatnonzero(qrels.grades >= 0))
    at = np.flatnonzero(same & (qrels.grades[order[1:]] != qrels.grades[order[:-1]]))
    examples = (
        f"{data.query(int(data.query_of[order[place]]))}: "
        + ", ".join(
            f"{data.passage(int(qrels.rows[one]))} ({qrels.grades[one]:g})"
            for one in order[place : place + 2]
        )
        for place in at[:MAX_EXAMPLES].tolist()
    )
    count = len(np.unique(data.query_of[order[at]]))
    return CheckOutcome(count, len(data.dataset.queries), tuple(examples)) if count else None


CHECK = Check(
    "error",
    what={
        "en": "Queries for which copies of one text have different grades",
        "ko": "같은 글의 사본이 서로 다른 등급을 받은 질의",
    },
    why={
        "en": (
            "No retriever can tell the copies apart, so which of them it returns first is "
            "chance, and the scores of the query are too."
        ),
        "ko": (
            "어떤 검색기도 사본을 구별할 수 없으므로 무엇이 먼저 나오는지는 우연이고, 점수도 "
            "우연입니다."
        ),
    },
    fix={
        "en": "Give all copies the same grade, or remove all but one from the corpus.",
        "ko": "모든 사본에 같은 등급을 주거나, 말뭉치에 하나만 남기십시오.",
    },
    look=_look,
)
