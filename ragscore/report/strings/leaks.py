"""Texts of the section on forbidden passages."""

from __future__ import annotations

LEAKS: dict[str, dict[str, str]] = {
    "leaks": {"en": "What must not come back", "ko": "돌아오면 안 되는 문단"},
    "leaks_says": {
        "en": "Some {ranked} is forbidden for {n} of the {total} averaged queries. A leak is a "
        "forbidden {ranked} among the first {k}.",
        "ko": "평균에 든 질의 {total}개 가운데 {n}개에 금지된 {ranked}이 있습니다. 유출은 상위 "
        "{k}에 금지된 {ranked}이 나온 것입니다.",
    },
    "leaks_bound": {
        "en": "{names}: no averaged query leaked. {total} queries do not exclude a share of up to "
        "{bound} (exact one-sided 95 % bound).",
        "ko": "{names}: 평균에 든 질의에서는 유출이 없습니다. 질의가 {total}개이므로 비율 "
        "{bound}까지는 배제하지 못합니다(정확한 단측 95 % 한계).",
    },
    "leaking_title": {"en": "Leaks by retriever", "ko": "검색기별 유출"},
    "leaks_title": {"en": "Each leak", "ko": "유출 목록"},
    "leaks_more": {"en": "{count} more leaks", "ko": "유출 {count}건 더 보기"},
    "leaks_more_one": {"en": "1 more leak", "ko": "유출 1건 더 보기"},
    "leaks_not_listed": {
        "en": "{count} more leaks at lower ranks are not listed.",
        "ko": "순위가 더 낮은 유출 {count}건은 싣지 않았습니다.",
    },
    "column_leaking": {"en": "Queries with a leak in the top {k}", "ko": "상위 {k}에 유출된 질의"},
    "column_leaked": {"en": "{Ranked_items} leaked", "ko": "유출된 {Ranked_items}"},
    "column_first_leak": {"en": "Highest rank", "ko": "가장 높은 순위"},
    "column_leaking_outside": {
        "en": "Leaking queries in no mean",
        "ko": "평균 밖의 유출 질의",
    },
    "hint_leaking_outside": {
        "en": "Queries that are unanswerable or have no judgment: Leak leaves them out",
        "ko": "답이 없거나 판정이 없는 질의로, Leak에 들어가지 않습니다",
    },
    "column_leaked_passage": {"en": "Forbidden {ranked}", "ko": "금지된 {ranked}"},
    "column_leak_rank": {"en": "Rank", "ko": "순위"},
    "column_forbidden_by": {"en": "Forbidden by", "ko": "금지한 것"},
    "leak_listed": {"en": "the query's list", "ko": "질의의 목록"},
}
