"""Models that are known to be for English, and models for several languages, by type."""

from __future__ import annotations

ENGLISH_MODELS = frozenset(
    {
        # dense
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
        # sparse
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
        # multi-vector
        "colbertv2.0",
        "answerai-colbert-small-v1",
        "GTE-ModernColBERT-v1",
        "Reason-ModernColBERT",
        "mxbai-edge-colbert-v0-17m",
        "mxbai-edge-colbert-v0-32m",
    }
)
"""Models whose cards say that they are for English, without their organisations."""

MULTILINGUAL = {
    "SentenceTransformer": "{kind: sentence-transformers, model: intfloat/multilingual-e5-small, "
    "query_prompt: 'query: ', passage_prompt: 'passage: '}",
    "SparseEncoder": "model: opensearch-project/opensearch-neural-sparse-encoding-multilingual-v1",
    "MultiVectorEncoder": "model: LiquidAI/LFM2-ColBERT-350M",
}
"""A model for several languages of each type of sentence-transformers, as an experiment names
it."""
