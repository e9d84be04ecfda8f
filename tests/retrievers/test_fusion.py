"""Fusion: reciprocal ranks summed, ties to the last bit, nothing that other consumers change."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping

import numpy as np
import pytest
from pydantic import ValidationError

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.errors import RetrieverError
from ragscore.retrievers import Fusion
from ragscore.retrievers.fusion_methods import METHODS
from ragscore.run import Returned, Run
from tests.factories.fused import fused

CORPUS = Corpus(Ids("abcdef"), ["text"] * 6)


def run_of(returned: Mapping[str, Returned], queries: Queries) -> Run:
    return Run.from_dict(returned, queries=queries.ids, passages=CORPUS.ids)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        # a: 1/61 + 1/62, b: 1/62 + 1/61, c only once; a and b tie, so the larger id is first.
        ({}, {"b": 1 / 62 + 1 / 61, "a": 1 / 62 + 1 / 61, "d": 1 / 63, "c": 1 / 63}),
        ({"k": 0}, {"b": 1.5, "a": 1.5, "d": 1 / 3, "c": 1 / 3}),
        (
            {"weights": [3, 1], "k": 1},
            {"a": 3 / 2 + 1 / 3, "b": 3 / 3 + 1 / 2, "c": 3 / 4, "d": 1 / 4},
        ),
    ],
)
def test_scores(options: dict[str, object], wanted: dict[str, float]) -> None:
    run = fused(
        [{"q": ["a", "b", "c"], "none": []}, {"q": ["b", "a", "d"], "none": []}], 4, **options
    )
    assert list(run.to_dict()["q"]) == list(wanted)
    assert run.to_dict()["q"] == pytest.approx(wanted, abs=1e-15)
    assert run.to_dict()["none"] == {}


def test_equals_the_plain_sum_over_many_queries() -> None:
    drawn = random.Random(3)
    returned = [
        {f"q{row}": drawn.sample("abcdef", drawn.randint(0, 6)) for row in range(50)}
        for _ in range(4)
    ]
    weights = (1.0, 2.0, 0.5, 1.0)
    run = fused(returned, 6, weights=weights, k=7)
    for query in returned[0]:
        sums: dict[str, float] = {}
        for weight, one in zip(weights, returned, strict=True):
            for rank, passage in enumerate(one[query], start=1):
                sums[passage] = sums.get(passage, 0.0) + weight / (7 + rank)
        assert run.to_dict()[query] == pytest.approx(sums, abs=1e-15)


def test_equal_ranks_in_any_order_tie_to_the_last_bit() -> None:
    # Added as they come, 1/61 + 1/62 + 1/64 and its permutations differ in the last bit.
    scores = set()
    for places in itertools.permutations([0, 1, 3]):
        rankings = [list("bcde") for _ in places]
        for ranking, place in zip(rankings, places, strict=True):
            ranking.insert(place, "a")
        run = fused([{"q": one} for one in rankings], 6)
        scores.add(run.to_dict()["q"]["a"])
    assert len(scores) == 1


def test_deeper_inputs_change_nothing() -> None:
    deep = fused([{"q": list("abcdef")}, {"q": list("fedcba")}], 2)
    shallow = fused([{"q": list("ab")}, {"q": list("fe")}], 2)
    assert deep.to_dict() == shallow.to_dict()
    assert deep.depth == 2


def test_ties_at_the_last_place_go_to_the_largest_ids() -> None:
    run = fused([{"q": list("abc")}, {"q": list("def")}], 3)
    assert list(run.to_dict()["q"]) == ["d", "a", "e"]


def test_a_smaller_block_of_queries_and_no_query() -> None:
    spec = Fusion(retrievers=("x", "y"))
    all_queries = Queries.from_texts({"q": "?", "r": "?"})
    inputs = {
        "x": run_of({"q": ["a"], "r": ["b"]}, all_queries),
        "y": run_of({"q": ["a"], "r": ["c"]}, all_queries),
    }
    index = spec.build(CORPUS)
    assert list(index.search(all_queries.select([1]), 5, inputs).to_dict()["r"]) == ["c", "b"]
    assert len(index.search(all_queries.select([]), 5, inputs)) == 0


def test_a_missing_input_is_named() -> None:
    with pytest.raises(RetrieverError, match="the run of 'x' is missing"):
        Fusion(retrievers=("x", "y")).build(CORPUS).search(Queries.from_texts({"q": "?"}), 5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"retrievers": ["x"]}, "at least 2"),
        ({"retrievers": ["x", "x"]}, "twice"),
        ({"weights": [1]}, "there is 1 weight for 2"),
        ({"weights": [1, 0]}, "greater than 0"),
        ({"method": "z-score", "weights": [1, -1]}, "greater than 0"),
        ({"k": -1}, "greater than or equal to 0"),
        ({"method": "borda"}, "unknown fusion method 'borda'"),
        ({"method": "min-max", "k": 10}, "k has no meaning for the method min-max"),
        ({"minimums": [0, 0]}, "minimums have no meaning for the method rrf"),
        ({"method": "theoretical-min-max", "minimums": [0]}, "there is 1 minimum for 2 retrievers"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Fusion.model_validate({"retrievers": ["x", "y"], **options})


def test_scores_are_float64_and_names_are_kept() -> None:
    queries = Queries.from_texts({"q": "?"})
    inputs = {name: run_of({"q": ["a"]}, queries) for name in "xy"}
    run = Fusion(retrievers=("x", "y")).build(CORPUS, name="hybrid").search(queries, 5, inputs)
    assert run.name == "hybrid"
    assert run.scores is not None
    assert run.scores.dtype == np.float64


@pytest.mark.parametrize(
    "made",
    [
        None,
        np.zeros((1, 2)),
        (np.zeros((2, 2)), np.zeros((2, 2))),
        (np.zeros((1, 2)), np.zeros(2)),
    ],
)
def test_a_method_that_returns_something_else(
    made: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS.own, "mine", lambda runs, options: made)
    monkeypatch.setattr(METHODS, "_loaded", dict(METHODS._loaded))
    told = r"retriever 'fusion': the fusion method 'mine' returned .*\. Return passages int32\[quer"
    with pytest.raises(RetrieverError, match=told):
        fused([{"q": ["a"]}, {"q": ["b"]}], 2, method="mine")
