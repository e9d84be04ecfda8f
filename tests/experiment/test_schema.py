"""The experiment's JSON Schema takes what loads and refuses what does not."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from ragscore.experiment import (
    experiment_schema,
    load_experiment,
    resolved_yaml,
    validate_experiment,
)
from tests.factories.house import GOOD, Write
from tests.factories.whole_experiment import FULL, full

CONFIGS = sorted((Path(__file__).resolve().parents[2] / "configs").glob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_configs_that_ship_are_right(path: Path) -> None:
    assert validate_experiment(path) == []
    schema_check(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_the_schema_takes_what_loads(write: Write) -> None:
    experiment = load_experiment(full(write))
    schema_check(yaml.safe_load(GOOD))
    schema_check(yaml.safe_load(FULL))
    schema_check(yaml.safe_load(resolved_yaml(experiment)))
    shared = {"fields": ["text"], "defaults": {"faiss": {"encoder": "minilm"}, "bm25": {}}}
    schema_check({"x-base": 1, "dataset": "a", "retrievers": {"b": {"kind": "faiss"}}, **shared})


@pytest.mark.parametrize(
    "wrong",
    [
        {"dataset": 3},
        {"datasets": ["statutes"]},
        {"retrievers": {}},
        {"retrievers": {"a": {"k1": 1}}},
        {"retrievers": {"a": {"kind": "bm52"}}},
        {"retrievers": {"a": {"kind": "bm25", "k": 1}}},
        {"retrievers": {"a": {"kind": "bm25", "k1": "high"}}},
        {"retrievers": {"a": {"kind": "bm25", "tokenizer": "englsh"}}},
        {"retrievers": {"a/b": {"kind": "bm25"}}},
        {"retrievers": {"a": {"kind": "faiss", "encoder": "minilmm"}}},
        {"retrievers": {"a": {"kind": "fusion", "retrievers": ["b"]}}},
        {"measures": []},
        {"depth": 0},
        {"latency": 20},
        {"latency": {"queries": 0}},
        {"name": "my/test"},
        {"name": "test "},
        {"retrievers": {"a\u202eb": {"kind": "bm25"}}},
        {"retriever": {}},
        {"defaults": {"bm25": {"k": 1}}},
        {"defaults": {"bm25": {"kind": "bm25"}}},
        {"defaults": {"bm52": {}}},
        {"defaults": {"faiss": {"encoder": "minilmm"}}},
        {"fields": ["body"]},
    ],
    ids=json.dumps,
)
def test_the_schema_refuses_what_does_not_load(wrong: dict[str, Any], write: Write) -> None:
    data = {**yaml.safe_load(GOOD), **wrong}
    assert validate_experiment(write(json.dumps(data)))
    with pytest.raises(jsonschema.ValidationError):
        schema_check(data)


def test_the_schema_describes_every_option() -> None:
    schema = experiment_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    undescribed = [
        f"{name}.{key}"
        for name, definition in {"": schema, **schema["$defs"]}.items()
        for part in (definition, *definition.get("anyOf", ()))
        for key, option in part.get("properties", {}).items()
        if not option.get("description") and key != "kind"
    ]
    assert undescribed == []


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(experiment_schema())


def schema_check(data: Any) -> None:
    validator().validate(data)
