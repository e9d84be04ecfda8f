"""Learned sparse retrieval: what is indexed, and by which model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from ragscore.cache import Cache, Opened, entry_key, open_or_make
from ragscore.dataset import Corpus, Queries
from ragscore.encoders import Truncation
from ragscore.encoders.base import TokenCuts
from ragscore.encoders.gathering import forget_gathered, gather
from ragscore.encoders.model_types import SPARSE, ModelType
from ragscore.encoders.ragged import RaggedEncoded
from ragscore.encoders.ragged_models import RaggedEncoder, SparseModel
from ragscore.errors import RetrieverError
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.blockwise import BlockwiseRetriever, SearchBlock
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.encoded_block import COSTS, EncodedBlock, kept_block
from ragscore.retrievers.model_retriever import ModelRetriever
from ragscore.retrievers.sparse.inverted_index import InvertedIndex, inverted
from ragscore.retrievers.sparse.sparse_index import (
    AskedWeights,
    SparseIndex,
    asked_weights,
    best_passages,
    unit_length,
)
from ragscore.spec import canonical_json, digest_text

KIND = "sparse"
"""The cache's kind of entry for an index."""
FORMAT = 1
"""Raise this when the meaning of a cached index changes, so that old ones are not found."""

METRICS = ("dot", "cosine")
"""How sparse models compare a query and a passage that an inverted index supports."""


class Sparse(ModelRetriever, BlockwiseRetriever):
    """Ranks passages by terms that a model weighs, also terms that they don't contain (SPLADE).

    A SparseEncoder of sentence-transformers gives each text a weight for every term of its
    vocabulary, most of them 0; the score is the inner product. Scores are exact. A passage that
    shares no weighed term with the query is not returned.

    Source: Formal, Piwowarski and Clinchant, SPLADE, SIGIR 2021.

    >>> Sparse(model="naver/splade-cocondenser-ensembledistil").fields
    ('title', 'text')
    """

    model_type: ClassVar[ModelType] = SPARSE
    kind: Literal["sparse"] = "sparse"
    """Which retriever this is."""
    model: str = Field(min_length=1)
    """A folder, relative to the experiment file, or a name on the model hub such as
    `naver/splade-cocondenser-ensembledistil`. Code inside a model is never run."""

    def lowest_score(self) -> float | None:
        """0, since no weight of a sparse model is negative."""
        return 0.0

    def _encoder(self, progress: Progress) -> RaggedEncoder:
        return SparseModel(self, progress)

    def artifacts(self, corpus: Corpus) -> tuple[Artifact, ...]:
        if corpus.blocks:
            return tuple(entry for block in corpus.blocks for entry in self.block_artifacts(block))
        texts, key = corpus.content(self.fields), self.vector_key("passage")
        index = Artifact("index", self._index_key(corpus), KIND)
        return (Artifact("vectors", key, "", texts), index)

    def block_artifacts(self, block: Corpus) -> tuple[Artifact, ...]:
        key = self._index_key(block)
        return Artifact("index", key, KIND), Artifact("index", key, COSTS)

    def held(self, progress: Progress = SILENT) -> RaggedEncoder:
        return self.open_encoder(progress)

    def encode_block(
        self, block: Corpus, cache: Cache, *, name: str, progress: Progress = SILENT
    ) -> EncodedBlock:
        key = self._index_key(block)
        kept = kept_block(cache, KIND, key, progress)
        if kept is None:
            opened = self._opened_block(block, self.open_encoder(progress), cache, name, progress)
            index = opened.value
            kept = EncodedBlock(opened.reopened, index.size_bytes, index.cost, index.truncation)
            cache.keep(COSTS, key, kept.write)
        return kept

    def shared_of(
        self,
        blocks: Sequence[Corpus],
        queries: Queries,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> AskedWeights:
        """The weights of the terms of the queries."""
        return asked_weights(
            self.open_encoder(progress), self.vector_key("query"), queries, cache, progress
        )

    def open_block(
        self,
        block: Corpus,
        shared: AskedWeights,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> SearchBlock:
        index = self._opened_block(block, shared.encoder, cache, name, progress).value
        return partial(best_passages, index, shared.weights)

    def query_cuts(self, queries: Queries) -> TokenCuts | None:
        return self.open_encoder().token_cuts(queries.texts, "query")

    def _index_key(self, corpus: Corpus) -> str:
        return entry_key(FORMAT, [self.vector_key("passage"), list(self.fields)], corpus.digest)

    def open_whole(
        self, corpus: Corpus, cache: Cache | None, *, name: str, progress: Progress
    ) -> SparseIndex:
        encoder = self.open_encoder(progress)
        key = self.vector_key("passage")
        opened = self._opened(corpus, key, encoder, cache, name, progress)
        return SparseIndex(encoder, opened, corpus, name, progress)

    def _opened_block(
        self, block: Corpus, encoder: RaggedEncoder, cache: Cache, name: str, progress: Progress
    ) -> Opened[InvertedIndex]:
        """The index of one block; what its texts were made into is kept until that stands."""
        key = digest_text(canonical_json([self.vector_key("passage"), block.digest]))
        opened = self._opened(block, key, encoder, cache, name, progress)
        if not opened.reopened and cache.failure is None:
            forget_gathered(key, cache)
        return opened

    def _opened(
        self,
        corpus: Corpus,
        key: str,
        encoder: RaggedEncoder,
        cache: Cache | None,
        name: str,
        progress: Progress,
    ) -> Opened[InvertedIndex]:
        """The index of a corpus, or of one block; ``key`` is what texts are gathered under."""
        return open_or_make(
            cache,
            KIND,
            self._index_key(corpus),
            lambda: self._built(corpus, key, encoder, cache, name, progress),
            InvertedIndex.write,
            partial(InvertedIndex.read, mapped=cache is not None and cache.persistent),
            progress=progress,
        )

    def _built(
        self,
        corpus: Corpus,
        key: str,
        encoder: RaggedEncoder,
        cache: Cache | None,
        name: str,
        progress: Progress,
    ) -> InvertedIndex:
        metric = encoder.model.similarity_fn_name
        if metric not in METRICS:
            raise RetrieverError(
                f"the model {self.model} compares vectors by their {metric} distance, which an "
                "inverted index cannot",
                retriever=name,
                instead=f"Name a model that compares by {' or '.join(METRICS)}",
            )
        texts = list(corpus.content(self.fields))
        gathered = gather(key, encoder, RaggedEncoded, corpus.ids, texts, cache, progress)
        began = time.perf_counter()
        weights = gathered.encoded[np.arange(len(gathered.encoded.known))]
        if metric == "cosine":
            weights = unit_length(weights)
        arrays = inverted(weights, gathered.number, corpus.ids)
        truncation = Truncation.known(name, "passage", gathered.cuts)
        cost = BuildCost(time.perf_counter() - began, gathered.cost)
        return InvertedIndex(*arrays, truncation, cost)
