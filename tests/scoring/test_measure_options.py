"""What options of measures and of score() change, on small cases by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ragscore.errors import ConfigError, MeasureError
from ragscore.scoring import score


@pytest.mark.parametrize("name", ["nDCG", "DCG", "IDCG", "CG"])
def test_a_gain_that_is_no_number_any_more_is_refused(name: str) -> None:
    """Also where the grade itself is not too large, and of nDCG, whose ideal is what adds it up."""
    with pytest.raises(MeasureError, match=r"^the gain of grade 2000 is inf, too large to add up"):
        score({"q": ["a"]}, {"q": {"a": 2000.0}}, [f"{name}(gain=exp)@1"])


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("nDCG@3", 0.7350),
        ("nDCG(gain=exp)@3", 0.7985),
        ("nDCG(gain={1:1,2:2,3:3})@3", 0.7350),
        ("nDCG(relevant_from=2)@3", 3 / (3 + 2 / math.log2(3))),
    ],
)
def test_gains_on_the_small_case_where_tools_disagree(measure: str, value: float) -> None:
    scores = score({"q": ["x", "y", "z"]}, {"q": {"x": 3, "y": 0, "z": 1, "w": 2}}, [measure])
    assert scores.entries[0].means[0] == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("nDCG@5", 0.7039181),
        ("nDCG(ideal=slots)@5", 0.5087403),
        ("nDCG(ideal=returned)@5", 0.9197208),
        ("AP@2", 1 / 3),
        ("AP(denominator=min)@2", 0.5),
        ("AP(denominator=found)@2", 1.0),
        ("AP(denominator=k)@2", 0.5),
        ("P(denominator=returned)@10", 2 / 5),
        ("P(denominator=min)@5", 2 / 3),
        ("R(denominator=min)@1", 1.0),
    ],
)
def test_denominators_and_ideals_on_the_small_case(measure: str, value: float) -> None:
    scores = score({"q": list("axbyz")}, {"q": ["a", "b", "c"]}, [measure])
    assert scores.entries[0].means[0] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("IDCG(gain={3:0.25})@2", 1 + 1 / math.log2(3)),
        ("nDCG(gain={3:0.25})@2", 1.0),
        ("nDCG(gain={3:0.25},ideal=slots)@1", 1.0),
    ],
)
def test_a_map_may_prefer_grades_from_far_down_the_judgments(measure: str, value: float) -> None:
    scores = score({"q": ["a", "b"]}, {"q": {"a": 1, "b": 1, "c": 3, "d": 3}}, [measure])
    assert scores.entries[0].means[0] == pytest.approx(value)


@pytest.mark.parametrize(("empty", "value"), [("0", 0.5), ("1", 1.0), ("skip", 1.0)])
def test_queries_without_relevant_passages(empty: str, value: float) -> None:
    qrels = {"q": {"a": 1}, "none": {"a": 0}}
    run = {"q": ["a"], "none": ["a"]}
    for name in ("P", "R", "F1", "Success", "RR", "AP", "nDCG"):
        (mean,) = score(run, qrels, [f"{name}(empty={empty})@1"]).entries[0].means
        assert mean == value, name
        with pytest.raises(MeasureError, match="1 queries have no relevant passage"):
            score(run, qrels, [f"{name}(empty=error)@1"])


def test_a_missing_query_can_be_dropped() -> None:
    run, qrels = {"q": ["a"]}, {"q": ["a"], "r": ["b"]}
    assert score(run, qrels, ["P@1"]).entries[0].means[0] == 0.5
    dropped = score(run, qrels, ["P@1"], missing="drop").entries[0]
    assert (dropped.means[0], dropped.counts.missing, dropped.counts.queries) == (1.0, 0, 1)


def test_condensed_lists() -> None:
    run = {"q": {"u": 4.0, "a": 3.0, "v": 3.0, "b": 3.0, "n": 1.0}}
    qrels = {"q": {"a": 1, "b": 0, "n": -1}}
    removed = score(run, qrels, ["RR", "P@1", "P@2"], unjudged="remove").entries[0]
    assert list(removed.per_query("RR").values()) == [0.5]
    assert removed.counts.tied[1] == 1, "a and b still tie"
    assert removed.counts.returned == 2


def test_only_the_top_is_looked_at() -> None:
    entry = score({"q": ["x", "a"]}, {"q": ["a"]}, ["RR", "R@depth"], depth=1).entries[0]
    assert entry.mean("RR") == 0
    assert str(entry.measures[1]) == "R@1"


@pytest.mark.parametrize(
    "measure",
    ["AP(denominator=k)", "AP(denominator=min)", "nDCG(ideal=slots)", "AP(denominator=k,tie=max)"],
)
def test_other_cutoffs_change_no_value_without_a_cutoff(measure: str) -> None:
    run, qrels = {"q": {"a": 1.0, "b": 1.0}}, {"q": ["a", "c", "d"]}
    alone = score(run, qrels, [measure, "Rprec"], bounds=True).entries[0]
    beside = score(run, qrels, [measure, "Rprec", "P@50"], bounds=True).entries[0]
    assert alone.mean(measure) == beside.mean(measure)
    assert alone.bounds is not None
    assert beside.bounds is not None
    assert alone.bounds.means(0, alone.measures[0]) == beside.bounds.means(0, beside.measures[0])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"missing": "Zero"}, "missing='Zero'. Allowed: 'zero', 'drop'"),
        ({"unjudged": "removed"}, "unjudged='removed'. Allowed: 'keep', 'remove'"),
        ({"depth": 0}, "depth=0. Give a depth of 1 or more"),
    ],
)
def test_options_that_are_none_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as error:
        score({"q": ["a"]}, {"q": ["a"]}, ["RR"], **options)
    assert str(error.value) == says
