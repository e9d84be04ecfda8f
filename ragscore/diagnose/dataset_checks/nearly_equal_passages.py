"""Passages that are nearly the same as another."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    pairs = data.near_pairs
    rows = np.unique(pairs)
    examples = (
        f"{data.quoted(first)} = {data.quoted(second)}"
        for first, second in pairs[:MAX_EXAMPLES].tolist()
    )
    return CheckOutcome(len(rows), len(data.texts), tuple(examples)) if len(rows) else None


CHECK = Check(
    "note",
    what={
        "en": "Passages that share four fifths of their word triples with another",
        "ko": "세 낱말 묶음의 5분의 4 이상을 다른 문단과 공유하는 문단",
    },
    why={
        "en": (
            "Nearly equal passages (versions, overlapping chunks, page headers) crowd each "
            "other out of the results, and only those that are judged count."
        ),
        "ko": (
            "거의 같은 문단(판본, 겹친 청크, 머리글)은 결과에서 서로를 밀어내고, 그중 판정된 "
            "것만 점수에 들어갑니다."
        ),
    },
    fix={
        "en": (
            "Look whether they are meant to be there, and judge all of those that answer a query."
        ),
        "ko": "있어야 하는 문단인지 보고, 질의에 답하는 것은 모두 판정하십시오.",
    },
    look=_look,
)
