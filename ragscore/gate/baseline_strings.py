"""What is said of baselines, in both languages."""

from __future__ import annotations

from ragscore.strings import StringTable

BASELINE_TEXTS: dict[str, dict[str, str]] = {
    "baseline_falls": {
        "en": "{place} is as it was: {count} of its values would fall",
        "ko": "{place} 파일은 그대로입니다. 낮아질 값: {count}개",
    },
    "baseline_falls_one": {
        "en": "{place} is as it was: one of its values would fall",
        "ko": "{place} 파일은 그대로입니다. 낮아질 값: 1개",
    },
    "baseline_accepted": {"en": "These values fell", "ko": "낮아진 값"},
    "baseline_refused": {"en": "These values would fall", "ko": "낮아질 값"},
    "baseline_column_dataset": {"en": "Dataset", "ko": "데이터셋"},
    "baseline_column_measure": {"en": "Measure", "ko": "지표"},
    "baseline_column_query": {"en": "Query", "ko": "질의"},
    "baseline_column_text": {"en": "Text", "ko": "내용"},
    "baseline_fallen": {
        "en": "The queries that fell most: {retriever}, {measure} ({count})",
        "ko": "가장 많이 낮아진 질의: {retriever}, {measure} ({count}개)",
    },
    "baseline_column_before": {"en": "Baseline", "ko": "기준선"},
    "baseline_column_now": {"en": "Now", "ko": "지금"},
    "baseline_column_change": {"en": "Change", "ko": "변화"},
    "baseline_column_passages": {"en": "Relevant passages lost", "ko": "밀려난 관련 문단"},
    "baseline_hint_passages": {
        "en": "Of those that the baseline names: the rank then and now",
        "ko": "기준선에 있는 문단의 그때 순위와 지금 순위",
    },
    "baseline_column_lost": {"en": "Queries lost", "ko": "빠진 질의"},
    "baseline_accept": {
        "en": "Write it all the same with --accept.",
        "ko": "그래도 쓰려면 --accept를 붙이십시오.",
    },
    "baseline_saved": {
        "en": "{place}: {retrievers} on {queries} queries, {measures}",
        "ko": "{place}: {retrievers}, 질의 {queries}개, {measures}",
    },
    "baseline_left_out": {
        "en": "the baseline is without {names}, which failed",
        "ko": "실패하여 기준선에서 빠진 검색기: {names}",
    },
}

BASELINE_STRINGS = StringTable(BASELINE_TEXTS)
