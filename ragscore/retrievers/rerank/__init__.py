"""Reranking the first passages of another retriever."""

from ragscore.retrievers.rerank.base import PoolScores, Reranker, RerankerSpec
from ragscore.retrievers.rerank.cross_encoder import CrossEncoder
from ragscore.retrievers.rerank.mmr import MMR
from ragscore.retrievers.rerank.model import Rerank
from ragscore.retrievers.rerank.own_reranker import OwnReranker
from ragscore.retrievers.rerank.pairs import PairReranker
from ragscore.retrievers.rerank.rerankers import RERANKERS

__all__ = [
    "CrossEncoder",
    "MMR",
    "OwnReranker",
    "PairReranker",
    "PoolScores",
    "RERANKERS",
    "Rerank",
    "Reranker",
    "RerankerSpec",
]
