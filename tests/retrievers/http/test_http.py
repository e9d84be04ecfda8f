"""The kind http: a system in another language, asked over the network."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragscore import ConfigError, Dataset, Http, RetrieverError, evaluate
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.dataset.conditions import listed
from ragscore.models import Query
from ragscore.outside import repeating
from ragscore.outside.service import wait_asked_for
from ragscore.retrievers.http.template import query_fields
from ragscore.run import Run
from tests.factories.systems import HERE, node_server

CORPUS = Corpus(Ids(map(str, range(200))), ["text"] * 200)
QUERIES = Queries.from_texts({f"q{at}": f"question {at}" for at in range(1_000)})
FEW = QUERIES.select(range(2))
RESPONSE = {"ids": "results[*].metadata.number", "scores": "results[*].score"}
BODY = {"query": "{query}", "k": "{k}"}


@pytest.fixture
def server() -> Iterator[str]:
    with node_server(HERE / "server.mjs") as url:
        yield url


def stats(server: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{server}/stats") as response:
        found: dict[str, int] = json.load(response)
    return found


def asked(url: str, queries: Queries = QUERIES, **options: Any) -> Run:
    spec = Http(**{"url": url, "body": BODY, "response": RESPONSE, **options})
    return spec.build(CORPUS, name="system").search(queries, 5)


@pytest.mark.slow
def test_a_system_in_trouble_answers_as_a_calm_one(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeating, "FIRST_WAIT", 0.05)
    calm = asked(f"{server}/calm", concurrency=16)
    quiet = stats(server)
    assert quiet["requests"] == len(calm.to_dict()) == 1_000
    # As many requests are under way as may be, and each of their connections is kept.
    assert 8 < quiet["most"] <= 16
    assert quiet["connections"] <= 18
    rough = asked(f"{server}/rough", concurrency=16, timeout=0.5, retries=3)
    assert rough.to_dict() == calm.to_dict()
    again = stats(server)["requests"] - 2_000
    assert 20 <= again <= 60


@pytest.mark.slow
def test_a_system_that_dies_with_all_it_has_under_way_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repeating, "FIRST_WAIT", 0.1)
    few = QUERIES.select(range(450))
    paths = {"ids": "results[*].id", "scores": "results[*].score"}
    with node_server(HERE / "mortal.mjs") as url:
        run = asked(url, few, concurrency=16, timeout=1, retries=6, response=paths)
    assert run.to_dict() == {
        f"q{number}": {str((number + rank) % 200): 5.0 - rank for rank in range(5)}
        for number in range(450)
    }


def test_a_rate_limit_holds(server: str) -> None:
    asked(f"{server}/calm", QUERIES.select(range(10)), rate_limit=25, concurrency=16)
    assert stats(server)["most"] <= 4


def test_fields_in_the_url_and_distances(server: str) -> None:
    url = f"{server}/calm?query={{query}}&k={{k}}"
    paths = {"ids": RESPONSE["ids"], "distances": RESPONSE["scores"]}
    run = asked(url, FEW, body=None, response=paths)
    posted = asked(f"{server}/calm", FEW).to_dict()
    assert {query: {passage: -score for passage, score in passages.items()}
            for query, passages in posted.items()} == run.to_dict()  # fmt: skip


def test_a_secret_is_sent_and_never_shown(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_KEY", "s3cr/et")
    with pytest.raises(RetrieverError) as caught:
        asked(f"{server}/echo", FEW, headers={"X-Api-Key": "Key ${SEARCH_KEY}"})
    assert "HTTP status 400: Key ${SEARCH_KEY}" in str(caught.value)


def test_no_file_of_a_result_holds_a_secret(
    server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SEARCH_KEY", "s3cr/et")
    monkeypatch.setenv("SEARCH_HOST", server)
    dataset = Dataset.from_rows(
        passages=[{"id": str(at), "text": "text"} for at in range(200)],
        queries={"q0": "question 0", "q1": "question 1"},
        ground_truth=[{"query_id": f"q{at}", "passages": {str(at): 1}} for at in range(2)],
    )
    key = {"X-Api-Key": "${SEARCH_KEY}"}
    paths = {"works": "/calm", "fails": "/echo"}
    retrievers = {
        name: Http(url=f"${{SEARCH_HOST}}{path}", body=BODY, response=RESPONSE, headers=key)
        for name, path in paths.items()
    }
    result = evaluate(dataset, retrievers, ["nDCG@10"])
    result.save(tmp_path / "out")
    assert "${SEARCH_KEY}" in str(result.failures)
    written = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert any(b"${SEARCH_KEY}" in text for text in written)
    for form in (b"s3cr", server.encode(), server.partition("//")[2].encode()):
        assert not any(form in text for text in written)
        assert form not in str(result.failures).encode()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "file:///etc/passwd"}, "is not a URL"),
        ({"url": "http://me:password@host/"}, "would stand in every result"),
        ({"url": "http://{query}/"}, "not in the host"),
        ({"url": "http://host/a b"}, "Percent-encode"),
        ({"body": {"q": "{k}"}}, "the request never contains the query"),
        ({"body": {"q": {"query": None}}}, "without quotes is a mapping"),
        ({"body": {"query": "{query}", "f": "{filter}"}}, "filter: it is missing"),
        ({"method": "GET"}, "a GET request has no body"),
        ({"headers": {"Authorization": "Bearer abc"}}, "Put it into the environment"),
        ({"url": "http://host/s?q={query}&api_key=abc"}, "the value of api_key would stand"),
        ({"body": {"q": "{query}", "auth": [{"password": "abc"}]}}, "the value of password would"),
        ({"body": {"q": "{query}", "tokens": "a", "token": ["abc"]}}, "the value of token would"),
        ({"headers": {"X": "a\r\nHost: b"}}, "characters that no header can have"),
        ({"headers": {"a b": "c"}}, "cannot be the name of a header"),
        ({"headers": {"Content-Length": "1"}}, "Leave it out"),
        ({"response": {"ids": "results.id"}}, "does not go through one list"),
        ({"response": {"ids": "[*].hits[*].id"}}, "more than once"),
        ({"response": {"ids": "a b..[*]"}}, "is not a path"),
        ({"response": {"ids": "i[*]", "scores": "s[*]", "distances": "d[*]"}}, "both given"),
        ({"timeout": 0}, "timeout"),
    ],
)
def test_what_is_refused_before_anything_is_sent(options: dict[str, Any], said: str) -> None:
    right = {"url": "http://host/", "body": BODY, "response": RESPONSE}
    with pytest.raises((ConfigError, ValueError)) as caught:
        Http(**{**right, **options})
    assert said in str(caught.value)


def test_what_only_looks_like_a_secret_is_sent() -> None:
    body = {"q": "{query}", "max_tokens": "100", "token": 7, "secret": "${KEY}", "cookie": "{id}"}
    url = "http://host/s?api_key=${KEY}&max_tokens=5&token={query}&password="
    assert Http(url=url, body=body, response=RESPONSE).body == body


def test_values_of_the_environment_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = Http(
        url="${SEARCH_HOST}/s", body=BODY, response=RESPONSE, headers={"X": "${SEARCH_KEY}"}
    )
    assert [problem.where for problem in spec.check()] == ["url", "headers"]
    monkeypatch.setenv("SEARCH_HOST", "ftp://secret.example")
    monkeypatch.setenv("SEARCH_KEY", "secret\n")
    said = [str(problem) for problem in spec.check()]
    assert "is not a URL" in said[0]
    assert "line ends" in said[1]
    assert "secret" not in " ".join(said)


def test_a_system_that_filters_is_asked_for_no_more(server: str) -> None:
    corpus = Corpus(
        CORPUS.ids, CORPUS.texts, metadata={row: {"year": row} for row in range(len(CORPUS))}
    )
    condition = {"field": "year", "op": "<", "value": "query.until"}
    few = Queries.from_rows(
        [Query(id="q0", text="question 0", metadata={"until": 10}), Query(id="q1", text="x")]
    )
    body = {**BODY, "where": "{filter}", "until": "{query.until}"}
    spec = Http(url=f"{server}/calm", body=body, response=RESPONSE, filter=condition)
    assert spec.check_data(corpus, few) == []
    found = spec.build(corpus).search(few, 5).to_dict()
    assert len(found["q1"]) == 5, "it has no key, and is not restricted"
    assert all(int(passage) < 10 for passage in found.get("q0", {}))
    assert query_fields(few, 0, 5, listed(spec.filter))["filter"] == [
        {"field": "year", "op": "<", "value": 10}
    ]
    assert query_fields(few, 1, 5, listed(spec.filter))["filter"] == []
    (problem,) = Http(url=f"{server}/{{query.month}}", body=BODY, response=RESPONSE).check_data(
        corpus, few
    )
    assert (problem.where, problem.what) == ("url", "no query has metadata 'month'")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("7", 7), ("0.5", 0.5), ("-1", None), ("soon", None), ("1e9", None), ("", None),
     ("Thu, 01 Jan 1970 00:00:00 GMT", 0)],
)  # fmt: skip
def test_how_long_a_system_asks_to_wait(written: str, seconds: float | None) -> None:
    assert wait_asked_for({"retry-after": written}) == seconds
