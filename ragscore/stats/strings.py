"""The notes beside intervals, in English and Korean."""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "because": {"en": "not estimable: {why}", "ko": "추정 불가: {why}"},
    "one_difference": {"en": "there is only one difference", "ko": "차이가 하나뿐임"},
    "one_cluster": {"en": "there is only one cluster", "ko": "묶음이 하나뿐임"},
    "same_differences": {
        "en": "the {count} differences are all the same",
        "ko": "차이 {count}개가 모두 같음",
    },
    "same_clusters": {
        "en": "the {count} clusters are all the same",
        "ko": "묶음 {count}개가 모두 같음",
    },
    "both": {"en": "{first}; {second}", "ko": "{first}, {second}"},
    "no_informative_queries": {"en": "no informative query", "ko": "값이 갈리는 질의가 없음"},
    "no_informative_clusters": {"en": "no informative cluster", "ko": "값이 갈리는 묶음이 없음"},
    "one_informative_queries": {
        "en": "only 1 informative query",
        "ko": "값이 갈리는 질의가 1개뿐임",
    },
    "one_informative_clusters": {
        "en": "only 1 informative cluster",
        "ko": "값이 갈리는 묶음이 1개뿐임",
    },
    "informative_queries": {
        "en": "only {count} informative queries",
        "ko": "값이 갈리는 질의가 {count}개뿐임",
    },
    "informative_clusters": {
        "en": "only {count} informative clusters",
        "ko": "값이 갈리는 묶음이 {count}개뿐임",
    },
    "few_clusters": {"en": "only {count} clusters", "ko": "묶음이 {count}개뿐임"},
    "t_for_clusters": {
        "en": "t, as there are only {count} clusters",
        "ko": "묶음이 {count}개뿐이라 t 구간",
    },
    "percentile": {
        "en": "percentile, as BCa is not defined here",
        "ko": "BCa 구간이 정의되지 않아 백분위수 구간",
    },
    "none_differ_queries": {
        "en": "none of the {total} queries differ",
        "ko": "질의 {total}개 모두 차이가 없음",
    },
    "none_differ_clusters": {
        "en": "none of the {total} clusters differ",
        "ko": "묶음 {total}개 모두 차이가 없음",
    },
    "only_differ_queries": {
        "en": "only {count} of {total} queries differ",
        "ko": "질의 {total}개 중 {count}개만 차이가 남",
    },
    "only_differ_clusters": {
        "en": "only {count} of {total} clusters differ",
        "ko": "묶음 {total}개 중 {count}개만 차이가 남",
    },
}

STRINGS = StringTable(TEXTS)
