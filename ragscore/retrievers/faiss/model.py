"""Dense retrieval: vectors of an encoder in a FAISS index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ragscore.cache import Cache, Opened, open_or_make
from ragscore.dataset import Corpus, Queries
from ragscore.encoders import OpenEncoder, Truncation, encode_passages, usage_of
from ragscore.encoders.base import TokenCuts
from ragscore.encoders.encoding_parts import compare_with_earlier
from ragscore.encoders.truncation import TextRole
from ragscore.errors import RetrieverError
from ragscore.messages import Message, _
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.base import Index
from ragscore.retrievers.block_vectors import BlockVectors, vector_entries
from ragscore.retrievers.blockwise import SearchBlock
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.collapsed import StandsFor, collapsed
from ragscore.retrievers.encoded_block import COSTS, EncodedBlock, kept_block
from ragscore.retrievers.faiss import construction, stored
from ragscore.retrievers.faiss.added_blocks import add_blocks
from ragscore.retrievers.faiss.asked_vectors import AskedVectors, asked_vectors
from ragscore.retrievers.faiss.construction import UnfitError
from ragscore.retrievers.faiss.options import FaissOptions
from ragscore.retrievers.faiss.searching import best_passages, open_faiss
from ragscore.retrievers.faiss.stored import StoredIndex
from ragscore.retrievers.faiss.vectors_in_place import VectorsInPlace
from ragscore.retrievers.faiss.windowed import (
    cut_passages,
    mean_of_windows,
    window_ids,
)
from ragscore.retrievers.prepared_vectors import prepare_passages
from ragscore.usage import Usage

KIND = "faiss"
"""The cache's kind of entry for an index."""


class Faiss(FaissOptions):
    """Searches an encoder's vectors in any FAISS index: exact (Flat), IVF, HNSW, PQ and mixtures.

    Equal specs over equal corpora return equal runs: seeds are fixed, and a graph (HNSW, NSG) is
    built by one thread unless ``build_threads`` says otherwise.
    """

    def artifacts(self, corpus: Corpus) -> tuple[Artifact, ...]:
        if corpus.blocks and self.encodes_blocks:
            of_blocks = [entry for block in corpus.blocks for entry in self.block_artifacts(block)]
            index = Artifact("index", self._index_key(corpus), KIND)
            return tuple(of_blocks) if self.blockwise else (*of_blocks, index)
        texts: Sequence[str] = () if self.windows else corpus.content(self.fields)
        index = Artifact("index", self._index_key(corpus), KIND)
        return (*self.vector_artifacts(texts), index)

    def block_artifacts(self, block: Corpus) -> tuple[Artifact, ...]:
        vectors = vector_entries(block, self.encoder, self.fields)
        if not self._indexes_blocks or not len(block):
            return vectors
        key = self._index_key(block)
        return (*vectors, Artifact("index", key, KIND), Artifact("index", key, COSTS))

    def held(self, progress: Progress = SILENT) -> OpenEncoder:
        return self.encoder.open(progress)

    def encode_block(
        self, block: Corpus, cache: Cache, *, name: str, progress: Progress = SILENT
    ) -> EncodedBlock:
        opened = self.encoder.open(progress)
        encoded = self._vectors(block, cache).make(opened, progress)
        if not self._indexes_blocks or not len(block):
            return encoded
        key = self._index_key(block)
        kept = kept_block(cache, KIND, key, progress)
        if kept is None:
            index = self._opened_block(block, opened, cache, name, progress)
            kept = EncodedBlock(index.reopened, index.value.size_bytes, index.value.cost)
            cache.keep(COSTS, key, kept.write)
        cost = kept.cost
        if cost is not None and encoded.cost is not None:
            cost = BuildCost(cost.seconds, encoded.cost.encoding)
        reopened = encoded.reopened and kept.reopened
        return EncodedBlock(reopened, kept.size_bytes, cost, encoded.truncation)

    def shared_of(
        self,
        blocks: Sequence[Corpus],
        queries: Queries,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> AskedVectors:
        """The vectors of the queries.

        Raises:
            RetrieverError: a vector is not finite; names the query.
        """
        passages = sum(map(len, blocks))
        return asked_vectors(self.encoder, self.metric, queries, passages, cache, name, progress)

    def open_block(
        self,
        block: Corpus,
        shared: AskedVectors,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> SearchBlock:
        if self._indexes_blocks:
            index = self._opened_block(block, shared.encoder, cache, name, progress).value.index
        else:
            kept = self._vectors(block, cache)
            vectors = kept.read(shared.encoder, shared.passages, progress, shared.buffers)
            shared.zeros[block.first] = prepare_passages(vectors, self.metric, block.ids, name)
            index = VectorsInPlace(vectors, self.metric, unit=self.metric == "cosine")
        return partial(best_passages, index, shared.vectors, self.metric, block.ids, name)

    def notes_of(self, shared: AskedVectors, name: str) -> Iterable[Message]:
        zeros = sum(shared.zeros.values())
        return (
            (
                _(
                    "{name}: {count} passages have a zero vector; they score 0",
                    name=name,
                    count=f"{zeros:,}",
                ),
            )
            if zeros
            else ()
        )

    def used(self, shared: AskedVectors, passages: BuildCost | None) -> Usage | None:
        encoding = None if passages is None else passages.encoding
        of_passages = 0 if encoding is None else encoding.tokens
        return usage_of(shared.encoder, of_passages, shared.tokens)

    def query_cuts(self, queries: Queries) -> TokenCuts | None:
        return self.encoder.open().token_cuts(queries.texts, "query")

    def _vectors(self, block: Corpus, cache: Cache) -> BlockVectors:
        return BlockVectors(block, self.encoder, self.fields, cache)

    def open_whole(
        self, corpus: Corpus, cache: Cache | None, *, name: str, progress: Progress
    ) -> Index:
        for problem in self._window_problems():
            raise RetrieverError(problem.what, retriever=name, instead=problem.instead)
        encoder = self.encoder.open(progress)
        compare_with_earlier(self.encoder, encoder, cache)

        def build() -> StoredIndex:
            if not corpus.blocks:
                return self._built(corpus, encoder, cache, name, progress)
            kept_in = Cache() if cache is None else cache
            blocks = [self._vectors(block, kept_in) for block in corpus.blocks]
            return self._added(blocks, encoder, len(corpus), name, progress)

        opened = self._opened(corpus, build, cache, name, progress)
        passage_of = opened.value.passage_of
        held = corpus.ids if passage_of is None else window_ids(passage_of)
        # The mean of windows is shorter than they are.
        unit = self.metric == "cosine" and (self.windows is None or self.windows.by != "mean")
        index = open_faiss(opened, self.metric, unit, encoder, held, name, progress)
        return index if passage_of is None else collapsed(index, StandsFor(passage_of, corpus.ids))

    def _opened(
        self,
        corpus: Corpus,
        build: Callable[[], StoredIndex],
        cache: Cache | None,
        name: str,
        progress: Progress,
    ) -> Opened[StoredIndex]:
        """The index of a corpus or a block, from the cache or built now.

        Raises:
            RetrieverError: it cannot be built.
        """
        try:
            self._empty_index(self.encoder.dimension())
            opened = open_or_make(
                cache,
                KIND,
                self._index_key(corpus),
                build,
                stored.write,
                partial(stored.read, mapped=cache is not None and cache.persistent),
                progress=progress,
            )
            construction.set_search(opened.value.index, self.search, self.index)
        except UnfitError as error:
            problem = error.problem
            raise RetrieverError(problem.what, retriever=name, instead=problem.instead) from error
        except RuntimeError as error:
            raise construction.failed("FAISS cannot build this index", error, name) from error
        return opened

    def _opened_block(
        self, block: Corpus, encoder: OpenEncoder, cache: Cache, name: str, progress: Progress
    ) -> Opened[StoredIndex]:
        """The index of a block alone."""
        vectors = [self._vectors(block, cache)]
        return self._opened(
            block,
            lambda: self._added(vectors, encoder, None, name, progress),
            cache,
            name,
            progress,
        )

    def _added(
        self,
        blocks: Sequence[BlockVectors],
        encoder: OpenEncoder,
        passages: int | None,
        name: str,
        progress: Progress,
    ) -> StoredIndex:
        self._note_threads(sum(len(part.block) for part in blocks), name, progress)
        return add_blocks(
            blocks,
            lambda dimension: construction.factory(self.index, dimension, self.metric),
            self.metric,
            self.train,
            self.build_threads,
            encoder,
            passages,
            name,
            progress,
        )

    def _built(
        self,
        corpus: Corpus,
        encoder: OpenEncoder,
        cache: Cache | None,
        name: str,
        progress: Progress,
    ) -> StoredIndex:
        texts: Sequence[str] = corpus.content(self.fields)
        ids: Sequence[str] = corpus.ids
        cut = None
        if self.windows is not None:
            cut = cut_passages(self.windows, encoder, corpus, texts, name, progress)
            texts, ids = cut.texts, corpus.ids.texts(cut.source)
        encoded = encode_passages(self.encoder, encoder, ids, texts, cache, progress)
        began = time.perf_counter()
        vectors = encoded.vectors
        zeros = prepare_passages(vectors, self.metric, ids, name)
        if zeros:
            progress.note(
                _(
                    "{name}: {count} passages have a zero vector; they score 0",
                    name=name,
                    count=f"{zeros:,}",
                )
            )
        if self.windows is not None and cut is not None and self.windows.by == "mean":
            vectors = mean_of_windows(vectors, cut.source)
        index = construction.factory(self.index, vectors.shape[1], self.metric)
        self._note_threads(len(vectors), name, progress)
        construction.train(index, vectors, self.train, progress, name)
        construction.add(index, vectors, self.build_threads, progress, name)
        role: TextRole = "passage" if cut is None else "window"
        truncation = Truncation.known(name, role, encoded.cuts)
        cost = BuildCost(time.perf_counter() - began, encoded.cost)
        by_window = self.windows is not None and self.windows.by == "max"
        passage_of = cut.source if cut is not None and by_window else None
        return StoredIndex(index, stored.size_bytes(index), truncation, cost, passage_of)
