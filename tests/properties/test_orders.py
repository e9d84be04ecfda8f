"""What every measure of the table must make of another order, of more passages, of other names."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.measures import Measure
from tests.factories import strategies as some
from tests.factories.every_measure import CURVES, FLAT, GROWING, every, named, values
from tests.factories.thorough import examples


@every
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(30), deadline=None)
def test_a_cutoff_reads_nothing_below_it(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    cut = {query: ranking[:k] for query, ranking in run.items()}
    whole, short = values(run, qrels, family, k), values(cut, qrels, family, k)
    assert list(whole) == list(short)
    np.testing.assert_array_equal(list(whole.values()), list(short.values()))


@every
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(30), deadline=None)
def test_one_query_does_not_change_another(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    together = values(run, qrels, family, k)
    for query in together:
        alone = values({query: run.get(query, [])}, {query: qrels[query]}, family, k)[query]
        np.testing.assert_array_equal(together[query], alone)


@every
@given(
    run=some.runs, qrels=some.judgments, k=st.integers(1, 15), names=st.permutations(some.PASSAGES)
)
@settings(max_examples=examples(24), deadline=None)
def test_the_names_of_passages_say_nothing(
    family: type[Measure], run: dict, qrels: dict, k: int, names: list[str]
) -> None:
    new = dict(zip(some.PASSAGES, names, strict=True))
    renamed_run = {query: [new[p] for p in ranking] for query, ranking in run.items()}
    renamed = {query: {new[p]: g for p, g in graded.items()} for query, graded in qrels.items()}
    np.testing.assert_array_equal(
        list(values(run, qrels, family, k).values()),
        list(values(renamed_run, renamed, family, k).values()),
    )


@named([family for family in CURVES if family.name in GROWING])
@given(run=some.runs, qrels=some.judgments)
@settings(max_examples=examples(30), deadline=None)
def test_one_more_passage_never_takes_away(family: type[Measure], run: dict, qrels: dict) -> None:
    curve = [list(values(run, qrels, family, k).values()) for k in (1, 2, 3, 5, 8, 12, 15)]
    assert (np.diff(np.array(curve), axis=0) >= -1e-12).all()


@every
@given(run=some.scored_runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(30), deadline=None)
def test_only_the_order_of_scores_counts(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    doubled = {query: {p: 2 * s for p, s in got.items()} for query, got in run.items()}
    shuffled = {query: dict(reversed(got.items())) for query, got in run.items()}
    for other in (doubled, shuffled):
        np.testing.assert_array_equal(
            list(values(run, qrels, family, k).values()),
            list(values(other, qrels, family, k).values()),
        )


@named([family for family in FLAT if family.reads_hits])
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(30), deadline=None)
def test_what_counts_hits_does_not_read_their_order(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    turned = {query: [*ranking[:k][::-1], *ranking[k:]] for query, ranking in run.items()}
    assert values(run, qrels, family, k) == values(turned, qrels, family, k)


@named([family for family in FLAT if family.reads_first or family.reads_hits])
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15), place=st.integers(0, 14))
@settings(max_examples=examples(30), deadline=None)
def test_one_more_relevant_passage_raises_above_k_and_not_below(
    family: type[Measure], run: dict, qrels: dict, k: int, place: int
) -> None:
    before = values(run, qrels, family, k)
    for query, value in before.items():
        ranking = run.get(query, [])
        if place >= len(ranking):
            continue
        graded = {query: {**qrels[query], ranking[place]: 1.0}}
        if qrels[query].get(ranking[place], 0.0) >= 1:
            continue
        (after,) = values({query: ranking}, graded, family, k).values()
        assert after >= value - 1e-12 if place < k else after <= value + 1e-12


@named(
    [
        family
        for family in FLAT
        if family.name not in {"Judged", "Unjudged", "RBPresidual"} and not family.reads_forbidden
    ]
)
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15), place=st.integers(0, 10))
@settings(max_examples=examples(30), deadline=None)
def test_a_better_passage_moved_up_never_takes_away(
    family: type[Measure], run: dict, qrels: dict, k: int, place: int
) -> None:
    better = {}
    for query, ranking in run.items():
        better[query] = ranking
        if len(ranking) > place + 1:
            pair = ranking[place : place + 2]
            upper, lower = (qrels.get(query, {}).get(passage, 0) for passage in pair)
            # infAP counts a pooled passage that nobody judged as relevant in part: it may leave
            # more than the relevant one brings.
            if lower >= 1 and lower > upper and not (family.name == "infAP" and upper < 0):
                better[query] = [*ranking[:place], *reversed(pair), *ranking[place + 2 :]]
    before, after = values(run, qrels, family, k), values(better, qrels, family, k)
    for query, value in before.items():
        if family.lowest_is_best:
            assert math.isnan(value) or after[query] <= value
        else:
            # infAP smooths by 0.00001.
            assert after[query] >= value - (1e-5 if family.name == "infAP" else 1e-12)


@every
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(30), deadline=None)
def test_the_names_of_queries_say_nothing(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    new = dict(zip(some.QUERIES, ["z", "10", "9", "\u00e9"], strict=True))
    found = values(run, qrels, family, k)
    renamed = values(
        {new[query]: ranking for query, ranking in run.items()},
        {new[query]: graded for query, graded in qrels.items()},
        family,
        k,
    )
    assert renamed.keys() == {new[query] for query in found}
    np.testing.assert_array_equal([renamed[new[query]] for query in found], list(found.values()))
