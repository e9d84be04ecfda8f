"""Relevant passages that no retriever can return."""

from __future__ import annotations

from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    qrels, at = data.dataset.qrels, data.relevant[~data.reachable[data.relevant]]
    examples = (
        f"{data.query(int(data.query_of[one]))}: {data.passage(int(qrels.rows[one]))}"
        for one in at[:MAX_EXAMPLES].tolist()
    )
    return CheckOutcome(len(at), len(data.relevant), tuple(examples)) if len(at) else None


CHECK = Check(
    "error",
    what={
        "en": (
            "Relevant judgments of passages that nobody can return: empty, not in the "
            "corpus, or the query itself"
        ),
        "ko": "아무도 찾을 수 없는 문단(빈 문단, 말뭉치에 없는 문단, 질의 자신)의 적합 판정",
    },
    why={
        "en": (
            "They count in every denominator of recall, AP and nDCG (unless another passage covers "
            "the same need), so that no retriever reaches 1."
        ),
        "ko": (
            "재현율, AP, nDCG의 분모에 모두 들어가므로(같은 need를 다른 문단이 채우지 않는 한) "
            "어떤 검색기도 1에 이를 수 없습니다."
        ),
    },
    fix={
        "en": "Add the texts, or drop these judgments.",
        "ko": "본문을 넣거나 해당 판정을 지우십시오.",
    },
    look=_look,
)
