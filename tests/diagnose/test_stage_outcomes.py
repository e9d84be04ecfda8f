"""Where relevant passages are lost, against plain Python that looks at one after the other."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import score
from ragscore.dataset import Qrels
from ragscore.diagnose import STAGE_OUTCOMES, Losses, ceiling, losses
from ragscore.run import Run
from tests.factories.thorough import examples

Rankings = Mapping[str, Mapping[str, Sequence[str]]]


def found(rankings: Rankings, qrels: Qrels, queries: Sequence[str], k: int, pool: int) -> Losses:
    runs = {name: Run.from_dict(run, name=name) for name, run in rankings.items()}
    inputs = [name for name in runs if name != "top"]
    return losses("top", inputs, runs, qrels, queries, k=k, pool=pool)


def by_hand(
    rankings: Rankings, truth: Mapping[str, Mapping[str, float]], k: int, pool: int
) -> dict[tuple[str, str], str]:
    outcomes = {}
    for query, judged in truth.items():
        for passage, grade in judged.items():
            if grade < 1:
                continue
            pools = [
                list(run.get(query, []))[:pool] for name, run in rankings.items() if name != "top"
            ]
            here = passage in list(rankings["top"].get(query, []))[:k]
            before = any(passage in listed[:k] for listed in pools)
            if here:
                outcome = "kept" if before else "gained"
            elif before:
                outcome = "lost"
            else:
                outcome = (
                    "below_k" if any(passage in listed for listed in pools) else "not_in_input"
                )
            outcomes[query, passage] = outcome
    return outcomes


@settings(max_examples=examples(80), deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 5), pool=st.integers(1, 8))
def test_every_relevant_passage_has_one_outcome(seed: int, k: int, pool: int) -> None:
    chance = random.Random(seed)
    names = [f"p{number}" for number in range(10)]
    truth = {
        f"q{number}": {
            name: chance.choice([0, 1, 2]) for name in chance.sample(names, chance.randint(1, 5))
        }
        for number in range(6)
    }
    rankings = {
        name: {
            query: chance.sample(names, chance.randint(0, 10))
            for query in truth
            if chance.random() < 0.9
        }
        for name in ("one", "two", "top")
    }
    lost = found(rankings, Qrels.from_dict(truth), list(truth), k, pool)
    wanted = by_hand(rankings, truth, k, pool)
    told = {
        (lost.query_ids[query], passage): STAGE_OUTCOMES[outcome]
        for query, passage, outcome in zip(
            lost.query.tolist(), lost.passages, lost.outcomes.tolist(), strict=True
        )
    }
    assert told == wanted
    assert sum(lost.counts().values()) == len(wanted)
    assert {name: lost.by_query[name].sum() for name in STAGE_OUTCOMES} == lost.counts()
    assert set(lost.query_ids) == {query for query, _ in wanted}
    inputs = [run for name, run in rankings.items() if name != "top"]
    for query, passage, deeper in zip(lost.query, lost.passages, lost.deeper, strict=True):
        listed = [list(run.get(lost.query_ids[query], [])) for run in inputs]
        in_a_pool = any(passage in some[:pool] for some in listed)
        assert deeper == (not in_a_pool and any(passage in some for some in listed))
    moves = [move for query in lost.query_ids for move in lost.moves(query)]
    assert moves == lost.moves()
    assert {(move.query, move.passage): move.outcome for move in moves} == wanted
    ways = [move.moved for move in moves]
    assert (ways.count("up"), ways.count("down")) == (
        lost.by_query["up"].sum(),
        lost.by_query["down"].sum(),
    )
    for move in moves:
        listed = list(rankings[move.input].get(move.query, [])) if move.input else []
        assert listed[move.before - 1 : move.before] == [move.passage] * (move.before > 0)


def test_ranks_are_those_of_the_pool() -> None:
    rankings = {"one": {"q": list("abcd")}, "top": {"q": list("dcab")}}
    lost = found(rankings, Qrels.from_dict({"q": list("acd")}), ["q"], k=2, pool=3)
    assert lost.passages == ("a", "c", "d")
    assert lost.rank.tolist() == [3, 2, 1]
    assert lost.best_rank.tolist() == [1, 3, 0]
    assert lost.counts() == {"kept": 0, "gained": 2, "lost": 1, "below_k": 0, "not_in_input": 0}
    assert lost.deeper.tolist() == [False, False, True]
    assert lost.moved.tolist() == [-1, 1, 1]


def test_queries_without_relevant_passages_are_left_out() -> None:
    qrels = Qrels.from_dict({"q": {"a": 0}, "r": {"b": 1}})
    rankings = {"one": {"q": ["a"], "r": ["b"]}, "top": {"q": ["a"], "r": []}}
    lost = found(rankings, qrels, ["q", "r", "nobody judged"], k=1, pool=1)
    assert lost.query_ids == ("r",)
    assert lost.counts()["lost"] == 1
    nothing = found(rankings, qrels, ["q"], k=1, pool=1)
    assert nothing.counts() == dict.fromkeys(STAGE_OUTCOMES, 0)
    assert {len(counts) for counts in nothing.by_query.values()} == {0}


@pytest.mark.parametrize("measure", ["nDCG@3", "P@2", "AP@5", "RR"])
def test_no_order_of_the_pool_is_better_than_the_ceiling(measure: str) -> None:
    chance = random.Random(11)
    names = [f"p{number}" for number in range(8)]
    truth = {
        f"q{number}": {name: chance.choice([0, 1, 3]) for name in chance.sample(names, 4)}
        for number in range(10)
    }
    qrels = Qrels.from_dict(truth)
    first = {query: chance.sample(names, chance.randint(0, 8)) for query in truth}
    run = Run.from_dict(first).onto(qrels.passages.extended(names))
    top = ceiling([run], qrels, measure, pool=5)
    pooled = {query: listed[:5] for query, listed in first.items()}
    in_pool = score(pooled, qrels, ["R@5"]).entries[0].mean("R@5")
    assert top.recall == pytest.approx(in_pool)
    orders = {
        f"{query} {number}": order
        for query, listed in pooled.items()
        for number, order in enumerate(itertools.permutations(listed))
    }
    judged = {name: truth[name.split()[0]] for name in orders}
    values = score(orders, judged, [measure]).entries[0].per_query(measure)
    best = {
        query: max(value for name, value in values.items() if name.split()[0] == query)
        for query in truth
    }
    assert top.best == pytest.approx(np.mean(list(best.values())))


def test_the_pool_of_a_fusion_is_the_union() -> None:
    qrels = Qrels.from_dict({"q": {"a": 1, "b": 2, "c": 1}})
    runs = [
        Run.from_dict({"q": listed}).onto(qrels.passages.extended("xyz"))
        for listed in (["x", "a", "b"], ["y", "b", "c"])
    ]
    assert ceiling(runs, qrels, "nDCG@2", pool=2).best == 1.0
    assert ceiling(runs, qrels, "nDCG@2", pool=2).recall == pytest.approx(2 / 3)
    assert np.isclose(ceiling(runs, qrels, "R@3", pool=3).best, 1.0)
