"""Quotes of evidence that stand nowhere in their document, several times, or not where given."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome
from ragscore.names import shortened


def _look(data: CheckedData) -> CheckOutcome | None:
    examples = (
        f"{shortened(row.query_id)}: {shortened(row.evidence.document)} "
        f'"{shortened(row.evidence.quote or "")}" ({count})'
        for row, count in data.unplaced[:MAX_EXAMPLES]
    )
    known = 0 if data.dataset.evidence is None else len(data.dataset.evidence)
    count = len(data.unplaced)
    return CheckOutcome(count, known + count, tuple(examples)) if count else None


CHECK = Check(
    "error",
    what={
        "en": "Quotes of evidence that do not stand in their document exactly once, or not at "
        "their start and end",
        "ko": "문서에 정확히 한 번 나오지 않거나 start와 end 자리에 없는 근거 인용문",
    },
    why={
        "en": (
            "Evidence without a certain place judges nothing, so a run refuses this dataset; the "
            "other checks look at the rest. In brackets: how often the quote stands there."
        ),
        "ko": (
            "위치가 확실하지 않은 근거로는 판정할 수 없어 실행이 거부됩니다. 다른 검사는 나머지를 "
            "봅니다. 괄호 안은 인용문이 문서에 나오는 횟수입니다."
        ),
    },
    fix={
        "en": "`ragscore anchor` finds quotes that differ in a few characters. A quote that stands "
        "several times needs `start` and `end`, or more words; of one that stands once, these two "
        "are wrong.",
        "ko": "`ragscore anchor`가 몇 글자만 다른 인용문을 찾아 줍니다. 여러 번 나오는 인용문에는 "
        "`start`와 `end`를 쓰거나 더 길게 인용하십시오. 한 번 나오는 인용문은 `start`와 `end`가 "
        "틀렸습니다.",
    },
    look=_look,
)
