"""The sentences of a verdict in English and Korean: one table, the same placeholders in both.

Names of retrievers and measures may be any text, so the Korean sentences put no particle behind a
name that would have to change with its last sound (쪽이, 보다, 에서 do not).
"""

from __future__ import annotations

STRINGS: dict[str, dict[str, str]] = {
    # What applies, in this order; the first wins.
    "check_data": {
        "en": "Do not read the ranking yet: {problem} ({count} of {n}). {fix}.",
        "ko": "아직 순위를 읽지 마십시오: {problem} ({n}개 중 {count}개). {fix}.",
    },
    "too_few": {
        "en": "Cannot be decided: only {x} of {n} queries differ between {A} and {B}; "
        "no outcome of so few could be significant.",
        "ko": "결론을 내릴 수 없습니다: 질의 {n}개 중 {A}, {B} 사이에 차이가 나는 것은 "
        "{x}개뿐이며, 이렇게 적은 수로는 어떤 결과도 유의할 수 없습니다.",
    },
    "too_few_clusters": {
        "en": "Cannot be decided: only {x} of {n} clusters of queries differ between {A} and {B}; "
        "no outcome of so few could be significant.",
        "ko": "결론을 내릴 수 없습니다: 질의 묶음 {n}개 중 {A}, {B} 사이에 차이가 나는 것은 "
        "{x}개뿐이며, 이렇게 적은 수로는 어떤 결과도 유의할 수 없습니다.",
    },
    "small": {
        "en": "{A} beats {B} on {M} by {d} (CI {lo} to {hi}): real, but below your margin of {m}.",
        "ko": "{M} 기준으로 {A} 쪽이 {B}보다 {d} 앞섭니다(신뢰구간 {lo} ~ {hi}). "
        "실제로 있는 차이이지만, 정해 둔 허용 폭 {m}보다 작습니다.",
    },
    "clear": {
        "en": "{A} is best on {M}: {a}, {d} over {B} (95% CI {lo} to {hi}, {P} {p}, {n} queries; "
        "{w} better, {l} worse, {t} same).",
        "ko": "{M} 기준으로 가장 좋은 검색기는 {A}입니다: {a}, {B}보다 {d} "
        "(95% 신뢰구간 {lo} ~ {hi}, {P} {p}, 질의 {n}개; 우세 {w}, 열세 {l}, 동일 {t}).",
    },
    "at_least_margin": {
        "en": "At least your margin of {m}.",
        "ko": "적어도 정해 둔 허용 폭 {m}만큼은 차이가 납니다.",
    },
    "maybe_below_margin": {
        "en": "It may be as small as {lo}; your margin is {m}.",
        "ko": "차이는 {lo}에 그칠 수도 있습니다. 정해 둔 허용 폭은 {m}입니다.",
    },
    "equal": {
        "en": "{A} and {B} are equal for practical purposes on {M}: "
        "difference {d}, CI {lo} to {hi}, inside ±{m}.",
        "ko": "{M} 기준으로 {A}, {B} 둘은 실질적으로 같습니다: "
        "차이 {d}, 신뢰구간 {lo} ~ {hi}, ±{m} 이내.",
    },
    "cost": {
        "en": "Choose by cost: {A} {ms_a}, {B} {ms_b}.",
        "ko": "비용을 보고 고르십시오: {A} {ms_a}, {B} {ms_b}.",
    },
    "cost_unknown": {
        "en": "Choose by cost.",
        "ko": "비용을 보고 고르십시오.",
    },
    "tie_group": {
        "en": "{tied} cannot be told apart on {M} ({v1} to {v2}){worse}.",
        "ko": "{M} 기준으로 {tied} 사이의 우열을 가릴 수 없습니다({v1} ~ {v2}){worse}.",
    },
    "worse": {
        "en": "; {D} is clearly worse ({d}, CI {lo} to {hi})",
        "ko": "; {D} 쪽은 분명히 뒤처집니다({d}, 신뢰구간 {lo} ~ {hi})",
    },
    "undecided": {
        "en": "No clear winner on {M}: {A} leads {B} by {d}, but the data allow {lo} to {hi} "
        "({P} {p}; {w} better, {l} worse, {t} same).",
        "ko": "{M} 기준으로 뚜렷한 승자가 없습니다: {A} 쪽이 {B}보다 {d} 앞서지만, 데이터로 보아 "
        "{lo} ~ {hi} 범위가 모두 가능합니다({P} {p}; 우세 {w}, 열세 {l}, 동일 {t}).",
    },
    "undecided_level": {
        "en": "No clear winner on {M}: {A} and {B} have the same mean, but the data allow "
        "{lo} to {hi} ({P} {p}; {w} better, {l} worse, {t} same).",
        "ko": "{M} 기준으로 뚜렷한 승자가 없습니다: {A}, {B} 둘의 평균은 같지만, 데이터로 보아 "
        "{lo} ~ {hi} 범위가 모두 가능합니다({P} {p}; 우세 {w}, 열세 {l}, 동일 {t}).",
    },
    "could_see": {
        "en": "With {n} queries you can see {mde} or more; about {need} would settle {m}.",
        "ko": "질의 {n}개로는 {mde} 이상의 차이를 볼 수 있으며, {m}만큼의 차이를 가리려면 "
        "약 {need}개가 필요합니다.",
    },
    # Sentences behind these.
    "no_width": {
        "en": "The difference does not vary, so the interval has no width.",
        "ko": "차이가 일정하므로 구간에 폭이 없습니다.",
    },
    "worse_sentence": {
        "en": "{D} is clearly worse ({d}, CI {lo} to {hi}).",
        "ko": "{D} 쪽은 분명히 뒤처집니다({d}, 신뢰구간 {lo} ~ {hi}).",
    },
    "not_worse_than": {
        "en": "But {D} is not shown to be worse than {open}.",
        "ko": "다만 {D} 쪽이 {open}보다 뒤처진다는 것은 입증되지 않았습니다.",
    },
    "apart": {
        "en": "But {B} is shown to be worse than {A} ({d}, CI {lo} to {hi}, {P} {p}).",
        "ko": "다만 {B} 쪽은 {A}보다 뒤처지는 것으로 입증됩니다"
        "({d}, 신뢰구간 {lo} ~ {hi}, {P} {p}).",
    },
    "not_after_correction": {
        "en": "The interval of {A} over {B} excludes 0, but the difference is not shown after "
        "correction for {comparisons} comparisons.",
        "ko": "{B} 대비 {A}의 구간은 0을 포함하지 않지만, 비교 {comparisons}건에 대해 보정하면 "
        "이 차이는 입증되지 않습니다.",
    },
    "not_by_test": {
        "en": "The interval of {A} over {B} excludes 0, but the test does not show the difference.",
        "ko": "{B} 대비 {A}의 구간은 0을 포함하지 않지만, 검정으로는 이 차이가 입증되지 않습니다.",
    },
    "not_by_interval": {
        "en": "The test alone would show {A} over {B}, but the interval does not exclude 0.",
        "ko": "검정만 보면 {A} 쪽이 {B}보다 앞서지만, 구간이 0을 포함합니다.",
    },
    "mixed": {
        "en": "But {B} is better on {M2} ({d2}, CI {lo} to {hi}).",
        "ko": "다만 {M2} 기준으로는 {B} 쪽이 더 좋습니다({d2}, 신뢰구간 {lo} ~ {hi}).",
    },
    # What is wrong with the data, and what to do.
    "few_common": {
        "en": "few queries were scored for every retriever",
        "ko": "모든 검색기에 점수가 있는 질의가 적습니다",
    },
    "few_common_fix": {
        "en": "Search all queries with every retriever",
        "ko": "모든 검색기로 모든 질의를 검색하십시오",
    },
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
    "lower_is_better": {"en": "{label} (lower is better)", "ko": "{label}(낮을수록 좋음)"},
    "and": {"en": "{names} and {last}", "ko": "{names}, {last}"},
    "p_holm": {"en": "Holm p", "ko": "Holm p"},
    "p_bonferroni": {"en": "Bonferroni p", "ko": "Bonferroni p"},
    "p_bh": {"en": "BH p", "ko": "BH p"},
    "p_none": {"en": "p", "ko": "p"},
}
"""By key, then language."""
