"""Data made to reach every template of a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ragscore.comparison import Verdict, compare
from ragscore.comparison.check import QueryCost, SearchFacts
from ragscore.comparison.comparing import dataset_comparer
from ragscore.comparison.differences import Identical
from ragscore.elements.model import Headline
from ragscore.messages import _, translated
from ragscore.scoring import Scores, score
from tests.factories.scores import Values, scored


def verdict(scores: Scores, *, searches: SearchFacts | None = None, **words: Any) -> Verdict:
    """The verdict on the first dataset; ``searches``: what its manifest would say."""
    if searches is not None:
        return dataset_comparer(scores.entries, searches=searches).chosen().verdict
    return compare(scores, **words).datasets[0].verdict


def said(verdict: Verdict, language: str = "en") -> list[str]:
    """The sentences of the card, without the words before them, and those below it."""
    card, *below = translated(verdict.elements(), language)
    assert isinstance(card, Headline)
    notes = [line for element in below for line in element.lines]
    return [card.text, *(text for _, text in card.lines), *notes]


def ndcg(**values: Sequence[float]) -> Values:
    return {"nDCG@10": values}


HALF = [0.5] * 12
SMALL_STEPS = [0.5 + 0.001 * (1 + row % 3) for row in range(12)]
WIDE = [0.5 + 0.3 * (1 if row % 2 else -1) + 0.05 * (row % 5) for row in range(12)]
ALMOST = (0.15, 0.1, -0.05, 0.1, 0.05, 0.02, 0.05, 0.1, -0.05, -0.05, 0.05, 0.15)
IN_FAMILY = (0.02, -0.01, -0.03, 0.01, 0.06, 0.02, 0.09, 0.02, 0.04, 0.13, 0.07, 0.0)
BY_INTERVAL = (0.2, 0.1, -0.05, 0.05, 0.1, 0.02, -0.1, 0.15, 0.02, 0.15, 0.2, -0.05)


def moved(values: Sequence[float], *steps: float) -> list[float]:
    """The values plus the steps, over and over."""
    return [value + steps[row % len(steps)] for row, value in enumerate(values)]


def leaking(**retrievers: tuple[Sequence[float], int]) -> Values:
    """By retriever: its values, and on how many of the twelve queries it leaks."""
    leaks = {name: [1.0] * count + [0.0] * (12 - count) for name, (_, count) in retrievers.items()}
    return {"nDCG@10": {name: own for name, (own, _) in retrievers.items()}, "Leak@5": leaks}


def costing(**costs: QueryCost) -> dict[str, Any]:
    """By retriever: what a query costs."""
    return {"searches": SearchFacts(costs=costs)}


@dataclass(frozen=True)
class Case:
    """Values that reach a template; what is said of them stands in ``verdicts.txt``."""

    values: Values
    words: Mapping[str, Any] = field(default_factory=dict)


CASES: dict[str, Case] = {
    "one query of eighteen differs": Case(
        {"Success@10": {"bm25": [1.0] * 16 + [0, 0], "dense": [1.0] * 17 + [0]}}
    ),
    "nothing differs": Case(ndcg(bm25=WIDE, dense=WIDE)),
    "few clusters differ": Case(
        ndcg(bm25=HALF, dense=moved(HALF[:10], 0.1, 0.2) + HALF[10:]),
        {"clusters": {f"q{row}": f"c{row // 2}" for row in range(12)}},
    ),
    "few differ, and another is worse": Case(
        ndcg(bm25=moved(WIDE, -0.2, -0.25), a=[*WIDE[:11], 0.9], b=WIDE)
    ),
    "below the margin": Case(
        ndcg(bm25=HALF, dense=SMALL_STEPS), {"latency": {"bm25": 0.42, "dense": 12.3}}
    ),
    "below the margin, latency unknown": Case(
        ndcg(bm25=SMALL_STEPS, dense=HALF), {"latency": {"bm25": 0.42}}
    ),
    "at least the margin": Case(ndcg(bm25=HALF, dense=moved(HALF, 0.1, 0.2, 0.15))),
    "perhaps below the margin": Case(
        ndcg(bm25=HALF, dense=moved(HALF, 0.01, 0.1, -0.01, 0.12, 0.05, 0.02)), {"margin": 0.04}
    ),
    "best of three": Case(
        ndcg(bm25=HALF, dense=moved(HALF, 0.1, 0.2, 0.15), fused=moved(HALF, 0.3, 0.35)),
        {"correction": "bonferroni"},
    ),
    "the same on every query": Case({"RR": {"bm25": HALF, "dense": [1.0] * 12}}),
    "lower is better": Case(
        {"MR": {"bm25": [3.0] * 12, "dense": [1.0, 2.0] * 6}}, {"correction": "none"}
    ),
    "inside the margin": Case(
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.002, -0.001)),
        {"latency": {"bm25": 3.21, "dense": 250.0}},
    ),
    "two equal, the baseline worse": Case(
        ndcg(bm25=moved(WIDE, -0.2, -0.25), a=WIDE, b=moved(WIDE, 0.002, -0.001))
    ),
    "two tied, one worse": Case(
        ndcg(bm25=moved(WIDE, -0.2, -0.25), a=WIDE, b=moved(WIDE, 0.06, -0.05))
    ),
    "three tied, one worse": Case(
        ndcg(
            bm25=moved(WIDE, -0.2, -0.25),
            a=WIDE,
            b=moved(WIDE, 0.06, -0.05),
            c=moved(WIDE, -0.05, 0.04, 0.03),
        )
    ),
    "three tied": Case(
        ndcg(bm25=WIDE, a=moved(WIDE, 0.06, -0.05), b=moved(WIDE, 0.05, -0.05, 0.01))
    ),
    "the baseline is worse than the first alone": Case(
        ndcg(
            bm25=moved(WIDE, -0.05, -0.06),
            a=moved(WIDE, 0.25, -0.15),
            b=moved(WIDE, 0.1, 0.02, 0.04, 0.12, 0.1),
        )
    ),
    "worse than the first, and not than the baseline": Case(
        ndcg(
            a=moved(WIDE, 0.25, -0.15),
            bm25=moved(WIDE, -0.05, -0.06),
            b=moved(WIDE, 0.1, 0.02, 0.04, 0.12, 0.1),
        )
    ),
    "tied with the first, and one worse than the baseline": Case(
        ndcg(bm25=WIDE, a=moved(WIDE, 0.25, -0.2), b=moved(WIDE, -0.031, -0.05, -0.04))
    ),
    "tied with the first, and the baseline the worse one": Case(
        ndcg(bm25=moved(WIDE, -0.031, -0.05, -0.04), a=moved(WIDE, 0.25, -0.2), b=WIDE)
    ),
    "open": Case(ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05))),
    "open, and the second costs less": Case(
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05)), {"latency": {"bm25": 4.0, "dense": 130.0}}
    ),
    "open, and the second costs less money": Case(
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05)),
        costing(bm25=QueryCost(price=0.1), dense=QueryCost(price=2)),
    ),
    "open, and the second costs no money": Case(
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05)),
        costing(bm25=QueryCost(price=0.0), dense=QueryCost(price=2, currency="EUR")),
    ),
    "open, and the second asks other systems less often": Case(
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05)),
        costing(bm25=QueryCost(requests=1), dense=QueryCost(requests=3)),
    ),
    "open, and the second asks no other system": Case(
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05)),
        costing(bm25=QueryCost(requests=0), dense=QueryCost(requests=1)),
    ),
    "open, and the second is faster by little": Case(
        ndcg(bm25=WIDE, dense=moved(WIDE, 0.06, -0.05)), {"latency": {"bm25": 4.0, "dense": 23.9}}
    ),
    "open at equal means, one of them the baseline": Case(
        ndcg(bm25=HALF, dense=moved(HALF, 0.06, -0.06)), {"baseline": "dense"}
    ),
    "better than the baseline, and one of them costs less": Case(
        ndcg(bm25=HALF, a=moved(HALF, 0.3, 0.35), b=moved(HALF, 0.1, 0.2, 0.15)),
        {"baseline": "bm25", "latency": {"bm25": 4.0, "a": 130.0, "b": 5.0}},
    ),
    "open at equal means": Case(ndcg(bm25=HALF, dense=moved(HALF, 0.06, -0.06))),
    "shown, but not after correction": Case(
        ndcg(bm25=HALF, a=moved(HALF, *ALMOST), b=moved(HALF, 0.06, -0.05))
    ),
    "the nearest shown, but not after correction": Case(
        ndcg(bm25=HALF, a=moved(HALF, *ALMOST), b=moved(HALF, 0.05, -0.06))
    ),
    "interval and test disagree": Case(ndcg(bm25=HALF, dense=moved(HALF, *BY_INTERVAL))),
    "one query decides the mean": Case(
        ndcg(bm25=HALF, dense=[0.51] * 11 + [1.0]), {"correction": "bh"}
    ),
    "clear, and another measure says the opposite": Case(
        {
            "nDCG@10": {"bm25": HALF, "dense": moved(HALF, 0.1, 0.2, 0.15)},
            "P@10": {"bm25": HALF, "dense": HALF},
            "R@10": {"bm25": moved(HALF, 0.2, 0.1), "dense": HALF},
        }
    ),
    "tied, and the second leaks more": Case(leaking(a=(moved(WIDE, 0.06, -0.05), 0), b=(WIDE, 9))),
    "tied, and the first leaks more": Case(leaking(a=(moved(WIDE, 0.06, -0.05), 9), b=(WIDE, 0))),
    "inside the margin, and one leaks more": Case(
        leaking(a=(moved(WIDE, 0.002, -0.001), 9), b=(WIDE, 0))
    ),
    "below the margin, and the better one leaks more": Case(
        leaking(a=(SMALL_STEPS, 9), b=(HALF, 0))
    ),
    "three tied, and one leaks more": Case(
        leaking(a=(moved(WIDE, 0.06, -0.05), 9), b=(WIDE, 0), c=(moved(WIDE, 0.05, -0.06), 1))
    ),
    "clear, and the best leaks less": Case(
        leaking(a=(moved(HALF, 0.1, 0.2, 0.15), 0), b=(HALF, 9))
    ),
    "clear, but the best leaks more": Case(
        leaking(a=(moved(HALF, 0.1, 0.2, 0.15), 9), b=(HALF, 0))
    ),
    "clear, and the best leaks less by a count": Case(
        {
            "nDCG@10": {"a": moved(HALF, 0.1, 0.2, 0.15), "b": HALF},
            "LeakCount@5": {"a": [0.0] * 12, "b": [3.0] * 9 + [0.0] * 3},
        }
    ),
    "leaks decide nothing": Case(leaking(a=(moved(HALF, 0.1, 0.2, 0.15), 3), b=(HALF, 0))),
    "one retriever under two names": Case(
        ndcg(bm25=WIDE, titles=WIDE, dense=moved(WIDE, 0.06, -0.05)),
        {"identical": {"d": [Identical(("bm25", "titles"), _("no passage has a title"))]}},
    ),
    "a baseline under two names": Case(
        ndcg(bm25=HALF, flat=HALF, dense=moved(HALF, 0.1, 0.2, 0.15)),
        {"identical": {"d": [Identical(("bm25", "flat"))]}, "baseline": "flat"},
    ),
    "all the same": Case(
        ndcg(bm25=WIDE, titles=WIDE),
        {"identical": {"d": [Identical(("bm25", "titles"), _("no passage has a title"))]}},
    ),
    "all the same, and one of them costs less": Case(
        ndcg(flat=WIDE, hnsw=WIDE),
        {
            "identical": {"d": [Identical(("flat", "hnsw"))]},
            "latency": {"flat": 90.0, "hnsw": 3.0},
        },
    ),
    "the family of the baseline decides what all pairs do not": Case(
        ndcg(bm25=HALF, a=moved(HALF, *IN_FAMILY), b=moved(HALF, 0.06, -0.05)),
        {"baseline": "bm25"},
    ),
    "two level, and another that may be as good": Case(
        ndcg(bm25=HALF, a=moved(HALF, 0.06, -0.06), b=moved(HALF, 0.04, -0.05)),
    ),
    "six tied": Case(
        ndcg(**{name: moved(WIDE, 0.06 + row / 500, -0.05) for row, name in enumerate("abcdef")}),
    ),
    "four tied, one of them inside the margin, and what they take": Case(
        ndcg(
            a=WIDE,
            b=moved(WIDE, 0.001, -0.0012),
            c=moved(WIDE, 0.06, -0.07),
            d=moved(WIDE, 0.05, -0.06),
        ),
        {"latency": {"a": 1.0, "b": 2.0, "c": 30.0, "d": 4.0}},
    ),
    "one ahead of four others": Case(
        ndcg(
            a=moved(WIDE, 0.2, 0.25),
            **{name: moved(WIDE, 0.01 * row, -0.01) for row, name in enumerate("bcde")},
        ),
    ),
    "worse by less than the margin": Case(
        ndcg(
            bm25=moved(HALF, 0.001, 0.002, 0.0015),
            a=moved(HALF, 0.02, 0.03),
            b=HALF,
            c=moved(HALF, 0.0205, 0.0305, 0.0206, 0.0306, 0.0204, 0.0303),
        ),
    ),
}
CHECKS = {
    "few_common": (
        Scores.joined(
            [
                score({f"q{n}": ["a"] for n in reach}, {f"q{n}": ["a"] for n in reach}, ["RR"],
                      retriever=name)
                for name, reach in {"bm25": range(20), "dense": range(17, 30)}.items()
            ]
        ),
        "Too few queries were scored for every retriever (3 of 30). "
        "Search all queries with every retriever.",
        "모든 검색기에 점수가 있는 질의가 적습니다(30개 중 3개). "
        "모든 검색기로 모든 질의를 검색하십시오.",
    ),
    "none_in_run": (
        scored(ndcg(bm25=WIDE, dense=[0.0] * 12), missing=12),
        "No judged query is in the run of bm25 (12 of 12). "
        "Check that the run and the judgments use the same query ids.",
        "bm25 검색 결과에 정답 라벨이 있는 질의가 하나도 없습니다"
        "(12개 중 12개). "
        "검색 결과와 정답 라벨이 같은 질의 ID를 쓰는지 확인하십시오.",
    ),
    "most_got_nothing": (
        scored(ndcg(bm25=WIDE, dense=HALF), missing=4, empty=3),
        "bm25 returned nothing for most queries (7 of 12). Check "
        "that the run is complete and uses the query ids of the judgments.",
        "bm25 쪽은 대부분의 질의에 아무것도 돌려주지 않았습니다"
        "(12개 중 7개). 검색 결과가 온전한지, 질의 ID가 정답 라벨의 것과 같은지 확인하십시오.",
    ),
    "most_failed": (
        scored(ndcg(bm25=WIDE, dense=HALF), failed=7),
        "bm25 did not answer most queries (7 of 12). See the errors "
        "of the failed queries, and search them again once the system responds.",
        "bm25 쪽은 대부분의 질의에 답하지 않았습니다(12개 중 7개). "
        "실패한 질의의 오류를 확인하고, 시스템이 응답하면 다시 질의하십시오.",
    ),
    "most_empty": (
        scored(ndcg(bm25=WIDE, dense=HALF), missing=3, empty=4),
        "bm25 found nothing for most queries (7 of 12). Check "
        "that its filter, if it has one, leaves passages for these queries, and that its "
        "tokenizer or encoder handles their language.",
        "bm25 쪽은 대부분의 질의에서 아무것도 찾지 못했습니다"
        "(12개 중 7개). 필터를 썼다면 이 질의들에 남는 패시지가 있는지, 토크나이저나 인코더가 "
        "질의의 언어를 다루는지 확인하십시오.",
    ),
    "nothing_relevant": (
        scored(ndcg(bm25=WIDE, dense=HALF), without_relevant=7),
        "Most queries have no passage judged relevant "
        "(7 of 12). Judge them, or leave them out.",
        "대부분의 질의에 적합 라벨이 있는 패시지가 없습니다"
        "(12개 중 7개). 해당 질의에 정답 라벨을 달거나 빼십시오.",
    ),
    "grades_too_low": (
        scored({"AP(relevant_from=3)@10": {"bm25": [0.0] * 12, "dense": [0.0] * 12}}),
        "No grade is high enough to count as relevant for "
        "mAP(relevant_from=3)@10 (12 of 12). Lower relevant_from, or check the grades.",
        "mAP(relevant_from=3)@10 기준에서 적합으로 치는 등급에 이르는 "
        "정답 라벨이 없습니다(12개 중 12개). relevant_from 값을 낮추거나 등급을 확인하십시오.",
    ),
    "all_zero": (
        scored(ndcg(bm25=[0.0] * 12, dense=[0.0] * 12)),
        "nDCG@10 is 0 for every retriever on every query (12 of 12). "
        "Check that the run and the judgments use the same passage ids.",
        "모든 검색기의 모든 질의에서 nDCG@10 값이 0입니다"
        "(12개 중 12개). 검색 결과와 정답 라벨이 같은 패시지 ID를 쓰는지 확인하십시오.",
    ),
    "one_zero": (
        scored(ndcg(bm25=WIDE, dense=[0.0] * 12)),
        "nDCG@10 is 0 for dense on every query (12 of 12). "
        "Check that the run and the judgments use the same passage ids.",
        "dense 쪽은 모든 질의에서 nDCG@10 값이 0입니다"
        "(12개 중 12개). 검색 결과와 정답 라벨이 같은 패시지 ID를 쓰는지 확인하십시오.",
    ),
    "undefined": (
        scored({"MR": {"bm25": [1.0] * 12, "dense": [2.0] * 5 + [np.nan] * 7}}),
        "Too few queries have a value of MR (lower is better) for "
        "every retriever (5 of 12). List another measure first, one that has a value for every "
        "query.",
        "모든 검색기에 MR(낮을수록 좋음) 값이 있는 질의가 적습니다"
        "(12개 중 5개). 모든 질의에 값이 있는 다른 지표를 첫 번째로 적으십시오.",
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
        "The order on MR (lower is better) changes if only the "
        "queries with a value for every retriever are compared (8 of 12). List another measure "
        "first, one that has a value for every query.",
        "모든 검색기에 값이 있는 질의만 비교하면 MR(낮을수록 좋음) "
        "순위가 달라집니다(12개 중 8개). 모든 질의에 값이 있는 다른 지표를 첫 번째로 적으십시오.",
    ),
}  # fmt: skip
