"""What ``ragscore power`` says, in English and Korean."""

from __future__ import annotations

POWER_TEXTS: dict[str, dict[str, str]] = {
    "power_pair": {"en": "{A} and {B}", "ko": "{A}, {B}"},
    "typical_settings": {
        "en": "two settings of one retriever",
        "ko": "한 검색기의 두 설정",
    },
    "typical_fusion": {
        "en": "a retriever and a fusion with it",
        "ko": "검색기와 그것을 포함한 융합",
    },
    "typical_tokenizers": {
        "en": "two tokenizers of one retriever",
        "ko": "한 검색기의 두 토크나이저",
    },
    "typical_kinds": {
        "en": "retrievers of different kinds",
        "ko": "종류가 다른 검색기",
    },
    "power_sample": {
        "en": "the spreads are those on {size}; on the whole corpus they differ",
        "ko": "차이의 산포는 {size}에서 잰 것으로, 전체 말뭉치에서는 다릅니다",
    },
    "given_sd": {"en": "the given sd", "ko": "주어진 sd"},
    "given_sd_measure": {"en": "the measure that has this sd", "ko": "이 sd에 해당하는 측도"},
    # The first lines.
    "power_detects": {
        "en": "With {counted} you can see a difference of {span} or more (80 % power).",
        "ko": "{counted}에서는 {span} 이상의 차이를 찾을 수 있습니다(검정력 80 %).",
    },
    "power_detects_several": {
        "en": "With {counted} you can see a difference of {span} or more (80 % power), depending "
        "on how much two retrievers differ query by query.",
        "ko": "{counted}에서는 {span} 이상의 차이를 찾을 수 있습니다(검정력 80 %). 두 검색기가 "
        "질의별로 얼마나 다른지에 따라 달라집니다.",
    },
    "power_span": {"en": "{low} to {high}", "ko": "{low} ~ {high}"},
    "power_nothing": {
        "en": "With {counted} nothing can be shown: judge at least 2.",
        "ko": "{counted}에서는 아무것도 입증할 수 없습니다. 질의를 2개 이상 판정하십시오.",
    },
    "power_none_differ": {
        "en": "Nothing can be planned from these: no two retrievers differ on more than {few} "
        "queries.",
        "ko": "이것으로는 계획할 수 없습니다. 질의 {few}개보다 많은 질의에서 차이 나는 두 검색기가 "
        "없습니다.",
    },
    "power_none_differ_clusters": {
        "en": "Nothing can be planned from these: no two retrievers differ on more than {few} "
        "clusters.",
        "ko": "이것으로는 계획할 수 없습니다. 질의 묶음 {few}개보다 많은 묶음에서 차이 나는 두 "
        "검색기가 없습니다.",
    },
    "power_counted_one": {"en": "1 judged query", "ko": "판정된 질의 1개"},
    "power_counted": {"en": "{count} judged queries", "ko": "판정된 질의 {count}개"},
    "power_counted_clusters": {
        "en": "{counted} in {clusters} clusters",
        "ko": "{counted}(묶음 {clusters}개)",
    },
    "power_head_one": {
        "en": "{dataset}: {counted}, {measure}, 1 comparison, two-sided paired t at {alpha}",
        "ko": "{dataset}: {counted}, {measure}, 비교 1건, 유의수준 {alpha}의 양측 대응표본 t 검정",
    },
    "power_head": {
        "en": "{dataset}: {counted}, {measure}, {comparisons} comparisons, two-sided paired t at "
        "{alpha}/{comparisons}",
        "ko": "{dataset}: {counted}, {measure}, 비교 {comparisons}건, 유의수준 "
        "{alpha}/{comparisons}의 양측 대응표본 t 검정",
    },
    # The table.
    "column_power_pair": {"en": "pair", "ko": "쌍"},
    "column_sd": {"en": "sd", "ko": "sd(표준편차)"},
    "column_power_detectable": {"en": "detectable", "ko": "판별 가능한 차이"},
    "column_power_for": {"en": "power for {difference}", "ko": "{difference} 검정력"},
    "column_queries_for": {"en": "queries for {difference}", "ko": "{difference}에 필요한 질의"},
    "too_many": {"en": "too many", "ko": "너무 많음"},
    # Under it.
    "power_needed": {
        "en": "queries for D: this many detect a true difference of D with 80 % power, in 4 of 5 "
        "such experiments; where the true difference is 0, a third of them still cannot say that "
        "it is smaller than D",
        "ko": "D에 필요한 질의: 이만큼이면 실제 차이 D를 검정력 80 %로, 곧 그런 실험 다섯 번 중 네 "
        "번 찾아냅니다. 실제 차이가 0이면 그중 3분의 1은 차이가 D보다 작다고 말할 수 없습니다",
    },
    "power_sd_typical": {
        "en": "sd: of paired nDCG@10 differences on the datasets that ship: BM25 with other k1 and "
        "b 0.07, BM25 and its fusion with a dense retriever 0.24, Korean BM25 by morphemes and by "
        "spaces 0.33, BM25 and a dense retriever 0.45. Yours may differ, and where few queries "
        "differ more are needed than an sd alone says: ragscore power DIR takes both from a run",
        "ko": "sd: 함께 제공되는 데이터셋에서 잰 nDCG@10 차이의 표준편차. k1과 b만 다른 BM25 "
        "0.07, BM25와 그것에 밀집 검색기를 더한 융합 0.24, 형태소와 띄어쓰기로 나눈 한국어 BM25 "
        "0.33, BM25와 밀집 검색기 0.45. 데이터에 따라 다를 수 있고, 차이 나는 질의가 적으면 sd만 "
        "볼 때보다 더 많은 질의가 필요합니다. ragscore power DIR 명령은 둘 다 실행 결과에서 "
        "가져옵니다",
    },
    "power_sd_clusters": {
        "en": "the typical sd are of single queries; that of clusters is no larger",
        "ko": "위의 대표적인 sd는 질의 하나하나의 값이며, 묶음의 sd는 이보다 크지 않습니다",
    },
    "power_sd_result": {
        "en": "sd: of the paired differences in this result",
        "ko": "sd: 이 결과에서 대응 차이의 표준편차",
    },
    "power_same": {
        "en": "{names} returned the same passages for every query: they count as one retriever",
        "ko": "{names} 검색 결과는 모든 질의에서 같으므로 검색기 하나로 셉니다",
    },
    "power_note": {"en": "{of}: {what}", "ko": "{of}: {what}"},
    "power_undefined": {
        "en": "too few queries have a value for both: nothing to plan with",
        "ko": "둘 다 값이 있는 질의가 너무 적어 계획할 수 없습니다",
    },
    "power_few_differ": {
        "en": "{what}: not estimable",
        "ko": "{what}: 추정할 수 없습니다",
    },
    "power_no_spread": {
        "en": "the same difference on every query: no spread to plan with",
        "ko": "모든 질의에서 차이가 같아 계획에 쓸 표준편차가 없습니다",
    },
    "power_uncertain": {
        "en": "{what}, so the sd is uncertain",
        "ko": "{what}: sd가 불확실합니다",
    },
}
