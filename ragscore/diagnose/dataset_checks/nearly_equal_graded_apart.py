"""Passages that are nearly the same have different grades for the same query."""

from __future__ import annotations

import numpy as np

from ragscore.arrays import ranges
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels = data.dataset.qrels
    pairs = data.near_pairs
    width = len(qrels.passages)
    keys = data.query_of * width + qrels.rows  # ascending, as judgments are
    order = np.argsort(qrels.rows, kind="stable")
    starts = np.searchsorted(qrels.rows[order], pairs[:, 0], side="left")
    lengths = np.searchsorted(qrels.rows[order], pairs[:, 0], side="right") - starts
    one = order[ranges(starts, lengths)]
    sought = data.query_of[one] * width + np.repeat(pairs[:, 1], lengths)
    other = np.minimum(np.searchsorted(keys, sought), max(len(keys) - 1, 0))
    found = (keys[other] == sought) & (qrels.grades[one] >= 0) & (qrels.grades[other] >= 0)
    at = np.flatnonzero(found & ((qrels.grades[one] > 0) != (qrels.grades[other] > 0)))
    examples = (
        f"{data.query(int(data.query_of[one[place]]))}: "
        + ", ".join(
            f"{data.passage(int(qrels.rows[judgment]))} ({qrels.grades[judgment]:g})"
            for judgment in (one[place], other[place])
        )
        for place in at[:MAX_EXAMPLES].tolist()
    )
    count = len(np.unique(data.query_of[one[at]]))
    return CheckOutcome(count, len(data.dataset.queries), tuple(examples)) if count else None


CHECK = Check(
    "note",
    what={
        "en": (
            "Queries for which one of two nearly equal passages is relevant and the other is not"
        ),
        "ko": "거의 같은 두 문단 중 하나만 적합으로 판정된 질의",
    },
    why={
        "en": (
            "Either the small difference is what the question is about (a superseded rule, "
            "another year), or one of the grades is wrong."
        ),
        "ko": (
            "작은 차이가 바로 질문의 요점이거나(폐지된 규정, 다른 연도) 등급 하나가 잘못되었습니다."
        ),
    },
    fix={
        "en": (
            "Read the examples. Where the difference is meant, this is a hard and useful "
            "query; else give both the same grade."
        ),
        "ko": (
            "예를 읽어 보십시오. 의도한 차이라면 어렵고 쓸모 있는 질의이고, 아니면 등급을 "
            "같게 하십시오."
        ),
    },
    look=_look,
)
