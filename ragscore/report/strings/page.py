"""Texts of the page and the terminal around the sections."""

from __future__ import annotations

PAGE: dict[str, dict[str, str]] = {
    "page_measure": {"en": "Primary measure", "ko": "주 측도"},
    "page_baseline": {"en": "Baseline", "ko": "기준 검색기"},
    "verdict_chosen": {
        "en": "This verdict is for the choices made on this page. On the experiment's primary "
        "measure, {measure}: {state}.",
        "ko": "이 페이지에서 고른 조건의 결론입니다. 실험에서 정한 주 측도는 {measure}이며, 그 "
        "결론은 다음과 같습니다: {state}.",
    },
    "page_too_large": {
        "en": "The page is {over} MB larger than max_mb={limit}, although everything that can be "
        "shortened was.",
        "ko": "페이지가 max_mb={limit}보다 {over} MB 더 큽니다. 줄일 수 있는 것은 모두 줄였습니다.",
    },
    "terminal_closed": {
        "en": "{count} more under: --section {name}",
        "ko": "{count}건 더 보기: --section {name}",
    },
}
