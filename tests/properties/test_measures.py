"""Properties that every measure in the table must have: a new one is tested the day it arrives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.measures import MR, TABLE, Measure
from ragscore.scoring import score

from . import strategies as some

BOUNDED = [
    family for family in TABLE if family.name in {"P", "R", "F", "Success", "RR", "AP", "nDCG"}
]
every = pytest.mark.parametrize("family", TABLE, ids=lambda family: family.name)
bounded = pytest.mark.parametrize("family", BOUNDED, ids=lambda family: family.name)


def values(run: dict, qrels: dict, family: type[Measure], k: int) -> dict[str, float]:
    return score(run, qrels, [family(cutoff=k)]).entries[0].per_query(family(cutoff=k))


@every
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=40, deadline=None)
def test_a_cutoff_reads_nothing_below_it(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    cut = {query: ranking[:k] for query, ranking in run.items()}
    whole, short = values(run, qrels, family, k), values(cut, qrels, family, k)
    assert list(whole) == list(short)
    np.testing.assert_array_equal(list(whole.values()), list(short.values()))


@every
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=40, deadline=None)
def test_one_query_does_not_change_another(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    together = values(run, qrels, family, k)
    for query in together:
        alone = values({query: run.get(query, [])}, {query: qrels[query]}, family, k)[query]
        np.testing.assert_array_equal(together[query], alone)


@bounded
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=60, deadline=None)
def test_values_lie_in_0_to_1(family: type[Measure], run: dict, qrels: dict, k: int) -> None:
    assert all(0 <= value <= 1 + 1e-12 for value in values(run, qrels, family, k).values())


@bounded
@given(qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=40, deadline=None)
def test_the_ideal_order_is_not_beaten(family: type[Measure], qrels: dict, k: int) -> None:
    ideal = {
        query: sorted((p for p in graded if graded[p] > 0), key=lambda p: -graded[p])
        for query, graded in qrels.items()
    }
    reached = values(ideal, qrels, family, k)
    for query, graded in qrels.items():
        if not graded:
            continue
        backwards = values({query: ideal[query][::-1]}, {query: graded}, family, k)[query]
        assert reached[query] >= backwards - 1e-12
        if family.name == "nDCG" and any(grade > 0 for grade in graded.values()):
            assert reached[query] == pytest.approx(1.0)


@every
@given(run=some.scored_runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=40, deadline=None)
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


@given(run=some.runs, qrels=some.judgments)
@settings(max_examples=40, deadline=None)
def test_mean_rank_is_undefined_where_nothing_was_found(run: dict, qrels: dict) -> None:
    for query, value in values(run, qrels, MR, 12).items():
        found = [qrels[query].get(passage, 0) >= 1 for passage in run.get(query, [])]
        assert math.isnan(value) != any(found)
