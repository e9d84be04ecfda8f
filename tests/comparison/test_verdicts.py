"""Every template of a verdict, reached by data made for it, in both languages."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ragscore.comparison import Comparison, Verdict, compare
from ragscore.comparison.model import State
from ragscore.comparison.strings import STRINGS
from ragscore.comparison.wording import p_text, signed
from ragscore.measures import parse_measures
from ragscore.scoring import Counts, RetrieverScores, Scores, score

Values = Mapping[str, Mapping[str, Sequence[float]]]


def counts(queries: int, **changes: Any) -> Counts:
    nothing = dict.fromkeys(
        ("missing", "empty", "without_relevant", "unanswerable", "answered_unanswerable",
         "without_judgments", "duplicates"),
        0,
    )  # fmt: skip
    plain = {"queries": queries, "returned": 10 * queries, "largest_grade": 1.0}
    return Counts(**{**nothing, **plain, "tied": {}, "unjudged": {}, **changes})


def scored(values: Values, **changes: Any) -> Scores:
    """Scores with these values: measure to retriever to a value for each query."""
    measures = parse_measures(list(values))
    by_measure = list(values.values())
    entries = []
    for name in by_measure[0]:
        table = np.array([of_each[name] for of_each in by_measure], dtype=np.float64)
        ids = [f"q{row}" for row in range(table.shape[1])]
        asked = {measure: measure for measure in measures}
        counted = counts(len(ids), **changes)
        entries.append(RetrieverScores("d", name, ids, measures, asked, table, {}, counted))
    return Scores(tuple(entries))


def verdict(scores: Scores, **words: Any) -> Verdict:
    return compare(scores, **words).datasets[0].verdict


def ndcg(**values: Sequence[float]) -> Values:
    return {"nDCG@10": values}


HALF = [0.5] * 12
SMALL_STEPS = [0.5 + 0.001 * (1 + row % 3) for row in range(12)]
WIDE = [0.5 + 0.3 * (1 if row % 2 else -1) + 0.05 * (row % 5) for row in range(12)]

ALMOST = (0.15, 0.1, -0.05, 0.1, 0.05, 0.02, 0.05, 0.1, -0.05, -0.05, 0.05, 0.15)
BY_INTERVAL = (0.2, 0.1, -0.05, 0.05, 0.1, 0.02, -0.1, 0.15, 0.02, 0.15, 0.2, -0.05)


def moved(values: Sequence[float], *steps: float) -> list[float]:
    """The values plus the steps, over and over."""
    return [value + steps[row % len(steps)] for row, value in enumerate(values)]


@dataclass(frozen=True)
class Case:
    state: State
    values: Values
    english: str
    korean: str
    words: Mapping[str, Any] = field(default_factory=dict)


CASES = {
    "one query of eighteen differs": Case(
        "TOO FEW",
        {"Success@10": {"bm25": [1.0] * 16 + [0, 0], "dense": [1.0] * 17 + [0]}},
        "Cannot be decided: only 1 of 18 queries differ between dense and bm25; no outcome of "
        "so few could be significant.",
        "결론을 내릴 수 없습니다: 질의 18개 중 dense, bm25 사이에 차이가 나는 것은 1개뿐이며, "
        "이렇게 적은 수로는 어떤 결과도 유의할 수 없습니다.",
    ),
    "nothing differs": Case(
        "TOO FEW",
        ndcg(bm25=WIDE, dense=WIDE),
        "Cannot be decided: only 0 of 12 queries differ between bm25 and dense; no outcome of "
        "so few could be significant.",
        "결론을 내릴 수 없습니다: 질의 12개 중 bm25, dense 사이에 차이가 나는 것은 0개뿐이며, "
        "이렇게 적은 수로는 어떤 결과도 유의할 수 없습니다.",
    ),
    "few clusters differ": Case(
        "TOO FEW",
        ndcg(bm25=HALF, dense=moved(HALF[:10], 0.1, 0.2) + HALF[10:]),
        "Cannot be decided: only 5 of 6 clusters of queries differ between dense and bm25; no "
        "outcome of so few could be significant.",
        "결론을 내릴 수 없습니다: 질의 묶음 6개 중 dense, bm25 사이에 차이가 나는 것은 5개뿐이며, "
        "이렇게 적은 수로는 어떤 결과도 유의할 수 없습니다.",
        {"clusters": {f"q{row}": f"c{row // 2}" for row in range(12)}},
    ),
    "few differ, and another is worse": Case(
        "TOO FEW",
        ndcg(bm25=moved(WIDE, -0.2, -0.25), a=[*WIDE[:11], 0.9], b=WIDE),
        "Cannot be decided: only 1 of 12 queries differ between a and b; no outcome of so few "
        "could be significant. bm25 is clearly worse (-0.229, CI -0.250 to -0.208).",
        "결론을 내릴 수 없습니다: 질의 12개 중 a, b 사이에 차이가 나는 것은 1개뿐이며, 이렇게 적은 "
        "수로는 어떤 결과도 유의할 수 없습니다. bm25 쪽은 분명히 뒤처집니다(-0.229, 신뢰구간 "
        "-0.250 ~ -0.208).",
    ),
    "below the margin": Case(
        "SMALL",
        ndcg(bm25=HALF, dense=SMALL_STEPS),
        "dense beats bm25 on nDCG@10 by +0.002 (CI +0.001 to +0.003): real, but below your "
        "margin of 0.01. Choose by cost: dense 12 ms, bm25 0.42 ms.",
        "nDCG@10 기준으로 dense 쪽이 bm25보다 +0.002 앞섭니다(신뢰구간 +0.001 ~ +0.003). "
        "실제로 있는 차이이지만, 정해 둔 허용 폭 0.01보다 작습니다. 비용을 보고 고르십시오: "
        "dense 12 ms, bm25 0.42 ms.",
        {"latency": {"bm25": 0.42, "dense": 12.3}},
    ),
    "below the margin, latency unknown": Case(
        "SMALL",
        ndcg(bm25=SMALL_STEPS, dense=HALF),
        "bm25 beats dense on nDCG@10 by +0.002 (CI +0.001 to +0.003): real, but below your "
        "margin of 0.01. Choose by cost.",
        "nDCG@10 기준으로 bm25 쪽이 dense보다 +0.002 앞섭니다(신뢰구간 +0.001 ~ +0.003). "
        "실제로 있는 차이이지만, 정해 둔 허용 폭 0.01보다 작습니다. 비용을 보고 고르십시오.",
        {"latency": {"bm25": 0.42}},
    ),
    "at least the margin": Case(
        "CLEAR",
        ndcg(bm25=HALF, dense=moved(HALF, 0.1, 0.2, 0.15)),
        "dense is best on nDCG@10: 0.650, +0.150 over bm25 (95% CI +0.123 to +0.177, Holm p < "
        "0.001, 12 queries; 12 better, 0 worse, 0 same). At least your margin of 0.01.",
        "nDCG@10 기준으로 가장 좋은 검색기는 dense입니다: 0.650, bm25보다 +0.150 (95% "
        "신뢰구간 +0.123 ~ +0.177, Holm p < 0.001, 질의 12개; 우세 12, 열세 0, 동일 0). "
        "적어도 정해 둔 허용 폭 0.01만큼은 차이가 납니다.",
    ),
    "perhaps below the margin": Case(
        "CLEAR",
        ndcg(bm25=HALF, dense=moved(HALF, 0.01, 0.1, -0.01, 0.12, 0.05, 0.02)),
        "dense is best on nDCG@10: 0.548, +0.048 over bm25 (95% CI +0.017 to +0.080, Holm p = "
        "0.006, 12 queries; 10 better, 2 worse, 0 same). It may be as small as +0.017; your "
        "margin is 0.04.",
        "nDCG@10 기준으로 가장 좋은 검색기는 dense입니다: 0.548, bm25보다 +0.048 (95% "
        "신뢰구간 +0.017 ~ +0.080, Holm p = 0.006, 질의 12개; 우세 10, 열세 2, 동일 0). "
        "차이는 +0.017에 그칠 수도 있습니다. 정해 둔 허용 폭은 0.04입니다.",
        {"margin": 0.04},
    ),
    "best of three": Case(
        "CLEAR",
        ndcg(bm25=HALF, dense=moved(HALF, 0.1, 0.2, 0.15), fused=moved(HALF, 0.3, 0.35)),
        "fused is best on nDCG@10: 0.825, +0.175 over dense (95% CI +0.143 to +0.207, "
        "Bonferroni p = 0.001, 12 queries; 12 better, 0 worse, 0 same). At least your margin "
        "of 0.01.",
        "nDCG@10 기준으로 가장 좋은 검색기는 fused입니다: 0.825, dense보다 +0.175 (95% "
        "신뢰구간 +0.143 ~ +0.207, Bonferroni p = 0.001, 질의 12개; 우세 12, 열세 0, 동일 0). "
        "적어도 정해 둔 허용 폭 0.01만큼은 차이가 납니다.",
        {"correction": "bonferroni"},
    ),
    "the same on every query": Case(
        "CLEAR",
        {"RR": {"bm25": HALF, "dense": [1.0] * 12}},
        "dense is best on mRR: 1.000, +0.500 over bm25 (95% CI +0.500 to +0.500, Holm p < "
        "0.001, 12 queries; 12 better, 0 worse, 0 same). At least your margin of 0.01. The "
        "difference does not vary, so the interval has no width.",
        "mRR 기준으로 가장 좋은 검색기는 dense입니다: 1.000, bm25보다 +0.500 (95% 신뢰구간 "
        "+0.500 ~ +0.500, Holm p < 0.001, 질의 12개; 우세 12, 열세 0, 동일 0). 적어도 정해 둔 "
        "허용 폭 0.01만큼은 차이가 납니다. 차이가 일정하므로 구간에 폭이 없습니다.",
    ),
    "lower is better": Case(
        "CLEAR",
        {"MR": {"bm25": [3.0] * 12, "dense": [1.0, 2.0] * 6}},
        "dense is best on MR (lower is better): 1.500, +1.500 over bm25 (95% CI +1.168 to "
        "+1.832, p < 0.001, 12 queries; 12 better, 0 worse, 0 same). At least your margin of "
        "0.01.",
        "MR(낮을수록 좋음) 기준으로 가장 좋은 검색기는 dense입니다: 1.500, bm25보다 +1.500 "
        "(95% 신뢰구간 +1.168 ~ +1.832, p < 0.001, 질의 12개; 우세 12, 열세 0, 동일 0). "
        "적어도 정해 둔 허용 폭 0.01만큼은 차이가 납니다.",
        {"correction": "none"},
    ),
    "inside the margin": Case(
        "EQUAL",
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.002, -0.001)),
        "dense and bm25 are equal for practical purposes on nDCG@10: difference +0.001, CI "
        "-0.000 to +0.001, inside ±0.01. Choose by cost: dense 250 ms, bm25 3.2 ms.",
        "nDCG@10 기준으로 dense, bm25 둘은 실질적으로 같습니다: 차이 +0.001, 신뢰구간 -0.000 "
        "~ +0.001, ±0.01 이내. 비용을 보고 고르십시오: dense 250 ms, bm25 3.2 ms.",
        {"latency": {"bm25": 3.21, "dense": 250.0}},
    ),
    "two equal, the baseline worse": Case(
        "EQUAL",
        ndcg(bm25=moved(WIDE, -0.2, -0.25), a=WIDE, b=moved(WIDE, 0.002, -0.001)),
        "b and a are equal for practical purposes on nDCG@10: difference +0.001, CI -0.000 to "
        "+0.001, inside ±0.01. Choose by cost. bm25 is clearly worse (-0.226, CI -0.241 to "
        "-0.210).",
        "nDCG@10 기준으로 b, a 둘은 실질적으로 같습니다: 차이 +0.001, 신뢰구간 -0.000 ~ "
        "+0.001, ±0.01 이내. 비용을 보고 고르십시오. bm25 쪽은 분명히 뒤처집니다(-0.226, "
        "신뢰구간 -0.241 ~ -0.210).",
    ),
    "two tied, one worse": Case(
        "TIE GROUP",
        ndcg(bm25=moved(WIDE, -0.2, -0.25), a=WIDE, b=moved(WIDE, 0.06, -0.05)),
        "b and a cannot be told apart on nDCG@10 (0.588 to 0.593); bm25 is clearly worse "
        "(-0.230, CI -0.250 to -0.210).",
        "nDCG@10 기준으로 b, a 사이의 우열을 가릴 수 없습니다(0.588 ~ 0.593); bm25 쪽은 "
        "분명히 뒤처집니다(-0.230, 신뢰구간 -0.250 ~ -0.210).",
    ),
    "three tied": Case(
        "TIE GROUP",
        ndcg(bm25=WIDE, a=moved(WIDE, 0.06, -0.05), b=moved(WIDE, 0.05, -0.05, 0.01)),
        "a, b and bm25 cannot be told apart on nDCG@10 (0.588 to 0.593).",
        "nDCG@10 기준으로 a, b, bm25 사이의 우열을 가릴 수 없습니다(0.588 ~ 0.593).",
    ),
    "the baseline is worse than the first alone": Case(
        "TIE GROUP",
        ndcg(
            bm25=moved(WIDE, -0.05, -0.06),
            a=moved(WIDE, 0.25, -0.15),
            b=moved(WIDE, 0.1, 0.02, 0.04, 0.12, 0.1),
        ),
        "b and a cannot be told apart on nDCG@10 (0.638 to 0.661); bm25 is clearly worse (-0.128, "
        "CI -0.154 to -0.103). But bm25 is not shown to be worse than a.",
        "nDCG@10 기준으로 b, a 사이의 우열을 가릴 수 없습니다(0.638 ~ 0.661); bm25 쪽은 분명히 "
        "뒤처집니다(-0.128, 신뢰구간 -0.154 ~ -0.103). 다만 bm25 쪽이 a보다 뒤처진다는 것은 "
        "입증되지 않았습니다.",
    ),
    "worse than the first, and not than the baseline": Case(
        "TIE GROUP",
        ndcg(
            a=moved(WIDE, 0.25, -0.15),
            bm25=moved(WIDE, -0.05, -0.06),
            b=moved(WIDE, 0.1, 0.02, 0.04, 0.12, 0.1),
        ),
        "b and a cannot be told apart on nDCG@10 (0.638 to 0.661); bm25 is clearly worse (-0.128, "
        "CI -0.154 to -0.103). But bm25 is not shown to be worse than a.",
        "nDCG@10 기준으로 b, a 사이의 우열을 가릴 수 없습니다(0.638 ~ 0.661); bm25 쪽은 분명히 "
        "뒤처집니다(-0.128, 신뢰구간 -0.154 ~ -0.103). 다만 bm25 쪽이 a보다 뒤처진다는 것은 "
        "입증되지 않았습니다.",
    ),
    "tied with the first, and one worse than the baseline": Case(
        "TIE GROUP",
        ndcg(bm25=WIDE, a=moved(WIDE, 0.25, -0.2), b=moved(WIDE, -0.031, -0.05, -0.04)),
        "a, bm25 and b cannot be told apart on nDCG@10 (0.547 to 0.613). But b is shown to be "
        "worse than bm25 (-0.040, CI -0.045 to -0.035, Holm p < 0.001).",
        "nDCG@10 기준으로 a, bm25, b 사이의 우열을 가릴 수 없습니다(0.547 ~ 0.613). 다만 b 쪽은 "
        "bm25보다 뒤처지는 것으로 입증됩니다(-0.040, 신뢰구간 -0.045 ~ -0.035, Holm p < 0.001).",
    ),
    "tied with the first, and the baseline the worse one": Case(
        "TIE GROUP",
        ndcg(bm25=moved(WIDE, -0.031, -0.05, -0.04), a=moved(WIDE, 0.25, -0.2), b=WIDE),
        "a, b and bm25 cannot be told apart on nDCG@10 (0.547 to 0.613). But bm25 is shown to be "
        "worse than b (-0.040, CI -0.045 to -0.035, Holm p < 0.001).",
        "nDCG@10 기준으로 a, b, bm25 사이의 우열을 가릴 수 없습니다(0.547 ~ 0.613). 다만 bm25 쪽은 "
        "b보다 뒤처지는 것으로 입증됩니다(-0.040, 신뢰구간 -0.045 ~ -0.035, Holm p < 0.001).",
    ),
    "open": Case(
        "UNDECIDED",
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05)),
        "No clear winner on nDCG@10: dense leads bm25 by +0.005, but the data allow -0.031 to "
        "+0.041 (Holm p = 0.775; 6 better, 6 worse, 0 same). With 12 queries you can see "
        "0.051 or more; about 261 would settle 0.01.",
        "nDCG@10 기준으로 뚜렷한 승자가 없습니다: dense 쪽이 bm25보다 +0.005 앞서지만, "
        "데이터로 보아 -0.031 ~ +0.041 범위가 모두 가능합니다(Holm p = 0.775; 우세 6, 열세 6, "
        "동일 0). 질의 12개로는 0.051 이상의 차이를 볼 수 있으며, 0.01만큼의 차이를 가리려면 "
        "약 261개가 필요합니다.",
    ),
    "open at equal means": Case(
        "UNDECIDED",
        ndcg(bm25=HALF, dense=moved(HALF, 0.06, -0.06)),
        "No clear winner on nDCG@10: bm25 and dense have the same mean, but the data allow "
        "-0.040 to +0.040 (Holm p = 1; 6 better, 6 worse, 0 same). With 12 queries you can "
        "see 0.056 or more; about 311 would settle 0.01.",
        "nDCG@10 기준으로 뚜렷한 승자가 없습니다: bm25, dense 둘의 평균은 같지만, 데이터로 "
        "보아 -0.040 ~ +0.040 범위가 모두 가능합니다(Holm p = 1; 우세 6, 열세 6, 동일 0). "
        "질의 12개로는 0.056 이상의 차이를 볼 수 있으며, 0.01만큼의 차이를 가리려면 약 "
        "311개가 필요합니다.",
    ),
    "shown, but not after correction": Case(
        "TIE GROUP",
        ndcg(bm25=HALF, a=moved(HALF, *ALMOST), b=moved(HALF, 0.06, -0.05)),
        "a, b and bm25 cannot be told apart on nDCG@10 (0.500 to 0.552). The interval of a "
        "over bm25 excludes 0, but the difference is not shown after correction for 2 "
        "comparisons.",
        "nDCG@10 기준으로 a, b, bm25 사이의 우열을 가릴 수 없습니다(0.500 ~ 0.552). bm25 대비 "
        "a의 구간은 0을 포함하지 않지만, 비교 2건에 대해 보정하면 이 차이는 입증되지 "
        "않습니다.",
    ),
    "interval and test disagree": Case(
        "UNDECIDED",
        ndcg(bm25=HALF, dense=moved(HALF, *BY_INTERVAL)),
        "No clear winner on nDCG@10: dense leads bm25 by +0.066, but the data allow +0.002 to "
        "+0.130 (Holm p = 0.053; 9 better, 3 worse, 0 same). With 12 queries you can see "
        "0.089 or more; about 797 would settle 0.01. The interval of dense over bm25 excludes "
        "0, but the test does not show the difference.",
        "nDCG@10 기준으로 뚜렷한 승자가 없습니다: dense 쪽이 bm25보다 +0.066 앞서지만, "
        "데이터로 보아 +0.002 ~ +0.130 범위가 모두 가능합니다(Holm p = 0.053; 우세 9, 열세 3, "
        "동일 0). 질의 12개로는 0.089 이상의 차이를 볼 수 있으며, 0.01만큼의 차이를 가리려면 "
        "약 797개가 필요합니다. bm25 대비 dense의 구간은 0을 포함하지 않지만, 검정으로는 이 "
        "차이가 입증되지 않습니다.",
    ),
    "one query decides the mean": Case(
        "UNDECIDED",
        ndcg(bm25=HALF, dense=[0.51] * 11 + [1.0]),
        "No clear winner on nDCG@10: dense leads bm25 by +0.051, but the data allow -0.039 to "
        "+0.141 (BH p < 0.001; 12 better, 0 worse, 0 same). With 12 queries you can see 0.126 "
        "or more; about 1573 would settle 0.01. The test alone would show dense over bm25, "
        "but the interval does not exclude 0.",
        "nDCG@10 기준으로 뚜렷한 승자가 없습니다: dense 쪽이 bm25보다 +0.051 앞서지만, "
        "데이터로 보아 -0.039 ~ +0.141 범위가 모두 가능합니다(BH p < 0.001; 우세 12, 열세 0, "
        "동일 0). 질의 12개로는 0.126 이상의 차이를 볼 수 있으며, 0.01만큼의 차이를 가리려면 "
        "약 1573개가 필요합니다. 검정만 보면 dense 쪽이 bm25보다 앞서지만, 구간이 0을 "
        "포함합니다.",
        {"correction": "bh"},
    ),
    "clear, and another measure says the opposite": Case(
        "CLEAR",
        {
            "nDCG@10": {"bm25": HALF, "dense": moved(HALF, 0.1, 0.2, 0.15)},
            "P@10": {"bm25": HALF, "dense": HALF},
            "R@10": {"bm25": moved(HALF, 0.2, 0.1), "dense": HALF},
        },
        "dense is best on nDCG@10: 0.650, +0.150 over bm25 (95% CI +0.123 to +0.177, Holm p < "
        "0.001, 12 queries; 12 better, 0 worse, 0 same). At least your margin of 0.01. But "
        "bm25 is better on R@10 (+0.150, CI +0.117 to +0.183).",
        "nDCG@10 기준으로 가장 좋은 검색기는 dense입니다: 0.650, bm25보다 +0.150 (95% "
        "신뢰구간 +0.123 ~ +0.177, Holm p < 0.001, 질의 12개; 우세 12, 열세 0, 동일 0). "
        "적어도 정해 둔 허용 폭 0.01만큼은 차이가 납니다. 다만 R@10 기준으로는 bm25 쪽이 더 "
        "좋습니다(+0.150, 신뢰구간 +0.117 ~ +0.183).",
    ),
}  # fmt: skip
CHECKS = {
    "few_common": (
        Scores.joined(
            [
                score({f"q{n}": ["a"] for n in reach}, {f"q{n}": ["a"] for n in reach}, ["RR"],
                      retriever=name)
                for name, reach in {"bm25": range(20), "dense": range(17, 30)}.items()
            ]
        ),
        "Do not read the ranking yet: few queries were scored for every retriever (3 of 30). "
        "Search all queries with every retriever.",
        "아직 순위를 읽지 마십시오: 모든 검색기에 점수가 있는 질의가 적습니다 (30개 중 3개). "
        "모든 검색기로 모든 질의를 검색하십시오.",
    ),
    "none_in_run": (
        scored(ndcg(bm25=WIDE, dense=[0.0] * 12), missing=12),
        "Do not read the ranking yet: no judged query is in the run of bm25 (12 of 12). "
        "Check that the run and the judgments use the same query ids.",
        "아직 순위를 읽지 마십시오: bm25 검색 결과에 판정된 질의가 하나도 없습니다 (12개 중 12개). "
        "검색 결과와 판정이 같은 질의 ID를 쓰는지 확인하십시오.",
    ),
    "most_got_nothing": (
        scored(ndcg(bm25=WIDE, dense=HALF), missing=4, empty=3),
        "Do not read the ranking yet: bm25 returned nothing for most queries (7 of 12). Check "
        "that the run is complete and that its query ids are those of the judgments.",
        "아직 순위를 읽지 마십시오: bm25 쪽은 대부분의 질의에 아무것도 찾지 못했습니다 "
        "(12개 중 7개). 검색 결과가 온전한지, 질의 ID가 판정의 것과 같은지 확인하십시오.",
    ),
    "nothing_relevant": (
        scored(ndcg(bm25=WIDE, dense=HALF), without_relevant=7),
        "Do not read the ranking yet: most queries have no passage that is judged relevant "
        "(7 of 12). Judge them, or leave them out.",
        "아직 순위를 읽지 마십시오: 대부분의 질의에 적합하다고 판정된 문단이 없습니다 "
        "(12개 중 7개). 해당 질의를 판정하거나 빼십시오.",
    ),
    "grades_too_low": (
        scored({"AP(relevant_from=3)@10": {"bm25": [0.0] * 12, "dense": [0.0] * 12}}),
        "Do not read the ranking yet: no grade reaches what mAP(relevant_from=3)@10 counts as "
        "relevant (12 of 12). Lower relevant_from, or check the grades.",
        "아직 순위를 읽지 마십시오: mAP(relevant_from=3)@10 기준에서 적합으로 치는 등급에 이르는 "
        "판정이 없습니다 (12개 중 12개). relevant_from 값을 낮추거나 등급을 확인하십시오.",
    ),
    "all_zero": (
        scored(ndcg(bm25=[0.0] * 12, dense=[0.0] * 12)),
        "Do not read the ranking yet: nDCG@10 is 0 for every retriever on every query (12 of 12). "
        "Check that the run and the judgments use the same passage ids.",
        "아직 순위를 읽지 마십시오: 모든 검색기의 모든 질의에서 nDCG@10 값이 0입니다 "
        "(12개 중 12개). 검색 결과와 판정이 같은 문단 ID를 쓰는지 확인하십시오.",
    ),
    "one_zero": (
        scored(ndcg(bm25=WIDE, dense=[0.0] * 12)),
        "Do not read the ranking yet: nDCG@10 is 0 for dense on every query (12 of 12). "
        "Check that the run and the judgments use the same passage ids.",
        "아직 순위를 읽지 마십시오: dense 쪽은 모든 질의에서 nDCG@10 값이 0입니다 "
        "(12개 중 12개). 검색 결과와 판정이 같은 문단 ID를 쓰는지 확인하십시오.",
    ),
    "undefined": (
        scored({"MR": {"bm25": [1.0] * 12, "dense": [2.0] * 5 + [np.nan] * 7}}),
        "Do not read the ranking yet: few queries have a value of MR (lower is better) for every "
        "retriever (5 of 12). List another measure first, one that every query has a value of.",
        "아직 순위를 읽지 마십시오: 모든 검색기에 MR(낮을수록 좋음) 값이 있는 질의가 적습니다 "
        "(12개 중 5개). 모든 질의에 값이 있는 다른 측도를 첫 번째로 적으십시오.",
    ),
    "contradiction": (
        scored(
            {
                "MR": {
                    "bm25": [1.0] * 8 + [9.0] * 4,
                    "dense": [2.0] * 8 + [3.0] * 4,
                    "third": [1.0] * 8 + [np.nan] * 4,
                }
            }
        ),
        "Do not read the ranking yet: the order on MR (lower is better) depends on the queries "
        "that have a value; for all have one (8 of 12). List another measure first, one that "
        "every query has a value of.",
        "아직 순위를 읽지 마십시오: MR(낮을수록 좋음) 순위가 어느 질의에 값이 있느냐에 따라 "
        "달라집니다. 모든 검색기에 값이 있는 질의 (12개 중 8개). 모든 질의에 값이 있는 다른 "
        "측도를 첫 번째로 적으십시오.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_first_template_that_applies_is_said_word_for_word(name: str) -> None:
    case = CASES[name]
    found = verdict(scored(case.values), **case.words)
    assert (found.state, str(found), found.said("ko")) == (case.state, case.english, case.korean)
    in_korean = verdict(scored(case.values), language="ko", **case.words)
    assert (str(in_korean), in_korean.said("en")) == (case.korean, case.english)


@pytest.mark.parametrize("key", CHECKS)
def test_data_that_cannot_be_read_is_said_so_first(key: str) -> None:
    scores, english, korean = CHECKS[key]
    found = verdict(scores, allow_intersect=True)
    assert (found.state, found.text, found.said("ko")) == ("CHECK DATA", english, korean)
    assert found.leader is None
    assert found.parts[0].facts["problem"].key == key


def test_every_string_is_reached_and_has_both_languages() -> None:
    fields = string.Formatter().parse
    used: set[str] = {"and", "lower_is_better"}

    def collect(part: Any) -> None:
        if hasattr(part, "facts"):
            used.add(part.key)
            for fact in part.facts.values():
                collect(fact)

    for case in CASES.values():
        for part in verdict(scored(case.values), **case.words).parts:
            collect(part)
    for scores, *_ in CHECKS.values():
        for part in verdict(scores, allow_intersect=True).parts:
            collect(part)
    assert used == set(STRINGS)
    for key, by_language in STRINGS.items():
        assert list(by_language) == ["en", "ko"], key
        names = [sorted({name for _, name, *_ in fields(text) if name}) for text in
                 by_language.values()]  # fmt: skip
        assert names[0] == names[1], key
        if not key.startswith("p_") and key != "and":
            assert re.search("[가-힣]", by_language["ko"]), key


def test_a_claim_over_all_is_contradicted_by_any_of_them() -> None:
    values = {
        "nDCG@10": {"bm25": HALF, "a": moved(HALF, 0.3, 0.35), "b": moved(HALF, 0.1, 0.2, 0.15)},
        "R@10": {"bm25": HALF, "a": HALF, "b": moved(HALF, 0.2, 0.1)},
    }
    found = verdict(scored(values))
    assert (found.state, found.leader, found.other) == ("CLEAR", "a", "b")
    assert found.mixed == "But b is better on R@10 (+0.150, CI +0.117 to +0.183)."
    values["R@10"]["b"] = moved(HALF, 0.2, -0.15)
    assert verdict(scored(values)).mixed is None


def test_wrong_query_ids_are_found_by_scoring_itself() -> None:
    qrels = {f"q{n}": ["a"] for n in range(12)}
    good = score({query: ["x", "a"] for query in qrels}, qrels, ["RR"], retriever="bm25")
    wrong = score({f"Q{n}": ["a"] for n in range(12)}, qrels, ["RR"], retriever="dense")
    found = verdict(Scores.joined([good, wrong]))
    assert found.text.startswith(
        "Do not read the ranking yet: no judged query is in the run of dense (12 of 12)."
    )


def test_sparse_judgments_are_no_reason_to_distrust() -> None:
    # One judged passage a query, nine of ten unjudged in the top ten: as most made for RAG.
    qrels = {f"q{n}": ["a"] for n in range(20)}
    filler = [f"x{n}" for n in range(9)]
    parts = [
        score(dict.fromkeys(qrels, order), qrels, ["nDCG@10"], retriever=name)
        for name, order in {"bm25": [*filler, "a"], "dense": ["a", *filler]}.items()
    ]
    assert verdict(Scores.joined(parts)).state == "CLEAR"


def drawn(generator: np.random.Generator, systems: int, spread: float) -> Values:
    base = generator.random(int(generator.integers(6, 40)))
    shifts = generator.normal(0, spread, systems)
    return ndcg(
        **{
            f"r{number}": base + shift * generator.random(len(base)) + generator.normal(0, 0.05)
            * (generator.random(len(base)) < 0.6)
            for number, shift in enumerate(shifts)
        }
    )  # fmt: skip


def decided_by_hand(better: np.ndarray, worse: np.ndarray, p_adjusted: float) -> bool:
    """An adjusted p below .05, and scipy's t interval above 0."""
    differences = better - worse
    if np.ptp(differences) < 1e-12:
        return p_adjusted < 0.05
    low = stats.ttest_1samp(differences, 0).confidence_interval(0.95).low
    return bool(p_adjusted < 0.05 and low > 0)


def test_best_is_never_said_otherwise() -> None:
    generator = np.random.default_rng(7)
    said = {"best": 0, "not": 0}
    for _ in range(100):
        values = drawn(generator, int(generator.integers(2, 5)), 0.15)
        comparison = compare(scored(values), resamples=200)
        one = comparison.datasets[0]
        found = one.verdict
        claims = "is best" in found.text or " beats " in found.text
        assert claims == ("가장 좋은" in found.said("ko") or "앞섭니다" in found.said("ko"))
        assert claims == (found.state in ("CLEAR", "SMALL"))
        arrays = {name: np.asarray(row) for name, row in values["nDCG@10"].items()}
        means = {name: row.mean() for name, row in arrays.items()}
        assert means[found.leader] == max(means.values())
        every = all(
            decided_by_hand(arrays[d.retriever], arrays[d.baseline], d.p_adjusted)
            for d in one.leader
        )
        few = one.leader[0].differing <= 5
        assert claims == (every and not few)
        said["best" if claims else "not"] += 1
    assert min(said.values()) > 15


def test_among_equals_best_is_rarely_said() -> None:
    generator = np.random.default_rng(11)
    claims = 0
    for _ in range(100):
        values = ndcg(**{name: generator.normal(0.5, 0.1, 25) for name in "abcd"})
        claims += verdict(scored(values), resamples=200).state in ("CLEAR", "SMALL")
    assert claims <= 5


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0302, "= 0.03"), (0.0, "< 0.001"), (0.000999, "< 0.001"), (0.001, "= 0.001"),
     (0.0496, "= 0.0496"), (0.04996, "= 0.04996"), (0.05, "= 0.05"), (0.25, "= 0.25"),
     (0.9999, "= 1")],
)  # fmt: skip
def test_p_values_are_printed_as_they_decide(p: float, text: str) -> None:
    assert p_text(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0071, "+0.007"), (-0.05, "-0.050"), (0.0, "0.000"), (1e-17, "0.000"), (-0.0004, "-0.000")],
)
def test_differences_are_printed_with_sign(value: float, text: str) -> None:
    assert signed(value) == text


def test_no_verdict_prints_a_number_that_is_none() -> None:
    for case in CASES.values():
        comparison: Comparison = compare(scored(case.values), **case.words)
        for language in ("en", "ko"):
            said = comparison.datasets[0].verdict.said(language)  # type: ignore[arg-type]
            assert not re.search(r"\bnan\b|\binf\b|None|\{|\}", said)
