"""Bounds against every outcome: each unjudged returned passage judged, one way or another."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import evaluate
from ragscore.dataset import Dataset
from ragscore.errors import MeasureError
from ragscore.scoring import RetrieverScores, Scores, inputs, score
from tests.factories.thorough import examples

BINARY = [
    "P@{}", "P(denominator=returned)@{}", "P(denominator=min)@{}", "P(empty=1)@{}",
    "R@{}", "R(denominator=min)@{}", "R(empty=1)@{}", "F1@{}", "F(beta=3)@{}", "F1(empty=1)@{}",
    "Success@{}", "Success(empty=1)@{}", "RR@{}", "RR", "RR(empty=1)@{}", "RR(empty=skip)@{}",
    "AP@{}", "AP", "AP(denominator=min)@{}", "AP(denominator=k)@{}", "AP(denominator=found)@{}",
    "AP(denominator=found)", "AP(empty=1)@{}", "AP(empty=skip)@{}",
    "AP(denominator=found,empty=1)@{}", "AP(denominator=found,empty=skip)@{}",
    "nDCG@{}", "nDCG", "nDCG(gain=exp)@{}", "nDCG(gain={{1:3}})@{}", "nDCG(ideal=returned)@{}",
    "nDCG(ideal=slots)@{}", "nDCG(ideal=uncut)@{}", "nDCG(empty=1)@{}",
]  # fmt: skip
GRADED = [
    "nDCG@{}", "nDCG", "nDCG(gain=exp)@{}", "nDCG(gain={{1:3,2:1}})@{}", "nDCG(relevant_from=2)@{}",
    "nDCG(ideal=returned)@{}", "nDCG(ideal=slots)@{}", "nDCG(ideal=uncut)@{}",
]  # fmt: skip
BINARY_OF_GRADED = ["P(relevant_from=2)@{}", "AP(relevant_from=2)@{}", "nDCG(gain=binary)@{}"]
TIED = [
    "P(tie={})@3", "R(tie={})@3", "F1(tie={})@2", "Success(tie={})@3", "RR(tie={})@3", "RR(tie={})",
    "P(denominator=min,tie={})@2", "P(empty=skip,tie={})@2", "R(denominator=min,tie={})@2",
    "R(empty=1,tie={})@4", "F(beta=3,tie={})@3", "RR(empty=1,tie={})@2",
    "Success(empty=skip,tie={})@1",
    "AP(tie={})@3", "AP(denominator=min,tie={})@3", "nDCG(tie={})@3", "nDCG(tie={})",
    "nDCG(ideal=returned,tie={})@2", "nDCG(ideal=uncut,tie={})@3",
]  # fmt: skip
CUTOFFS = (1, 3, 5, 9)

place = st.sampled_from(["unjudged", "outside", 0, 1])


def texts(listed: list[str]) -> list[str]:
    return list(dict.fromkeys(text.format(k) for text in listed for k in CUTOFFS))


def scored(
    ranking: list, judged: list[dict[str, float]], measures: list[str], **options: object
) -> RetrieverScores:
    """The same ranking, judged in several ways: a query each."""
    ids = [f"p{number:02}" for number in range(len(ranking))]
    scores = options.pop("scores", None)
    got = ids if scores is None else dict(zip(ids, scores, strict=False))
    qrels = {f"q{number}": grades for number, grades in enumerate(judged)}
    # A query that is not averaged sets the scale of all judgments.
    qrels["scale"] = {f"y{grade}": grade for grade in options.pop("grades")}
    run = dict.fromkeys(qrels, got)
    return score(run, qrels, measures, unanswerable=["scale"], **options).entries[0]


def known(ranking: list) -> dict[str, float]:
    named = {f"p{number:02}": what for number, what in enumerate(ranking)}
    return {
        p: -1.0 if what == "unjudged" else float(what)
        for p, what in named.items()
        if what != "outside"
    }


def outcomes(ranking: list, qrels: dict[str, float], grades: tuple[float, ...]) -> list[dict]:
    """The judgments after every way to judge what nobody judged."""
    open_ids = [f"p{n:02}" for n, what in enumerate(ranking) if what in ("unjudged", "outside")]
    return [
        qrels | dict(zip(open_ids, chosen, strict=True))
        for chosen in product(grades, repeat=len(open_ids))
    ]


def check(
    ranking: list,
    elsewhere: list[int],
    measures: list[str],
    grades: tuple[float, ...] = (0.0, 1.0),
    kind: str = "exact",
    **options: object,
) -> None:
    qrels = known(ranking) | {f"x{n}": float(g) for n, g in enumerate(elsewhere)}
    options["grades"] = grades
    bounds = scored(ranking, [qrels], measures, bounds=True, **options).bounds
    assert bounds is not None
    assert set(bounds.kinds) == {kind}
    if not qrels:
        return
    entry = scored(ranking, outcomes(ranking, qrels, grades), measures, **options)
    lowest, highest = np.fmin.reduce(entry.values, axis=1), np.fmax.reduce(entry.values, axis=1)
    for at, text in enumerate(measures):
        low, high = bounds.low[at, 0], bounds.high[at, 0]
        assert low == pytest.approx(lowest[at], abs=1e-12, nan_ok=True), text
        if kind == "exact":
            assert high == pytest.approx(highest[at], abs=1e-12, nan_ok=True), text
        else:
            assert highest[at] - 1e-12 <= high <= 1 + 1e-12, text


@pytest.mark.slow
@given(ranking=st.lists(place, max_size=8), elsewhere=st.lists(st.integers(0, 1), max_size=3))
@settings(max_examples=examples(150), deadline=None)
def test_every_outcome_of_binary_judgments(ranking: list, elsewhere: list[int]) -> None:
    check(ranking, elsewhere, texts(BINARY))


@pytest.mark.parametrize("relevant", [set(), {0}, {4}, {0, 1, 13}])
def test_every_outcome_of_twelve_unjudged(relevant: set[int]) -> None:
    ranking = [1 if n in relevant else "outside" for n in range(12 + len(relevant))]
    measures = ["P@5", "R@5", "F1@5", "RR@5", "AP", "AP@5", "Success@5", "nDCG@5", "nDCG"]
    check(ranking, [1, 0], measures)


@given(
    ranking=st.lists(st.sampled_from(["unjudged", "outside", 0, 1, 2, 3]), max_size=6),
    elsewhere=st.lists(st.integers(0, 3), max_size=3),
)
@settings(max_examples=examples(80), deadline=None)
def test_every_outcome_of_graded_judgments(ranking: list, elsewhere: list[int]) -> None:
    grades = (0.0, 1.0, 2.0, 3.0)
    if sum(isinstance(what, str) for what in ranking) <= 4:
        check(ranking, elsewhere, texts(GRADED), grades, "outer")
        check(ranking, elsewhere, texts(BINARY_OF_GRADED), grades)


@pytest.mark.parametrize("tie", ["expected", "min", "max"])
@given(
    ranking=st.lists(place, min_size=1, max_size=6),
    scores=st.lists(st.sampled_from([1.0, 2.0]), min_size=6, max_size=6),
    elsewhere=st.lists(st.integers(0, 1), max_size=2),
)
@settings(max_examples=examples(40), deadline=None)
def test_every_outcome_with_ties(
    tie: str, ranking: list, scores: list[float], elsewhere: list[int]
) -> None:
    measures = [text.format(tie) for text in TIED]
    check(ranking, elsewhere, measures, scores=scores)


@pytest.mark.parametrize(("tie", "reached"), [("expected", True), ("min", True), ("max", False)])
def test_graded_outcomes_with_ties(tie: str, reached: bool) -> None:
    ranking = [1, "outside", "outside", 3, 1, "unjudged", 2]
    qrels = known(ranking) | {"x0": 1.0, "x1": 2.0}
    grades, scores = (0.0, 1.0, 2.0, 3.0), [3.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]
    options = {"grades": grades, "scores": scores}
    measures = [f"nDCG(tie={tie})@{k}" for k in (1, 3, 5)]
    bounds = scored(ranking, [qrels], measures, bounds=True, **options).bounds
    entry = scored(ranking, outcomes(ranking, qrels, grades), measures, **options)
    lowest, highest = entry.values.min(axis=1), entry.values.max(axis=1)
    assert bounds is not None
    assert (bounds.low[:, 0] <= lowest + 1e-12).all()
    assert (bounds.high[:, 0] >= highest - 1e-12).all()
    assert np.allclose(bounds.low[:, 0], lowest) == reached


def test_bounds_stand_beside_the_means() -> None:
    run = {"q": ["a", "u", "b"], "r": ["v", "c"]}
    qrels = {"q": {"a": 1, "b": 0}, "r": {"c": 2}}
    plain = score(run, qrels, ["P@2", "nDCG@2", "MR"])
    assert plain.entries[0].bounds is None
    assert {row.low for row in plain.rows()} == {None}
    scores = score(run, qrels, ["P@2", "nDCG@2", "MR"], bounds=True)
    precision, gain, rank = scores.rows()
    assert (precision.low, precision.value, precision.high) == (0.5, 0.5, 1.0)
    assert (precision.bounds, gain.bounds, rank.bounds) == ("exact", "outer", None)
    assert gain.low is not None
    assert gain.high is not None
    assert gain.low < gain.value < gain.high
    assert (rank.low, rank.high) == (None, None)
    both = Scores.joined([scores, score(run, qrels, ["P@2"], bounds=True, dataset="two")])
    (average,) = both.averages()
    assert (average.low, average.high, average.bounds) == (0.5, 1.0, "exact")


def test_blocks_change_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK", 1 << 16)
    generator = np.random.default_rng(3)
    rows = np.array([generator.permutation(300)[:100] for _ in range(3000)])
    judged = {q: {int(n): n % 3 for n in generator.permutation(300)[:60]} for q in range(3000)}
    measures = ["nDCG@10", "AP", "R@20"]
    whole = score(rows, judged, measures, bounds=True).entries[0]
    assert len(whole.query_ids) * 100 > 2 * inputs.BLOCK
    part = {q: judged[q] for q in range(40)}
    few = score(rows[:40], part, measures, bounds=True).entries[0]
    assert whole.bounds is not None
    assert few.bounds is not None
    np.testing.assert_array_equal(whole.bounds.low[:, :40], few.bounds.low)
    np.testing.assert_array_equal(whole.bounds.high[:, :40], few.bounds.high)
    assert (whole.bounds.low <= whole.values + 1e-12).all()
    assert (whole.bounds.high >= whole.values - 1e-12).all()


def test_what_has_no_bounds() -> None:
    run, qrels = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1}}
    measures = ["P(average=micro)@1", "AP(denominator=found,tie=max)@1", "nDCG(gain={0:1})@1"]
    entry = score(run, qrels, measures, bounds=True).entries[0]
    assert entry.bounds is not None
    assert entry.bounds.kinds == ("none", "none", "none")
    assert np.isnan(entry.bounds.low).all()
    with pytest.raises(MeasureError, match="unjudged=remove drops them"):
        score(run, qrels, ["P@1"], bounds=True, unjudged="remove")


def test_no_query_at_all() -> None:
    bounds = score({}, {}, ["P@1", "AP", "nDCG"], bounds=True).entries[0].bounds
    assert bounds is not None
    assert bounds.low.shape == (3, 0)


def test_bounds_of_an_experiment() -> None:
    passages = {"a": "apple", "b": "apple pie", "c": "pear"}
    dataset = Dataset.from_rows(passages, {"q": "apple"}, {"q": ["a"]})
    result = evaluate(dataset, {"fixed": lambda query, k: ["b", "a"]}, ["P@1", "MR"], bounds=True)
    precision, rank = result.summary().results
    assert (precision.value, precision.low, precision.high) == (0.0, 0.0, 1.0)
    assert precision.bounds == "exact"
    assert rank.low is None
    shown = str(result.scores).splitlines()[-1].split()
    assert shown == ["fixed", "0.000", "[0.000,", "1.000]", "2.000"]
    (counts,) = result.summary().counts
    assert counts.tied == {1: 0, 2: 0}
    assert counts.unjudged == {1: 1.0, 2: 0.5}
