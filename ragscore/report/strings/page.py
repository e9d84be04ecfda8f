"""Texts of the page and the terminal around the sections; keys with ``js_`` are for the script."""

from __future__ import annotations

PAGE: dict[str, dict[str, str]] = {
    "page_skip": {"en": "Skip to the verdict", "ko": "결론으로 바로 가기"},
    "page_dataset": {"en": "Dataset", "ko": "데이터셋"},
    "page_measure": {"en": "Primary measure", "ko": "주 측도"},
    "page_baseline": {"en": "Baseline", "ko": "기준 검색기"},
    "page_theme": {"en": "Switch between light and dark", "ko": "밝은 화면과 어두운 화면 전환"},
    "page_contents": {"en": "Contents", "ko": "차례"},
    "page_verdict": {"en": "Verdict", "ko": "결론"},
    "verdict_chosen": {
        "en": "This verdict is for the choices made on this page. On the experiment's primary "
        "measure, {measure}: {state}.",
        "ko": "이 페이지에서 고른 조건의 결론입니다. 실험에서 정한 주 측도는 {measure}이며, 그 "
        "결론은 다음과 같습니다: {state}.",
    },
    "page_made": {
        "en": "Written by ragscore {version}. This file is self-contained: it loads nothing.",
        "ko": "ragscore {version}에서 작성했습니다. 이 파일 하나로 완결되며 "
        "외부에서 아무것도 불러오지 않습니다.",
    },
    "page_too_large": {
        "en": "The page is {over} MB larger than max_mb={limit}, although everything that can be "
        "shortened was.",
        "ko": "페이지가 max_mb={limit}보다 {over} MB 더 큽니다. 줄일 수 있는 것은 모두 줄였습니다.",
    },
    "js_copy_csv": {"en": "Copy CSV", "ko": "CSV 복사"},
    "js_copy_latex": {"en": "Copy LaTeX", "ko": "LaTeX 복사"},
    "js_copy_code": {"en": "Copy", "ko": "복사"},
    "js_copied": {"en": "Copied", "ko": "복사했습니다"},
    "js_not_copied": {"en": "Could not copy", "ko": "복사하지 못했습니다"},
    "terminal_closed": {
        "en": "{count} more under: --section {name}",
        "ko": "{count}건 더 보기: --section {name}",
    },
    "js_sort": {"en": "Sort by {column}", "ko": "{column} 순으로 정렬"},
}
