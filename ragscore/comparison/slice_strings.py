"""What the tables of slices say, in both languages."""

from __future__ import annotations

SLICE_TEXTS: dict[str, dict[str, str]] = {
    "small": {"en": "{value} (small)", "ko": "{value} (적음)"},
    "slices_title": {"en": "{label} by {by}", "ko": "{by}별 {label}"},
    "slices_left_out": {
        "en": "{label} is not a mean over the queries, so it is not shown by {by}.",
        "ko": "{label} 값은 질의별 값의 평균이 아니므로 {by}별로 표시하지 않습니다.",
    },
    "column_n": {"en": "n", "ko": "n"},
    "column_order": {"en": "Order changes", "ko": "순서 변화"},
    "hint_order": {
        "en": "A > B: A is ahead of B here, and behind it over all queries",
        "ko": "A > B: 여기서는 A가 B보다 앞서지만 전체 질의에서는 뒤집니다",
    },
    "column_inside": {"en": "Inside", "ko": "안"},
    "column_outside": {"en": "Outside", "ko": "밖"},
    "column_gap": {"en": "Gap", "ko": "격차"},
    "hint_gap": {
        "en": "Inside minus outside",
        "ko": "안의 차이에서 밖의 차이를 뺀 값",
    },
    "note_small": {
        "en": "(small): fewer than 10 queries or clusters; too few to conclude anything.",
        "ko": "(적음): 질의나 묶음이 10개 미만이라 결론을 내리기에 너무 적습니다.",
    },
    "note_overlapping": {
        "en": "Some queries have several values, so the slices overlap.",
        "ko": "값이 여럿인 질의가 있어 서로 겹칩니다.",
    },
    "note_without": {
        "en": "{count} of {n} queries are in none of these slices.",
        "ko": "질의 {n}개 중 {count}개는 여기 있는 어느 유형에도 들지 않습니다.",
    },
    "slices_largest": {
        "en": "The {shown} largest of {all}.",
        "ko": "{all}개 중 가장 큰 {shown}개.",
    },
    "gaps_title": {
        "en": "{label} by {by}: difference to {baseline} inside and outside each slice",
        "ko": "{by}별 {label}: 각 유형 안과 밖에서 {baseline} 대비 차이",
    },
    "note_gaps": {
        "en": "Shows only decided gaps: {shown} of {all}, corrected over the {m} gap tests on "
        "this measure.",
        "ko": "확정된 격차만 표시합니다: {all}건 중 {shown}건. 이 측도의 격차 검정 {m}건에 대해 "
        "보정했습니다.",
    },
    "no_gap": {
        "en": "No slice of '{by}' is decided to change the difference to {baseline} on {label}: of "
        "{tests} tests the smallest corrected p is {p}.",
        "ko": "'{by}' 유형 가운데 {label} 기준 {baseline} 대비 차이를 바꾸는 것은 확인되지 "
        "않았습니다. 검정 {tests}건 중 보정한 p의 최솟값은 {p}입니다.",
    },
    "note_order": {
        "en": "Order changes: A > B: A is ahead of B here, and behind it over all queries.",
        "ko": "순서 변화: A > B: 여기서는 A가 B보다 앞서지만 전체 질의에서는 뒤집니다.",
    },
    "note_gaps_all": {
        "en": "Corrected over the {m} gap tests on this measure.",
        "ko": "이 측도의 격차 검정 {m}건에 대해 보정했습니다.",
    },
}
