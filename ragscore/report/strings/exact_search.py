"""Texts of the report: approximate indexes beside exact search."""

from __future__ import annotations

EXACT_SEARCH: dict[str, dict[str, str]] = {
    "exact_title": {
        "en": "Approximate indexes and candidate pools against exact search",
        "ko": "근사 색인 및 후보 문단과 정확 검색",
    },
    "column_overlap": {"en": "Best {k} found", "ko": "상위 {k}개 중 찾은 비율"},
    "hint_overlap": {
        "en": "Share of the best {k} of exact search that are among the best {k} here: "
        "the mean over the queries",
        "ko": "정확 검색의 상위 {k}개 가운데 여기서도 상위 {k}개에 든 비율의 질의 평균",
    },
    "column_by_exact": {"en": "{measure}, exact", "ko": "{measure}, 정확 검색"},
    "column_lost": {"en": "Difference", "ko": "차이"},
    "hint_lost": {
        "en": "{measure} here against that of exact search: below 0 it is worse",
        "ko": "여기의 {measure} 값과 정확 검색의 값의 차이: 0보다 작으면 더 나쁨",
    },
    "note_exact": {
        "en": "Exact search compares each query with every vector, and the vectors are the same. "
        "What it does not find is due to the encoder; the difference is due to the index, or to "
        "the pool of candidates.",
        "ko": "정확 검색은 같은 벡터를 모두 질의와 비교합니다. 정확 검색도 찾지 못한 것은 인코더 "
        "때문이고, 차이는 색인이나 후보 문단 때문입니다.",
    },
}
