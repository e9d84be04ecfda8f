"""What the tables of a tuning say, and what stands above and below them, in both languages."""

from __future__ import annotations

TABLE_TEXTS: dict[str, dict[str, str]] = {
    # What stands above and below the tables.
    "tuning_title": {
        "en": "{retriever} on {dataset}: {queries}, {passages} recorded for each",
        "ko": "{dataset} 데이터셋, 검색기 {retriever}: {queries}, 질의마다 기록된 {passages}",
    },
    "rules": {
        "en": "Say what k is for with --rule: recall --target 0.8, precision --target 0.5, best_f, "
        "knee, or --budget 1000.",
        "ko": "k를 고를 기준을 --rule로 정하십시오: recall --target 0.8, precision --target 0.5, "
        "best_f, knee 또는 --budget 1000.",
    },
    "held_out": {
        "en": "Held-out {measure}: {value} ({interval}), the mean of the procedure on queries it "
        "did not choose on ({folds} folds, {repeats} repeats); {optimistic} on those it chose on."
        "{others} Chosen: {chosen}.",
        "ko": "따로 둔 질의의 {measure}: {value}({interval}). 고를 때 쓰지 않은 질의에서 이 방법이 "
        "낸 평균입니다({folds}겹, {repeats}회 반복). 고를 때 쓴 질의에서는 {optimistic}입니다."
        "{others} 고른 값: {chosen}.",
    },
    "held_out_interval": {
        "en": "approximately {low} to {high}",
        "ko": "대략 {low} ~ {high}",
    },
    "held_out_unknown": {"en": "interval not estimable", "ko": "구간 추정 불가"},
    "held_out_others": {"en": " With it {others}.", "ko": " 이때 {others}."},
    "chosen": {"en": "{cut} {count} times", "ko": "{cut} {count}회"},
    "chosen_others": {"en": "others {count} times", "ko": "그 밖에 {count}회"},
    "chosen_of": {"en": "{chosen} of {total}", "ko": "{chosen}(모두 {total}회)"},
    "passages_at": {
        "en": "Passages per query at {cut}: fewest {lowest}, quartiles {lower}, {median} and "
        "{upper}, most {highest}.",
        "ko": "{cut}에서 질의당 문단 수: 최소 {lowest}, 사분위수 {lower}, {median}, {upper}, 최대 "
        "{highest}.",
    },
    # The tables.
    "reaching_title_k": {
        "en": "Which k reaches which recall",
        "ko": "재현율에 따라 필요한 k",
    },
    "reaching_title_cut": {
        "en": "Which cut reaches which recall",
        "ko": "재현율에 따라 필요한 점수 기준",
    },
    "column_reaching": {"en": "Recall", "ko": "재현율"},
    "hint_reaching": {
        "en": "The recall to reach; below, the smallest k or the strictest cut that reaches it",
        "ko": "도달할 재현율과, 거기에 이르는 가장 작은 k 또는 가장 엄격한 기준",
    },
    "reaching_highest": {"en": "highest", "ko": "최고"},
    "column_coverage": {"en": "Answered", "ko": "응답"},
    "hint_coverage": {
        "en": "Queries that get at least one passage",
        "ko": "문단을 하나 이상 받는 질의",
    },
    "label_answered": {"en": "{label} of the answered", "ko": "{label}(응답한 질의)"},
    "column_context": {"en": "Context, {unit}", "ko": "문맥, {unit}"},
    "hint_context": {
        "en": "Mean size of the passages that one query gets at this k or cut",
        "ko": "이 k 또는 기준에서 질의 하나가 받는 문단들의 평균 분량",
    },
    "settings_title_k": {"en": "What each k gives", "ko": "k에 따른 결과"},
    "settings_title_cut": {"en": "What each cut gives", "ko": "점수 기준에 따른 결과"},
    "column_passages": {"en": "Passages", "ko": "문단"},
    "column_wrongly": {"en": "Wrongly", "ko": "잘못 응답"},
    "column_added": {"en": "k-th adds R", "ko": "k번째의 R 증가"},
    "column_added_p": {"en": "to P", "ko": "P 변화"},
    "column_uncut": {"en": "Uncut", "ko": "자르기 전"},
    "column_too_large": {"en": "Too large", "ko": "한도 초과"},
    "caption_recommended": {"en": "{mark} recommended", "ko": "{mark} 권장"},
    "caption_interval_k": {
        "en": "[ ] 95 % interval of the mean, each k alone",
        "ko": "[ ] 평균의 95 % 신뢰구간(k마다 따로 계산)",
    },
    "caption_interval_cut": {
        "en": "[ ] 95 % interval of the mean, each cut alone",
        "ko": "[ ] 평균의 95 % 신뢰구간(기준마다 따로 계산)",
    },
    "caption_passages": {
        "en": "passages: mean (fewest-most)",
        "ko": "문단: 평균(최소-최대)",
    },
    "caption_answered": {
        "en": "answered: queries that get a passage",
        "ko": "응답: 문단을 받는 질의",
    },
    "caption_wrongly": {
        "en": "wrongly: of {n} unanswerable queries, those that get one",
        "ko": "잘못 응답: 답 없는 질의 {n}개 중 문단을 받는 질의",
    },
    "caption_precision": {
        "en": "{label}: mean over the answered",
        "ko": "{label}: 응답한 질의의 평균",
    },
    "caption_precision_wrongly": {
        "en": "{label}: mean over the answered, the unanswerable with 0",
        "ko": "{label}: 응답한 질의의 평균, 답 없는 질의는 0",
    },
    "caption_context": {
        "en": "context: its mean size",
        "ko": "문맥: 평균 분량",
    },
    "caption_budget": {
        "en": "cut where a passage no longer fits {limit} {unit}; P is then of what fits; uncut: "
        "the mean size without cutting; too large: queries whose uncut context exceeds the budget",
        "ko": "한도 {limit} {unit}에 더 들어가지 않는 문단부터 자름; P는 들어간 문단 기준; 자르기 "
        "전: 자르지 않았을 때의 평균 분량; 한도 초과: 자르기 전 문맥이 한도를 넘는 질의",
    },
    "contexts_title": {"en": "What fits a context", "ko": "문맥 한도에 따른 결과"},
    "column_limit": {"en": "At most, {unit}", "ko": "한도, {unit}"},
}
