"""What retrievers note while they build and search, in English and Korean."""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    "recorded_shallow": {
        "en": "{name}: the recorded run holds at most {count} passages a query, less than the "
        "depth of {depth}",
        "ko": "{name}: 기록된 검색 결과에는 질의마다 문단이 많아야 {count}개 있어 깊이 {depth}보다 "
        "적습니다",
    },
    "other_texts": {
        "en": "{name}: {other} of {n} returned passages have another text than the corpus, such as "
        "{examples}; its index may be of another version",
        "ko": "{name}: 돌려준 문단 {n}개 중 {other}개의 본문이 말뭉치와 다릅니다(예: {examples}). "
        "색인이 다른 버전일 수 있습니다",
    },
    "own_k": {
        "en": "{name}: its retriever returns at most {most} passages a query, less than the depth "
        "of {depth}; set its own k",
        "ko": "{name}: 검색기가 질의마다 문단을 많아야 {most}개 돌려줍니다(깊이 {depth}보다 적음). "
        "검색기 자체의 k를 늘리십시오",
    },
    "answered_twice": {
        "en": "{name}: queries that got a second, different answer: {count}, such as {examples}; "
        "the first answer counts",
        "ko": "{name}: 질의 {count}개가 서로 다른 답을 두 번 받았습니다(예: {examples}). 먼저 온 "
        "답을 썼습니다",
    },
    "thread_left": {
        "en": "{name}: a call that took too long goes on in a thread of its own, since nothing can "
        "end it; it ends with the process",
        "ko": "{name}: 제한 시간을 넘긴 호출은 멈출 방법이 없어 별도 스레드에서 계속됩니다. "
        "프로세스가 끝날 때 함께 끝납니다",
    },
    "order_not_of_scores": {
        "en": "{name}: the order it returned is not that of its scores; ranked by score, higher "
        "first (return a distance as its negative)",
        "ko": "{name}: 돌려준 순서가 점수 순서와 다릅니다. 점수가 높은 것부터 순위를 "
        "매깁니다(거리는 음수로 바꾸어 돌려주십시오)",
    },
    "zero_vectors": {
        "en": "{name}: {count} passages have a zero vector; they score 0",
        "ko": "{name}: 문단 {count}개의 벡터가 영벡터입니다. 점수는 0입니다",
    },
    "windows": {
        "en": "{name}: {count} of {n} passages are longer than {size} tokens and are encoded as "
        "{windows} windows",
        "ko": "{name}: 문단 {n}개 중 {count}개가 토큰 {size}개보다 길어 윈도 {windows}개로 나누어 "
        "인코딩합니다",
    },
    "one_thread_builds": {
        "en": "{name}: one thread builds {index} over {count} passages, so that it comes out the "
        "same every time; build_threads: {cores} is faster, and 1 ends this note",
        "ko": "{name}: 문단 {count}개의 {index} 색인을 스레드 하나로 만듭니다. 그래야 매번 같은 "
        "색인이 나옵니다. build_threads: {cores} 설정이 더 빠르고, 1로 두면 이 알림이 나오지 "
        "않습니다",
    },
    "few_to_train": {
        "en": "{name}: {count} passages train {centroids} centroids ({part}); FAISS advises at "
        "least {least}",
        "ko": "{name}: 문단 {count}개로 중심점 {centroids}개({part})를 학습합니다. FAISS는 "
        "{least}개 이상을 권합니다",
    },
}
STRINGS = StringTable(TEXTS)
