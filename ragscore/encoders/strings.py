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
    "longer_windows": {
        "en": "{count} of {n} windows are longer",
        "ko": "윈도 {n}개 중 {count}개가 이보다 길어",
    },
    "longer_window": {
        "en": "{count} of {n} windows is longer",
        "ko": "윈도 {n}개 중 {count}개가 이보다 길어",
    },
    "longer_pairs": {
        "en": "{count} of {n} pairs of query and passage are longer",
        "ko": "질의와 문단의 쌍 {n}개 중 {count}개가 이보다 길어",
    },
    "longer_pair": {
        "en": "{count} of {n} pairs of query and passage is longer",
        "ko": "질의와 문단의 쌍 {n}개 중 {count}개가 이보다 길어",
    },
    "unread": {"en": "{share} of their tokens", "ko": "그 토큰의 {share}를"},
    "limit_unknown": {
        "en": "the service does not say how much of a long text {encoder} reads: what it cuts off "
        "is not counted",
        "ko": "서비스가 {encoder} 모델의 긴 텍스트 처리 한도를 알려 주지 않아, 잘린 부분은 세지 "
        "않습니다",
    },
    "requests_split": {
        "en": "{encoder}: the service refused {count} requests as a whole and took their parts "
        "({why}); lower batch_size or batch_tokens",
        "ko": "{encoder}: 서비스가 요청 {count}개를 통째로는 거부하고 나누어 보낸 것은 "
        "받았습니다({why}). batch_size 또는 batch_tokens 값을 낮추십시오",
    },
    "encoded_before": {
        "en": "{count} of {n} passages were already encoded",
        "ko": "문단 {n}개 중 {count}개는 이미 인코딩되어 있습니다",
    },
    "encoded_so_far": {
        "en": "{count} of {n} passages are encoded and saved; run the same command again to "
        "continue",
        "ko": "문단 {n}개 중 {count}개를 인코딩해 저장했습니다. 같은 명령을 다시 실행하면 "
        "이어집니다",
    },
    "scored_so_far": {
        "en": "the pairs of query and passage that were scored are saved; run the same command "
        "again to continue",
        "ko": "채점한 질의와 문단의 쌍을 저장했습니다. 같은 명령을 다시 실행하면 이어집니다",
    },
    "downloading": {
        "en": "downloading the model {model}",
        "ko": "모델 내려받는 중: {model}",
    },
    "activation_not_run": {
        "en": "{model} names an activation function of its own, {function}; code of models is not "
        "run, so the library's own takes its place: other scores, and perhaps another order",
        "ko": "{model} 모델이 자체 활성화 함수({function})를 쓰도록 되어 있으나 모델의 코드는 "
        "실행하지 않으므로 라이브러리의 기본 함수를 씁니다. 점수가 다르고 순서도 달라질 수 "
        "있습니다",
    },
    "mean_pooled": {
        "en": "{model} does not say how to pool its token vectors; their mean is used",
        "ko": "{model} 모델에는 토큰 벡터를 합치는 방법이 적혀 있지 않아 평균을 씁니다",
    },
    "splade_pooled": {
        "en": "{model} does not say how to pool its token scores; SPLADE's maximum is used, which "
        "is meaningless unless the model was trained for it",
        "ko": "{model} 모델에는 토큰 점수를 합치는 방법이 적혀 있지 않아 SPLADE 방식의 최댓값을 "
        "씁니다. 그렇게 학습한 모델이 아니면 의미가 없습니다",
    },
    "doubt_english_only": {
        "en": "passages are {written}, and the encoder {encoder} was trained on English; take one "
        "for several languages, such as {instead}",
        "ko": "문단은 {written}인데 인코더 {encoder} 모델은 영어로 학습했습니다. 여러 언어를 "
        "학습한 모델을 쓰십시오. 예: {instead}",
    },
    "unread_of_one": {"en": "{share} of its tokens", "ko": "그 토큰의 {share}를"},
}

STRINGS = StringTable(TEXTS)
