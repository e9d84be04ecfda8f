"""What is wrong with sparse and multi-vector retrievers in an experiment file: one message each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.factories.house import Write
from tests.factories.packages import needs
from tests.factories.wrong_experiments import problem_of_top

pytestmark = needs("sentence_transformers")

CASES = {
    "a dense model": (
        "{kind: sparse, model: ./SentenceTransformer}",
        "x.yaml:4:30: retrievers.top.model: the model FOLDER/SentenceTransformer is a "
        "SentenceTransformer, and a SparseEncoder is needed. Name one that was trained as a sparse "
        "encoder, such as naver/splade-cocondenser-ensembledistil; this one is for encoder: "
        "{kind: sentence-transformers, model: ...} of a retriever of kind faiss",
    ),
    "a sparse model": (
        "{kind: multi-vector, model: ./SparseEncoder}",
        "x.yaml:4:36: retrievers.top.model: the model FOLDER/SparseEncoder is a SparseEncoder, and "
        "a MultiVectorEncoder is needed. Name one that was trained as a multi-vector encoder, such "
        "as lightonai/GTE-ModernColBERT-v1; this one is for a retriever {kind: sparse, model: ...}",
    ),
    "a multi-vector model": (
        "{kind: faiss, encoder: {kind: sentence-transformers, model: ./MultiVectorEncoder}}",
        "x.yaml:4:31: retrievers.top.encoder: the model FOLDER/MultiVectorEncoder is a "
        "MultiVectorEncoder, and a SentenceTransformer is needed. Name one that was trained as an "
        "encoder, such as intfloat/multilingual-e5-small; this one is for a retriever "
        "{kind: multi-vector, model: ...}",
    ),
    "the packaged model, which is dense": (
        "{kind: sparse, model: minilm}",
        "x.yaml:4:30: retrievers.top.model: minilm is not a model on the hub but the packaged "
        "encoder. Write encoder: minilm for a retriever of kind faiss, or name a model that was "
        "trained as a sparse encoder, such as naver/splade-cocondenser-ensembledistil",
    ),
    "less fetched than asked for": (
        "{kind: sparse, model: a/b, filter: {field: year, value: 2020}, overfetch: 20}",
        "x.yaml:4:82: retrievers.top.overfetch: overfetch is 20, below the depth 50. "
        "Write overfetch: 50 or more, or leave it out",
    ),
    "no such folder": (
        "{kind: sparse, model: ./gone}",
        "x.yaml:4:30: retrievers.top.model: there is no model folder FOLDER/gone. "
        "Name an existing folder or a model on the hub (owner/name)",
    ),
    "no model": (
        "{kind: multi-vector}",
        "x.yaml:4:3: retrievers.top.model: missing. Add it: A folder, relative to the experiment "
        "file, or a name on the model hub such as `lightonai/GTE-ModernColBERT-v1`. Code inside a "
        "model is never run.",
    ),
    "n above the depth": (
        "{kind: multi-vector, model: a/b, retriever: bm25, n: 60}",
        "x.yaml:4:61: retrievers.top.n: it reads 60 passages of bm25, above the depth 50. "
        "Write depth: 60, or n up to 50",
    ),
    "n without a pool": (
        "{kind: multi-vector, model: a/b, n: 60}",
        "x.yaml:4:44: retrievers.top.n: n has no meaning without retriever. Leave it out, or name "
        "one",
    ),
    "itself": (
        "{kind: multi-vector, model: a/b, retriever: top, n: 5}",
        "x.yaml:4:52: retrievers.top.retriever: it is built on itself: top -> top. "
        "A retriever may name only others that do not name it",
    ),
}
"""A retriever `top` and the message that it gets."""


@pytest.mark.parametrize("case", CASES)
def test_one_clear_message_at_its_place(case: str, write: Write, tmp_path: Path) -> None:
    for model_type in ("SentenceTransformer", "SparseEncoder", "MultiVectorEncoder"):
        (tmp_path / model_type).mkdir()
        (tmp_path / model_type / "modules.json").write_text("[]")
        settings = json.dumps({"model_type": model_type})
        (tmp_path / model_type / "config_sentence_transformers.json").write_text(settings)
    spec, wanted = CASES[case]
    assert problem_of_top(write, spec) == wanted
