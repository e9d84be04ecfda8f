"""What ``ragscore reconcile`` says, in English and Korean."""

from __future__ import annotations

from ragscore.scoring.strings import TEXTS as SCORE_TEXTS
from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "reconcile_here": {
        "en": "{measure} is {value} here; reported: {reported}",
        "ko": "여기서 {measure} 값은 {value}, 보고된 값은 {reported}",
    },
    "reconcile_matches": {
        "en": "{count} of {tried} conventions print the reported number:",
        "ko": "관례 {tried}가지 중 {count}가지가 보고된 값을 냅니다:",
    },
    "reconcile_nothing": {
        "en": "None of {tried} conventions prints the reported number. The nearest:",
        "ko": "관례 {tried}가지 중 보고된 값을 내는 것이 없습니다. 가장 가까운 것:",
    },
    "reconcile_more": {
        "en": "and {count} with as many changes or more",
        "ko": "그 밖에 바꾼 것이 같거나 더 많은 관례 {count}가지",
    },
    "reconcile_others": {"en": "The nearest others:", "ko": "그다음으로 가까운 것:"},
    "reconcile_meanings": {"en": "What they mean:", "ko": "뜻:"},
    "reconcile_ties": {
        "en": "It lies between tie=min and tie=max: an order of the tied passages could give it.",
        "ko": "tie=min 값과 tie=max 값 사이에 있으므로, 동점 문단의 순서에 따라 나올 수 있습니다.",
    },
    "reconcile_chance": {
        "en": "With so few digits, about {chance} of the numbers tried would match any reported "
        "one: ask for more digits before trusting a match.",
        "ko": "자릿수가 적어, 시도한 값 중 약 {chance}개는 어떤 보고 값과도 맞습니다. 맞았다고 "
        "믿기 전에 더 많은 자릿수를 구하십시오.",
    },
    "reconcile_twice": {
        "en": "{count} passages are named twice for a query: the first counts here. A tool that "
        "counts both gives another number, which is not searched for.",
        "ko": "한 질의에 두 번 적힌 문단이 {count}개 있으며 여기서는 첫 번째만 셉니다. 둘 다 세는 "
        "도구는 다른 값을 내며, 이는 찾지 않습니다.",
    },
    "meaning_used": {"en": "{meaning} Used by: {users}", "ko": "{meaning} 사용: {users}"},
    "meaning_cutoff": {
        "en": "only this many of the returned passages count",
        "ko": "검색된 문단 중 이만큼만 봅니다",
    },
    "meaning_score_bits": {
        "en": "scores compared as 32-bit floats: near scores tie (trec9, ir_measures, beir)",
        "ko": "점수를 32비트 부동소수점으로 비교하므로 가까운 점수는 동점입니다(trec9, "
        "ir_measures, beir)",
    },
    "meaning_drop_self": {
        "en": "a passage with the query's own id is taken out (beir)",
        "ko": "질의와 ID가 같은 문단은 뺍니다(beir)",
    },
    "meaning_unjudged": {
        "en": "passages that nobody judged are taken out, and those below move up",
        "ko": "아무도 판정하지 않은 문단을 빼고 아래 문단을 올립니다",
    },
    "meaning_missing": {
        "en": "judged queries that the run lacks are left out (trec9, beir, recommenders)",
        "ko": "판정되었으나 검색 결과에 없는 질의는 뺍니다(trec9, beir, recommenders)",
    },
    "column_convention": {"en": "Convention", "ko": "관례"},
}

STRINGS = StringTable(TEXTS, SCORE_TEXTS)
