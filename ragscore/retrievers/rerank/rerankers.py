"""The rerankers: one file each, and the catalogue of them."""

from __future__ import annotations

from ragscore.kinds import spec_catalogue
from ragscore.plugins import Catalogue
from ragscore.retrievers.rerank.base import RerankerSpec
from ragscore.retrievers.rerank.cross_encoder import CrossEncoder
from ragscore.retrievers.rerank.mmr import MMR
from ragscore.retrievers.rerank.own_reranker import OwnReranker

RERANKERS: Catalogue[type[RerankerSpec]] = spec_catalogue(
    "ragscore.rerankers",
    "reranker",
    RerankerSpec,
    {
        "cross-encoder": CrossEncoder,
        "mmr": MMR,
        "custom": OwnReranker,
    },
)
"""Every reranker by its kind."""
