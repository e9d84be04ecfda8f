"""Texts of the report: changes."""

from __future__ import annotations

CHANGES: dict[str, dict[str, str]] = {
    "changes_title": {"en": "Before and after", "ko": "이전과 이후"},
    "changes_against": {
        "en": "Compared with the result of {when} ({folder}): each retriever with itself, on "
        "the {n} queries of both.",
        "ko": "{when} 결과({folder})와 비교합니다. 두 결과에 모두 있는 질의 {n}개에서 검색기마다 "
        "이전의 자신과 비교합니다.",
    },
    "changes_before": {"en": "Before", "ko": "이전"},
    # What keeps the numbers from being read as they stand.
    "changes_no_dataset": {
        "en": "The earlier result ({folder}) was not measured on {dataset}: there is nothing to "
        "compare.",
        "ko": "이전 결과({folder})는 {dataset} 데이터셋에서 측정하지 않았으므로 비교할 것이 "
        "없습니다.",
    },
    "changes_no_pair": {
        "en": "No retriever is in both results, so nothing can be compared. Before: {before}. "
        "Now: {after}.",
        "ko": "두 결과에 모두 있는 검색기가 없어 비교할 수 없습니다. 이전: {before}. "
        "이후: {after}.",
    },
    "changes_trouble": {
        "en": "The two results could not be compared: {trouble}",
        "ko": "두 결과를 비교할 수 없었습니다: {trouble}",
    },
    "changes_other_names": {
        "en": "Each result has one retriever, and their names differ: {before} (before) is "
        "compared with {after} (now).",
        "ko": "두 결과에는 검색기가 하나씩만 있고 이름이 다릅니다. {before}(이전), {after}(이후) "
        "둘을 비교합니다.",
    },
    "changes_other_dataset": {
        "en": "The datasets have different names: {before} before, {after} now.",
        "ko": "데이터셋의 이름이 다릅니다: 이전 {before}, 이후 {after}.",
    },
    "changes_data_same": {
        "en": "Queries, judgments and passages are the same in both (one digest).",
        "ko": "질의, 판정, 문단이 두 결과에서 모두 같습니다(다이제스트 동일).",
    },
    "changes_whole": {"en": "the whole corpus", "ko": "전체 말뭉치"},
    "changes_sampled": {
        "en": "Before, {before} was searched, and now {after}: differences are also those of what "
        "was searched.",
        "ko": "검색한 문단이 다릅니다. 이전: {before}, 지금: {after}. 차이에는 그 영향도 들어 "
        "있습니다.",
    },
    "changes_data_unknown": {
        "en": "The dataset is not the same in both (the digests differ), and what changed is not "
        "known: the earlier files no longer exist.",
        "ko": "두 결과의 데이터셋이 같지 않습니다(다이제스트가 다름). 이전 파일이 더는 없어 "
        "무엇이 바뀌었는지는 알 수 없습니다.",
    },
    "changes_data_differs": {
        "en": "The dataset is not the same in both: {what}.",
        "ko": "두 결과의 데이터셋이 같지 않습니다: {what}.",
    },
    "changes_passages_differ": {
        "en": "the passages differ",
        "ko": "문단이 다릅니다",
    },
    "changes_judgments_differ": {
        "en": "the judgments of {count} common queries differ",
        "ko": "공통 질의 {count}개의 판정이 다릅니다",
    },
    "changes_judgments_differ_one": {
        "en": "the judgments of 1 common query differ",
        "ko": "공통 질의 1개의 판정이 다릅니다",
    },
    "changes_texts_differ_one": {
        "en": "1 query has another text and is left out",
        "ko": "질의 1개는 내용이 달라 제외했습니다",
    },
    "changes_queries_differ_one": {
        "en": "1 query is not in both and is left out",
        "ko": "질의 1개는 한쪽에만 있어 제외했습니다",
    },
    "changes_texts_differ": {
        "en": "{count} queries have another text and are left out",
        "ko": "질의 {count}개는 내용이 달라 제외했습니다",
    },
    "changes_queries_differ": {
        "en": "{count} queries are not in both and are left out",
        "ko": "질의 {count}개는 한쪽에만 있어 제외했습니다",
    },
    "changes_elsewhere": {
        "en": "the difference affects none of the compared queries",
        "ko": "다른 점은 비교한 질의와는 관계가 없습니다",
    },
    "changes_judged_again": {
        "en": "So the earlier runs were measured again, by the judgments and conventions of the "
        "later result: the numbers below are comparable, and those of the earlier report are not.",
        "ko": "그래서 이전 검색 결과를 이후의 판정과 계산 관례로 다시 측정했습니다. 아래의 "
        "수치끼리는 비교할 수 있지만, 이전 보고서의 수치와는 비교할 수 없습니다.",
    },
    "changes_not_comparable": {
        "en": "The numbers are not comparable: what looks like a change of a retriever may be a "
        "change of the data. Put the dataset back and run both on it.",
        "ko": "수치를 서로 비교할 수 없습니다. 검색기의 변화로 보이는 것이 데이터의 변화일 수 "
        "있습니다. 데이터셋을 되돌려 놓고 두 실험을 모두 다시 실행하십시오.",
    },
    "changes_conventions": {
        "en": "The two were measured by different conventions (profile {before}, now {after}).",
        "ko": "두 결과는 서로 다른 계산 관례로 측정했습니다(프로필: 이전 {before}, 이후 {after}).",
    },
    "changes_no_clusters": {
        "en": "The queries form clusters that are no longer known: here they count as "
        "independent, so intervals are too narrow.",
        "ko": "질의들이 묶음을 이루지만 그 묶음을 더는 알 수 없어 서로 독립으로 보았습니다. "
        "따라서 구간이 실제보다 좁습니다.",
    },
    "changes_lacking": {
        "en": "Not compared, since the earlier result does not have it: {measures}.",
        "ko": "이전 결과에 없어 비교하지 않은 측도: {measures}.",
    },
    "changes_no_measure": {
        "en": "The earlier result does not have {label}.",
        "ko": "이전 결과에는 {label} 값이 없습니다.",
    },
    "changes_only_before": {
        "en": "Only in the earlier result: {names}.",
        "ko": "이전 결과에만 있는 검색기: {names}.",
    },
    "changes_only_after": {
        "en": "Only in this result: {names}.",
        "ko": "이 결과에만 있는 검색기: {names}.",
    },
    # The sentence of one retriever; the first that applies.
    "changes_same": {
        "en": "{A} is the same as before on {M}: none of {n} queries differs.",
        "ko": "{M} 기준으로 {A} 쪽은 이전과 같습니다: 질의 {n}개 가운데 달라진 것이 없습니다.",
    },
    "changes_too_few": {
        "en": "Whether {A} changed on {M} cannot be decided: only {x} of {n} queries differ; no "
        "outcome of so few could be significant.",
        "ko": "{M} 기준으로 {A} 쪽이 달라졌는지 결론을 내릴 수 없습니다: 질의 {n}개 중 달라진 것은 "
        "{x}개뿐이며, 이렇게 적은 수로는 어떤 결과도 유의할 수 없습니다.",
    },
    "changes_too_few_clusters": {
        "en": "Whether {A} changed on {M} cannot be decided: only {x} of {n} clusters of queries "
        "differ; no outcome of so few could be significant.",
        "ko": "{M} 기준으로 {A} 쪽이 달라졌는지 결론을 내릴 수 없습니다: 질의 묶음 {n}개 중 달라진 "
        "것은 {x}개뿐이며, 이렇게 적은 수로는 어떤 결과도 유의할 수 없습니다.",
    },
    "changes_better": {
        "en": "{A} is better than before on {M}: {d} (95% CI {lo} to {hi}, {P} {p}, {n} queries; "
        "{w} better, {l} worse, {t} same).",
        "ko": "{M} 기준으로 {A} 쪽이 이전보다 좋아졌습니다: {d} (95% 신뢰구간 {lo} ~ {hi}, {P} "
        "{p}, 질의 {n}개; 우세 {w}, 열세 {l}, 동일 {t}).",
    },
    "changes_worse": {
        "en": "{A} is worse than before on {M}: {d} (95% CI {lo} to {hi}, {P} {p}, {n} queries; "
        "{w} better, {l} worse, {t} same).",
        "ko": "{M} 기준으로 {A} 쪽이 이전보다 나빠졌습니다: {d} (95% 신뢰구간 {lo} ~ {hi}, {P} "
        "{p}, 질의 {n}개; 우세 {w}, 열세 {l}, 동일 {t}).",
    },
    "changes_below_margin": {
        "en": "The change is real, but below the margin of {m}.",
        "ko": "실제로 있는 변화이지만, 허용 폭 {m}보다 작습니다.",
    },
    "changes_at_least": {
        "en": "At least the margin of {m}.",
        "ko": "적어도 허용 폭 {m}만큼은 변했습니다.",
    },
    "changes_may_be": {
        "en": "It may be as small as {lo}; the margin is {m}.",
        "ko": "변화는 {lo}에 그칠 수도 있습니다. 허용 폭은 {m}입니다.",
    },
    "changes_equal": {
        "en": "{A} is the same as before for practical purposes on {M}: difference {d}, CI {lo} "
        "to {hi}, inside ±{m} ({w} better, {l} worse, {t} same).",
        "ko": "{M} 기준으로 {A} 쪽은 이전과 실질적으로 같습니다: 차이 {d}, 신뢰구간 {lo} ~ {hi}, "
        "±{m} 이내(우세 {w}, 열세 {l}, 동일 {t}).",
    },
    "changes_open": {
        "en": "Whether {A} changed on {M} is not decided: {d}, and the data allow {lo} to {hi} "
        "({P} {p}, {n} queries; {w} better, {l} worse, {t} same).",
        "ko": "{M} 기준으로 {A} 쪽이 달라졌는지 확정되지 않았습니다: {d}, 데이터로 보아 {lo} ~ "
        "{hi} 범위가 모두 가능합니다({P} {p}, 질의 {n}개; 우세 {w}, 열세 {l}, 동일 {t}).",
    },
    "changes_by_correction": {
        "en": "The interval excludes 0, but the change is not decided after correction for "
        "{comparisons} comparisons.",
        "ko": "구간이 0을 포함하지 않지만, 비교 {comparisons}건에 대해 보정하면 이 변화는 "
        "확정되지 않습니다.",
    },
    "changes_by_test": {
        "en": "The interval excludes 0, but by the test it is not decided.",
        "ko": "구간은 0을 포함하지 않지만, 검정으로는 차이가 확정되지 않습니다.",
    },
    "changes_by_interval": {
        "en": "The test alone would show a change, but the interval does not exclude 0.",
        "ko": "검정만 보면 변화가 있지만, 구간이 0을 포함합니다.",
    },
    "changes_no_value": {
        "en": "No query has a value of {M} for {A} in both results.",
        "ko": "{A} 쪽은 두 결과에 모두 {M} 값이 있는 질의가 없습니다.",
    },
    "changes_undecided": {
        "en": "{count} more retrievers with no decided change on {label}",
        "ko": "{label} 기준으로 달라졌다고 확정되지 않은 다른 검색기 {count}개",
    },
    # Pictures and tables.
    "changes_forest": {
        "en": "Change of {label}, each retriever against itself before",
        "ko": "{label} 변화: 검색기마다 이전의 자신과 비교",
    },
    "changes_table": {"en": "What changed on {label}", "ko": "{label} 변화"},
    "changes_now": {"en": "Now", "ko": "현재"},
    "changes_ms_before": {"en": "p50 before", "ko": "이전 p50"},
    "changes_ms_now": {"en": "p50 now", "ko": "이후 p50"},
    "changes_ms_hint": {
        "en": "half of the single queries were answered in this time; timed on whatever machine "
        "each result was made on",
        "ko": "단일 질의의 절반이 이 시간 안에 응답을 받았습니다. 각 결과를 만든 컴퓨터에서 잰 "
        "값입니다",
    },
    "changes_settings": {"en": "Own settings", "ko": "자체 설정"},
    "changes_settings_other": {"en": "changed", "ko": "바뀜"},
    "changes_settings_same": {"en": "same", "ko": "같음"},
    "changes_note": {
        "en": "Differences are now - before on the queries with a value in both, + is better; "
        "intervals 95 %, not adjusted; p corrected over the retrievers. Bold and marked "
        "* where it is decided.",
        "ko": "차이는 두 결과에 모두 값이 있는 질의에서 이후 - 이전이며, +이면 좋아진 것입니다. "
        "신뢰구간은 95 %이며 보정하지 않았고, p는 검색기 수에 대해 보정했습니다. 확정된 것은 "
        "굵은 글씨에 *로 표시했습니다.",
    },
    "changes_risen": {
        "en": "Queries that gained most on {label}",
        "ko": "{label} 값이 가장 많이 오른 질의",
    },
    "changes_fallen": {
        "en": "Queries that lost most on {label}",
        "ko": "{label} 값이 가장 많이 내린 질의",
    },
    "changes_text": {"en": "Text", "ko": "본문"},
    "changes_moved_note": {
        "en": "Each query is listed once, with the retriever on which it moved most.",
        "ko": "질의마다 가장 크게 움직인 검색기로 한 번만 적었습니다.",
    },
    "changes_none_moved": {
        "en": "No query gained and none lost on {label}.",
        "ko": "{label} 값이 오르거나 내린 질의가 없습니다.",
    },
    "changes_rankings": {
        "en": "How the rankings changed: scores, slices, the queries to look at",
        "ko": "순위가 어떻게 바뀌었는지: 점수, 유형, 살펴볼 질의",
    },
    "changes_no_rankings": {
        "en": "Which rankings changed is not known: {trouble}",
        "ko": "어떤 순위가 바뀌었는지 알 수 없습니다: {trouble}",
    },
    "changes_config": {"en": "What changed in the config", "ko": "설정에서 바뀐 것"},
    "changes_config_same": {
        "en": "The two results have the same config.",
        "ko": "두 결과의 설정은 같습니다.",
    },
    "changes_config_unread": {
        "en": "The configs could not be compared: {trouble}",
        "ko": "설정을 비교할 수 없었습니다: {trouble}",
    },
    "changes_path": {"en": "Path", "ko": "경로"},
    "changes_kind": {"en": "What", "ko": "변화"},
    "changes_kind_added": {"en": "added", "ko": "추가됨"},
    "changes_kind_removed": {"en": "removed", "ko": "삭제됨"},
    "changes_kind_changed": {"en": "changed", "ko": "바뀜"},
    "changes_versions": {
        "en": "Versions and machine that differ",
        "ko": "서로 다른 버전과 컴퓨터",
    },
    "changes_versions_same": {
        "en": "Versions of all packages and the machine are the same.",
        "ko": "모든 패키지의 버전과 컴퓨터가 같습니다.",
    },
    "changes_name": {"en": "Name", "ko": "이름"},
}
"""By key, then language."""
