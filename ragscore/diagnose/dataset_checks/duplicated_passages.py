"""Passages with the same text."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData, Groups
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    n = len(data.texts)
    groups = Groups.of(data.first_copy[:n])
    examples = (
        f"{data.quoted(groups[group][0])} = {data.passage(groups[group][1])}"
        for group in range(min(len(groups), MAX_EXAMPLES))
    )
    extra = len(groups.rows) - len(groups)
    return CheckOutcome(extra, n, tuple(examples), {"texts": f"{len(groups):,}"}) if extra else None


CHECK = Check(
    "note",
    what={
        "en": "Passages that repeat the title and text of another",
        "ko": "제목과 본문이 다른 문단과 같은 문단",
    },
    why={
        "en": (
            "Copies take places in the results that other passages would have, and only "
            "those that are judged count."
        ),
        "ko": "사본이 결과의 자리를 차지하고, 그중 판정된 것만 점수에 들어갑니다.",
    },
    fix={
        "en": (
            "Remove copies before you index, or return one passage for each text "
            "(`collapse`). Texts that occur more than once: {texts}."
        ),
        "ko": (
            "색인하기 전에 사본을 없애거나 글마다 문단 하나만 돌려주십시오(`collapse`). 두 "
            "번 이상 나오는 글은 {texts}개입니다."
        ),
    },
    look=_look,
)
