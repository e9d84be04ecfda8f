"""Custom retrievers under the options of any system that is asked."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from ragscore import Dataset, evaluate
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.errors import RetrieverError
from ragscore.retrievers import Custom, open_custom
from ragscore.retrievers.custom.options import CodeOptions
from tests.factories.witness import Witness

CORPUS = Corpus(Ids(["a", "b", "c"]), ["text"] * 3)
QUERIES = Queries.from_texts({f"q{row}": f"question {row}" for row in range(32)})
RIGHT = {query: {"b": 2.0, "a": 1.0} for query in QUERIES.ids}
ANSWER = [("b", 2.0), ("a", 1.0)]


def searched(thing: Any, queries: Queries = QUERIES, **calls: Any) -> Any:
    return open_custom(thing, CORPUS, name="mine", calls=CodeOptions(**calls)).search(queries, 2)


class Count:
    """How many calls are under way at once, and in which threads they run."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.threads: set[int] = set()
        self.lock = threading.Lock()

    def __enter__(self) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.threads.add(threading.get_ident())

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.now -= 1


@pytest.mark.parametrize(("calls", "most"), [({}, 1), ({"concurrency": 4}, 4)])
def test_sync_code_runs_here_unless_threads_are_asked_for(calls: Any, most: int) -> None:
    count = Count()

    def search(text: str, k: int) -> list[tuple[str, float]]:
        with count:
            time.sleep(0.005)
            return asyncio.run(answer())  # it may run a loop of its own

    async def answer() -> list[tuple[str, float]]:
        return ANSWER

    assert searched(search, **calls).to_dict() == RIGHT
    assert count.most == most
    assert (count.threads == {threading.get_ident()}) == (most == 1)


@pytest.mark.parametrize("hidden", [False, True])
def test_async_code_is_concurrent_in_the_loop(hidden: bool) -> None:
    count = Count()

    async def search(text: str, k: int) -> list[tuple[str, float]]:
        with count:
            await asyncio.sleep(0.01)
            return ANSWER

    began = time.perf_counter()
    thing = (lambda text, k: search(text, k)) if hidden else search
    assert searched(thing).to_dict() == RIGHT
    assert count.most == 8
    assert time.perf_counter() - began < 0.2
    assert len(count.threads) == 1


def test_exceptions_are_asked_again_only_where_retries_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ragscore.outside.repeating.FIRST_WAIT", 0.01)
    asked: list[str] = []

    def shaky(text: str, k: int) -> list[tuple[str, float]]:
        asked.append(text)
        if text.endswith("7") and asked.count(text) == 1:
            raise ConnectionError("reset")
        return ANSWER

    with pytest.raises(RetrieverError, match="query 'q7': raised ConnectionError: reset"):
        searched(shaky)
    assert len(asked) == 8  # nothing after the query that failed
    asked.clear()
    assert searched(shaky, retries=1).to_dict() == RIGHT
    assert len(asked) == len(QUERIES) + 3


def test_queries_may_fail() -> None:
    def wrong(text: str, k: int) -> Any:
        if text.endswith("7"):
            sys.exit(3)
        return "nonsense" if text.endswith("8") else ANSWER

    run = searched(wrong, max_errors=6, failed="left out")
    assert [failure.query for failure in run.failures] == ["q7", "q8", "q17", "q18", "q27", "q28"]
    assert "raised SystemExit: 3" in run.failures[0].error
    assert "type str, which is not a ranking" in run.failures[1].error
    assert run.leaves_out
    with pytest.raises(RetrieverError, match="6 of 29 queries asked failed, and max_errors allows"):
        searched(wrong, max_errors=5)


def test_a_batch_that_fails_is_asked_in_halves() -> None:
    asked: list[int] = []

    class Batch:
        def retrieve(self, queries: list[str], k: int) -> list[Any]:
            asked.append(len(queries))
            if "question 7" in queries:
                raise ValueError("poison")
            return [ANSWER] * len(queries)

    run = searched(Batch, max_errors=1)
    assert [failure.query for failure in run.failures] == ["q7"]
    assert run.to_dict() == {**RIGHT, "q7": {}}
    assert asked == [32, 16, 8, 4, 4, 2, 2, 1, 1, 8, 16]
    asked.clear()
    with pytest.raises(RetrieverError, match="in a call for 32 queries: raised ValueError"):
        searched(Batch)
    assert asked == [32]
    asked.clear()
    assert searched(Batch, QUERIES.select(range(8, 32)), concurrency=3).returned.all()
    assert asked == [8, 8, 8]


@pytest.mark.parametrize("is_async", [True, False])
def test_a_call_that_hangs_is_given_up(is_async: bool) -> None:
    released = threading.Event()

    def hangs(text: str, k: int) -> list[tuple[str, float]]:
        if text == "question 3":
            released.wait(60)
        return ANSWER

    async def hangs_async(text: str, k: int) -> list[tuple[str, float]]:
        await asyncio.sleep(60 if text == "question 3" else 0)
        return ANSWER

    notes = Witness()
    calls = CodeOptions(timeout=0.1, max_errors=1)
    thing = hangs_async if is_async else hangs
    index = open_custom(thing, CORPUS, name="mine", calls=calls, progress=notes)
    run = index.search(QUERIES, 2)
    assert [str(failure) for failure in run.failures] == ["query 'q3': no answer within 0.1 s"]
    assert run.to_dict() == {**RIGHT, "q3": {}}
    assert [note for note in notes.notes if "keeps running in its own thread" in note] == (
        [] if is_async else notes.notes
    )
    index.close()
    released.set()


@pytest.mark.slow
def test_async_code_that_does_not_listen_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragscore.retrievers.custom.caller.GRACE", 0.1)
    released = False

    async def deaf(text: str, k: int) -> list[tuple[str, float]]:
        while text == "question 3" and not released:
            try:
                await asyncio.sleep(0.2)
            except asyncio.CancelledError:
                continue
        return ANSWER

    index = open_custom(deaf, CORPUS, calls=CodeOptions(timeout=0.5, max_errors=1))
    began = time.perf_counter()
    assert [failure.query for failure in index.search(QUERIES, 2).failures] == ["q3"]
    index.close()
    assert time.perf_counter() - began < 5
    released = True


HANGING = """
import time
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.retrievers import open_custom
from ragscore.retrievers.custom.options import CodeOptions
from tests.factories.witness import Witness

def hangs(text, k):
    print("not a result")
    time.sleep(60)

calls = CodeOptions(timeout=0.1, max_errors=1)
index = open_custom(hangs, Corpus(Ids(["a"]), ["text"]), calls=calls)
print(len(index.search(Queries.from_texts({"q1": "rent"}), 1).failures))
"""


@pytest.mark.slow
def test_a_hanging_thread_does_not_keep_the_process_nor_its_stdout() -> None:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout == "1\n"
    assert "not a result" in done.stderr
    assert time.perf_counter() - began < 20


def test_a_class_is_closed() -> None:
    closed: list[str] = []

    class Client:
        async def retrieve(self, queries: list[str], k: int) -> list[Any]:
            return [ANSWER] * len(queries)

        async def close(self) -> None:
            closed.append("closed")

    data = Dataset.from_rows({"a": "x", "b": "y"}, {"q1": "x"}, {"q1": ["a"]})
    evaluate(data, {"mine": Client}, ["P@1"])
    assert closed == ["closed"]
    evaluate(data, {"mine": Client()}, ["P@1"])  # an object of somebody else's
    assert closed == ["closed"]


def test_how_it_is_called_changes_no_key() -> None:
    spec = Custom(use="mine:search")
    assert spec.concurrency is None
    assert spec.retries == 0
    assert spec.timeout is None
    called = Custom(use="mine:search", concurrency=4, timeout=1, retries=3, max_errors=0.1)
    assert called.key() == spec.key()


def test_it_can_be_searched_as_often_as_one_likes() -> None:
    index = open_custom(lambda query, k: ANSWER, CORPUS)
    one, stage = QUERIES.select([0]), index.answered
    for _ in range(sys.getrecursionlimit() + 10):
        assert index.search(one, 2).returned.all()
    assert index.answered is stage
