"""Texts of the page of all results (``ragscore view``)."""

from __future__ import annotations

INDEX: dict[str, dict[str, str]] = {
    "index_title": {"en": "Results", "ko": "결과"},
    "index_skip": {"en": "Skip to the results", "ko": "결과로 바로 가기"},
    "index_folder": {"en": "Folder", "ko": "폴더"},
    "index_results": {"en": "Results", "ko": "결과"},
    "index_experiments": {"en": "Experiments", "ko": "실험"},
    "index_contents": {"en": "Experiments", "ko": "실험"},
    "index_newest": {"en": "Newest", "ko": "최근"},
    "index_dataset": {"en": "Dataset", "ko": "데이터셋"},
    "index_queries": {"en": "Queries", "ko": "질의"},
    "index_passages": {"en": "Passages", "ko": "문단"},
    "index_measure": {"en": "Measure", "ko": "측도"},
    "index_report": {"en": "Open the newest report", "ko": "최근 보고서 열기"},
    "index_since": {"en": "What changed since the previous result", "ko": "직전 결과에서 바뀐 점"},
    "index_row_since": {"en": "What changed", "ko": "바뀐 점"},
    "index_when": {"en": "When (UTC)", "ko": "시각 (UTC)"},
    "index_verdict": {"en": "Verdict", "ko": "결론"},
    "index_gate": {"en": "Gate", "ko": "품질 게이트"},
    "index_compared": {"en": "Since the previous one", "ko": "직전 결과 대비"},
    "index_place": {"en": "Folder", "ko": "폴더"},
    "index_runs": {"en": "Results, newest first", "ko": "결과(최근 순)"},
    "index_older": {"en": "{count} older results", "ko": "이전 결과 {count}건"},
    "index_other_data": {"en": "different data than before", "ko": "이전과 다른 데이터"},
    "index_other_data_hint": {
        "en": "Queries, judgments or passages differ from those of the previous result: values "
        "on either side of this line are not comparable.",
        "ko": "질의, 판정 또는 문단이 직전 결과와 다릅니다. 이 앞뒤의 값은 서로 비교할 수 "
        "없습니다.",
    },
    "index_data_changed": {
        "en": "The dataset changed on {dates}: values before and after are not comparable.",
        "ko": "{dates}에 데이터셋이 바뀌었습니다. 그 앞뒤의 값은 서로 비교할 수 없습니다.",
    },
    "index_failed": {"en": "failed", "ko": "실패"},
    "index_unanswered": {"en": "{count} not answered", "ko": "응답 없음 {count}개"},
    "index_unanswered_hint": {
        "en": "Queries that the system did not answer",
        "ko": "시스템이 답하지 않은 질의",
    },
    "index_more": {
        "en": "{count} more retrievers are not shown here; the reports show them.",
        "ko": "검색기 {count}개는 표시하지 않았으며 보고서에서 볼 수 있습니다.",
    },
    "index_intervals": {
        "en": "Bands and numbers in brackets are 95 % intervals, not adjusted; a result of one "
        "retriever has none.",
        "ko": "띠와 괄호 안의 수는 보정하지 않은 95 % 신뢰구간입니다. 검색기가 하나뿐인 결과에는 "
        "구간이 없습니다.",
    },
    "index_not_compared": {"en": "Not compared", "ko": "비교 없음"},
    "index_empty": {
        "en": "There are no results yet. `ragscore run experiment.yaml` makes one; reload this "
        "page to see it.",
        "ko": "아직 결과가 없습니다. `ragscore run experiment.yaml`을 실행하면 결과가 만들어지고, "
        "이 페이지를 새로 고치면 나타납니다.",
    },
    "index_damaged": {"en": "Folders that cannot be read", "ko": "읽을 수 없는 폴더"},
    "index_problem": {"en": "What is wrong", "ko": "문제"},
    "index_made": {
        "en": "ragscore {version} shows the folders as they are now and writes nothing. Reload "
        "the page to see new results.",
        "ko": "ragscore {version}에서 지금의 폴더를 그대로 보여 줍니다. 아무것도 쓰지 않습니다. "
        "새 결과는 페이지를 새로 고치면 나타납니다.",
    },
}
"""By key, then language."""
