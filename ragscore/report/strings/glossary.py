"""Texts of the report: its glossary."""

from __future__ import annotations

GLOSSARY: dict[str, dict[str, str]] = {
    "glossary": {"en": "Glossary", "ko": "용어"},
    "term_judgment": {"en": "Judgment, relevant", "ko": "판정, 적합"},
    "term_judgment_means": {
        "en": "The grade that someone gave a passage for a query; grade 1 and above is relevant "
        "unless a measure says otherwise.",
        "ko": "질의에 대해 문단에 매긴 등급입니다. 측도가 따로 정하지 않으면 1 이상이 적합입니다.",
    },
    "term_baseline": {"en": "Baseline", "ko": "기준 검색기"},
    "term_baseline_means": {
        "en": "The retriever that the others are compared with.",
        "ko": "다른 검색기와 비교하는 기준이 되는 검색기입니다.",
    },
    "term_primary": {"en": "Primary measure", "ko": "주 측도"},
    "term_primary_means": {
        "en": "The measure that decides the verdict. Choose it before looking at the numbers.",
        "ko": "결론을 내리는 데 쓰는 측도입니다. 수치를 보기 전에 정하십시오.",
    },
    "term_interval": {"en": "95 % interval (CI)", "ko": "95 % 신뢰구간"},
    "term_interval_means": {
        "en": "The range of true values that these queries leave open. To compare two retrievers "
        "read the interval of their difference, not whether their own intervals overlap.",
        "ko": "이 질의들로 볼 때 참값이 있을 만한 범위입니다. 두 검색기를 비교할 때는 각자의 "
        "구간이 겹치는지가 아니라 차이의 구간을 보십시오.",
    },
    "term_decided": {"en": "Decided", "ko": "확정"},
    "term_decided_means": {
        "en": "The corrected p is below .05 and the interval of the difference excludes 0.",
        "ko": "보정한 p 값이 .05보다 작고 차이의 구간이 0을 포함하지 않는 경우입니다.",
    },
    "term_p": {"en": "p", "ko": "p"},
    "term_p_means": {
        "en": "How often a difference at least this large would come up if the two were equally "
        "good.",
        "ko": "둘이 실제로 같을 때 이만큼 또는 그보다 큰 차이가 얼마나 자주 나오는지를 뜻합니다.",
    },
    "term_corrected": {"en": "Corrected p", "ko": "보정한 p"},
    "term_corrected_means": {
        "en": "A p raised for the number of comparisons, since among many, one looks good by luck.",
        "ko": "비교가 많으면 우연히 좋아 보이는 것이 나오므로, 비교 횟수에 맞추어 키운 값입니다.",
    },
    "term_margin": {"en": "Margin", "ko": "허용 폭"},
    "term_margin_means": {
        "en": "The largest difference that does not matter to you.",
        "ko": "이보다 작으면 중요하지 않다고 정해 둔 차이입니다.",
    },
    "term_detectable": {"en": "Detectable difference", "ko": "판별 가능한 차이"},
    "term_detectable_means": {
        "en": "The smallest true difference that this number of queries detects in 4 of 5 "
        "experiments.",
        "ko": "이 질의 수로 실험 다섯 번 중 네 번은 찾아내는 가장 작은 실제 차이입니다.",
    },
    "term_record": {"en": "W/L/T", "ko": "승/패/무"},
    "term_record_means": {
        "en": "Queries on which a retriever is better than the baseline, worse, the same.",
        "ko": "기준보다 더 나은 질의, 더 못한 질의, 같은 질의의 수입니다.",
    },
    "term_tie": {"en": "Tie across a cutoff", "ko": "경계의 동점"},
    "term_tie_means": {
        "en": "The last passage that counts and the first that does not have the same score.",
        "ko": "경계 바로 위와 바로 아래 문단의 점수가 같은 경우입니다.",
    },
    "term_unjudged": {"en": "Unjudged", "ko": "판정 없음"},
    "term_unjudged_means": {
        "en": "A returned passage that nobody graded; it counts as not relevant.",
        "ko": "검색되었지만 아무도 등급을 매기지 않은 문단으로, 적합하지 않은 것으로 칩니다.",
    },
    "term_unanswerable": {"en": "Unanswerable query", "ko": "답 없는 질의"},
    "term_unanswerable_means": {
        "en": "A query that no passage answers; it is left out of all means.",
        "ko": "답이 되는 문단이 없는 질의로, 평균에 넣지 않습니다.",
    },
    "term_held_out": {"en": "Held out", "ko": "따로 둔 질의"},
    "term_held_out_means": {
        "en": "A value measured on queries that were not used for the choice.",
        "ko": "고를 때 쓰지 않은 질의로 잰 값입니다.",
    },
    "term_best_of": {"en": "Best of both", "ko": "둘 중 나은 쪽"},
    "term_best_of_means": {
        "en": "The value you would get by choosing the better retriever for every query: an "
        "upper bound that no system reaches.",
        "ko": "질의마다 더 나은 검색기를 고를 수 있다면 얻을 값으로, 실제로는 도달할 수 없는 "
        "상한입니다.",
    },
    "term_rbo": {"en": "RBO, Jaccard", "ko": "RBO, Jaccard"},
    "term_rbo_means": {
        "en": "How alike two rankings are (rank-biased overlap), and two sets of passages; from 0 "
        "to 1.",
        "ko": "두 순위가 얼마나 비슷한지(RBO), 두 문단 집합이 얼마나 겹치는지(Jaccard)를 나타내며 "
        "0에서 1 사이입니다.",
    },
    "term_latency": {"en": "p50, p95, p99", "ko": "p50, p95, p99"},
    "term_latency_means": {
        "en": "50, 95 or 99 of 100 single queries were answered within this time.",
        "ko": "하나씩 보낸 질의 100개 중 50개, 95개, 99개가 이 시간 안에 답을 받았습니다.",
    },
}
