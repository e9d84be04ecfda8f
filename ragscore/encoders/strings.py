"""What encoders did not read of long texts, in English and Korean."""

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
    "unread_of_one": {"en": "{share} of its tokens", "ko": "그 토큰의 {share}를"},
}

STRINGS = StringTable(TEXTS)
