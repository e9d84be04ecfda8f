"""The sentences of a verdict in English and Korean: one table, the same placeholders in both.

Names of retrievers and measures may be any text, so the Korean sentences put no particle behind a
name that would have to change with its last sound (쪽이, 보다, 에서 do not).
"""

from __future__ import annotations

from ragscore.comparison.id_strings import ID_STRINGS
from ragscore.comparison.note_strings import NOTE_TEXTS
from ragscore.comparison.power_strings import POWER_TEXTS
from ragscore.comparison.table_strings import TABLE_TEXTS
from ragscore.strings import StringTable

TEXTS: dict[str, dict[str, str]] = {
    # What stands before a line: the first line's is the state in a word.
    "word_check_data": {"en": "Not yet", "ko": "판단 보류"},
    "word_too_few": {"en": "Too few differ", "ko": "차이 나는 질의 부족"},
    "word_same": {"en": "Same", "ko": "동일"},
    "word_small": {"en": "Small", "ko": "작은 차이"},
    "word_clear": {"en": "Clear", "ko": "뚜렷한 차이"},
    "word_decided": {"en": "Decided", "ko": "확정"},
    "word_equal": {"en": "Equal", "ko": "사실상 동등"},
    "word_tie": {"en": "Tie", "ko": "우열 없음"},
    "label_sure": {"en": "Sure", "ko": "확실"},
    "label_open": {"en": "Open", "ko": "미정"},
    "label_but": {"en": "But", "ko": "다만"},
    "label_same": {"en": "Same", "ko": "동일"},
    # Not yet: nothing else follows.
    "check_data": {
        "en": "Do not read the ranking yet: {problem} ({count} of {n}). {fix}.",
        "ko": "아직 순위를 읽지 마십시오: {problem} ({n}개 중 {count}개). {fix}.",
    },
    # Why nothing is claimed of a difference.
    "withheld_few_differ": {
        "en": "only {x} of {n} queries differ",
        "ko": "질의 {n}개 중 {x}개만 차이가 남",
    },
    "withheld_few_differ_clusters": {
        "en": "only {x} of {n} clusters of queries differ",
        "ko": "질의 묶음 {n}개 중 {x}개만 차이가 남",
    },
    "withheld_none_differ": {
        "en": "none of the {n} queries differ",
        "ko": "질의 {n}개 모두 차이가 없음",
    },
    "withheld_none_differ_clusters": {
        "en": "none of the {n} clusters of queries differ",
        "ko": "질의 묶음 {n}개 모두 차이가 없음",
    },
    "withheld_one_unit": {"en": "fewer than two queries", "ko": "질의가 두 개 미만"},
    "withheld_one_unit_clusters": {
        "en": "fewer than two clusters of queries",
        "ko": "질의 묶음이 두 개 미만",
    },
    "withheld_no_spread": {
        "en": "all queries differ by the same",
        "ko": "모든 질의의 차이가 같음",
    },
    "withheld_no_spread_clusters": {
        "en": "all clusters of queries differ by the same",
        "ko": "모든 질의 묶음의 차이가 같음",
    },
    "withheld_no_margin": {
        "en": "no margin on this measure",
        "ko": "이 측도에 정해진 허용 폭이 없음",
    },
    # Use: which applies, in this order; the first wins.
    "use_same": {
        "en": "Use {either}: {M} {a} for each of them.",
        "ko": "{either} 중 어느 것을 써도 됩니다: 모두 {M} {a}.",
    },
    "use_too_few": {
        "en": "These queries cannot decide: {A} and {B} differ on {x} of {n}.",
        "ko": "이 질의로는 결론을 내릴 수 없습니다: {A}, {B} 사이에 차이가 나는 것은 "
        "{n}개 중 {x}개입니다.",
    },
    "use_too_few_clusters": {
        "en": "These queries cannot decide: {A} and {B} differ on {x} of {n} clusters.",
        "ko": "이 질의로는 결론을 내릴 수 없습니다: {A}, {B} 사이에 차이가 나는 것은 "
        "질의 묶음 {n}개 중 {x}개입니다.",
    },
    "use_small": {
        "en": "Use {A} or {B}: {A} is better on {M} by {size}{ci}, less than your margin of {m}.",
        "ko": "{A}, {B} 중 어느 것을 써도 됩니다: {M} 기준으로 {A} 쪽이 {size}{ci} 앞서지만, "
        "정해 둔 허용 폭 {m}보다 작은 차이입니다.",
    },
    "use_clear": {
        "en": "Use {A}: {M} {a}, the best of {r}.",
        "ko": "{A} 사용을 권합니다: {M} {a}, 검색기 {r}개 중 가장 좋습니다.",
    },
    "use_equal": {
        "en": "Use {A} or {B}: equal on {M} for practical purposes (difference {d}{ci}, "
        "inside ±{m}).",
        "ko": "{A}, {B} 중 어느 것을 써도 됩니다: {M} 기준으로 실질적으로 같습니다"
        "(차이 {d}{ci}, ±{m} 이내).",
    },
    "use_tie": {
        "en": "{A} leads with {M} {a}; {tied} may be as good.",
        "ko": "{A} 쪽이 {M} {a} 값으로 앞서지만, {tied} 쪽도 그만큼 좋을 수 있습니다.",
    },
    "use_level": {
        "en": "{level} have the same mean on {M}: {a}.",
        "ko": "{level} 사이에는 {M} 평균의 차이가 없습니다: {a}.",
    },
    "use_level_tie": {
        "en": "{level} have the same mean on {M}: {a}; {tied} may be as good.",
        "ko": "{level} 사이에는 {M} 평균의 차이가 없고({a}), {tied} 쪽도 그만큼 좋을 수 있습니다.",
    },
    "cost": {
        "en": "Let the cost decide: {costs}.",
        "ko": "비용을 보고 고르십시오: {costs}.",
    },
    "cost_unknown": {"en": "Let the cost decide.", "ko": "비용을 보고 고르십시오."},
    # Sure.
    "sure": {"en": "{A} is better than {beaten}.", "ko": "{A} 쪽이 {beaten} 더 좋습니다."},
    "beaten": {"en": "{D} by {size}{ci}", "ko": "{D}보다 {size}{ci}"},
    "beaten_small": {
        "en": "{D} by {size}{ci}, less than your margin of {m}",
        "ko": "{D}보다 {size}{ci}(허용 폭 {m} 미만)",
    },
    "sure_equal": {
        "en": "{A} and {B} differ by less than {m}.",
        "ko": "{A}, {B} 사이의 차이는 {m}보다 작습니다.",
    },
    "sure_nothing": {"en": "nothing yet.", "ko": "아직 없습니다."},
    # Open.
    "open": {"en": "{against}.", "ko": "{against}."},
    "open_needs": {
        "en": "{against}; about {need} more queries like these would decide a difference of {m} "
        "(80 % power).",
        "ko": "{against}. {m}만큼의 차이를 가리려면 이와 비슷한 질의가 약 {need}개 더 필요합니다"
        "(검정력 80 %).",
    },
    "open_not_shown": {
        "en": "{against}; too few queries differ, so how many more would decide is not shown.",
        "ko": "{against}. 차이가 나는 질의가 너무 적어, 몇 개가 더 필요한지는 표시하지 않습니다.",
    },
    "against": {"en": "{A} against {B}: {d}{ci}", "ko": "{B} 대비 {A}: {d}{ci}"},
    "only_baseline": {
        "en": "Among the comparisons with {B} alone {A} is better; over all pairs that is not "
        "decided.",
        "ko": "{B} 대비 비교만 보면 {A} 쪽이 더 나은 것으로 확정되지만, 모든 쌍에 대해 보정하면 "
        "확정되지 않습니다.",
    },
    "not_after_correction": {
        "en": "The interval of {A} over {B} excludes 0, but the difference is not shown after "
        "correction for {comparisons} comparisons.",
        "ko": "{B} 대비 {A}의 구간은 0을 포함하지 않지만, 비교 {comparisons}건에 대해 보정하면 "
        "이 차이는 입증되지 않습니다.",
    },
    "not_after_correction_several": {
        "en": "The intervals of {A} over {B} exclude 0, but these differences are not shown after "
        "correction for {comparisons} comparisons.",
        "ko": "{B} 대비 {A}의 구간은 모두 0을 포함하지 않지만, 비교 {comparisons}건에 대해 "
        "보정하면 이 차이들은 입증되지 않습니다.",
    },
    "not_by_test": {
        "en": "The interval of {A} over {B} excludes 0, but the test does not show the difference.",
        "ko": "{B} 대비 {A}의 구간은 0을 포함하지 않지만, 검정으로는 이 차이가 입증되지 않습니다.",
    },
    "not_by_interval": {
        "en": "The test alone would show {A} over {B}, but the interval does not exclude 0.",
        "ko": "검정만 보면 {A} 쪽이 {B}보다 앞서지만, 구간이 0을 포함합니다.",
    },
    # But.
    "but": {
        "en": "{B} is better on {M2} ({d}{ci}).",
        "ko": "{M2} 기준으로는 {B} 쪽이 더 좋습니다({d}{ci}).",
    },
    # Same.
    "same": {
        "en": "{names} returned the same passages for every query. They are one retriever in "
        "everything above.",
        "ko": "{names} 검색 결과는 모든 질의에서 같습니다. 위에서는 모두 검색기 하나로 다룹니다.",
    },
    "same_because": {
        "en": "{names} returned the same passages for every query ({why}). They are one retriever "
        "in everything above.",
        "ko": "{names} 검색 결과는 모든 질의에서 같습니다({why}). 위에서는 모두 검색기 하나로 "
        "다룹니다.",
    },
    "no_titles": {"en": "no passage has a title", "ko": "제목이 있는 문단이 없음"},
    # What is wrong with the data, and what to do.
    "few_common": {
        "en": "few queries were scored for every retriever",
        "ko": "모든 검색기에 점수가 있는 질의가 적습니다",
    },
    "few_common_fix": {
        "en": "Search all queries with every retriever",
        "ko": "모든 검색기로 모든 질의를 검색하십시오",
    },
    **ID_STRINGS,
    "none_in_run": {
        "en": "no judged query is in the run of {retriever}",
        "ko": "{retriever} 검색 결과에 판정된 질의가 하나도 없습니다",
    },
    "none_in_run_fix": {
        "en": "Check that the run and the judgments use the same query ids",
        "ko": "검색 결과와 판정이 같은 질의 ID를 쓰는지 확인하십시오",
    },
    "most_got_nothing": {
        "en": "{retriever} returned nothing for most queries",
        "ko": "{retriever} 쪽은 대부분의 질의에 아무것도 찾지 못했습니다",
    },
    "most_got_nothing_fix": {
        "en": "Check that the run is complete and that its query ids are those of the judgments",
        "ko": "검색 결과가 온전한지, 질의 ID가 판정의 것과 같은지 확인하십시오",
    },
    "nothing_relevant": {
        "en": "most queries have no passage that is judged relevant",
        "ko": "대부분의 질의에 적합하다고 판정된 문단이 없습니다",
    },
    "nothing_relevant_fix": {
        "en": "Judge them, or leave them out",
        "ko": "해당 질의를 판정하거나 빼십시오",
    },
    "grades_too_low": {
        "en": "no grade reaches what {M} counts as relevant",
        "ko": "{M} 기준에서 적합으로 치는 등급에 이르는 판정이 없습니다",
    },
    "grades_too_low_fix": {
        "en": "Lower relevant_from, or check the grades",
        "ko": "relevant_from 값을 낮추거나 등급을 확인하십시오",
    },
    "all_zero": {
        "en": "{M} is 0 for every retriever on every query",
        "ko": "모든 검색기의 모든 질의에서 {M} 값이 0입니다",
    },
    "one_zero": {
        "en": "{M} is 0 for {retriever} on every query",
        "ko": "{retriever} 쪽은 모든 질의에서 {M} 값이 0입니다",
    },
    "zero_fix": {
        "en": "Check that the run and the judgments use the same passage ids",
        "ko": "검색 결과와 판정이 같은 문단 ID를 쓰는지 확인하십시오",
    },
    "undefined": {
        "en": "few queries have a value of {M} for every retriever",
        "ko": "모든 검색기에 {M} 값이 있는 질의가 적습니다",
    },
    "contradiction": {
        "en": "the order on {M} depends on the queries that have a value; for all have one",
        "ko": "{M} 순위가 어느 질의에 값이 있느냐에 따라 달라집니다. 모든 검색기에 값이 있는 질의",
    },
    "undefined_fix": {
        "en": "List another measure first, one that every query has a value of",
        "ko": "모든 질의에 값이 있는 다른 측도를 첫 번째로 적으십시오",
    },
    # Words inside sentences.
    "family_pair": {"en": "the only pair", "ko": "하나뿐인 쌍"},
    "family_pairs": {"en": "all {count} pairs", "ko": "모든 쌍 {count}개"},
    "family_one": {"en": "the comparison with {baseline}", "ko": "{baseline} 대비 비교 1건"},
    "family_baseline": {
        "en": "the {count} comparisons with {baseline}",
        "ko": "{baseline} 대비 비교 {count}건",
    },
}

STRINGS = StringTable(TEXTS, TABLE_TEXTS, NOTE_TEXTS, POWER_TEXTS)
