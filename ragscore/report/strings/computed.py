"""Texts of the report: how it was computed."""

from __future__ import annotations

COMPUTED: dict[str, dict[str, str]] = {
    "command_says": {"en": "The command that made it:", "ko": "이 결과를 만든 명령:"},
    "fact_result": {"en": "Result folder", "ko": "결과 폴더"},
    "fact_created": {"en": "Searched at", "ko": "검색 시각"},
    "fact_path": {"en": "Dataset path", "ko": "데이터셋 위치"},
    "fact_digest": {"en": "Digest of the dataset", "ko": "데이터셋 다이제스트"},
    "fact_config_digest": {"en": "Digest of the config", "ko": "설정 다이제스트"},
    "fact_profile": {"en": "Conventions", "ko": "계산 관례"},
    "fact_judged": {"en": "Judged", "ko": "판정 대상"},
    "judged_units": {
        "en": "{items}: each stands where its first passage does, and cutoffs count {ranked_items} "
        "(cutoff: {cutoff})",
        "ko": "{items}. 각각 그 첫 문단의 순위에 놓이며, 상위 k에서는 {ranked_items}을 셉니다"
        "(cutoff: {cutoff})",
    },
    "fact_retried": {"en": "Failed queries asked again", "ko": "실패한 질의를 다시 물음"},
    "retried": {
        "en": "{retrievers}. All other answers are those of the result {result} of {created}",
        "ko": "{retrievers}. 나머지 답은 모두 {created} 결과 {result}의 것입니다",
    },
    "retried_run": {
        "en": "{retriever}: {count}, of which {failed} failed again",
        "ko": "{retriever}: {count}개, 그중 다시 실패한 것 {failed}개",
    },
    "retried_run_all": {"en": "{retriever}: {count}", "ko": "{retriever}: {count}개"},
    "retried_none": {"en": "none", "ko": "없음"},
    "fact_memory": {"en": "Memory", "ko": "메모리"},
    "memory_used": {
        "en": "{peak} at its peak; it was given {budget}",
        "ko": "최대 {peak}, 정한 한도 {budget}",
    },
    "fact_seconds": {"en": "Time of the whole run", "ko": "전체 실행 시간"},
    "seconds_cached": {
        "en": "{seconds}; what came from the cache was not computed again",
        "ko": "{seconds}(캐시에서 가져온 것은 다시 계산하지 않음)",
    },
    "fact_note": {"en": "Note", "ko": "참고"},
    "statistics": {"en": "Statistics", "ko": "통계"},
    "option_baseline": {"en": "Baseline", "ko": "기준 검색기"},
    "option_primary": {"en": "Primary measure", "ko": "주 측도"},
    "option_margin": {"en": "Margin", "ko": "허용 폭"},
    "margin_assumed": {
        "en": "{margin} on measures from 0 to 1",
        "ko": "0에서 1 사이의 측도에 {margin}",
    },
    "option_interval": {"en": "Intervals", "ko": "구간"},
    "option_test": {"en": "Test", "ko": "검정"},
    "option_correction": {"en": "Correction", "ko": "보정"},
    "option_resamples": {"en": "Resamples", "ko": "재표본 수"},
    "option_seed": {"en": "Seed", "ko": "난수 시드"},
    "option_cluster": {"en": "Clusters", "ko": "묶음"},
    "interval_default": {
        "en": "95 %: Wilson for means of 0/1 measures (Clopper and Pearson for Leak), BCa "
        "bootstrap for other means, Student t for paired differences",
        "ko": "95 %: 0/1 측도의 평균은 Wilson(Leak은 Clopper-Pearson), 다른 평균은 BCa 부트스트랩, "
        "대응 차이는 Student t",
    },
    "interval_bca": {"en": "95 %, BCa bootstrap", "ko": "95 %, BCa 부트스트랩"},
    "interval_t": {"en": "95 %, Student t", "ko": "95 %, Student t"},
    "interval_percentile": {
        "en": "95 %, percentile bootstrap",
        "ko": "95 %, 백분위수 부트스트랩",
    },
    "test_randomization": {
        "en": "paired randomization test, two-sided (signs are flipped)",
        "ko": "대응 무작위화 검정, 양측(부호 뒤집기)",
    },
    "test_t": {"en": "paired t test, two-sided", "ko": "대응표본 t 검정, 양측"},
    "test_wilcoxon": {
        "en": "Wilcoxon signed-rank test, two-sided",
        "ko": "Wilcoxon 부호 순위 검정, 양측",
    },
    "definitions": {"en": "Definitions of the measures", "ko": "측도의 정의"},
    "definitions_says": {
        "en": "As `ragscore explain` prints them, with a computed example.",
        "ko": "`ragscore explain` 명령이 보여 주는 그대로이며, 예시는 실제로 계산한 "
        "값입니다(영문).",
    },
    "config": {"en": "Config, all defaults written out", "ko": "설정(기본값까지 모두 표시)"},
    "versions": {"en": "Versions", "ko": "버전"},
    "machine": {"en": "Machine", "ko": "컴퓨터"},
    "files": {"en": "Files and their digests", "ko": "파일과 다이제스트"},
    "column_file": {"en": "File", "ko": "파일"},
    "column_size": {"en": "Bytes", "ko": "바이트"},
}
