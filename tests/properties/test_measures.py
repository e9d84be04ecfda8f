"""What every measure of the table must do at its edges: nothing found, nothing relevant, all."""

from __future__ import annotations

import math
import warnings
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragscore.errors import MeasureError
from ragscore.measures import MR, IPrec, Measure, NumRel
from ragscore.measures.relevance import Gained
from ragscore.scoring import score
from tests.factories import strategies as some
from tests.factories.every_measure import (
    BOUNDED,
    FLAT,
    OF_THE_RUN,
    PASSAGES,
    PERFECT,
    bounded,
    every,
    measure_of,
    named,
    values,
    with_options,
)
from tests.factories.thorough import examples


@named([family for family in FLAT if family.name not in OF_THE_RUN])
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(24), deadline=None)
def test_a_cutoff_beyond_the_end_is_as_if_nothing_relevant_came(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    longer = {
        query: [*ranking, *(f"unjudged {number}" for number in range(15))]
        for query, ranking in run.items()
    }
    np.testing.assert_allclose(
        list(values(run, qrels, family, k).values()),
        list(values(longer, qrels, family, k).values()),
        atol=1e-12,
        rtol=0,
    )


@every
@given(qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(24), deadline=None)
def test_nothing_came_back(family: type[Measure], qrels: dict, k: int) -> None:
    for query, value in values({}, qrels, family, k).items():
        if family.aggregate == "mean of defined":
            assert math.isnan(value)
        elif family is NumRel:
            assert value == sum(grade >= 1 for grade in qrels[query].values())
        elif family.name != "IDCG":
            assert value == 0


@named([family for family in FLAT if family.name not in {"Judged", "Unjudged", "RBPresidual"}])
@given(run=some.runs, k=st.integers(1, 15))
@settings(max_examples=examples(24), deadline=None)
def test_nothing_is_relevant(family: type[Measure], run: dict, k: int) -> None:
    qrels = {query: {"p1": 0.0, "p2": -1.0} for query in some.QUERIES}
    for query, value in values(run, qrels, family, k).items():
        if family.name == "NumRet":
            assert value == min(k, len(run.get(query, [])))
        else:
            assert math.isnan(value) if family.aggregate == "mean of defined" else value == 0


@bounded
@pytest.mark.parametrize("also_other", [0, 4], ids=["all-relevant", "some-others"])
def test_all_that_is_relevant_comes_first(family: type[Measure], also_other: int) -> None:
    relevant = {"a": 3.0, "b": 2.0, "c": 1.0}
    others = {f"n{number}": 0.0 for number in range(also_other)}
    value = values({"q": list(relevant)}, {"q": relevant | others}, family, 3)["q"]
    wanted = PERFECT.get(family.name, 1.0)
    if wanted is not None:
        # infAP smooths by 0.00001.
        assert value == pytest.approx(wanted, abs=1e-5 if family.name == "infAP" else 1e-12)


@bounded
def test_a_single_relevant_passage_at_rank_1(family: type[Measure]) -> None:
    value = values({"q": ["a"]}, {"q": {"a": 3.0}}, family, 1)["q"]
    single = {"RBP": 0.1, "RBPresidual": 0.9, "Unjudged": 0.0, "Leak": 0.0, "ERR": 7 / 8}
    assert value == pytest.approx(single.get(family.name, 1.0), abs=1e-9)


@bounded
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(42), deadline=None)
def test_values_lie_in_0_to_1(family: type[Measure], run: dict, qrels: dict, k: int) -> None:
    assert all(0 <= value <= 1 + 1e-12 for value in values(run, qrels, family, k).values())


@named([family for family in BOUNDED if not family.lowest_is_best])
@given(qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(30), deadline=None)
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


@given(run=some.runs, qrels=some.judgments)
@settings(max_examples=examples(30), deadline=None)
def test_mean_rank_is_undefined_where_nothing_was_found(run: dict, qrels: dict) -> None:
    for query, value in values(run, qrels, MR, 12).items():
        found = [qrels[query].get(passage, 0) >= 1 for passage in run.get(query, [])]
        assert math.isnan(value) != any(found)


@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(50), deadline=None)
def test_what_has_no_upper_bound_keeps_to_its_parts(run: dict, qrels: dict, k: int) -> None:
    asked = [f"CG@{k}", f"DCG@{k}", f"IDCG@{k}", f"MR@{k}", "NumRet", "NumRel", "NumRelRet"]
    entry = score(run, qrels, asked).entries[0]
    for query, (cg, dcg, idcg, mr, ret, rel, both) in zip(
        entry.query_ids, entry.values.T.tolist(), strict=True
    ):
        assert 0 <= dcg <= cg
        assert dcg <= idcg + 1e-12
        assert math.isnan(mr) or 1 <= mr <= min(k, ret)
        assert ret == len(run.get(query, []))
        assert both <= min(ret, rel)
        assert rel <= len(qrels[query])


@with_options
@given(run=some.scored_runs, qrels=some.judgments, k=st.integers(1, 15) | st.none())
@settings(max_examples=examples(24), deadline=None)
def test_no_option_leaves_0_to_1_or_looks_aside(
    family: type[Measure], options: dict, run: dict, qrels: dict, k: int | None
) -> None:
    """Neither other queries nor other measures, with their cutoffs, change a value or bound."""
    measure = family(**options, **({"recall": 0.5} if family is IPrec else {}))
    if family.has_curve and (k is not None or family.needs_cutoff):
        measure = measure @ (k or 3)
    together = score(run, qrels, [measure, "P@40"], n_passages=PASSAGES, bounds=True).entries[0]
    assert together.bounds is not None
    sides = (together.values, together.bounds.low, together.bounds.high)
    assert not (sides[1] > sides[0] + 1e-12).any()
    assert not (sides[2] < sides[0] - 1e-12).any()
    for at, query in enumerate(together.query_ids):
        value = float(together.values[0, at])
        assert not family.bounded or -1e-12 <= value <= 1 + 1e-12
        # Bounds read the grades of all judgments: another query keeps them.
        scale = {f"s{grade}": grade for graded in qrels.values() for grade in graded.values()}
        alone = score(
            {query: run.get(query, {})},
            {query: qrels[query], "scale": scale},
            [measure],
            n_passages=PASSAGES,
            bounds=True,
        ).entries[0]
        assert alone.bounds is not None
        own = alone.query_ids.index(query)
        if family.name not in {"RBP", "ERR"}:  # which read the largest grade of all
            for whole, part in zip(
                sides, (alone.values, alone.bounds.low, alone.bounds.high), strict=True
            ):
                np.testing.assert_allclose(whole[0, at], part[0, own], atol=1e-12, rtol=0)


@named([family for family in FLAT if issubclass(family, Gained)])
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@example(run={"q1": ["p1"]}, qrels={"q1": {"p1": 0.5}}, k=1)
@settings(max_examples=examples(30), deadline=None)
def test_what_empty_says_of_queries_with_nothing_relevant(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    options = {"gain": "graded"} if family.name == "RBP" else {}
    plain = family(**{**dict(measure_of(family, k)), **options})
    asked = [plain, *(family(**{**dict(plain), "empty": word}) for word in ("1", "skip"))]
    entry = score(run, qrels, asked, n_passages=PASSAGES).entries[0]
    gains = family.name in {"nDCG", "ERR", "RBP"}
    for at, query in enumerate(entry.query_ids):
        zero, one, skip = entry.values[:, at]
        if any(grade > 0 if gains else grade >= 1 for grade in qrels[query].values()):
            assert zero == one == skip
        else:
            assert (zero, one, math.isnan(skip)) == (0, 1, True)


@with_options
@pytest.mark.parametrize("size", [1e100, 1e149, 1e160, 1e308])
def test_grades_of_any_size_give_numbers_or_one_error(
    family: type[Measure], options: dict, size: float
) -> None:
    """Their sums, and the squares of these that intervals add up, are never infinite."""
    measure = family(**options, **({"recall": 0.5} if family is IPrec else {}))
    measure = measure @ 3 if family.has_curve else measure
    qrels = {query: {"a": size, "b": size / 3, "c": size, "d": 1} for query in ("q", "r", "s")}
    run = {"q": ["a", "b", "c", "x"], "r": ["d", "c"], "s": ["x"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if size < 1e150 and "exp" not in options.values():
            values = score(run, qrels, [measure], n_passages=PASSAGES).entries[0].values
            assert np.isfinite(np.square(values).sum())
        else:
            with suppress(MeasureError):
                values = score(run, qrels, [measure], n_passages=PASSAGES).entries[0].values
                assert np.isfinite(values.sum())
