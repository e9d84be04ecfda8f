"""Options of an embeddings service, and what vectors are kept under."""

from __future__ import annotations

from typing import Any

import pytest

from ragscore import ConfigError, Endpoint
from ragscore.encoders.endpoint.options import embeddings_url


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "ftp://host"}, "is not a URL"),
        ({"url": "http://host/v1?api_key=abc"}, "the value of api_key would stand in every result"),
        ({"key": "sk-abc"}, "the value of key would stand in every result"),
        ({"headers": {"api-key": "abc"}}, "the value of api-key would stand in every result"),
        ({"key": "${KEY}", "headers": {"authorization": "${KEY}"}}, "header Authorization is"),
        ({"body": {"input": ["a"]}}, "'input' is set for each request. Leave it out"),
        ({"query_body": {"dimensions": 2}}, "Write it as the option dimensions"),
        ({"passage_body": {"auth": {"password": "x"}}}, "the value of password would stand"),
        ({"dtype": "float16", "encoding_format": "float"}, "in base64 alone"),
        ({"currency": "€\n"}, "printable"),
        ({"batch_size": 0}, "batch_size"),
        ({"max_seq_length": 512}, "Name the model's tokenizer, too"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Endpoint(**{"url": "http://host", "model": "tiny", **options})
    assert said in str(caught.value)


def test_variables_are_looked_at_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = Endpoint(url="${HOST_URL}", model="tiny", key="${KEY}", body={"user": "${USER_ID}"})
    monkeypatch.delenv("HOST_URL", raising=False)
    assert [problem.where for problem in spec.check()] == ["url", "key", "body"]
    monkeypatch.setenv("USER_ID", "7")
    monkeypatch.setenv("HOST_URL", "http://host")
    monkeypatch.setenv("KEY", "s3cret\n")
    (problem,) = spec.check()
    assert "the value of Authorization has characters" in problem.what


def test_what_keys_of_vectors_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST_URL", "http://one")

    def keys(**options: Any) -> list[str]:
        spec = Endpoint(**{"url": "http://host/v1", "model": "tiny", **options})
        return [spec.vector_key("passage"), spec.vector_key("query")]

    usual = keys()
    for same in (
        {"key": "${KEY}"}, {"headers": {"api-key": "${KEY}"}}, {"batch_size": 1}, {"price": 1.0},
        {"url": "https://host/v1/embeddings"}, {"encoding_format": "float"}, {"timeout": None},
        {"tokenizer": "minilm", "max_seq_length": 9},
    ):  # fmt: skip
        assert keys(**same) == usual, same
    for other in (
        {"model": "large"}, {"url": "http://host:81/v1"}, {"url": "http://host/v2"},
        {"dimensions": 8}, {"dtype": "float16"}, {"body": {"truncate": True}},
        {"headers": {"X-Version": "2"}},
    ):  # fmt: skip
        assert not set(keys(**other)) & set(usual), other
    assert keys(query_prompt="q: ")[0] == usual[0] != keys(query_prompt="q: ")[1]
    assert keys(passage_body={"type": "d"})[1] == usual[1] != keys(passage_body={"type": "d"})[0]
    named = keys(url="${HOST_URL}")
    monkeypatch.setenv("HOST_URL", "http://other")
    assert not set(keys(url="${HOST_URL}")) & set(named)


def test_where_a_service_takes_requests() -> None:
    assert embeddings_url("http://host:80/") == "http://host:80/v1/embeddings"
    assert embeddings_url("http://host/openai/v1") == "http://host/openai/v1/embeddings"
    assert embeddings_url("http://host/v1/embeddings") == "http://host/v1/embeddings"
