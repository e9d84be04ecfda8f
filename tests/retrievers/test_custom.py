"""Custom retrievers: every form that works."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ragscore import evaluate
from ragscore.dataset import Dataset, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import Progress, Stage
from ragscore.retrievers import open_custom
from ragscore.retrievers.custom.options import CodeOptions
from tests.factories.custom_retrievers import (
    CORPUS,
    QUERIES,
    AsyncBatch,
    Batch,
    Called,
    words_in_common,
)


async def one_at_a_time(text: str, k: int) -> list[tuple[str, float]]:
    await asyncio.sleep(0)
    return words_in_common(text, k)


SCORED = {"q1": {"b": 1.0, "a": 1.0}, "q2": {"d": 1.0}}


@pytest.mark.parametrize(
    "thing",
    [
        words_in_common,
        one_at_a_time,
        lambda text, k: one_at_a_time(text, k),
        Called,
        Called(),
        Batch,
        Batch(),
        AsyncBatch,
    ],
)
def test_every_form_of_retriever(thing: Any) -> None:
    run = open_custom(thing, CORPUS, name="mine").search(QUERIES, 3)
    assert run.to_dict() == SCORED
    assert run.name == "mine"
    assert run.passages is CORPUS.ids


@pytest.mark.parametrize(
    ("returned", "wanted"),
    [
        (["b", "a"], ["b", "a"]),
        (("b", "a"), ["b", "a"]),
        (np.array(["b", "a"]), ["b", "a"]),
        (iter(["b", "a"]), ["b", "a"]),
        ([("a", 1), ("b", 2)], ["b", "a"]),
        ([["a", 1], ["b", np.float32(2)]], ["b", "a"]),
        ([("a", 1.0), ("b", 1.0)], ["b", "a"]),
        ({"a": 0.5, "b": np.int64(7)}, ["b", "a"]),
        ([], []),
    ],
)
def test_every_form_of_answer(returned: Any, wanted: list[str]) -> None:
    run = open_custom(lambda text, k: returned, CORPUS).search(QUERIES.select([0]), 3)
    assert list(run.to_dict()["q1"]) == wanted


def test_a_ranking_without_scores_stands_as_it_is() -> None:
    run = open_custom(lambda text, k: ["a", "c", "b"], CORPUS).search(QUERIES, 3)
    assert run.scores is None
    assert list(run.to_dict()["q2"]) == ["a", "c", "b"]


def test_a_passage_returned_twice_is_counted_or_with_strict_refused() -> None:
    def twice(text: str, k: int) -> list[tuple[str, float]]:
        return [("a", 1.0), ("b", 0.5), ("a", 3.0)]

    run = open_custom(twice, CORPUS).search(QUERIES, 3)
    assert run.to_dict()["q1"] == {"a": 1.0, "b": 0.5}
    assert run.duplicates == 2
    with pytest.raises(RetrieverError, match=r"query 'q1': returned the passage 'a' twice"):
        open_custom(twice, CORPUS, strict=True).search(QUERIES, 3)


def test_options_go_to_the_constructor_or_the_function() -> None:
    run = open_custom(Batch, CORPUS, options={"factor": 2.5}).search(QUERIES, 3)
    assert run.to_dict()["q2"] == {"d": 2.5}

    def fixed(text: str, k: int, *, answer: str) -> list[str]:
        return [answer]

    run = open_custom(fixed, CORPUS, options={"answer": "c"}).search(QUERIES, 3)
    assert list(run.to_dict()["q1"]) == ["c"]


def test_calls_under_way_at_once_are_bounded() -> None:
    under_way, most = 0, 0

    async def counting(text: str, k: int) -> list[str]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1
        return ["a"]

    many = Queries.from_texts({f"q{row}": "?" for row in range(40)})
    open_custom(counting, CORPUS, calls=CodeOptions(concurrency=3)).search(many, 3)
    assert most == 3


def test_one_event_loop_serves_all_blocks_also_inside_a_running_loop() -> None:
    loops: set[int] = set()

    class Client:
        async def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
            loops.add(id(asyncio.get_running_loop()))
            return [["a"]] * len(queries)

    threads = threading.active_count()
    index = open_custom(Client, CORPUS)
    index.search(QUERIES, 3)
    index.search(QUERIES, 3)

    async def in_a_notebook() -> None:
        index.search(QUERIES, 3)

    asyncio.run(in_a_notebook())
    assert len(loops) == 1
    assert threading.active_count() == threads


def test_progress_moves_with_each_answer() -> None:
    """How many queries the stage has been told of, whenever the next is asked."""
    told: list[int] = []

    class Seen(Progress):
        done = 0

        def stage(self, label: str, total: int, unit: str = "") -> Stage:
            seen = self
            seen.done = 0

            class Counting(Stage):
                def advance(self, count: int = 1) -> None:
                    seen.done += count

            return Counting()

    progress = Seen()

    def function(text: str, k: int) -> list[str]:
        told.append(progress.done)
        return ["a"]

    async def coroutine(text: str, k: int) -> list[str]:
        await asyncio.sleep(0)
        return function(text, k)

    class Generator:
        def retrieve(self, queries: list[str], k: int) -> Iterator[list[str]]:
            yield from (function(query, k) for query in queries)

    rows = {"a": "rent", "b": "keys"}, {"q1": "rent", "q2": "keys", "q3": "x"}, {"q1": ["a"]}
    dataset = Dataset.from_rows(*rows)
    for retriever in (function, coroutine, Generator()):
        told.clear()
        evaluate(dataset, {"mine": retriever}, ["P@1"], depth=2, progress=progress)
        assert told[0] == 0
        assert sorted(told) == told
        assert progress.done == 3
        if retriever is not coroutine:
            assert told == [0, 1, 2]
