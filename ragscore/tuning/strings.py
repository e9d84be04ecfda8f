"""What a tuning says, in English and Korean, with the same placeholders in both.

The Korean puts no particle behind a number or a name that would have to
change with its last sound.
"""

from __future__ import annotations

from ragscore.strings import StringTable
from ragscore.tuning.tuning_table_strings import TABLE_TEXTS

TEXTS: dict[str, dict[str, str]] = {
    "use": {
        "en": "Use {cut} ({rule}): {found}{answers}{handed}{more}.",
        "ko": "{cut} 값을 권합니다({rule}): {found}{answers}{handed}{more}.",
    },
    # The rules.
    "rule best_f": {"en": "highest {name}", "ko": "{name} 최고"},
    "rule target": {
        "en": "{which} with {name} at least {target}",
        "ko": "{name} {target} 이상인 {which}",
    },
    "rule budget": {
        "en": "{which} with the highest {name}",
        "ko": "{name} 최고인 {which}",
    },
    "rule knee": {"en": "knee of {name}", "ko": "{name} 곡선의 굽이"},
    "largest k": {"en": "largest k", "ko": "가장 큰 k"},
    "largest cut": {"en": "loosest cut", "ko": "가장 느슨한 기준"},
    "smallest k": {"en": "smallest k", "ko": "가장 작은 k"},
    "smallest cut": {"en": "strictest cut", "ko": "가장 엄격한 기준"},
    "rule_confident": {
        "en": " at the lower end of its 95 % interval",
        "ko": ", 95 % 신뢰구간의 하한 기준",
    },
    "rule_coverage": {
        "en": " and at least {share} of the queries answered",
        "ko": ", 질의의 {share} 이상 응답",
    },
    "none_coverage": {
        "en": " and answers {share} of the queries",
        "ko": ", 질의의 {share} 이상 응답",
    },
    "rule_within": {"en": " within {limit} {unit}", "ko": ", 한도 {limit} {unit}"},
    # What is found.
    "among_answered": {"en": " among the answered", "ko": "(응답한 질의 기준)"},
    "answers": {
        "en": "; {count} of {n} queries are answered ({share}){wrongly}, with {mean} passages per "
        "query ({lowest} to {highest})",
        "ko": "; 질의 {n}개 중 {count}개({share})에 응답{wrongly}, 질의당 문단 {mean}개({lowest} ~ "
        "{highest}개)",
    },
    "wrongly": {
        "en": " and, wrongly, {count} of {n} unanswerable ones",
        "ko": ", 답 없는 질의 {n}개 중 {count}개에 잘못 응답",
    },
    "cut_to": {
        "en": "; contexts are cut to {limit} {unit}: uncut, {cut} holds {size} {unit} on average, "
        "and {share} of queries exceed {limit}",
        "ko": "; 문맥은 {limit} {unit}에서 자르며, 자르지 않으면 {cut} 문맥은 평균 "
        "{size} {unit}이고 질의의 {share}가 한도 {limit} {unit}보다 깁니다",
    },
    "all_fit": {
        "en": "; {cut} holds {size} {unit} on average, and no query exceeds {limit}",
        "ko": "; {cut} 문맥은 평균 {size} {unit}이고 한도 {limit} {unit}보다 긴 질의는 없습니다",
    },
    "going": {
        "en": "; going to {goal} adds {dr} recall",
        "ko": "; {goal}까지 넓히면 재현율이 {dr} 높아집니다",
    },
    "going_for": {
        "en": "; going to {goal} adds {dr} recall for {dt} {unit} per query",
        "ko": "; {goal}까지 넓히면 질의당 {dt} {unit} 분량이 늘고 재현율이 {dr} 높아집니다",
    },
    "larger_budget": {
        "en": "; a budget of {limit} {unit} adds {dr} recall",
        "ko": "; 한도를 {limit} {unit}까지 늘리면 재현율이 {dr} 높아집니다",
    },
    "possible": {
        "en": "A query has {relevant} relevant passages on average, so precision at {cut} can be "
        "{highest} at most; {unjudged} of the top {k} is unjudged and counts as not relevant.",
        "ko": "적합 문단은 질의당 평균 {relevant}개이므로 {cut}에서 정밀도는 최대 {highest}입니다. "
        "상위 {k}개 중 {unjudged}는 판정되지 않아 적합하지 않은 것으로 칩니다.",
    },
    # Why nothing is recommended.
    "no_rule": {
        "en": "{no_cut} is recommended, since no rule was given: {reached}the highest recall, "
        "{r}, takes {cut}.",
        "ko": "기준이 주어지지 않아 {no_cut} 권하지 않습니다: {reached}가장 높은 재현율 {r}에 "
        "필요한 값은 {cut}입니다.",
    },
    "takes_first": {
        "en": "recall {target} takes {cut}",
        "ko": "재현율 {target}에는 {cut}",
    },
    "takes": {"en": "{target} takes {cut}", "ko": "{target}에는 {cut}"},
    "none": {
        "en": "{no_cut} reaches {name} {target}{conditions}; the best, {cut}, has {r}.",
        "ko": "{name} {target}{conditions}에 이르는 {no_cut} 없습니다. "
        "가장 좋은 {cut}에서 {r}입니다.",
    },
    "none_confident": {
        "en": "{no_cut} reaches {name} {target} with the lower end of its 95 % interval"
        "{conditions}; the best, {cut}, has {r} {ci}.",
        "ko": "95 % 신뢰구간의 하한이 {name} {target}{conditions}에 이르는 {no_cut} 없습니다. "
        "가장 좋은 {cut}에서 {r} {ci}입니다.",
    },
    "none_covers": {
        "en": "{no_cut} answers {asked} of the queries; the loosest, {cut}, answers {share}.",
        "ko": "질의의 {asked}에 응답하는 {no_cut} 없습니다. 가장 느슨한 {cut}에서 {share}입니다.",
    },
    "no_knee": {
        "en": "Recall has no knee: it never rises above the straight line between its ends.",
        "ko": "재현율 곡선에 굽이가 없습니다. 양 끝을 잇는 직선보다 높은 곳이 없습니다.",
    },
    "nothing_fits": {
        "en": "Nothing fits {limit} {unit}: every query's first passage alone is larger; the "
        "smallest has {shortest}.",
        "ko": "{limit} {unit}에 들어가는 문단이 없습니다. 모든 질의에서 첫 문단만으로 한도를 "
        "넘으며, 가장 작은 것이 {shortest} {unit}입니다.",
    },
    "nothing_found": {
        "en": "Nothing is recommended: of the {depth} passages recorded for each query, none is "
        "relevant.",
        "ko": "권할 것이 없습니다. 질의마다 기록된 문단 {depth}개 중 적합한 것이 없습니다.",
    },
    "nothing_found_within": {
        "en": "Nothing is recommended: of what fits {limit} {unit}, nothing is relevant; the "
        "smallest first passage has {shortest}.",
        "ko": "권할 것이 없습니다. {limit} {unit}에 들어가는 문단 중 적합한 것이 없습니다. "
        "가장 작은 첫 문단은 {shortest} {unit}입니다.",
    },
    "ci": {"en": "(CI {lo} to {hi})", "ko": "(신뢰구간 {lo} ~ {hi})"},
    "no_ci": {"en": "(CI not estimable)", "ko": "(신뢰구간을 추정할 수 없음)"},
    # Notes beside the numbers.
    "note_nothing": {
        "en": "{count} of {n} queries get nothing: their first passage alone is over the budget, "
        "or none came back",
        "ko": "질의 {n}개 중 {count}개는 문단을 하나도 받지 못합니다. 첫 문단만으로 한도를 넘거나 "
        "검색된 문단이 없습니다",
    },
    "note_edge": {
        "en": "the best value is at the end of the {depth} recorded passages: more might be "
        "better still; record deeper",
        "ko": "가장 좋은 값이 기록된 문단 {depth}개의 끝에 있습니다. 더 많으면 더 좋을 수 있으니 "
        "더 깊이 기록하십시오",
    },
    "note_missing": {
        "en": "{count} of {n} queries are not in the run and score 0",
        "ko": "질의 {n}개 중 {count}개는 검색 결과에 없어 0점입니다",
    },
    "note_failed": {
        "en": "{count} of {n} queries failed and score as if nothing had come back",
        "ko": "질의 {n}개 중 {count}개가 실패하여 받은 문단이 없는 것으로 채점했습니다",
    },
    "note_left_out": {
        "en": "{count} of {n} queries failed and are left out",
        "ko": "질의 {n}개 중 {count}개가 실패하여 뺐습니다",
    },
    "note_without": {
        "en": "{count} of {n} queries have no relevant passage and score 0, whatever k is",
        "ko": "질의 {n}개 중 {count}개는 적합한 문단이 없어 k와 관계없이 0점입니다",
    },
    "note_clusters": {
        "en": "there are only {count} clusters: intervals say little",
        "ko": "묶음이 {count}개뿐이라 신뢰구간으로 알 수 있는 것이 적습니다",
    },
    "note_folds": {
        "en": "{folds} folds, since there are no more queries",
        "ko": "질의가 더 없어 {folds}겹으로 나누어 검증했습니다",
    },
    "note_folds_clusters": {
        "en": "{folds} folds, since there are no more clusters",
        "ko": "묶음이 더 없어 {folds}겹으로 나누어 검증했습니다",
    },
    "note_tags": {
        "en": "tags with too few queries for the folds were merged into one: {listed}",
        "ko": "질의가 적어 따로 나눌 수 없는 태그는 하나로 합쳐 나누었습니다: {listed}",
    },
    "note_unanswerable_one": {
        "en": "1 unanswerable query is left out: it gets passages at every k; a score cut can "
        "refuse it",
        "ko": "답 없는 질의 1개는 뺐습니다. k로 자르면 언제나 문단을 받지만, 점수 기준으로는 "
        "걸러 낼 수 있습니다",
    },
    "note_unanswerable": {
        "en": "{count} unanswerable queries are left out: they get passages at every k; a score "
        "cut can refuse them",
        "ko": "답 없는 질의 {count}개는 뺐습니다. k로 자르면 언제나 문단을 받지만, 점수 기준으로는 "
        "걸러 낼 수 있습니다",
    },
    "note_tokenizer": {
        "en": "the tokenizer {tokenizer} makes {tokens} tokens of 100 characters of {written} "
        "text: it was not made for the language, and a model that was fits more text into as many "
        "tokens",
        "ko": "{tokenizer} 토크나이저는 {written} 글 100자를 토큰 {tokens}개로 자릅니다. 이 언어에 "
        "맞지 않는 토크나이저이며, 맞는 모델이라면 같은 토큰 수에 더 많은 글이 들어갑니다",
    },
    # Words.
    "none k": {"en": "No k", "ko": "k 값을"},
    "none score": {"en": "No score cut", "ko": "점수 기준을"},
    "none gap": {"en": "No gap cut", "ko": "점수 차이 기준을"},
    "none ratio": {"en": "No ratio cut", "ko": "점수 비율 기준을"},
    "no k": {"en": "No k", "ko": "k 값이"},
    "no score": {"en": "No score cut", "ko": "점수 기준이"},
    "no gap": {"en": "No gap cut", "ko": "점수 차이 기준이"},
    "no ratio": {"en": "No ratio cut", "ko": "점수 비율 기준이"},
    "recall": {"en": "recall", "ko": "재현율"},
    "precision": {"en": "precision", "ko": "정밀도"},
    "characters": {"en": "characters", "ko": "글자"},
    "words": {"en": "words", "ko": "단어"},
    "tokens": {"en": "tokens", "ko": "토큰"},
    "passages_unit": {"en": "passages", "ko": "문단"},
}

STRINGS = StringTable(TEXTS, TABLE_TEXTS)
