"""Two questions have the same words in another order."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    groups = Groups.of(data.asked_in_any_order)
    alike = data.asked_alike
    rows, examples = 0, list[str]()
    for group in range(len(groups)):
        members = groups[group]
        kinds = np.unique(alike[members]).tolist()
        if len(kinds) > 1:
            rows += len(members)
            examples.append(f"{data.question(kinds[0])} = {data.question(kinds[1])}")
    return (
        CheckOutcome(rows, len(data.dataset.queries), tuple(examples[:MAX_EXAMPLES]))
        if rows
        else None
    )


CHECK = Check(
    "note",
    what={
        "en": "Queries with the same words in another order",
        "ko": "낱말은 같고 순서만 다른 질의",
    },
    why={
        "en": (
            "Retrievers that ignore the order of words, as BM25 does, return the same "
            "passages for them; if they mean the same, they count twice."
        ),
        "ko": (
            "BM25처럼 어순을 보지 않는 검색기는 같은 문단을 찾습니다. 뜻이 같다면 한 질문이 "
            "두 번 들어간 것입니다."
        ),
    },
    fix={
        "en": (
            "Read them: keep one where they mean the same, and check their judgments where "
            "they do not."
        ),
        "ko": "읽어 보고 뜻이 같으면 하나만 남기고, 다르면 판정을 확인하십시오.",
    },
    look=_look,
)
