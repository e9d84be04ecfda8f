"""What a comparison notes of its input, its queries and its measures, in both languages."""

from __future__ import annotations

NOTE_TEXTS: dict[str, dict[str, str]] = {
    "note_no_baseline": {
        "en": "the baseline {baseline} of the experiment has no run",
        "ko": "실험의 기준 검색기 {baseline} 실행 결과가 없습니다",
    },
    "note_no_baseline_here": {
        "en": "{dataset}: the baseline {baseline} has no run; all pairs are compared",
        "ko": "{dataset}: 기준 검색기 {baseline} 실행 결과가 없어 모든 쌍을 비교했습니다",
    },
    "note_no_overlap": {
        "en": "what pairs find together is left out: {error}",
        "ko": "두 검색기가 함께 찾는 것은 뺐습니다: {error}",
    },
    "note_common": {
        "en": "compared on the {n} queries that every retriever was scored on; {dropped} that only "
        "some were scored on are left out",
        "ko": "모든 검색기에 점수가 있는 질의 {n}개로 비교했습니다. 일부 검색기에만 점수가 있는 "
        "{dropped}개는 뺐습니다",
    },
    "note_other_judgments": {
        "en": "'{first}' and '{second}' were scored by different judgments: {none} and "
        "{other_none} queries without a relevant passage, largest grade {grade} and {other_grade}",
        "ko": "'{first}', '{second}' 점수는 서로 다른 판정으로 매겼습니다: 적합한 문단이 없는 질의 "
        "{none}개와 {other_none}개, 가장 높은 등급 {grade} 및 {other_grade}",
    },
    "note_other_sample": {
        "en": "{first} searched {searched}, and {second} {other}: their difference is also that of "
        "what they searched",
        "ko": "{first}: {searched}, {second}: {other}. 검색한 문단이 달라 차이에는 그 영향도 들어 "
        "있습니다",
    },
    "whole_corpus": {"en": "the whole corpus", "ko": "전체 말뭉치"},
    "note_few_clusters": {
        "en": "only {count} clusters of queries: intervals and p-values are rough with fewer than "
        "{fewest}",
        "ko": "질의 묶음이 {count}개뿐입니다. {fewest}개보다 적으면 구간과 p 값이 부정확합니다",
    },
    "note_cutoffs": {
        "en": "the cutoff differs between retrievers: {listed}",
        "ko": "자르는 순위가 검색기마다 다릅니다: {listed}",
    },
    "cutoff_of": {"en": "{measure} for {retriever}", "ko": "{retriever} {measure}"},
    "note_logarithms": {
        "en": "differences are of natural logarithms: +0.1 is about 10 % more",
        "ko": "차이는 자연로그의 차이입니다. +0.1은 약 10 % 더 큰 값입니다",
    },
    "note_per_query": {"en": "means per query, not sums", "ko": "합이 아니라 질의당 평균입니다"},
    "note_micro": {
        "en": "queries are weighted as in the micro average (linearised)",
        "ko": "질의의 가중치는 마이크로 평균과 같습니다(선형화)",
    },
    "note_weights_unknown": {
        "en": "queries are weighted equally here: their weights were not recorded",
        "ko": "질의별 가중치가 기록되지 않아 모든 질의를 똑같이 쳤습니다",
    },
    "note_undefined": {
        "en": "undefined for some queries: pairs are compared on those defined for both",
        "ko": "값이 정의되지 않는 질의가 있어, 두 검색기 모두에 값이 있는 질의로 비교했습니다",
    },
}
