"""Queries that a system does not answer: how many may fail, and what becomes of them."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ragscore import ConfigError, Http, RetrieverError
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.progress import SILENT
from ragscore.retrievers.calls import (
    CallOptions,
    PermanentFailure,
    RawAnswer,
    TemporaryFailure,
)
from ragscore.retrievers.calls.asked_index import AskedIndex
from ragscore.retrievers.calls.failed_queries import FailedQueries
from ragscore.run import QueryFailure, Run
from tests.factories.systems import HERE, node_server

CORPUS = Corpus(Ids(map(str, range(200))), ["text"] * 200)
QUERIES = Queries.from_texts({f"q{at}": f"question {at}" for at in range(100)})
SERVED = Queries.from_texts({f"q{at}": f"question {at}" for at in range(120, 300)})
FAILING = ["q130", "q142", "q154", "q166", "q178", "q250", "q262", "q274", "q286", "q298"]
"""Of the served queries those that /failing never answers, in each way that it knows."""
RESPONSE = {"ids": "results[*].metadata.number", "scores": "results[*].score"}
BODY = {"query": "{query}", "k": "{k}"}


class Asked(AskedIndex):
    """Answers by row of the query id; an exception is raised."""

    def __init__(self, answers: Mapping[str, Any], **options: Any) -> None:
        options = {"retries": 0, "concurrency": 1, **options}
        super().__init__(CORPUS, CallOptions(**options), "system", False, SILENT)
        self.answers = answers
        self.asked: list[str] = []

    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        query = queries.ids[row]
        self.asked.append(query)
        await asyncio.sleep(0)
        answer = self.answers.get(query, RawAnswer(["1", "2"], [2.0, 1.0]))
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, RawAnswer)
        return answer


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with node_server(HERE / "server.mjs") as url:
        yield url


def http(url: str, **options: Any) -> Http:
    options = {"retries": 0, "concurrency": 16, **options}
    return Http(url=url, body=BODY, response=RESPONSE, **options)


def test_what_is_no_ranking_fails_its_query_alone(server: str) -> None:
    calm = http(f"{server}/calm").build(CORPUS).search(SERVED, 5).to_dict()
    found = http(f"{server}/failing", max_errors=10).build(CORPUS).search(SERVED, 5)
    said = {failure.query: failure.error for failure in found.failures}
    assert list(said) == FAILING
    for query, error in {
        "q274": "it answers with HTTP status 500: out of order",
        "q286": "it answers with HTTP status 404",
        "q130": "its answer is HTML or XML, not JSON",
        "q142": "its answer does not fit response",
        "q154": "returned the passage '200', which is not in the corpus",
        "q166": "returned the score 'high' for passage '1'",
        "q178": "its answer does not fit response",
    }.items():
        assert error in said[query]
    expected = {query: {} if query in said else ranked for query, ranked in calm.items()}
    assert found.to_dict() == expected
    assert not found.leaves_out


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (RawAnswer(["z"], [1.0]), "returned the passage 'z', which is not in the corpus"),
        (RawAnswer([1], [1.0]), "Ids are text: write '1'"),
        (RawAnswer(["1"], [float("nan")]), "returned the score nan for passage '1'"),
        (RawAnswer(["1"], ["high"]), "returned the score 'high'"),
        (RawAnswer(["1", "2", "3"], [3.0, 2.0, 1.0]), "at most 2 were asked for"),
        (RawAnswer(["1", "2"]), "returned no scores where other queries got some"),
        (PermanentFailure("it answers with HTTP status 404"), "it answers with HTTP status 404"),
        (TemporaryFailure("it broke\n  off"), "it broke off"),
        (TemporaryFailure("x" * 9_000), "x" * 297 + "..."),
    ],
)
def test_each_way_to_fail(answer: Any, said: str) -> None:
    index = Asked({"q3": answer}, max_errors=1, failed="left out")
    run = index.search(QUERIES.select(range(6)), 2)
    (failure,) = run.failures
    assert (failure.query, failure.attempts) == ("q3", 1)
    assert said in failure.error
    assert run.leaves_out
    assert [len(ranked) for ranked in run.to_dict().values()] == [2, 2, 2, 0, 2, 2]


def test_a_query_that_may_pass_is_asked_again_and_one_that_will_not_is_not() -> None:
    troubles = {"q1": PermanentFailure("never"), "q2": TemporaryFailure("later", retry_after=0)}
    index = Asked(troubles, max_errors=2, retries=2)
    run = index.search(QUERIES.select(range(4)), 2)
    assert run.failures == (QueryFailure("q1", "never", 1), QueryFailure("q2", "later", 3))
    assert [index.asked.count(f"q{at}") for at in range(4)] == [1, 1, 3, 1]


def test_scores_are_what_most_answers_of_the_first_block_have() -> None:
    bare = RawAnswer(["1"])
    index = Asked(dict.fromkeys(("q0", "q7", "q8"), bare), max_errors=3)
    failed = [
        [failure.query for failure in index.search(QUERIES.select(rows), 2).failures]
        for rows in (range(5), range(5, 10))
    ]
    assert failed == [["q0"], ["q7", "q8"]]
    index = Asked({"q3": RawAnswer(["1"], [1.0]), "q4": RawAnswer([])}, max_errors=1)
    index.answers = {**dict.fromkeys(QUERIES.ids, bare), **index.answers}
    run = index.search(QUERIES.select(range(6)), 2)
    assert [failure.query for failure in run.failures] == ["q3"]
    assert run.scores is None


@pytest.mark.parametrize(
    ("allowed", "counts"),
    [(0, (0, 0)), (3, (3, 3)), (0.29, (29, 290)), (0.05, (5, 50)), (0.001, (0, 1))],
)
def test_how_many_may_fail(allowed: float, counts: tuple[int, int]) -> None:
    for queries, count in zip((100, 1_000), counts, strict=True):
        failed = FailedQueries("system", allowed)
        failed.begin(queries)
        assert failed.allowed == count


def test_all_blocks_of_a_run_are_counted_together() -> None:
    troubles = {f"q{at}": PermanentFailure("no") for at in (1, 51, 52, 53)}
    index = Asked(troubles, max_errors=0.03)
    index.prepare(QUERIES)
    assert len(index.search(QUERIES.select(range(50)), 2).failures) == 1
    with pytest.raises(RetrieverError) as caught:
        index.search(QUERIES.select(range(50, 100)), 2)
    assert str(caught.value) == (
        "retriever 'system': 4 of 54 queries asked failed, and max_errors allows 3 of 100: "
        "query 'q1': no; query 'q51': no; query 'q52': no; and 1 other. Fix the cause and run "
        "it again, or set max_errors to let some queries fail"
    )
    assert caught.value.exit_code == 4
    index.answers = {}
    index.prepare(QUERIES)
    assert not index.search(QUERIES, 2).failures


def test_one_failure_is_too_many_by_default() -> None:
    index = Asked({"q3": PermanentFailure("no")})
    with pytest.raises(RetrieverError) as caught:
        index.search(QUERIES, 2)
    assert str(caught.value).startswith(
        "retriever 'system', query 'q3': no; 1 of 4 queries asked failed, and max_errors allows "
        "none. Fix the cause and run it again"
    )
    with pytest.raises(RetrieverError, match="'q3': no; the first query asked failed, and max_err"):
        Asked({"q3": PermanentFailure("no")}).search(QUERIES.select(range(3, 5)), 2)


def test_a_dead_server_is_not_asked_everything(server: str) -> None:
    queries = Queries.from_texts({f"q{at}": f"question {at}" for at in range(1_000)})
    before = _requests(server)
    began = time.perf_counter()
    with pytest.raises(RetrieverError, match=r"max_errors allows 50 of 1,000: query 'q\d+': it"):
        http(f"{server}/dead", max_errors=0.05).build(CORPUS).search(queries, 5)
    assert _requests(server) - before <= 51 + 16
    assert time.perf_counter() - began < 2


def test_filtered_and_collapsed_rankings_keep_failures(server: str) -> None:
    """Children count for their parents, and the system is asked for more until that is certain."""
    metadata = {row: {"parent": str(row % 10), "year": row} for row in range(10, 200)}
    corpus = Corpus(CORPUS.ids, CORPUS.texts, metadata=metadata)
    below = {"field": "year", "op": "<", "value": 150}
    for options in ({"filter": below}, {"collapse": "metadata.parent"}):
        spec = http(f"{server}/failing", max_errors=10, failed="left out", **options)
        run = spec.build(corpus).search(SERVED.select(range(50)), 5)
        assert [failure.query for failure in run.failures] == FAILING[:4]
        assert run.leaves_out
        assert [query for query, found in run.to_dict().items() if not found] == FAILING[:4]


@pytest.mark.parametrize("given", [1.0, 1.5, 0.0, -0.5, -1, True, "few", None])
def test_shares_and_numbers_that_cannot_be(given: Any) -> None:
    with pytest.raises(ConfigError, match="max_errors"):
        CallOptions(max_errors=given)


def test_options_of_failures_change_no_key() -> None:
    plain = http("http://host/")
    assert plain.key() == plain.changed(max_errors=0.5, failed="left out").key()


def _requests(server: str) -> int:
    with urllib.request.urlopen(f"{server}/stats") as response:
        return int(json.load(response)["requests"])


def test_a_run_of_nothing_but_failures_has_no_scores_to_lose() -> None:
    index = Asked({"q0": PermanentFailure("no")}, max_errors=1)
    blocks = [index.search(QUERIES.select(rows), 2) for rows in (range(1), range(1, 3))]
    assert [run.scores is not None for run in blocks] == [True, True]
    assert isinstance(blocks[0], Run)


def test_half_surrogates_of_an_answer_can_be_written() -> None:
    found = Asked({"q3": RawAnswer(["\ud800"], None)}, max_errors=1).search(QUERIES, 5)
    [failure] = found.failures
    assert failure.error.startswith("returned the passage '?', which is not in the corpus")
    assert failure.error.encode()
