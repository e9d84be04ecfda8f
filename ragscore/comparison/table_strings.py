"""What the tables of a comparison say, in both languages; the verdict has a table of its own."""

from __future__ import annotations

TABLE_TEXTS: dict[str, dict[str, str]] = {
    "baseline": {"en": "baseline", "ko": "기준"},
    "same_as": {"en": "same as {baseline}", "ko": "{baseline} 결과와 동일"},
    "lower_label": {
        "en": "{label} (lower is better; differences: + is better)",
        "ko": "{label}(낮을수록 좋음, 차이는 +가 더 좋음)",
    },
    "lower_is_better": {"en": "{label} (lower is better)", "ko": "{label}(낮을수록 좋음)"},
    "column_pair": {"en": "Pair", "ko": "쌍"},
    "column_p": {"en": "p ({correction})", "ko": "p ({correction})"},
    "column_p_raw": {"en": "p, not corrected", "ko": "p(보정 안 함)"},
    "column_p_tukey": {"en": "p (Tukey HSD)", "ko": "p (Tukey HSD)"},
    "column_needed": {
        "en": "Queries for {margin}, 80 % power",
        "ko": "{margin} 판별에 필요한 질의 (검정력 80 %)",
    },
    "column_withheld": {"en": "Why not", "ko": "이유"},
    "no_margin": {
        "en": "{label} does not lie between 0 and 1, so no margin is assumed, and equality, "
        '"not worse" and the queries needed are left out. Give a margin in its own units to '
        "see these.",
        "ko": "{label} 값은 0과 1 사이가 아니므로 기본 허용 폭을 두지 않습니다. 동등성, 뒤지지 "
        "않음, 필요한 질의 수를 보려면 이 측도의 단위로 허용 폭을 정하십시오.",
    },
    "column_difference": {"en": "Difference", "ko": "차이"},
    "hint_difference": {
        "en": "Mean difference to {baseline} on {label}, query by query; + is better",
        "ko": "{label} 기준, {baseline} 대비 질의별 차이의 평균. +가 더 좋음",
    },
    "hint_p": {
        "en": "p-value of the difference to {baseline}, corrected over {family}",
        "ko": "{baseline} 대비 차이의 p 값. {family}에 대해 보정함",
    },
    "hint_p_raw": {
        "en": "p-value of the difference to {baseline}, not corrected for {family}",
        "ko": "{baseline} 대비 차이의 p 값. {family}에 대해 보정하지 않음",
    },
    "note_decided_raw": {
        "en": "{mark} decided among {family}: p, not corrected, below .05, and the interval "
        "excludes 0.",
        "ko": "{mark} 확정({family}): 보정하지 않은 p 값이 .05보다 작고 구간이 0을 포함하지 않음.",
    },
    "note_decided": {
        "en": "{mark} decided: p corrected over {family} below .05, and the interval excludes 0.",
        "ko": "{mark} 확정: {family}에 대해 보정한 p 값이 .05보다 작고 구간이 0을 포함하지 않음.",
    },
    "note_decided_one": {
        "en": "{mark} decided: p below .05, and the interval excludes 0.",
        "ko": "{mark} 확정: p 값이 .05보다 작고 구간이 0을 포함하지 않음.",
    },
    "note_below_margin": {
        "en": "{mark} decided, and smaller than the margin of {margin}.",
        "ko": "{mark} 확정되었으나 허용 폭 {margin}보다 작음.",
    },
    "note_outside_family": {
        "en": "Rows without a corrected p have no mark: they are not among {family}, which the "
        "experiment asked for.",
        "ko": "보정한 p 값과 표식이 없는 행: 실험에서 비교한 {family}에 들지 않음.",
    },
    "hint_corrected": {
        "en": "The interval excludes 0, but the difference is not decided after correction.",
        "ko": "구간은 0을 포함하지 않지만, 보정하면 차이가 확정되지 않습니다.",
    },
    "hint_test": {
        "en": "The interval excludes 0, but by the test it is not decided.",
        "ko": "구간은 0을 포함하지 않지만, 검정으로는 차이가 확정되지 않습니다.",
    },
    "hint_includes_zero": {
        "en": "The interval includes 0, so nothing is decided.",
        "ko": "구간이 0을 포함하므로 아무것도 확정되지 않습니다.",
    },
    "overlap_title": {
        "en": "What pairs find together",
        "ko": "두 검색기가 함께 찾는 것",
    },
    "column_r_first": {"en": "R@{k} first", "ko": "R@{k} 첫째"},
    "column_r_second": {"en": "R@{k} second", "ko": "R@{k} 둘째"},
    "column_r_union": {"en": "R@{k} union", "ko": "R@{k} 합집합"},
    "column_best_of": {"en": "Best of both, {label}", "ko": "둘 중 나은 쪽, {label}"},
    "hint_rbo": {
        "en": "How alike the rankings are, the top counting most; 1 for equal ones",
        "ko": "순위가 얼마나 비슷한지. 위쪽일수록 크게 치며, 같으면 1",
    },
    "hint_jaccard": {
        "en": "Share of the {ranked_items} in either top {k} that are in both",
        "ko": "둘 중 한쪽의 상위 {k}개에 든 {ranked_items} 가운데 양쪽에 모두 든 비율",
    },
    "overlap_says": {
        "en": "Union: the two top {k} together, up to {twice} {ranked_items}. Best of both: the "
        "better value for each query, which no system knows in advance. Where both are far above "
        "the single retrievers, fusing them may pay off. RBO: rank-biased overlap, 1 for equal "
        "rankings.",
        "ko": "합집합: 두 검색기의 상위 {k}개를 합친 것으로, {ranked_items}은 최대 "
        "{twice}개입니다. 둘 중 나은 쪽: 질의마다 더 좋은 값을 고른 것으로, 실제로는 미리 알 수 "
        "없습니다. 두 값이 각각의 값보다 훨씬 높으면 융합해 볼 만합니다. RBO: 순위 편향 중복도로, "
        "순위가 같으면 1입니다.",
    },
    "pairs_title": {"en": "All pairs on {label}", "ko": "{label} 기준 모든 쌍"},
    "column_pair_difference": {"en": "First minus second", "ko": "첫째 - 둘째"},
    "note_pairs": {
        "en": "Corrected over these {pairs} pairs. {mark} decided: corrected p below .05, and the "
        "interval excludes 0.",
        "ko": "이 쌍 {pairs}개에 대해 보정했습니다. {mark} 확정: 보정한 p 값이 .05보다 작고 구간이 "
        "0을 포함하지 않음.",
    },
    "note_pairs_raw": {
        "en": "Not corrected for the number of pairs ({pairs}). {mark} decided: p below .05, and "
        "the interval excludes 0.",
        "ko": "쌍의 수({pairs})에 대해 보정하지 않았습니다. {mark} 확정: p 값이 .05보다 작고 "
        "구간이 0을 포함하지 않음.",
    },
    "note_pairs_unmarked": {
        "en": "Corrected over these {pairs} pairs. No marks here: the experiment compares with "
        "{baseline}, and marks are those of {family}.",
        "ko": "이 쌍 {pairs}개에 대해 보정했습니다. 이 표에는 표식이 없습니다. 실험의 기준 "
        "검색기는 따로 있고({baseline}), 표식은 {family}에만 붙습니다.",
    },
    "note_pairs_tukey": {
        "en": "p (Tukey HSD): randomized, {permutations} permutations, computed on the "
        "queries with a value for every retriever; it holds for all pairs of this measure "
        "together.",
        "ko": "p (Tukey HSD): 무작위화, 순열 {permutations}개. 모든 검색기에 값이 있는 질의로 "
        "계산했고, 이 측도의 모든 쌍에 대해 함께 성립합니다.",
    },
    "margin_title": {
        "en": "Margin {margin} on {label}, against {baseline}",
        "ko": "{label} 기준, {baseline} 대비 허용 폭 {margin}",
    },
    "column_interval90": {"en": "Difference, 90 % interval", "ko": "차이, 90 % 신뢰구간"},
    "column_inside_margin": {"en": "Inside ±{margin}", "ko": "±{margin} 이내"},
    "column_p_tost": {"en": "p (TOST)", "ko": "p (TOST)"},
    "column_bound95": {"en": "95 % bound", "ko": "95 % 하한"},
    "column_not_worse": {"en": "Not worse", "ko": "뒤지지 않음"},
    "column_p_not_worse": {"en": "p (not worse)", "ko": "p (뒤지지 않음)"},
    "note_margin": {
        "en": "Two one-sided tests at .05, not corrected: the 90 % interval for equality (TOST), "
        "the lower one-sided bound for being not worse by {margin} or more. Queries for 80 % "
        "power: this many queries like these detect a true difference of {margin} in 4 of 5 such "
        "experiments; a smaller difference is mostly missed.",
        "ko": "단측 검정 두 번(각각 .05 수준, 보정 없음): 동등성(TOST)은 90 % 구간으로, "
        "{margin} 이상 뒤지지 않음은 단측 하한으로 봅니다. "
        "검정력 80 %에 필요한 질의: 이만큼의 비슷한 질의가 "
        "있으면 이런 실험 5번 중 4번은 실제 차이 {margin}만큼을 찾아냅니다. 그보다 작은 차이는 "
        "대개 놓칩니다.",
    },
    "note_intervals": {
        "en": "In brackets: 95 % intervals, each taken alone.",
        "ko": "괄호 안: 95 % 신뢰구간(각각 따로 계산).",
    },
    # What a whole comparison says around its tables.
    "compared": {
        "en": "{dataset}: {queries}, compared with {baseline}.",
        "ko": "{dataset}: {queries}, {baseline} 대비 비교.",
    },
    "queries_clusters": {
        "en": "{queries} in {clusters} clusters",
        "ko": "{queries}(묶음 {clusters}개)",
    },
    "primary": {"en": "primary", "ko": "주 측도"},
    "secondary": {"en": "secondary", "ko": "부 측도"},
    "equal_k": {"en": "at equal k", "ko": "같은 k에서 비교"},
    "measure_title": {
        "en": "{label} ({kind}; intervals 95 %, not adjusted)",
        "ko": "{label} ({kind}, 95 % 신뢰구간, 보정 없음)",
    },
    "column_mean": {"en": "Mean", "ko": "평균"},
    "column_minus": {"en": "Minus {baseline}", "ko": "{baseline} 대비"},
    "column_detects": {"en": "Detectable", "ko": "판별 가능"},
    "hint_d_z": {
        "en": "Mean difference over the standard deviation of the differences",
        "ko": "차이의 평균을 차이의 표준편차로 나눈 값",
    },
    "hint_detectable": {
        "en": "The smallest true difference that this many queries detect with 80 % power",
        "ko": "이만큼의 질의로 검정력 80 %에서 찾아낼 수 있는 가장 작은 실제 차이",
    },
    "note_lower": {
        "en": "Lower is better; the differences are signed so that + is better.",
        "ko": "낮을수록 좋으며, 차이는 +가 더 좋도록 부호를 붙였습니다.",
    },
    "note_means": {"en": "mean of {names}: {note}", "ko": "{names} 평균: {note}"},
    "note_differences": {"en": "difference of {names}: {note}", "ko": "{names} 차이: {note}"},
    "note_not_corrected": {
        "en": "{mark} {retriever}: the interval excludes 0; not decided after correction for "
        "{comparisons}",
        "ko": "{mark} {retriever}: 구간은 0을 포함하지 않지만 {comparisons}에 대해 보정하면 "
        "확정되지 않음",
    },
    "comparisons": {"en": "{count} comparisons", "ko": "비교 {count}건"},
    "comparisons_one": {"en": "1 comparison", "ko": "비교 1건"},
    "note_includes_zero": {
        "en": "{mark} {retriever}: the interval includes 0, so nothing is decided",
        "ko": "{mark} {retriever}: 구간이 0을 포함하므로 아무것도 확정되지 않음",
    },
    "leader_title": {
        "en": "{leader}, the best mean on {label}, against each other retriever",
        "ko": "{label} 평균이 가장 좋은 {leader}, 다른 검색기 하나하나와 비교",
    },
    "column_against": {"en": "Against", "ko": "상대"},
    "note_leader": {
        "en": "Corrected over all {m} pairs, since the data chose the best.",
        "ko": "가장 좋은 것을 데이터로 골랐으므로 모든 쌍 {m}개에 대해 보정했습니다.",
    },
    "note_leader_raw": {
        "en": "Not corrected over all {m} pairs, though the data chose the best.",
        "ko": "가장 좋은 것을 데이터로 골랐지만 모든 쌍 {m}개에 대해 보정하지 않았습니다.",
    },
    # How to read it.
    "how_to_read": {"en": "How to read this", "ko": "읽는 법"},
    "reading_family": {
        "en": "Family: {family}. {first} was listed first, so it is primary and decides the "
        "verdict. Each other measure is secondary and a family of its own.",
        "ko": "함께 보는 비교: {family}. 첫 번째로 적은 {first} 값이 주 측도이며, 결론은 이것으로 "
        "냅니다. 다른 측도는 모두 부 측도이며 저마다 따로 봅니다.",
    },
    "reading_family_in_context": {
        "en": "Family: {family}. {first} was listed first, so it is primary; retrievers search "
        "different chunks, so {label} decides the verdict. Each other measure is secondary and a "
        "family of its own.",
        "ko": "함께 보는 비교: {family}. 첫 번째로 적은 {first} 값이 주 측도입니다. 검색기마다 "
        "청크가 다르므로 결론은 {label} 값으로 냅니다. 다른 측도는 모두 부 측도이며 저마다 "
        "따로 봅니다.",
    },
    "reading_alone": {
        "en": "{family}, so nothing is corrected",
        "ko": "{family}이므로 보정할 것이 없음",
    },
    "reading_raw": {
        "en": "{family} on each measure; p-values are not corrected for their number",
        "ko": "측도마다 {family}, 비교의 수에 대해 p 값을 보정하지 않음",
    },
    "reading_corrected": {
        "en": "{family} on each measure, corrected by {correction}",
        "ko": "측도마다 {family}, {correction} 방법으로 보정함",
    },
    "reading_identical": {
        "en": "{family}; retrievers that returned the same count as one",
        "ko": "{family}, 같은 결과를 낸 검색기는 하나로 침",
    },
    "reading_leader": {
        "en": "What the verdict says about the retriever with the best mean is corrected over all "
        "pairs, since the data chose it.",
        "ko": "평균이 가장 좋은 검색기에 관한 결론은, 그 검색기를 데이터로 골랐으므로 모든 쌍에 "
        "대해 보정합니다.",
    },
    "reading_columns": {
        "en": "p: two-sided {test}. W/L/T: queries on which the retriever is better, worse, the "
        "same. d_z: mean difference over the standard deviation of the differences. Detectable: "
        "the smallest true difference that this many {unit} detect with 80 % power at {alpha}.",
        "ko": "p: 양측 {test}. 승/패/무: 그 검색기가 더 나은 질의, 더 못한 질의, 같은 질의의 수. "
        "d_z: 차이의 평균을 차이의 표준편차로 나눈 값. 판별 가능: 이만큼의 {unit}로 유의수준 "
        "{alpha}, 검정력 80 %에서 찾아낼 수 있는 가장 작은 실제 차이.",
    },
    "reading_queries": {"en": "queries", "ko": "질의"},
    "reading_clusters": {"en": "clusters of queries", "ko": "질의 묶음 수"},
    "reading_randomization": {
        "en": "randomization test (sign flips)",
        "ko": "무작위화 검정(부호 뒤집기)",
    },
    "reading_t": {"en": "paired t test", "ko": "대응표본 t 검정"},
    "reading_wilcoxon": {"en": "Wilcoxon signed-rank test", "ko": "Wilcoxon 부호 순위 검정"},
    "p_holm": {"en": "Holm p", "ko": "Holm p"},
    "p_bonferroni": {"en": "Bonferroni p", "ko": "Bonferroni p"},
    "p_bh": {"en": "BH p", "ko": "BH p"},
    "p_none": {"en": "p", "ko": "p"},
    "correction_holm": {"en": "Holm", "ko": "Holm"},
    "correction_bonferroni": {"en": "Bonferroni", "ko": "Bonferroni"},
    "correction_bh": {"en": "BH", "ko": "BH"},
    "correction_none": {"en": "none", "ko": "없음"},
}
