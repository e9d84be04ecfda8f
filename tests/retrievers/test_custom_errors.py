"""Custom retrievers: a clear word for every form that does not work."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, evaluate
from ragscore.dataset import Corpus, Dataset, Ids
from ragscore.errors import ConfigError, RetrieverError
from ragscore.retrievers import Custom, open_custom
from ragscore.retrievers.calls.answers import short
from tests.factories.custom_retrievers import CORPUS, QUERIES, Batch


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "type NoneType, which is not a ranking: None"),
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
        (["a", ("b", 1.0)], "a mix"),
        ([("b", 1.0), "a"], "a mix"),
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
    with pytest.raises(RetrieverError, match=r"query 'q2': returned no scores where other"):
        index.search(QUERIES, 3)


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
    assert "query 'q1': in a call for 2 queries: retrieve returned" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("answers", [itertools.repeat([]), ([] for _ in itertools.count())])
def test_answers_without_end(answers: Any) -> None:
    class Endless:
        def retrieve(self, queries: list[str], k: int) -> Any:
            return answers

    with pytest.raises(RetrieverError, match="3 answers for 2 queries"):
        open_custom(Endless, CORPUS, name="mine").search(QUERIES, 3)


def failing(text: str, k: int) -> list[str]:
    if text == "keys":
        raise KeyError("no such key")
    return ["a"]


async def failing_async(text: str, k: int) -> list[str]:
    return failing(text, k)


def failing_late(text: str, k: int) -> Iterator[str]:
    yield from failing(text, k)


@pytest.mark.parametrize("thing", [failing, failing_async, failing_late])
def test_what_it_raises_is_chained_and_names_the_query(thing: Any) -> None:
    with pytest.raises(RetrieverError, match=r"retriever 'mine', query 'q2': raised") as caught:
        open_custom(thing, CORPUS, name="mine").search(QUERIES, 3)
    assert isinstance(caught.value.__cause__, KeyError)


DATA = Dataset.from_rows(
    {"a": "Rent is due on the first.", "b": "Pets are welcome."},
    {"q1": "when is rent due", "q2": "pets"},
    {"q1": ["a"], "q2": ["b"]},
)


class OutOfTime(BaseException):
    """What some libraries raise so that nobody catches it."""


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError("nothing to say")


@pytest.mark.parametrize(
    "error", [SystemExit, OutOfTime, GeneratorExit, asyncio.CancelledError, UnprintableError]
)
def test_whatever_it_raises_fails_its_retriever_alone(error: type[BaseException]) -> None:
    def plain(text: str, k: int) -> list[str]:
        raise error("bye")

    async def waiting(text: str, k: int) -> list[str]:
        await asyncio.sleep(0)
        raise error("bye")

    def late(text: str, k: int) -> Iterator[str]:
        yield "a"
        raise error("bye")

    class AtOnce:
        async def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
            raise error("bye")

    class Counting:
        @property
        def usage(self) -> dict[str, int]:
            raise error("bye")

        def __call__(self, text: str, k: int) -> list[str]:
            return ["a"]

    wrong = {"plain": plain, "waiting": waiting, "late": late, "at once": AtOnce}
    good = {"counting": Counting, "bm25": BM25()}
    result = evaluate(DATA, {**wrong, **good}, ["nDCG@10"], depth=10)
    assert list(result.retrievers) == list(good)
    assert [name for _, name in result.failures] == list(wrong)
    for failure in result.failures.values():
        assert f"raised {error.__name__}: " in str(failure)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("leaves", [True, False])
def test_a_process_that_it_forks_ends_with_the_call(leaves: bool, tmp_path: Path) -> None:
    children: list[int] = []

    def forking(text: str, k: int) -> list[str]:
        child = os.fork()
        if not child and leaves:
            sys.exit(0)
        children.append(child)
        return ["a"]

    evaluate(DATA, {"forking": forking}, ["nDCG@10"], depth=10)
    (tmp_path / str(os.getpid())).touch()  # by a child too, if it got here
    assert len(children) >= len(DATA.queries)
    assert all(children)
    for child in children:
        os.waitpid(child, 0)
    assert len(list(tmp_path.iterdir())) == 1


def test_code_that_writes_into_the_corpus_changes_none() -> None:
    class Writing(Batch):
        def index(self, corpus: Any) -> None:
            corpus.texts[:] = corpus.titles[:] = ["x"] * len(corpus)
            corpus.metadata[0]["year"] = 0
            corpus.metadata.clear()

    corpus = Corpus(CORPUS.ids, ["one"] * len(CORPUS), ["t"] * len(CORPUS), {}, {0: {"year": 1}})
    open_custom(Writing, corpus)
    assert set(corpus.texts) == {"one"}
    assert corpus.titles is not None
    assert set(corpus.titles) == {"t"}
    assert corpus.metadata == {0: {"year": 1}}


def test_a_plugin_that_leaves_python_fails_alone() -> None:
    class Leaving(BM25):
        def build(self, *given: Any, **options: Any) -> Any:
            sys.exit(3)

    both = {"leaving": Leaving(), "bm25": BM25()}
    result = evaluate(DATA, both, ["nDCG@10"], depth=10)
    (failure,) = result.failures.values()
    assert "retriever 'leaving': SystemExit: 3" in str(failure)
    assert list(result.retrievers) == ["bm25"]


def test_only_ctrl_c_ends_what_is_under_way() -> None:
    async def pressed(text: str, k: int) -> list[str]:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)
        return []

    with pytest.raises(KeyboardInterrupt):
        open_custom(pressed, CORPUS).search(QUERIES, 3)


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
        (Batch, {"speed": 2}, "Give options that Batch takes: factor"),
        (Batch(), {"factor": 2}, "Name its class"),
        (42, {}, "42 cannot be called and has no method retrieve"),
        (Corpus, {"ids": Ids([]), "texts": []}, "cannot be called"),
    ],
)
def test_what_cannot_be_made_is_refused(thing: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(RetrieverError) as caught:
        open_custom(thing, CORPUS, name="mine", options=options)
    assert said in str(caught.value)


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
