"""Slow, plain oracles: every measure written straight from its definition, one query at a time.

A ranking and judgments in, a float out; no arrays and nothing of ragscore, so that an error would
have to be made twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """What one query got and what is known about it.

    Attributes:
        ranking: ids, best first.
        judgments: id to grade; a negative one is in the pool and not judged.
        largest: the largest grade of all judgments.
        corpus: number of passages there are.
    """

    ranking: Sequence[str]
    judgments: Mapping[str, float]
    largest: float = 1.0
    corpus: int = 100

    def grade(self, passage: str) -> float:
        return max(self.judgments.get(passage, 0.0), 0.0)

    def judged(self, passage: str) -> bool:
        return self.judgments.get(passage, -1.0) >= 0

    def relevant(self, level: float = 1.0) -> set[str]:
        return {passage for passage, grade in self.judgments.items() if grade >= level}

    def hits(self, k: int | None, level: float = 1.0) -> int:
        return sum(passage in self.relevant(level) for passage in self.ranking[:k])


def ordered(scores: Mapping[str, float]) -> list[str]:
    """Score descending, then id descending as text."""
    return sorted(sorted(scores, reverse=True), key=lambda passage: -scores[passage])


def _over(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def precision(query: Query, k: int, *, level: float = 1.0, denominator: str = "k") -> float:
    out_of = {
        "k": k,
        "returned": min(k, len(query.ranking)),
        "min": min(k, len(query.relevant(level))),
    }[denominator]
    return _over(query.hits(k, level), out_of)


def recall(query: Query, k: int, *, level: float = 1.0, denominator: str = "R") -> float:
    number = len(query.relevant(level))
    return _over(query.hits(k, level), min(k, number) if denominator == "min" else number)


def _van_rijsbergen(p: float, r: float, beta: float) -> float:
    return _over((1 + beta**2) * p * r, beta**2 * p + r)


def f(query: Query, k: int, *, beta: float = 1.0, level: float = 1.0) -> float:
    return _van_rijsbergen(precision(query, k, level=level), recall(query, k, level=level), beta)


def success(query: Query, k: int, *, level: float = 1.0) -> float:
    return 1.0 if query.hits(k, level) else 0.0


def first_rank(query: Query, k: int | None = None, *, level: float = 1.0) -> float:
    for rank, passage in enumerate(query.ranking[:k], start=1):
        if passage in query.relevant(level):
            return float(rank)
    return math.nan


def complete(query: Query, k: int, *, level: float = 1.0) -> float:
    wanted = query.relevant(level)
    return float(bool(wanted) and wanted <= set(query.ranking[:k]))


def last_rank(query: Query, k: int | None = None, *, level: float = 1.0) -> float:
    wanted, found = query.relevant(level), query.ranking[:k]
    if not wanted or not wanted <= set(found):
        return math.nan
    return float(max(found.index(passage) for passage in wanted) + 1)


def alpha_ndcg(query: Query, k: int | None = None, *, level: float = 1.0) -> float:
    wanted = query.relevant(level)
    hits = [float(passage in wanted) for passage in query.ranking[:k]]
    most = len(wanted) if k is None else min(len(wanted), k)
    return _over(discounted(hits), discounted([1.0] * most))


def reciprocal_rank(query: Query, k: int | None = None, *, level: float = 1.0) -> float:
    rank = first_rank(query, k, level=level)
    return 0.0 if math.isnan(rank) else 1 / rank


def average_precision(
    query: Query, k: int | None = None, *, level: float = 1.0, denominator: str = "R"
) -> float:
    number = len(query.relevant(level))
    total = sum(
        precision(query, rank, level=level)
        for rank, passage in enumerate(query.ranking[:k], start=1)
        if passage in query.relevant(level)
    )
    out_of = {
        "R": number,
        "min": min(k, number) if k is not None else number,
        "found": query.hits(k, level),
        "k": k or len(query.ranking),
    }[denominator]
    return _over(total, out_of)


def average_recall(query: Query, k: int, *, level: float = 1.0, form: str = "hits") -> float:
    if form == "curve":
        return sum(recall(query, rank, level=level) for rank in range(1, k + 1)) / k
    total = sum(
        recall(query, rank, level=level)
        for rank, passage in enumerate(query.ranking[:k], start=1)
        if passage in query.relevant(level)
    )
    return _over(total, len(query.relevant(level)))


Gain = str | Mapping[float, float]


def worth(grade: float, gain: Gain = "linear", level: float | None = None) -> float:
    if level is not None and grade < level:
        return 0.0
    if isinstance(gain, Mapping):
        return gain.get(grade, grade)
    return {"linear": grade, "exp": 2**grade - 1, "binary": float(grade >= (level or 1.0))}[gain]


def gains(query: Query, gain: Gain, level: float | None) -> list[float]:
    """Of the returned, in their order."""
    return [
        worth(query.grade(passage), gain, level) if query.judged(passage) else 0.0
        for passage in query.ranking
    ]


def best_gains(query: Query, gain: Gain, level: float | None) -> list[float]:
    """Of the judged, best first: what is worth less than nothing an ideal ranking leaves out."""
    known = (grade for grade in query.judgments.values() if grade >= 0)
    return sorted((max(worth(grade, gain, level), 0.0) for grade in known), reverse=True)


def discounted(values: Sequence[float]) -> float:
    return sum(value / math.log2(rank + 1) for rank, value in enumerate(values, start=1))


def cg(query: Query, k: int, *, gain: Gain = "linear", level: float | None = None) -> float:
    return sum(gains(query, gain, level)[:k])


def dcg(query: Query, k: int, *, gain: Gain = "linear", level: float | None = None) -> float:
    return discounted(gains(query, gain, level)[:k])


def idcg(query: Query, k: int, *, gain: Gain = "linear", level: float | None = None) -> float:
    return discounted(best_gains(query, gain, level)[:k])


def ndcg(
    query: Query,
    k: int | None = None,
    *,
    gain: Gain = "linear",
    level: float | None = None,
    ideal: str = "judged",
) -> float:
    best = best_gains(query, gain, level)
    found = gains(query, gain, level)
    perfect = {
        "judged": discounted(best[:k]),
        "uncut": discounted(best),
        "returned": discounted(sorted(found, reverse=True)[:k]),
        "top": discounted(sorted(found[:k], reverse=True)),
        "as_many": discounted(best[: min(k or len(found), max(len(found), 1))]),
        "slots": discounted([max(best, default=0.0)] * (k or len(found))),
    }[ideal]
    return _over(discounted(found[:k]), perfect)


def r_precision(query: Query, *, level: float = 1.0, multiple: float = 1.0) -> float:
    rank = math.floor(multiple * len(query.relevant(level)) + 0.9)
    return _over(query.hits(rank, level), rank)


def bpref(query: Query, k: int | None = None, *, level: float = 1.0) -> float:
    relevant = query.relevant(level)
    others = {p for p in query.judgments if query.judged(p)} - relevant
    total, above = 0.0, 0
    for passage in query.ranking[:k]:
        if passage in others:
            above += 1
        elif passage in relevant:
            lost = min(above, len(relevant)) / min(len(others), len(relevant)) if above else 0.0
            total += 1 - lost
    return _over(total, len(relevant))


def inferred_ap(query: Query, k: int | None = None, *, level: float = 1.0) -> float:
    epsilon, total = 0.00001, 0.0
    relevant = query.relevant(level)
    for rank, passage in enumerate(query.ranking[:k], start=1):
        if passage not in relevant:
            continue
        above = query.ranking[: rank - 1]
        pool = sum(p in query.judgments for p in above)
        yes = sum(p in relevant for p in above)
        no = sum(query.judged(p) and p not in relevant for p in above)
        if rank == 1:
            total += 1.0
        else:
            inside = pool / (rank - 1) * (yes + epsilon) / (yes + no + 2 * epsilon)
            total += 1 / rank + (rank - 1) / rank * inside
    return _over(total, len(relevant))


def interpolated_precision(
    query: Query, *, recall: float, level: float = 1.0, rounding: str = "trec10"
) -> float:
    exact = recall * len(query.relevant(level))
    wanted = math.floor(exact + 0.9)
    if rounding == "trec10":
        wanted = math.floor(exact) + (exact - math.floor(exact) >= 0.5)
    ranks = range(1, len(query.ranking) + 1)
    reached = (rank for rank in ranks if query.hits(rank, level) >= wanted)
    return max((precision(query, rank, level=level) for rank in reached), default=0.0)


def eleven_point(
    query: Query,
    *,
    points: Sequence[float] = tuple(tenth / 10 for tenth in range(11)),
    level: float = 1.0,
    rounding: str = "trec10",
) -> float:
    values = (
        interpolated_precision(query, recall=point, level=level, rounding=rounding)
        for point in points
    )
    return sum(values) / len(points)


def rbp(
    query: Query, k: int | None = None, *, p: float = 0.9, gain: str = "binary", level: float = 1.0
) -> float:
    total = 0.0
    for rank, passage in enumerate(query.ranking[:k], start=1):
        share = float(passage in query.relevant(level))
        if gain == "graded":
            share = _over(query.grade(passage), query.largest)
        total += share * p ** (rank - 1)
    return (1 - p) * total


def rbp_residual(
    query: Query, k: int | None = None, *, p: float = 0.9, complete: str = "rest"
) -> float:
    top = query.ranking[:k]
    unknown = [rank for rank, passage in enumerate(top, start=1) if not query.judged(passage)]
    if not top or (complete == "0" and not unknown):
        return 0.0
    return p ** len(top) + (1 - p) * sum(p ** (rank - 1) for rank in unknown)


def err(query: Query, k: int | None = None, *, max_grade: float | None = None) -> float:
    highest = query.largest if max_grade is None else max_grade
    total, goes_on = 0.0, 1.0
    for rank, passage in enumerate(query.ranking[:k], start=1):
        stops = (2 ** query.grade(passage) - 1) / 2**highest
        total += goes_on * stops / rank
        goes_on *= 1 - stops
    return total


def judged_share(query: Query, k: int) -> float:
    top = query.ranking[:k]
    return _over(sum(map(query.judged, top)), len(top))


def unjudged_share(query: Query, k: int) -> float:
    return sum(not query.judged(passage) for passage in query.ranking[:k]) / k


def num_ret(query: Query) -> float:
    return float(len(query.ranking))


def num_rel(query: Query, *, level: float = 1.0) -> float:
    return float(len(query.relevant(level)))


def num_rel_ret(query: Query, *, level: float = 1.0) -> float:
    return float(query.hits(None, level))


def set_precision(query: Query, *, level: float = 1.0, denominator: str = "returned") -> float:
    most = len(query.ranking)
    return _over(
        query.hits(None, level),
        min(most, len(query.relevant(level))) if denominator == "min" else most,
    )


def set_recall(query: Query, *, level: float = 1.0) -> float:
    return _over(query.hits(None, level), len(query.relevant(level)))


def set_f(query: Query, *, beta: float = 1.0, level: float = 1.0) -> float:
    return _van_rijsbergen(set_precision(query, level=level), set_recall(query, level=level), beta)


def auc(query: Query, k: int | None = None, *, level: float = 1.0) -> float:
    """Every pair of a relevant and another passage of the corpus, one by one."""
    if not query.ranking:
        return 0.0
    place = {passage: rank for rank, passage in enumerate(query.ranking[:k])}
    known = set(query.ranking) | query.relevant(level)
    unseen = [f"unseen {number}" for number in range(query.corpus - len(known))]
    relevant = query.relevant(level)
    others = [*(known - relevant), *unseen]
    if relevant and not others:
        return 1.0
    won = 0.0
    for good in relevant:
        for other in others:
            ours, theirs = place.get(good, math.inf), place.get(other, math.inf)
            won += 1.0 if ours < theirs else 0.5 if ours == theirs else 0.0
    return _over(won, len(relevant) * len(others))
