"""Learned sparse retrieval: a model weighs terms, an inverted index adds them up."""

from __future__ import annotations

from ragscore.retrievers.sparse.model import Sparse as Sparse
