"""Models that are known to be for English, and models for several languages, by type."""

from __future__ import annotations

from ragscore.messages import Text, _
from ragscore.text.script import language_name

ENGLISH_MODELS = {
    "SentenceTransformer": {
        # the packaged one goes by its kind
        "minilm",
        "all-MiniLM-L6-v2",
        "all-MiniLM-L12-v2",
        "all-distilroberta-v1",
        "all-mpnet-base-v2",
        "all-roberta-large-v1",
        "multi-qa-MiniLM-L6-cos-v1",
        "multi-qa-mpnet-base-dot-v1",
        "bge-small-en-v1.5",
        "bge-base-en-v1.5",
        "bge-large-en-v1.5",
        "e5-small-v2",
        "e5-base-v2",
        "e5-large-v2",
        "gte-small",
        "gte-base",
        "gte-large",
    },
    "StaticModel": {
        "potion-base-2M",
        "potion-base-4M",
        "potion-base-8M",
        "potion-base-32M",
        "potion-retrieval-32M",
        "M2V_base_glove",
        "M2V_base_glove_subword",
        "M2V_base_output",
    },
    "SparseEncoder": {
        "splade-cocondenser-ensembledistil",
        "splade-cocondenser-selfdistil",
        "splade-v3",
        "splade-v3-distilbert",
        "splade-v3-doc",
        "splade-v3-lexical",
        "Splade_PP_en_v1",
        "Splade_PP_en_v2",
        "opensearch-neural-sparse-encoding-v1",
        "opensearch-neural-sparse-encoding-v2-distill",
        "opensearch-neural-sparse-encoding-doc-v1",
        "opensearch-neural-sparse-encoding-doc-v2-distill",
        "opensearch-neural-sparse-encoding-doc-v2-mini",
        "opensearch-neural-sparse-encoding-doc-v3-distill",
        "opensearch-neural-sparse-encoding-doc-v3-gte",
    },
    "MultiVectorEncoder": {
        "colbertv2.0",
        "answerai-colbert-small-v1",
        "GTE-ModernColBERT-v1",
        "Reason-ModernColBERT",
        "mxbai-edge-colbert-v0-17m",
        "mxbai-edge-colbert-v0-32m",
    },
}
"""By the class of sentence-transformers and model2vec that they were trained as: models whose cards
say that they are for English, without their organisations."""

MULTILINGUAL = {
    "SentenceTransformer": "{kind: sentence-transformers, model: intfloat/multilingual-e5-small, "
    "query_prompt: 'query: ', passage_prompt: 'passage: '}",
    "StaticModel": "{kind: static, model: minishlab/potion-multilingual-128M}",
    "SparseEncoder": "model: opensearch-project/opensearch-neural-sparse-encoding-multilingual-v1",
    "MultiVectorEncoder": "model: LiquidAI/LFM2-ColBERT-350M",
}
"""A model for several languages of each class of sentence-transformers and model2vec, as an
experiment names it."""


def known_class(model: str) -> str | None:
    """The class that a model was trained as; None for one that is not listed.

    Args:
        model: its name, perhaps with its organisation.
    """
    name = model.rpartition("/")[2]
    return next((listed for listed, models in ENGLISH_MODELS.items() if name in models), None)


def language_doubt(model: str, written: str, instead: str) -> Text | None:
    """Why a model suits texts in a language badly, and what suits them better; None if nothing
    is known against it.

    Args:
        model: its name, perhaps with its organisation.
        written: what :func:`~ragscore.text.script.written_in` says: no Latin letters.
        instead: a model that suits them.
    """
    if known_class(model) is None:
        return None
    return _(
        "passages are {written}, but the encoder {encoder} was trained on English; use a "
        "multilingual one, such as {instead}",
        encoder=model,
        written=language_name(written),
        instead=instead,
    )
