"""Retrievers: anything that answers queries with passages.

To add one, copy a neighbour (a spec with ``build`` and an index with ``search``), and add its class
to :data:`RETRIEVERS`. A module here imports its heavy library only when it builds.
"""

from __future__ import annotations

from typing import Annotated

from ragscore.kinds import OneOf, spec_catalogue
from ragscore.plugins import Catalogue
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec
from ragscore.retrievers.bm25 import BM25
from ragscore.retrievers.custom import Custom, open_custom
from ragscore.retrievers.faiss import Faiss
from ragscore.retrievers.fusion import Fusion
from ragscore.retrievers.graph import keys, search_order
from ragscore.retrievers.recorded_run import Recorded

RETRIEVERS: Catalogue[type[RetrieverSpec]] = spec_catalogue(
    "ragscore.retriever_kinds",
    "kind of retriever",
    RetrieverSpec,
    {
        "bm25": BM25,
        "faiss": Faiss,
        "fusion": Fusion,
        "recorded": Recorded,
        "custom": Custom,
    },
)
"""Every retriever by its kind; ``RETRIEVERS[kind].summary()`` says what it is in one line."""

Retriever = Annotated[RetrieverSpec, OneOf(RETRIEVERS)]
"""Any retriever, told apart by ``kind``."""

__all__ = [
    "BM25",
    "NO_INPUTS",
    "RETRIEVERS",
    "Custom",
    "Faiss",
    "Fusion",
    "Index",
    "Recorded",
    "Retriever",
    "RetrieverSpec",
    "keys",
    "open_custom",
    "search_order",
]
