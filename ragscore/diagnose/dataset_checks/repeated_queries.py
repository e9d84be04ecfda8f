"""The same question is asked twice and judged in the same way."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    groups = Groups.of(data.asked_alike)
    rows, examples = 0, list[str]()
    for group in range(len(groups)):
        first, *others = groups[group]
        judged = data.answers_of(first)
        same = [row for row in others if data.answers_of(row) == judged]
        rows += len(same)
        examples += [f"{data.question(first)} = {data.question(row)}" for row in same[:1]]
    return (
        CheckOutcome(rows, len(data.dataset.queries), tuple(examples[:MAX_EXAMPLES]))
        if rows
        else None
    )


CHECK = Check(
    "warning",
    what={
        "en": "Queries that repeat another one, with the same judgments",
        "ko": "다른 질의를 판정까지 그대로 되풀이하는 질의",
    },
    why={
        "en": (
            "A question that is asked twice counts twice in every mean, and intervals and "
            "tests take the two for independent, so they look surer than they are."
        ),
        "ko": (
            "두 번 나온 질문은 모든 평균에 두 번 들어가고, 구간과 검정은 둘을 독립으로 "
            "여기므로 실제보다 확실해 보입니다."
        ),
    },
    fix={
        "en": (
            "Keep one of them; or, where the traffic repeats them on purpose, name a tag "
            "with --cluster."
        ),
        "ko": (
            "하나만 남기십시오. 실제 사용을 반영해 일부러 되풀이했다면 --cluster로 태그를 "
            "지정하십시오."
        ),
    },
    look=_look,
)
