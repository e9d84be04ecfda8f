"""Every measure with its options against the plain oracles, on random graded runs: 1e-9."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragscore.measures import (
    TABLE,
    Leak,
    LeakCount,
    LeakRank,
    parse_measure,
)
from ragscore.scoring import score
from tests.factories import strategies as some
from tests.factories.thorough import examples
from tests.oracles import papers

CORPUS = 15
CUTOFFS = (1, 2, 3, 5, 11, 14)
Oracle = Callable[..., float]

# Measure, oracle, and the options of each: written as ragscore has them, and as the oracle does.
AT_CUTOFFS: list[tuple[str, Oracle, dict[str, Any]]] = [
    ("P", papers.precision, {}),
    ("P(denominator=returned)", papers.precision, {"denominator": "returned"}),
    ("P(denominator=min)", papers.precision, {"denominator": "min"}),
    ("P(relevant_from=2)", papers.precision, {"level": 2}),
    ("R", papers.recall, {}),
    ("R(denominator=min)", papers.recall, {"denominator": "min"}),
    ("F1", papers.f, {}),
    ("F(beta=2)", papers.f, {"beta": 2}),
    ("F(beta=0.5,relevant_from=2)", papers.f, {"beta": 0.5, "level": 2}),
    ("Success", papers.success, {}),
    ("Success(relevant_from=3)", papers.success, {"level": 3}),
    ("RR", papers.reciprocal_rank, {}),
    ("MR", papers.first_rank, {}),
    ("Complete", papers.complete, {}),
    ("Complete(relevant_from=2)", papers.complete, {"level": 2}),
    ("NeedRank", papers.last_rank, {}),
    ("alpha-nDCG", papers.alpha_ndcg, {}),
    ("alpha-nDCG(alpha=0.2,relevant_from=2)", papers.alpha_ndcg, {"level": 2}),
    ("AP", papers.average_precision, {}),
    ("AP(relevant_from=2)", papers.average_precision, {"level": 2}),
    ("AP(denominator=min)", papers.average_precision, {"denominator": "min"}),
    ("AP(denominator=found)", papers.average_precision, {"denominator": "found"}),
    ("AP(denominator=k)", papers.average_precision, {"denominator": "k"}),
    ("AR", papers.average_recall, {}),
    ("AR(form=curve)", papers.average_recall, {"form": "curve"}),
    ("AR(relevant_from=2)", papers.average_recall, {"level": 2}),
    ("CG", papers.cg, {}),
    ("DCG(gain=exp)", papers.dcg, {"gain": "exp"}),
    ("IDCG(gain={0:1,2:5})", papers.idcg, {"gain": {0: 1, 2: 5}}),
    ("nDCG", papers.ndcg, {}),
    ("nDCG(gain=exp)", papers.ndcg, {"gain": "exp"}),
    ("nDCG(gain=binary)", papers.ndcg, {"gain": "binary"}),
    ("nDCG(gain={1:3,2:9})", papers.ndcg, {"gain": {1: 3, 2: 9}}),
    ("nDCG(gain={0:0.5,1:0,3:2})", papers.ndcg, {"gain": {0: 0.5, 1: 0, 3: 2}}),
    ("nDCG(gain={1:-2,2:4})", papers.ndcg, {"gain": {1: -2, 2: 4}}),
    ("nDCG(relevant_from=2)", papers.ndcg, {"level": 2}),
    ("nDCG(ideal=uncut)", papers.ndcg, {"ideal": "uncut"}),
    ("nDCG(ideal=returned)", papers.ndcg, {"ideal": "returned"}),
    ("nDCG(ideal=slots)", papers.ndcg, {"ideal": "slots"}),
    ("nDCG(ideal=top)", papers.ndcg, {"ideal": "top"}),
    ("nDCG(ideal=as_many)", papers.ndcg, {"ideal": "as_many"}),
    ("bpref", papers.bpref, {}),
    ("bpref(relevant_from=2)", papers.bpref, {"level": 2}),
    ("infAP", papers.inferred_ap, {}),
    ("infAP(relevant_from=2)", papers.inferred_ap, {"level": 2}),
    ("RBP", papers.rbp, {}),
    ("RBP(p=0.8,relevant_from=2)", papers.rbp, {"p": 0.8, "level": 2}),
    ("RBP(gain=graded)", papers.rbp, {"gain": "graded"}),
    ("RBPresidual", papers.rbp_residual, {}),
    ("RBPresidual(p=0.5,complete=0)", papers.rbp_residual, {"p": 0.5, "complete": "0"}),
    ("ERR", papers.err, {}),
    ("ERR(max_grade=4)", papers.err, {"max_grade": 4}),
    ("Judged", papers.judged_share, {}),
    ("Unjudged", papers.unjudged_share, {}),
    ("AUC", papers.auc, {}),
    ("AUC(relevant_from=2)", papers.auc, {"level": 2}),
]
WHOLE: list[tuple[str, Oracle, dict[str, Any]]] = [
    ("RR", papers.reciprocal_rank, {}),
    ("MR", papers.first_rank, {}),
    ("NeedRank", papers.last_rank, {}),
    ("alpha-nDCG", papers.alpha_ndcg, {}),
    ("AP", papers.average_precision, {}),
    *(
        (f"AP(denominator={out_of})", papers.average_precision, {"denominator": out_of})
        for out_of in ("found", "min", "k")
    ),
    ("gmAP", papers.average_precision, {}),
    ("nDCG", papers.ndcg, {}),
    ("nDCG(gain={1:3,2:9})", papers.ndcg, {"gain": {1: 3, 2: 9}}),
    ("nDCG(gain={1:-2,2:4})", papers.ndcg, {"gain": {1: -2, 2: 4}}),
    *(
        (f"nDCG(ideal={ideal})", papers.ndcg, {"ideal": ideal})
        for ideal in ("uncut", "returned", "slots", "top", "as_many")
    ),
    ("bpref", papers.bpref, {}),
    ("gmbpref", papers.bpref, {}),
    ("infAP", papers.inferred_ap, {}),
    ("Rprec", papers.r_precision, {}),
    ("Rprec(relevant_from=2)", papers.r_precision, {"level": 2}),
    ("Rprec(multiple=0.2)", papers.r_precision, {"multiple": 0.2}),
    ("Rprec(multiple=5)", papers.r_precision, {"multiple": 5}),
    *(
        (f"iprec@{level}", papers.interpolated_precision, {"recall": level})
        for level in (0, 0.1, 0.2, 0.25, 0.5, 0.7, 1)
    ),
    *(
        (
            f"iprec(rounding=trec9)@{level}",
            papers.interpolated_precision,
            {"recall": level, "rounding": "trec9"},
        )
        for level in (0, 0.1, 0.2, 0.35, 0.8, 1)
    ),
    ("iprec(relevant_from=2)@0.5", papers.interpolated_precision, {"recall": 0.5, "level": 2}),
    ("11pt", papers.eleven_point, {}),
    ("11pt(points={0.25,0.5,0.75})", papers.eleven_point, {"points": (0.25, 0.5, 0.75)}),
    ("11pt(rounding=trec9)", papers.eleven_point, {"rounding": "trec9"}),
    ("RBP", papers.rbp, {}),
    ("RBPresidual", papers.rbp_residual, {}),
    ("ERR", papers.err, {}),
    ("AUC", papers.auc, {}),
    ("NumRet", papers.num_ret, {}),
    ("NumRel", papers.num_rel, {}),
    ("NumRel(relevant_from=2)", papers.num_rel, {"level": 2}),
    ("NumRelRet", papers.num_rel_ret, {}),
    ("SetP", papers.set_precision, {}),
    ("SetP(denominator=min)", papers.set_precision, {"denominator": "min"}),
    ("SetR", papers.set_recall, {}),
    ("SetF", papers.set_f, {}),
    ("SetF(beta=2,relevant_from=2)", papers.set_f, {"beta": 2, "level": 2}),
]


ELSEWHERE = {Leak, LeakCount, LeakRank}
"""They read more than grades: their oracles are in tests/measures/test_leaks.py."""


def test_every_measure_has_an_oracle() -> None:
    named = {type(parse_measure(f"{text}@1")) for text, *_ in AT_CUTOFFS}
    of_spans = {family for family in TABLE if family.needs_spans}  # tests/measures/test_spans.py
    named |= {type(parse_measure(text)) for text, *_ in WHOLE}
    assert set(TABLE) - ELSEWHERE - of_spans == named


def queries(run: dict[str, Any], qrels: dict[str, Any]) -> dict[str, papers.Query]:
    largest = max((grade for graded in qrels.values() for grade in graded.values()), default=0)
    found = {}
    for query, graded in qrels.items():
        returned = run.get(query, [])
        ranking = papers.ordered(returned) if isinstance(returned, dict) else returned
        if graded:
            found[query] = papers.Query(ranking, graded, max(largest, 0.0), CORPUS)
    return found


ASKED: dict[str, tuple[Oracle, tuple[int, ...], dict[str, Any]]] = {
    f"{text}@{k}": (oracle, (k,), options) for text, oracle, options in AT_CUTOFFS for k in CUTOFFS
} | {text: (oracle, (), options) for text, oracle, options in WHOLE}
MEASURES = {text: parse_measure(text) for text in ASKED}


def alike(ours: float, wanted: float) -> bool:
    return abs(ours - wanted) <= 1e-9 or (math.isnan(ours) and math.isnan(wanted))


def assert_alike(
    run: dict[str, Any],
    qrels: dict[str, Any],
    cases: dict[str, papers.Query] | None = None,
    **options: Any,
) -> None:
    entry = score(run, qrels, MEASURES.values(), n_passages=CORPUS, **options).entries[0]
    cases = queries(run, qrels) if cases is None else cases
    assert list(entry.query_ids) == list(cases)
    for at, (text, (oracle, cutoff, options)) in enumerate(ASKED.items()):
        wanted = [oracle(case, *cutoff, **options) for case in cases.values()]
        ours = entry.values[at].tolist()
        assert all(map(alike, ours, wanted)), (text, ours, wanted)
        assert alike(entry.means[at], aggregated(text, wanted)), text


def aggregated(text: str, values: list[float]) -> float:
    if text.startswith(("MR", "NeedRank")):
        values = [value for value in values if not math.isnan(value)]
    if not values:
        return math.nan
    if text.startswith("Num"):
        return sum(values)
    if text.startswith("gm"):
        return math.exp(sum(math.log(max(value, 0.00001)) for value in values) / len(values))
    return sum(values) / len(values)


@pytest.mark.slow
@given(run=some.scored_runs, qrels=some.judgments)
@example(run={}, qrels={"q1": {"p1": 1.0}})
@example(run={"q1": {}}, qrels={"q1": {"p1": -1.0}})
@settings(max_examples=examples(150), deadline=None)
def test_scored_runs_with_ties(run: dict[str, Any], qrels: dict[str, Any]) -> None:
    assert_alike(run, qrels)


@given(run=some.runs, qrels=some.judgments)
@settings(max_examples=examples(100), deadline=None)
def test_rankings(run: dict[str, Any], qrels: dict[str, Any]) -> None:
    assert_alike(run, qrels)


@pytest.mark.slow
@given(run=some.scored_runs, qrels=some.judgments, depth=st.integers(1, 13))
@settings(max_examples=examples(75), deadline=None)
def test_what_is_taken_out_first(run: dict[str, Any], qrels: dict[str, Any], depth: int) -> None:
    """Cut at a depth, without what nobody judged, without queries that the run lacks."""
    whole = queries(run, qrels)
    cut = {query: replace(case, ranking=case.ranking[:depth]) for query, case in whole.items()}
    assert_alike(run, qrels, cut, depth=depth)
    condensed = {
        query: replace(case, ranking=[p for p in case.ranking if case.judged(p)])
        for query, case in whole.items()
    }
    assert_alike(run, qrels, condensed, unjudged="remove")
    there = {query: case for query, case in whole.items() if query in run}
    assert_alike(run, qrels, there, missing="drop")


@pytest.mark.parametrize("empty", ["0", "1", "skip"])
@given(run=some.runs, qrels=some.judgments)
@settings(max_examples=examples(75), deadline=None)
def test_queries_without_anything_relevant(
    empty: str, run: dict[str, Any], qrels: dict[str, Any]
) -> None:
    told = {"0": 0.0, "1": 1.0, "skip": math.nan}[empty]
    for text in ("Rprec(empty=%s)", "bpref(empty=%s)", "SetP(empty=%s)", "AUC(empty=%s)@3"):
        asked = text % empty
        entry = score(run, qrels, [asked], n_passages=CORPUS).entries[0]
        for query, case in queries(run, qrels).items():
            if not case.relevant():
                assert entry.per_query(asked)[query] == pytest.approx(told, nan_ok=True)
