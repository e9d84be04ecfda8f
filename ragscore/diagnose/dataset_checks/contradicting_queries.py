"""The same question is asked twice and judged in two ways."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    groups = Groups.of(data.asked_alike)
    rows, examples = 0, list[str]()
    for group in range(len(groups)):
        judged = [row for row in groups[group] if any(data.answers_of(row))]
        first = data.answers_of(judged[0]) if judged else None
        if all(data.answers_of(row) == first for row in judged):
            continue
        rows += len(judged)
        other = next(row for row in judged if data.answers_of(row) != first)
        examples.append(f"{data.question(judged[0])} = {data.question(other)}")
    return (
        CheckOutcome(rows, len(data.dataset.queries), tuple(examples[:MAX_EXAMPLES]))
        if rows
        else None
    )


CHECK = Check(
    "error",
    what={
        "en": "Queries with the same words and different judgments",
        "ko": "낱말이 같은데 판정이 다른 질의",
    },
    why={
        "en": (
            "A retriever returns the same passages for both, so it is wrong for one of them "
            "whatever it returns: no retriever reaches the highest score."
        ),
        "ko": (
            "두 질의에는 같은 문단이 나오므로 무엇을 찾아도 한쪽에서는 틀립니다. 어떤 "
            "검색기도 최고 점수에 이를 수 없습니다."
        ),
    },
    fix={
        "en": (
            "Give both the same judgments, keep one of them, or write down in their metadata "
            "what tells them apart."
        ),
        "ko": (
            "두 질의의 판정을 같게 하거나, 하나만 남기거나, 무엇이 다른지 메타데이터에 적으십시오."
        ),
    },
    look=_look,
)
