"""What a sweep says, in English and Korean, with the same placeholders in both.

The Korean puts no particle behind a name or a number that would have to change with its last sound.
"""

from __future__ import annotations

from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    # The word before a line.
    "word_several": {"en": "Several", "ko": "여럿"},
    "word_only": {"en": "Only one", "ko": "하나뿐"},
    "word_noise": {"en": "As good", "ko": "오차 범위"},
    "word_written": {"en": "Your file", "ko": "현재 설정"},
    "word_edge": {"en": "Edge", "ko": "범위 끝"},
    # Which configuration, and what it is worth elsewhere.
    "use": {"en": "Use {A}: {M} {a}", "ko": "{A} 설정을 권합니다: {M} {a}"},
    "leads": {"en": "{A} leads with {M} {a}", "ko": "{A} 설정이 앞섭니다: {M} {a}"},
    "flattered": {
        "en": "{lead}, on queries that did not choose it {held_out} {interval}; choosing among {n} "
        "flatters by {optimism}.",
        "ko": "{lead}, 선택에 쓰지 않은 질의에서는 {held_out} {interval}. {n}개 중에서 고르면 "
        "{optimism}만큼 부풀려집니다.",
    },
    "level": {
        "en": "{lead}, on queries that did not choose it {held_out} {interval}; choosing among {n} "
        "does not flatter it here.",
        "ko": "{lead}, 선택에 쓰지 않은 질의에서는 {held_out} {interval}. 여기서는 {n}개 중에서 "
        "골라도 부풀려지지 않았습니다.",
    },
    "untried": {
        "en": "{lead}, the best of {n}. There are too few queries to try the choice on others.",
        "ko": "{lead}, {n}개 중 최고입니다. 질의가 너무 적어 다른 질의에서 확인할 수 없습니다.",
    },
    "only": {
        "en": "{A} is the only configuration: {M} {a}.",
        "ko": "설정이 {A} 하나뿐입니다: {M} {a}.",
    },
    "all_same": {
        "en": "All {n} configurations score the same on every query, {M} {a}: {A} is only the "
        "first of them.",
        "ko": "설정 {n}개가 모든 질의에서 점수가 같습니다: {M} {a}. {A} 설정은 그중 첫째일 "
        "뿐입니다.",
    },
    # What is within noise of it.
    "noise_all": {
        "en": "All {n} others are within noise of it: these queries do not tell the settings "
        "apart.",
        "ko": "나머지 {n}개 모두 오차 범위 안입니다. 이 질의로는 설정의 우열을 가릴 수 없습니다.",
    },
    "noise_some": {
        "en": "{count} of the {n} others are within noise of it, the rest are worse.",
        "ko": "나머지 {n}개 중 {count}개가 오차 범위 안이고, 그 밖은 더 나쁩니다.",
    },
    "noise_some_one": {
        "en": "1 of the {n} others is within noise of it, the rest are worse.",
        "ko": "나머지 {n}개 중 1개가 오차 범위 안이고, 그 밖은 더 나쁩니다.",
    },
    "noise_none": {
        "en": "The {n} others are worse; the closest is {B} ({difference} {interval}).",
        "ko": "나머지 {n}개는 더 나쁩니다. 가장 가까운 것은 {B} ({difference} {interval}).",
    },
    "noise_other": {
        "en": "The other one, {B}, is within noise of it ({difference} {interval}).",
        "ko": "다른 설정 {B} 역시 오차 범위 안입니다({difference} {interval}).",
    },
    "noise_worse": {
        "en": "The other one, {B}, is worse ({difference} {interval}).",
        "ko": "다른 설정 {B} 쪽이 더 나쁩니다({difference} {interval}).",
    },
    "noise_same": {
        "en": "{count} of these score the same on every query.",
        "ko": "그중 {count}개는 모든 질의에서 점수가 같습니다.",
    },
    "noise_same_one": {
        "en": "1 of these scores the same on every query.",
        "ko": "그중 1개는 모든 질의에서 점수가 같습니다.",
    },
    "noise_few": {
        "en": "From {count} of these it differs on {few} {units} or fewer, which cannot show a "
        "difference.",
        "ko": "그중 {count}개는 {units} {few}개 이하에서만 달라 차이를 입증할 수 없습니다.",
    },
    "noise_fastest": {
        "en": "The fastest of these is {B}: {ms} ms per query instead of {ms_best}.",
        "ko": "그중 가장 빠른 것은 {B}: 질의당 {ms} ms(최고 설정은 {ms_best} ms).",
    },
    "noise_smallest": {
        "en": "The smallest index of these is that of {B}: {size} instead of {size_best}.",
        "ko": "그중 색인이 가장 작은 것은 {B}: {size}(최고 설정은 {size_best}).",
    },
    # Against the settings of the file, on queries that did not choose.
    "written_better": {
        "en": "Choosing is better than {B} as it is written ({M} {b}) by {size} {interval}, "
        "on queries that did not choose.",
        "ko": "선택에 쓰지 않은 질의에서 파일에 적힌 {B} ({M} {b}) 대비 {size} "
        "{interval}만큼 더 낫습니다.",
    },
    "written_open": {
        "en": "Whether choosing is better than {B} as it is written ({M} {b}) is not decided: "
        "{difference} {interval}, on queries that did not choose.",
        "ko": "파일에 적힌 {B} ({M} {b}) 대비 더 낫다고 확정되지 않았습니다: 선택에 쓰지 않은 "
        "질의에서 {difference} {interval}.",
    },
    "written_worse": {
        "en": "Keep {B} as it is written ({M} {b}): choosing is worse ({difference} {interval}), "
        "on queries that did not choose.",
        "ko": "파일에 적힌 {B} ({M} {b}) 설정을 유지하십시오: 선택에 쓰지 않은 질의에서 "
        "{difference} {interval}, 고르는 쪽이 더 나쁩니다.",
    },
    "written_few": {
        "en": "These queries cannot decide between the choice and {B} as it is written "
        "({M} {b}): {x} of {n} {units} differ.",
        "ko": "이 질의로는 고른 설정과 파일에 적힌 {B} ({M} {b}) 사이의 우열을 정할 수 없습니다: "
        "{units} {n}개 중 {x}개만 차이가 납니다.",
    },
    # A value at the end of what was tried.
    "edge_largest": {
        "en": "{parameter} = {value} is the largest value that was tried: a larger one may be "
        "better still, where one is allowed.",
        "ko": "{parameter} = {value}: 시도한 값 중 가장 큽니다. 더 큰 값이 허용된다면 더 나을 수 "
        "있습니다.",
    },
    "edge_smallest": {
        "en": "{parameter} = {value} is the smallest value that was tried: a smaller one may be "
        "better still, where one is allowed.",
        "ko": "{parameter} = {value}: 시도한 값 중 가장 작습니다. 더 작은 값이 허용된다면 더 나을 "
        "수 있습니다.",
    },
    "unit_queries": {"en": "queries", "ko": "질의"},
    "unit_clusters": {"en": "clusters", "ko": "질의 묶음"},
    # Tables.
    "sweep_title": {
        "en": "Sweep: {configurations} of {retrievers} on {dataset} ({queries})",
        "ko": "탐색: {dataset} 데이터의 {retrievers} {configurations}({queries})",
    },
    "sweep_best_title": {
        "en": "The best {shown} of {n} configurations",
        "ko": "설정 {n}개 중 상위 {shown}개",
    },
    "sweep_all_title": {"en": "All {n} configurations", "ko": "설정 {n}개 전체"},
    "sweep_each_title": {"en": "The best of each retriever", "ko": "검색기별 최고 설정"},
    "effects_title": {
        "en": "What each parameter does, over all configurations of {retriever}",
        "ko": "{retriever} 설정 전체에서 각 매개변수의 효과",
    },
    "column_configuration": {"en": "Configuration", "ko": "설정"},
    "column_against_best": {"en": "Against the best", "ko": "최고 대비"},
    "hint_against_best": {
        "en": "Difference to the best, with an interval that holds for all configurations at once",
        "ko": "최고 설정과의 차이. 구간은 모든 설정에 대해 동시에 성립합니다",
    },
    "column_index_size": {"en": "Index", "ko": "색인"},
    "hint_index_size": {
        "en": "Size of the indexes that it searches",
        "ko": "검색하는 색인의 크기",
    },
    "column_per_query": {"en": "Per query", "ko": "질의당"},
    "hint_per_query": {
        "en": "Milliseconds per query",
        "ko": "질의당 밀리초",
    },
    "column_configurations": {"en": "Configurations", "ko": "설정 수"},
    "column_chosen_value": {"en": "{label} when chosen", "ko": "선택 시 {label}"},
    "hint_chosen_value": {
        "en": "On the queries that chose it",
        "ko": "선택에 쓴 질의에서의 값",
    },
    "column_elsewhere": {"en": "{label} elsewhere", "ko": "다른 질의의 {label}"},
    "hint_elsewhere": {
        "en": "On queries that did not choose it, by cross-validation",
        "ko": "교차 검증으로 구한, 선택에 쓰지 않은 질의에서의 값",
    },
    "column_parameter": {"en": "Parameter", "ko": "매개변수"},
    "column_effect": {"en": "Against its average", "ko": "평균 대비"},
    "hint_effect": {
        "en": "The mean minus the average over all values of the parameter",
        "ko": "그 매개변수의 모든 값에 대한 평균과의 차이",
    },
    "note_against_best": {
        "en": "Intervals hold for all configurations at once; {mark} marks those that are worse "
        "than the best (max-T over all pairs, p < .05).",
        "ko": "구간은 모든 설정에 대해 동시에 성립합니다. {mark} 표시는 최고보다 나쁜 설정입니다"
        "(모든 쌍에 대한 max-T, p < .05).",
    },
    "note_effects": {
        "en": "Means over all configurations with the value; 95 % intervals of the difference to "
        "the parameter's average, each on its own.",
        "ko": "그 값을 가진 모든 설정의 평균. 매개변수 평균과의 차이에 대한 개별 95 % 신뢰구간.",
    },
    "note_unbalanced": {
        "en": "{names}: the values were not tried with the same settings of the other parameters, "
        "so a mean also says what it was tried with.",
        "ko": "{names}: 값마다 함께 시도한 다른 설정이 달라, 평균에 그 영향이 섞여 있습니다.",
    },
    "note_held_out_each": {
        "en": "Elsewhere: on queries that did not choose, by cross-validation ({folds} folds, "
        "{repeats} times); the intervals are approximate.",
        "ko": "다른 질의의 값: 선택에 쓰지 않은 질의에서 교차 검증으로 구했습니다(폴드 {folds}개, "
        "{repeats}회 반복). 구간은 근사값입니다.",
    },
    "note_sweep_chunks": {
        "en": "{M} compares different chunks at the same k, not in the same context: large chunks "
        "hand over more text. Write the best of them as retrievers of their own to see what the "
        "same context holds (section budgets).",
        "ko": "{M}: 서로 다른 청크를 같은 k에서 비교한 값이며, 같은 크기의 컨텍스트에서 비교한 "
        "값이 아닙니다. 큰 청크일수록 더 많은 글을 넘깁니다. 가장 좋은 것들을 각각 검색기로 적으면 "
        "같은 크기의 컨텍스트에 담기는 것을 비교합니다(budgets 항목).",
    },
    "note_dropped": {
        "en": "Left out: {queries} on which {M} is undefined for some configuration.",
        "ko": "일부 설정에서 {M} 값이 정의되지 않는 {queries}는 제외했습니다.",
    },
    "note_configuration_failed": {
        "en": "{configuration} failed: {error}",
        "ko": "{configuration} 실패: {error}",
    },
    "note_more_failed": {
        "en": "Also failed: {configurations}.",
        "ko": "그 밖에 {configurations}가 실패했습니다.",
    },
    "note_sweep_clusters": {
        "en": "Only {n} clusters: intervals are rough.",
        "ko": "묶음이 {n}개뿐이라 구간이 거칩니다.",
    },
    "effects_all": {"en": "What each parameter does", "ko": "매개변수별 효과"},
    "yaml_title": {"en": "The best as YAML", "ko": "최고 설정의 YAML"},
}

STRINGS = StringTable(TEXTS)
