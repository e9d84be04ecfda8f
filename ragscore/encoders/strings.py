"""What encoders did not read of long texts, and which languages they suit badly, in English and
Korean."""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "cut": {
        "en": "{who} the first {limit} tokens: {longer}, and {unread} were not read",
        "ko": "{who} 토큰 앞 {limit}개만 읽습니다. {longer}, {unread} 읽지 않았습니다",
    },
    "cut_by_one": {"en": "{names} reads", "ko": "{names}:"},
    "cut_by_several": {"en": "{names} read", "ko": "{names}:"},
    "longer_passages": {
        "en": "{count} of {n} passages are longer",
        "ko": "문단 {n}개 중 {count}개가 이보다 길어",
    },
    "longer_passage": {
        "en": "{count} of {n} passages is longer",
        "ko": "문단 {n}개 중 {count}개가 이보다 길어",
    },
    "longer_queries": {
        "en": "{count} of {n} queries are longer",
        "ko": "질의 {n}개 중 {count}개가 이보다 길어",
    },
    "longer_query": {
        "en": "{count} of {n} queries is longer",
        "ko": "질의 {n}개 중 {count}개가 이보다 길어",
    },
    "unread": {"en": "{share} of their tokens", "ko": "그 토큰의 {share}를"},
    "doubt_english_only": {
        "en": "passages are {written}, and the encoder {encoder} was trained on English; take one "
        "for several languages, such as {instead}",
        "ko": "문단은 {written}인데 인코더 {encoder} 모델은 영어로 학습했습니다. 여러 언어를 "
        "학습한 모델을 쓰십시오. 예: {instead}",
    },
    "unread_of_one": {"en": "{share} of its tokens", "ko": "그 토큰의 {share}를"},
}

STRINGS = StringTable(TEXTS)
