"""Ids that differ in nothing that a reader sees."""

from __future__ import annotations

from ragscore.dataset import Ids
from ragscore.dataset.spellings import CERTAIN, SPELLINGS
from ragscore.diagnose.dataset_checks.checked_data import CheckedData
from ragscore.diagnose.dataset_checks.model import MAX_EXAMPLES, Check, CheckOutcome


def _look(data: CheckedData) -> CheckOutcome | None:
    dataset = data.dataset
    examples, count = list[str](), 0
    for ids in (dataset.qrels.queries, dataset.qrels.passages):
        pairs = _alike(ids)
        count += len(pairs)
        examples += [f"{one!r} = {other!r}" for one, other in pairs[:MAX_EXAMPLES]]
    total = len(dataset.qrels.queries) + len(dataset.qrels.passages)
    return CheckOutcome(count, total, tuple(examples[:MAX_EXAMPLES])) if count else None


def _alike(ids: Ids) -> list[tuple[str, str]]:
    """Each id that reads as an earlier one, behind that."""
    first: dict[str, str] = {}
    pairs = []
    for text in ids:
        form = text
        for spelling in (*CERTAIN, "zeros"):
            form = SPELLINGS[spelling](form)
        known = first.setdefault(form, text)
        if known != text:
            pairs.append((known, text))
    return pairs


CHECK = Check(
    "warning",
    what={
        "en": "Ids that differ only in case, blanks, Unicode form, leading zeros or .0",
        "ko": "대소문자, 공백, 유니코드 형식, 앞의 0, .0만 다른 ID",
    },
    why={
        "en": (
            "One step of a pipeline that writes ids in another way (a spreadsheet, a file "
            "system, a lower-casing index) makes one passage of two, and hits are lost."
        ),
        "ko": (
            "ID 표기를 바꾸는 단계(스프레드시트, 파일 시스템, 소문자로 바꾸는 색인) 하나로 "
            "두 문단이 하나가 되어 맞힌 것이 사라집니다."
        ),
    },
    fix={
        "en": (
            "Rename them, or check that they name different things and that every system "
            "keeps them as they are."
        ),
        "ko": (
            "이름을 바꾸거나, 서로 다른 것을 가리키는지, 모든 시스템이 ID를 그대로 두는지 "
            "확인하십시오."
        ),
    },
    look=_look,
)
