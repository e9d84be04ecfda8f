"""Retrievers: anything that answers queries with passages.

To add one, copy a neighbour (a spec with ``build`` and an index with ``search``), and add its class
to :data:`RETRIEVERS`. A module here imports its heavy library only when it builds.
"""

from __future__ import annotations

from typing import Annotated

from ragscore.kinds import OneOf, spec_catalogue
from ragscore.plugins import Catalogue
from ragscore.retrievers.base import NO_INPUTS as NO_INPUTS
from ragscore.retrievers.base import Index as Index
from ragscore.retrievers.base import RetrieverSpec as RetrieverSpec
from ragscore.retrievers.bm25 import BM25 as BM25
from ragscore.retrievers.command import Command as Command
from ragscore.retrievers.custom import Custom as Custom
from ragscore.retrievers.custom import RetrieverObject as RetrieverObject
from ragscore.retrievers.custom import open_custom as open_custom
from ragscore.retrievers.faiss import Faiss as Faiss
from ragscore.retrievers.fusion import Fusion as Fusion
from ragscore.retrievers.graph import keys as keys
from ragscore.retrievers.graph import search_order as search_order
from ragscore.retrievers.http import Http as Http
from ragscore.retrievers.multi_vector import MultiVector as MultiVector
from ragscore.retrievers.recorded_run import Recorded as Recorded
from ragscore.retrievers.rerank import Rerank as Rerank
from ragscore.retrievers.sparse import Sparse as Sparse

RETRIEVERS: Catalogue[type[RetrieverSpec]] = spec_catalogue(
    "ragscore.retriever_kinds",
    "kind of retriever",
    RetrieverSpec,
    {
        "bm25": BM25,
        "faiss": Faiss,
        "sparse": Sparse,
        "multi-vector": MultiVector,
        "fusion": Fusion,
        "rerank": Rerank,
        "recorded": Recorded,
        "http": Http,
        "command": Command,
        "custom": Custom,
    },
)
"""Every retriever by its kind."""

Retriever = Annotated[RetrieverSpec, OneOf(RETRIEVERS)]
"""Any retriever; ``kind`` says which."""
