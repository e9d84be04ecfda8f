"""Several relevant passages of one query are copies of each other."""

from __future__ import annotations

import numpy as np

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    if not data.judges_passages:
        return None
    qrels = data.dataset.qrels
    order, both = data.copies_beside(data.relevant)
    if qrels.needs is not None:  # copies that cover the same need count once
        need = qrels.needs.need[qrels.needs.indptr[order]]
        both &= need[1:] != need[:-1]
    at = np.flatnonzero(both)
    examples = (
        f"{data.query(int(data.query_of[order[place]]))}: "
        + " = ".join(data.passage(int(row)) for row in qrels.rows[order[place : place + 2]])
        for place in at[:MAX_EXAMPLES].tolist()
    )
    count = len(np.unique(data.query_of[order[at]]))
    return CheckOutcome(count, len(data.dataset.queries), tuple(examples)) if count else None


CHECK = Check(
    "warning",
    what={
        "en": "Queries whose relevant passages are copies of each other",
        "ko": "적합한 문단들이 서로 사본인 질의",
    },
    why={
        "en": (
            "Returning the same text twice counts as two hits, and a retriever that returns "
            "it once misses recall although the reader misses nothing."
        ),
        "ko": (
            "같은 글을 두 번 찾으면 두 번 맞힌 것이 되고, 한 번만 찾으면 읽는 사람은 놓친 "
            "것이 없는데도 재현율이 떨어집니다."
        ),
    },
    fix={
        "en": (
            "Write the copies as one need (`needs: [[a, b]]`), or remove all but one from "
            "the corpus."
        ),
        "ko": "사본들을 하나의 need로 적거나(`needs: [[a, b]]`), 말뭉치에 하나만 남기십시오.",
    },
    look=_look,
)
