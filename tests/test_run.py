"""Order, ties and duplicates are decided when a Run is made."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.dataset import Ids
from ragscore.dataset.ids import NumberedIds
from ragscore.errors import DataError
from ragscore.run import QueryFailure, Run, concatenate


@pytest.mark.parametrize(
    ("returned", "order"),
    [
        ({"a": 1.0, "z": 1.0, "n": 2.0}, ["n", "z", "a"]),
        ([("a", 1.0), ("b", 3.0)], ["b", "a"]),
        (["c", "a", "b"], ["c", "a", "b"]),
        ({"a": 1.0, "b": 1.00000001}, ["b", "a"]),
        ({"가": 1.0, "나": 1.0, "z": 1.0}, ["나", "가", "z"]),
        ({"a": -0.0, "b": 0.0}, ["b", "a"]),
        ({}, []),
    ],
)
def test_order(returned: dict[str, float] | list[str], order: list[str]) -> None:
    assert list(Run.from_dict({"q": returned, "other": []}).to_dict()["q"]) == order


def test_a_passage_returned_twice_keeps_its_first_place() -> None:
    returned = {"q": ["a", "b", "a", "c", "b"]}
    run = Run.from_dict(returned)
    assert list(run.to_dict()["q"]) == ["a", "b", "c"]
    assert run.duplicates == 2
    with pytest.raises(DataError, match=r"run, query 'q': passage 'a' is returned twice"):
        Run.from_dict(returned, strict=True)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_a_number_names_query_and_passage(bad: float) -> None:
    with pytest.raises(DataError, match=r"query 'q2': the score of passage 'b'"):
        Run.from_dict({"q1": {"a": 1.0}, "q2": {"a": 1.0, "b": bad}})


def test_holes_are_closed() -> None:
    run = Run.make(Ids(["q"]), Ids("abc"), [[-1, 2, -1, 0]], [[np.nan, 1.0, 9.0, 5.0]])
    assert run.to_dict() == {"q": {"a": 5.0, "c": 1.0}}
    assert run.rows.tolist() == [[0, 2, -1, -1]]


@pytest.mark.parametrize(
    ("rows", "scores", "says"),
    [
        ([[3]], None, "outside 0..2"),
        ([[-2]], None, "outside 0..2"),
        ([0, 1], None, "shape"),
        ([[0, 1]], [[1.0]], "scores for"),
    ],
)
def test_impossible_rankings(rows: list, scores: list | None, says: str) -> None:
    with pytest.raises(DataError, match=says):
        Run.make(Ids(["q"]), Ids("abc"), rows, scores)


def test_tie_groups() -> None:
    run = Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}, "r": {"a": 1.0}})
    assert run.tie_start.tolist() == [[0, 1, 1, 1, 4], [0, 1, 2, 3, 4]]
    assert Run.from_dict({"q": ["a", "b"]}).tie_start.tolist() == [[0, 1]]


def test_onto_another_vocabulary() -> None:
    run = Run.from_dict({"q": ["b", "a"], "r": []})
    moved = run.onto(Ids("xyab"))
    assert moved.to_dict() == run.to_dict()
    with pytest.raises(DataError, match="passage 'b' is not in the corpus"):
        run.onto(Ids("xya"))


def test_rows_for_queries() -> None:
    run = Run.from_dict({"q": {"a": 1.0}, "r": {"b": 2.0}})
    assert run.for_queries(Ids(["r", "new"])).to_dict() == {"r": {"b": 2.0}, "new": {}}


def test_a_query_that_is_a_passage() -> None:
    run = Run.from_dict({"a": {"a": 3.0, "b": 2.0}, "c": {"a": 3.0, "b": 2.0}})
    assert run.without_self().to_dict() == {"a": {"b": 2.0}, "c": {"a": 3.0, "b": 2.0}}


def test_blocks_make_one_run() -> None:
    ids = Ids("ab")
    blocks = [
        Run.make(Ids(["q"]), ids, [[0, 1]], [[2.0, 1.0]]),
        Run.make(Ids(["r"]), ids, [[1]], [[5.0]]),
    ]
    assert concatenate(blocks).to_dict() == {"q": {"a": 2.0, "b": 1.0}, "r": {"b": 5.0}}


def test_mixed_scores_are_refused() -> None:
    with pytest.raises(DataError, match="some queries have scores"):
        Run.from_dict({"q": ["a"], "r": {"a": 1.0}})


def test_queries_that_failed_for_an_input() -> None:
    """What failed for an input has failed for what is built on it."""
    found = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"b": 1.0}}
    run = Run.from_dict(found, name="hybrid")
    first = Run.from_dict(found).with_failures([QueryFailure("q3", "it is down", 3)])
    second = Run.from_dict(found).with_failures([QueryFailure("q1", "no")], leaves_out=True)
    assert run.failed_with({"bm25": Run.from_dict(found)}) is run
    empty = run.failed_with({"http": first})
    assert [str(failure) for failure in empty.failures] == [
        "query 'q3': its input 'http' failed: it is down (asked 3 times)"
    ]
    assert not empty.leaves_out
    assert empty.to_dict()["q3"] == {}
    both = run.failed_with({"http": first, "other": second})
    assert [failure.query for failure in both.failures] == ["q1", "q3"]
    assert both.leaves_out


NAMES = [f"q{number}" for number in range(6)]
lists = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)
failed = st.lists(st.builds(QueryFailure, st.sampled_from([*NAMES, "unknown"]), st.text()))


@given(st.lists(lists, min_size=6, max_size=6), failed, st.booleans(), st.data())
def test_what_is_made_of_a_run_keeps_its_failures(
    returned: list[list[str]], failures: list[QueryFailure], leaves_out: bool, data: st.DataObject
) -> None:
    plain = Run.from_dict(dict(zip(NAMES, returned, strict=True)), passages=Ids("abcdef"))
    run = plain.with_failures(failures, leaves_out=leaves_out)
    first = {failure.query: failure for failure in reversed(failures)}
    assert run.failures == tuple(first[query] for query in NAMES if query in first)
    assert (run.digest == plain.digest) is not bool(run.failures)
    chosen = data.draw(st.lists(st.sampled_from([*NAMES, "new"]), unique=True))
    split = data.draw(st.integers(1, 5))
    parts = [run.for_queries(Ids(part)) for part in (NAMES[:split], NAMES[split:])]
    for made in (
        run.renamed("other"),
        run.cut(2),
        run.onto(Ids("fedcbag")),
        run.without_self(),
        run.for_queries(Ids(chosen)),
        concatenate(parts),
    ):
        assert made.failures == tuple(first[query] for query in made.queries if query in first)
        assert made.leaves_out is leaves_out
        found = made.to_dict()
        assert not any(found[failure.query] for failure in made.failures)
        expected = {query: list(ranked)[: made.depth] for query, ranked in plain.to_dict().items()}
        for query in found:
            if query not in first:
                assert list(found[query]) == expected.get(query, [])


def test_a_table_takes_no_memory_for_passages_that_did_not_come_back() -> None:
    passages = NumberedIds(3_000_000)
    run = Run.make(Ids(["q", "r"]), passages, np.array([[2_999_999, 5], [5, -1]]), None)
    run.to_polars()  # libraries are loaded
    tracemalloc.start()
    try:
        frame = run.to_polars()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000
    assert frame.select("query", "passage", "rank").rows() == [
        ("q", "2999999", 1),
        ("q", "5", 2),
        ("r", "5", 1),
    ]
