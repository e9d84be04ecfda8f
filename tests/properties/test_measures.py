"""Properties that every measure in the table must have: a new one is tested the day it arrives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragscore.measures import ERR, MR, TABLE, IPrec, Measure, NumRel
from ragscore.measures.base import Gained
from ragscore.scoring import score
from ragscore.scoring.conventions import choices, options_of
from tests.factories import strategies as some
from tests.factories.thorough import examples

BOUNDED = [family for family in TABLE if family.bounded]
CURVES = [family for family in TABLE if family.has_curve]
GROWING = {"R", "Success", "RR", "AP", "AR", "CG", "DCG", "IDCG", "bpref", "infAP", "RBP", "ERR"}
"""What never falls when one more passage is looked at."""
OF_THE_RUN = {"Judged", "Unjudged", "RBPresidual", "AUC", "NumRet", "SetP", "SetF"}
"""What asks for passages that came back, whether somebody judged them or not."""
PASSAGES = 20


def named(families: list[type[Measure]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("family", families, ids=lambda family: family.name)


OPTIONS: list[tuple[type[Measure], dict[str, str]]] = [
    (family, {option: word})
    for family in TABLE
    for option in options_of(family)
    for word in choices(family, option)
    if option != "empty" and word != family.model_fields[option].default
]
"""Every word that an option takes beside its default."""
with_options = pytest.mark.parametrize(
    ("family", "options"), OPTIONS, ids=lambda part: getattr(part, "name", str(part))
)
every = named(list(TABLE))
bounded = named(BOUNDED)


def measure_of(family: type[Measure], k: int) -> Measure:
    """One that does not depend on other queries (ERR's default grade does)."""
    if family is IPrec:
        return IPrec(recall=0.5)
    if family is ERR:
        return ERR(max_grade=3, cutoff=k)
    return family(cutoff=k) if family.has_curve else family()


def values(
    run: dict, qrels: dict, family: type[Measure], k: int, *, depth: int | None = None
) -> dict[str, float]:
    """At cutoff k; of what came back to that depth where the measure has no cutoff."""
    measure = measure_of(family, k)
    depth = depth if measure.has_curve else k
    scores = score(run, qrels, [measure], n_passages=PASSAGES, depth=depth)
    return scores.entries[0].per_query(measure)


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


@named([family for family in TABLE if family.name not in OF_THE_RUN])
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


@named([family for family in CURVES if family.name in GROWING])
@given(run=some.runs, qrels=some.judgments)
@settings(max_examples=examples(30), deadline=None)
def test_one_more_passage_never_takes_away(family: type[Measure], run: dict, qrels: dict) -> None:
    curve = [list(values(run, qrels, family, k).values()) for k in (1, 2, 3, 5, 8, 12, 15)]
    assert (np.diff(np.array(curve), axis=0) >= -1e-12).all()


@every
@given(qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(24), deadline=None)
def test_nothing_came_back(family: type[Measure], qrels: dict, k: int) -> None:
    for query, value in values({}, qrels, family, k).items():
        if family is MR:
            assert math.isnan(value)
        elif family is NumRel:
            assert value == sum(grade >= 1 for grade in qrels[query].values())
        elif family.name != "IDCG":
            assert value == 0


@named([family for family in TABLE if family.name not in {"Judged", "Unjudged", "RBPresidual"}])
@given(run=some.runs, k=st.integers(1, 15))
@settings(max_examples=examples(24), deadline=None)
def test_nothing_is_relevant(family: type[Measure], run: dict, k: int) -> None:
    qrels = {query: {"p1": 0.0, "p2": -1.0} for query in some.QUERIES}
    for query, value in values(run, qrels, family, k).items():
        if family.name == "NumRet":
            assert value == min(k, len(run.get(query, [])))
        else:
            assert math.isnan(value) if family is MR else value == 0


PERFECT = {"RBP": (1 - 0.9**3), "RBPresidual": 0.9**3, "Unjudged": 0.0, "AR": 2 / 3, "ERR": None}
"""The value of the perfect ranking where it is not 1; ERR's depends on the grades."""


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
    single = {"RBP": 0.1, "RBPresidual": 0.9, "Unjudged": 0.0, "ERR": 7 / 8}
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


@named([family for family in TABLE if family.reads_hits])
@given(run=some.runs, qrels=some.judgments, k=st.integers(1, 15))
@settings(max_examples=examples(30), deadline=None)
def test_what_counts_hits_does_not_read_their_order(
    family: type[Measure], run: dict, qrels: dict, k: int
) -> None:
    turned = {query: [*ranking[:k][::-1], *ranking[k:]] for query, ranking in run.items()}
    assert values(run, qrels, family, k) == values(turned, qrels, family, k)


@named([family for family in TABLE if family.reads_first or family.reads_hits])
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


@given(run=some.runs, qrels=some.judgments)
@settings(max_examples=examples(30), deadline=None)
def test_mean_rank_is_undefined_where_nothing_was_found(run: dict, qrels: dict) -> None:
    for query, value in values(run, qrels, MR, 12).items():
        found = [qrels[query].get(passage, 0) >= 1 for passage in run.get(query, [])]
        assert math.isnan(value) != any(found)


@named([family for family in TABLE if family.name not in {"Judged", "Unjudged", "RBPresidual"}])
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


@named([family for family in TABLE if issubclass(family, Gained)])
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
