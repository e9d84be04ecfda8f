"""What a model's files say it is, and that a model of another type is refused before loading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragscore.encoders.known_models import known_class
from ragscore.encoders.model_types import (
    CROSS_ENCODER,
    DENSE,
    MODEL_TYPES,
    MULTI_VECTOR,
    SPARSE,
    ModelType,
    misfit,
    misfit_by_name,
)

BERT = {"architectures": ["BertModel"]}
MODULES = {"modules.json": []}


def saved_as(model_type: str | None, **settings: Any) -> dict[str, Any]:
    named = {} if model_type is None else {"model_type": model_type}
    return {**MODULES, "config_sentence_transformers.json": {**named, **settings}}


@pytest.mark.parametrize(
    ("files", "fitting"),
    [
        (saved_as("SentenceTransformer"), {DENSE}),
        (saved_as("SparseEncoder"), {SPARSE}),
        (saved_as("MultiVectorEncoder"), {MULTI_VECTOR}),
        (saved_as("CrossEncoder"), {CROSS_ENCODER}),
        (saved_as(None), {DENSE}),  # before they wrote it
        (MODULES, {DENSE}),
        (saved_as("ColBERT"), {MULTI_VECTOR}),  # PyLate 3
        (saved_as(None, query_prefix="[Q] "), {MULTI_VECTOR}),  # PyLate before
        ({**MODULES, "config.json": {"architectures": ["HF_ColBERT"]}}, {MULTI_VECTOR}),
        ({"config.json": {"architectures": ["HF_ColBERT"]}}, {DENSE, MULTI_VECTOR}),
        ({"config.json": {"architectures": ["BertForMaskedLM"]}}, {DENSE, SPARSE}),
        (
            {"config.json": {"architectures": ["BertForSequenceClassification"]}},
            {DENSE, CROSS_ENCODER},
        ),
        ({"config.json": BERT}, {DENSE}),
        ({"config.json": {}}, set(MODEL_TYPES)),  # nothing says what it is: loading will
        ({"config.json": []}, set(MODEL_TYPES)),
        ({"config.json": {"architectures": "BertModel"}}, set(MODEL_TYPES)),
    ],
)
def test_files_say_which_type_a_model_is_of(
    tmp_path: Path, files: dict[str, Any], fitting: set[Any]
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    assert {
        model_type for model_type in MODEL_TYPES if misfit(tmp_path, model_type, "it") is None
    } == fitting


@pytest.mark.parametrize(
    ("wanted", "model", "message"),
    [
        (SPARSE, "minilm", "minilm is not a model on the hub but the packaged encoder"),
        (DENSE, "minilm", "Write encoder: minilm for a retriever of kind faiss"),
        (SPARSE, "intfloat/e5-base-v2", "is a SentenceTransformer, and a SparseEncoder is needed"),
        (CROSS_ENCODER, "colbert-ir/colbertv2.0", "is a MultiVectorEncoder, and a CrossEncoder"),
        (SPARSE, "naver/splade-v3", None),
        (DENSE, "minishlab/potion-base-8M", None),
        (SPARSE, "me/our-splade", None),
    ],
)
def test_a_known_name_says_which_type_a_model_is_of(
    wanted: ModelType, model: str, message: str | None
) -> None:
    problem = misfit_by_name(model, known_class(model), wanted)
    assert (message is None) == (problem is None)
    assert message is None or message in str(problem)


def test_the_error_names_both_types(tmp_path: Path) -> None:
    for name, content in saved_as("SentenceTransformer").items():
        (tmp_path / name).write_text(json.dumps(content))
    assert str(misfit(tmp_path, SPARSE, "models/mine")) == (
        "the model models/mine is a SentenceTransformer, and a SparseEncoder is needed. Name one "
        "that was trained as a sparse encoder, such as naver/splade-cocondenser-ensembledistil; "
        "this one is for encoder: {kind: sentence-transformers, model: ...} of a retriever of "
        "kind faiss"
    )
