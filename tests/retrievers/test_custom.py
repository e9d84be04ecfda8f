"""Custom retrievers: every form that works, and a clear word for every one that doesn't."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ragscore import evaluate
from ragscore.dataset import Corpus, Dataset, Ids, Queries
from ragscore.errors import ConfigError, RetrieverError
from ragscore.progress import Progress, Stage
from ragscore.retrievers import Custom, open_custom
from ragscore.retrievers.custom.answers import short

CORPUS = Corpus(Ids(["a", "b", "c", "d"]), ["rent", "deposit", "pets", "keys"])
QUERIES = Queries.from_texts({"q1": "rent and deposit", "q2": "keys"})


def words_in_common(text: str, k: int) -> list[tuple[str, float]]:
    wanted = set(text.split())
    scored = [(passage.id, float(len(wanted & {passage.text}))) for passage in CORPUS]
    return [pair for pair in scored if pair[1]][:k]


class Batch:
    """Indexes first; answers all queries at once."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor
        self.texts: dict[str, str] = {}

    def index(self, corpus: Corpus) -> None:
        self.texts = {passage.id: passage.text for passage in corpus}

    def retrieve(self, queries: list[str], k: int) -> list[list[tuple[str, float]]]:
        return [
            [(id, self.factor) for id, text in self.texts.items() if text in query][:k]
            for query in queries
        ]


class AsyncBatch(Batch):
    async def index(self, corpus: Corpus) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        super().index(corpus)

    async def retrieve(self, queries: list[str], k: int) -> Any:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().retrieve(queries, k)


class Called:
    """An instance that is called like a function."""

    def __call__(self, text: str, k: int) -> list[tuple[str, float]]:
        return words_in_common(text, k)


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


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "type NoneType, which is no ranking: None"),
        ("a", "type str"),
        (7, "type int"),
        ({"a", "b"}, "type set"),
        (["a", "nowhere"], "'nowhere', which is not in the corpus: ['a', 'nowhere']"),
        (["a", "b", "c", "d"], "4 passages where at most 3"),
        ([("a", float("nan"))], "the score nan for passage 'a'"),
        ([("a", float("-inf"))], "the score -inf"),
        ([("a", "high")], "the score 'high'"),
        ([("a", True)], "the score True"),
        ([("a", None)], "the score None"),
        (["a", ("b", 1.0)], "mixed"),
        ([("b", 1.0), "a"], "mixed"),
        ([1, 2], "write '1'"),
        ([(5, 0.3)], "write '5'"),
        ([("a", 1.0, "text")], "neither an id nor an (id, score) pair"),
        ([{"id": "a"}], "neither an id"),
        ([None], "returned None"),
    ],
)
def test_what_cannot_be_a_ranking_is_refused(returned: Any, said: str) -> None:
    index = open_custom(lambda text, k: returned, CORPUS, name="mine")
    with pytest.raises(RetrieverError) as caught:
        index.search(QUERIES, 3)
    message = str(caught.value)
    assert message.startswith("retriever 'mine', query 'q1': returned ")
    assert said in message


def test_scores_for_some_queries_only_are_refused() -> None:
    answers = {"rent and deposit": [("a", 1.0)], "keys": ["d"]}
    index = open_custom(lambda text, k: answers[text], CORPUS)
    with pytest.raises(RetrieverError, match=r"query 'q2': returned no scores where earlier"):
        index.search(QUERIES, 3)


def test_a_passage_returned_twice_is_counted_or_with_strict_refused() -> None:
    def twice(text: str, k: int) -> list[tuple[str, float]]:
        return [("a", 1.0), ("b", 0.5), ("a", 3.0)]

    run = open_custom(twice, CORPUS).search(QUERIES, 3)
    assert run.to_dict()["q1"] == {"a": 1.0, "b": 0.5}
    assert run.duplicates == 2
    with pytest.raises(RetrieverError, match=r"query 'q1': returned the passage 'a' twice"):
        open_custom(twice, CORPUS, strict=True).search(QUERIES, 3)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([["a"]], "1 answers for 2 queries"),
        ([["a"], ["b"], ["c"]], "3 answers for 2 queries"),
        (None, "no list for 2 queries: None"),
        ({"q1": ["a"], "q2": ["b"]}, "no list"),
        ("ab", "no list"),
    ],
)
def test_retrieve_must_answer_every_query(answers: Any, said: str) -> None:
    class Wrong:
        def retrieve(self, queries: list[str], k: int) -> Any:
            return answers

    with pytest.raises(RetrieverError) as caught:
        open_custom(Wrong, CORPUS, name="mine").search(QUERIES, 3)
    assert "retriever 'mine', query 'q1' to 'q2': retrieve returned" in str(caught.value)
    assert said in str(caught.value)


def failing(text: str, k: int) -> list[str]:
    if text == "keys":
        raise KeyError("no such key")
    return ["a"]


async def failing_async(text: str, k: int) -> list[str]:
    return failing(text, k)


def failing_late(text: str, k: int) -> Iterator[str]:
    yield from failing(text, k)


def exiting(text: str, k: int) -> list[str]:
    sys.exit("bye") if text == "keys" else None
    return ["a"]


@pytest.mark.parametrize("thing", [failing, failing_async, failing_late, exiting])
def test_what_it_raises_is_chained_and_names_the_query(thing: Any) -> None:
    with pytest.raises(RetrieverError, match=r"retriever 'mine', query 'q2': raised") as caught:
        open_custom(thing, CORPUS, name="mine").search(QUERIES, 3)
    assert isinstance(caught.value.__cause__, (KeyError, SystemExit))


class Unmakable:
    def __init__(self) -> None:
        raise OSError("no server")


class Unindexable(Batch):
    def index(self, corpus: Corpus) -> None:
        raise OSError("disk full")


@pytest.mark.parametrize(
    ("thing", "options", "said"),
    [
        (Unmakable, {}, "raised OSError: no server"),
        (Unindexable, {}, "raised OSError: disk full"),
        (Batch, {"speed": 2}, "unexpected keyword argument 'speed'"),
        (Batch(), {"factor": 2}, "Name its class"),
        (42, {}, "42 cannot be called and has no method retrieve"),
        (Corpus, {"ids": Ids([]), "texts": []}, "cannot be called"),
    ],
)
def test_what_cannot_be_made_is_refused(thing: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(RetrieverError) as caught:
        open_custom(thing, CORPUS, name="mine", options=options)
    assert said in str(caught.value)


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
    open_custom(counting, CORPUS, concurrency=3).search(many, 3)
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


def test_what_was_returned_is_shown_in_short() -> None:
    assert len(short(["x" * 500] * 50)) < 300
    assert short({"a": 1}) == "{'a': 1}"


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("my_retriever.py:Thing", "Write the module: my_retriever:Thing"),
        ("code/my_retriever.py:Thing", "my_retriever:Thing"),
        ("my-retriever:Thing", "package.module:Thing"),
        ("mine:", "package.module:Thing"),
        ("", "Write a text"),
    ],
)
def test_use_must_name_code(use: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Custom(use=use)


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
