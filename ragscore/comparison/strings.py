"""The sentences of a verdict in English and Korean: one table, the same placeholders in both.

Names of retrievers and measures may be any text, so the Korean sentences put no particle behind a
name that would have to change with its last sound (쪽이, 보다, 에서 do not).
"""

from __future__ import annotations

from ragscore.comparison.check_strings import CHECK_TEXTS
from ragscore.comparison.note_strings import NOTE_TEXTS
from ragscore.comparison.power_strings import POWER_TEXTS
from ragscore.comparison.slice_strings import SLICE_TEXTS
from ragscore.comparison.table_strings import TABLE_TEXTS
from ragscore.strings import StringTable

VERDICT_TEXTS: dict[str, dict[str, str]] = {
    # The word before a line; for the first line it names the state.
    "word_check_data": {"en": "Not yet", "ko": "판단 보류"},
    "word_too_few": {"en": "Too few differ", "ko": "차이 나는 질의 부족"},
    "word_same": {"en": "Same", "ko": "동일"},
    "word_small": {"en": "Small", "ko": "작은 차이"},
    "word_decided": {"en": "Decided", "ko": "확정"},
    "word_equal": {"en": "Equal", "ko": "사실상 동등"},
    "word_mixed": {"en": "Not clear", "ko": "뚜렷하지 않음"},
    "word_leaks": {"en": "Decided", "ko": "확정"},
    "label_leaks": {"en": "Leaks", "ko": "금지된 문단"},
    "label_sure": {"en": "Sure", "ko": "확실"},
    "label_open": {"en": "Open", "ko": "미정"},
    "label_but": {"en": "But", "ko": "다만"},
    "label_chunks": {"en": "Chunks", "ko": "청크"},
    "label_sample": {"en": "Sample", "ko": "표본"},
    "sample": {"en": "{note}.", "ko": "{note}."},
    "label_same": {"en": "Same", "ko": "동일"},
    # Why nothing is claimed of a difference.
    "withheld_one_unit_queries": {"en": "fewer than two queries", "ko": "질의가 두 개 미만"},
    "withheld_one_unit_clusters": {"en": "fewer than two clusters", "ko": "묶음이 두 개 미만"},
    "withheld_no_spread_queries": {
        "en": "all queries differ by the same",
        "ko": "모든 질의의 차이가 같음",
    },
    "withheld_no_spread_clusters": {
        "en": "all clusters differ by the same",
        "ko": "모든 묶음의 차이가 같음",
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
    "use_same_values": {
        "en": "Use {either}: each has the same {M} on all {n} queries, on average {a}.",
        "ko": "{either} 중 어느 것을 써도 됩니다: 질의 {n}개 모두에서 {M} 값이 같습니다(평균 {a}).",
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
        "en": "Use {A} or {B}: {A} is better on {M} by {size}{ci}, less than the margin of {m}.",
        "ko": "{A}, {B} 중 어느 것을 써도 됩니다: {M} 기준으로 {A} 쪽이 {size}{ci} 앞서지만, "
        "허용 폭 {m}보다 작은 차이입니다.",
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
    "use_leaks": {
        "en": "Use {either}: {M} {a}, with fewer leaks than {worse}. No difference that matters "
        "is decided on {M}.",
        "ko": "{either} 사용을 권합니다: {M} {a}. {worse}보다 금지된 문단이 적게 나옵니다. {M} "
        "기준으로는 의미 있는 차이가 확정되지 않았습니다.",
    },
    "use_mixed": {
        "en": "{A} reaches {M} {a}, but leaks more than {B}. Weigh the two.",
        "ko": "{A} 쪽은 {M} {a}이지만, {B}보다 금지된 문단이 더 많이 나옵니다. 두 가지를 "
        "견주어 고르십시오.",
    },
    "use_outage": {
        "en": "{A} reaches {M} {a}, but without the failed queries of {B} the verdict is another. "
        "Ask them again.",
        "ko": "{A} 쪽은 {M} {a}이지만, {B}에서 실패한 질의를 빼면 결론이 달라집니다. 실패한 "
        "질의를 다시 검색하십시오.",
    },
    "cost_decides": {
        "en": "Let the cost decide: {costs}.",
        "ko": "비용을 보고 고르십시오: {costs}.",
    },
    "cost_unknown": {"en": "Let the cost decide.", "ko": "비용을 보고 고르십시오."},
    # What must not come back.
    "leaks_less": {
        "en": "{A} ({M} {a}) leaks less than {worse}.",
        "ko": "{A} 쪽({M} {a})에서 {worse} 더 적게 나옵니다.",
    },
    "leaks_more_by": {"en": "{B} ({b}), by {size}{ci}", "ko": "{B} 쪽({b})보다 {size}{ci}"},
    "open_leaks": {
        "en": "{M} of {A} {a} against {others}: not decided.",
        "ko": "{M}: {A} {a}, {others}. 차이가 확정되지 않았습니다.",
    },
    # Sure.
    "sure": {"en": "{A} is better than {beaten}.", "ko": "{A} 쪽이 {beaten} 더 좋습니다."},
    "beaten": {"en": "{D} by {size}{ci}", "ko": "{D}보다 {size}{ci}"},
    "beaten_small": {
        "en": "{D} by {size}{ci}, less than the margin of {m}",
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
        "en": "{against}; too few queries differ to say how many more would decide.",
        "ko": "{against}. 차이가 나는 질의가 너무 적어, 몇 개가 더 필요한지는 알 수 없습니다.",
    },
    "against": {"en": "{A} against {B}: {d}{ci}", "ko": "{B} 대비 {A}: {d}{ci}"},
    "only_baseline": {
        "en": "Among the comparisons with {B} alone {A} is better; over all pairs that is not "
        "decided.",
        "ko": "{B} 대비 비교만 보면 {A} 쪽이 더 나은 것으로 확정되지만, 모든 쌍에 대해 보정하면 "
        "확정되지 않습니다.",
    },
    "not_after_correction": {
        "en": "The interval of {A} over {B} excludes 0, but the difference is not decided after "
        "correction for {comparisons} comparisons.",
        "ko": "{B} 대비 {A}의 구간은 0을 포함하지 않지만, 비교 {comparisons}건에 대해 보정하면 "
        "이 차이는 확정되지 않습니다.",
    },
    "not_after_correction_several": {
        "en": "The intervals of {A} over {B} exclude 0, but these differences are not decided "
        "after correction for {comparisons} comparisons.",
        "ko": "{B} 대비 {A}의 구간은 모두 0을 포함하지 않지만, 비교 {comparisons}건에 대해 "
        "보정하면 이 차이들은 확정되지 않습니다.",
    },
    "not_by_test": {
        "en": "The interval of {A} over {B} excludes 0, but by the test it is not decided.",
        "ko": "{B} 대비 {A}의 구간은 0을 포함하지 않지만, 검정으로는 이 차이가 확정되지 않습니다.",
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
    "but_failed": {
        "en": "not compared, since the search failed: {names}.",
        "ko": "검색에 실패하여 비교하지 않았습니다: {names}.",
    },
    "but_left_out": {
        "en": "queries failed and are left out ({counts} of {n}); the means here are over the "
        "{common} that all answered.",
        "ko": "실패한 질의를 뺐습니다({n}개 중 {counts}). 여기의 평균은 모두가 응답한 질의 "
        "{common}개에 대한 값입니다.",
    },
    "but_outage": {
        "en": "queries failed and count as empty ({counts} of {n}).",
        "ko": "실패한 질의를 빈 결과로 쳤습니다({n}개 중 {counts}).",
    },
    "but_answered": {
        "en": "On those that were answered: {against}.",
        "ko": "응답한 질의만 보면: {against}.",
    },
    "against_not_decided": {
        "en": "{A} against {B}: {d}{ci}, not decided",
        "ko": "{B} 대비 {A}: {d}{ci}(확정되지 않음)",
    },
    "but_language": {
        "en": "the encoder of {names} was trained on English, and the texts are {written}.",
        "ko": "{names} 쪽 인코더는 영어로 학습했는데, 글은 {written}입니다.",
    },
    "but_cut": {
        "en": "the encoder cut texts and did not read their ends ({shares} of them).",
        "ko": "인코더가 글을 잘라 끝까지 읽지 못했습니다({shares}).",
    },
    # Same.
    "chunks": {
        "en": "{M} compares retrievers of different chunks at the same k, not in the same context: "
        'see "What the same context holds" (--section budgets).',
        "ko": "{M}: 청크가 서로 다른 검색기를 같은 k에서 비교한 값이며, 같은 크기의 컨텍스트에서 "
        '비교한 값이 아닙니다. "같은 크기의 컨텍스트에 담기는 것"(--section budgets) 참고.',
    },
    "chunks_in_context": {
        "en": "Chunks differ, so what {size} hold is compared. At the same k, {A} leads with "
        "{M} {a}.",
        "ko": "청크가 서로 달라 {size}에 담기는 것을 비교했습니다. 같은 k에서는 {A} 쪽이 {M} {a} "
        "값으로 앞섭니다.",
    },
    "chunks_short": {
        "en": "A larger depth would let {short} fill them.",
        "ko": "{short} 쪽은 depth를 늘려야 그만큼 채웁니다.",
    },
    "chunks_no_context": {
        "en": "Not all of them fill a context that is shown: give the one that you use "
        "(tune: {{budget: {{limit: N}}}}).",
        "ko": "표에 있는 컨텍스트를 모두가 채우지는 못하므로, 실제로 쓰는 크기를 지정하십시오"
        "(tune: {{budget: {{limit: N}}}}).",
    },
    "chunks_held": {
        "en": "The top {k} hold {least} characters on average with {A}, {most} with {B}.",
        "ko": "상위 {k}에 든 글자 수는 평균적으로 {A} {least}자, {B} {most}자입니다.",
    },
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
    # Words inside sentences.
    "in_words": {"en": "{measure} in {limit} words", "ko": "{measure}({limit}단어)"},
    "in_characters": {"en": "{measure} in {limit} characters", "ko": "{measure}({limit}자)"},
    "in_tokens": {"en": "{measure} in {limit} tokens", "ko": "{measure}({limit}토큰)"},
    "size_words": {"en": "{limit} words", "ko": "{limit}단어"},
    "size_characters": {"en": "{limit} characters", "ko": "{limit}자"},
    "size_tokens": {"en": "{limit} tokens", "ko": "{limit}토큰"},
    "family_pair": {"en": "the only pair", "ko": "하나뿐인 쌍"},
    "family_pairs": {"en": "all {count} pairs", "ko": "모든 쌍 {count}개"},
    "family_one": {"en": "the comparison with {baseline}", "ko": "{baseline} 대비 비교 1건"},
    "family_baseline": {
        "en": "the {count} comparisons with {baseline}",
        "ko": "{baseline} 대비 비교 {count}건",
    },
}

STRINGS = StringTable(VERDICT_TEXTS, CHECK_TEXTS, TABLE_TEXTS, SLICE_TEXTS, NOTE_TEXTS, POWER_TEXTS)
