"""Dense retrieval: vectors of an encoder in a FAISS index."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveInt

from ragscore.cache import Cache, entry_key, open_or_make
from ragscore.dataset import Corpus
from ragscore.encoders import OpenEncoder, Truncation, Windows, encode_passages
from ragscore.encoders.truncation import TextRole
from ragscore.errors import Problem, RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.base import Index
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.collapsed import StandsFor, collapsed
from ragscore.retrievers.corpus_retriever import FieldRetriever
from ragscore.retrievers.encoder_option import EncoderOption
from ragscore.retrievers.faiss import construction, stored
from ragscore.retrievers.faiss.construction import Training, UnfitError
from ragscore.retrievers.faiss.searching import open_faiss
from ragscore.retrievers.faiss.stored import StoredIndex
from ragscore.retrievers.faiss.windowed import (
    cut_passages,
    mean_of_windows,
    window_ids,
    window_problems,
)
from ragscore.retrievers.prepared_vectors import Metric, prepare_passages
from ragscore.retrievers.strings import STRINGS

FORMAT = 2
"""Raise this when the meaning of a cached index changes, so that old ones are not found."""

ALWAYS_FITS = "Flat"
"""The index that takes vectors of any dimension and metric."""

EXACT = (ALWAYS_FITS, "IDMap,Flat", "IDMap2,Flat")
"""The indexes that compare a query with every vector as it is."""

Positive = Annotated[int, Field(strict=True, gt=0)] | Annotated[float, Field(strict=True, gt=0)]


MANY_FOR_ONE_THREAD = 10_000
"""Passages from which on it is worth a note that one thread builds a graph."""


class Faiss(EncoderOption, FieldRetriever):
    """Searches an encoder's vectors in any FAISS index: exact (Flat), IVF, HNSW, PQ and mixtures.

    Equal specs over equal corpora return equal runs: seeds are fixed, and a graph (HNSW, NSG) is
    built by one thread unless ``build_threads`` says otherwise.
    """

    summary_ko: ClassVar[str] = (
        "인코더 벡터를 FAISS 색인에서 찾음: 정확(Flat), IVF, HNSW, PQ와 그 조합"
    )
    kind: Literal["faiss"] = "faiss"
    """Which retriever this is."""
    index: str = Field(default=ALWAYS_FITS, min_length=1)
    """A FAISS factory string: `Flat` is exact; `IVF256,Flat`, `HNSW32`, `IVF256,PQ48`, ..."""
    metric: Metric = "cosine"
    """`cosine` (vectors are scaled to length 1), `ip` (inner product) or `l2` (the score is the
    negative squared distance, so that higher is better)."""
    windows: Windows | None = None
    """Encodes passages that are longer than `size` tokens as windows of that size, `stride` tokens
    apart, whose best (`by: max`) or mean score counts: `{size: 128, stride: 64, by: max}`."""
    search: dict[str, Positive] = Field(default={})
    """Search parameters as FAISS spells them, such as `{nprobe: 16}` or `{efSearch: 64}`;
    changing them builds nothing again."""
    train: Training = Training()
    """Training, for indexes that need it."""
    build_threads: PositiveInt = 1
    """Threads that build a graph (HNSW, NSG). With more than one it is built faster, but comes
    out a little different every time; other indexes use all cores and are the same."""

    @property
    def builds_on_one_core(self) -> bool:
        """A graph, unless more threads build it."""
        return self.build_threads == 1 and ("HNSW" in self.index or "NSG" in self.index)

    def exact(self) -> Faiss | None:
        if self.index in EXACT:
            return None
        options = ("index", "search", "train", "build_threads")
        usual = {name: type(self).model_fields[name].default for name in options}
        return self.model_copy(update=usual)

    def lowest_score(self) -> float | None:
        return -1.0 if self.metric == "cosine" else None

    def check(self) -> list[Problem]:
        problems = super().check() + self._window_problems()
        if self.index == ALWAYS_FITS and not self.search:
            return problems  # without FAISS, which takes its time to import
        try:
            self._empty_index(self.encoder.dimension())
        except UnfitError as error:
            problems.append(error.problem)
        return problems

    def artifacts(self, corpus: Corpus) -> tuple[Artifact, ...]:
        texts: Sequence[str] = () if self.windows else corpus.content(self.fields)
        index = Artifact("index", self._index_key(corpus), "faiss")
        return (*self.vector_artifacts(texts), index)

    def cost_class(self, corpus: Corpus) -> object:
        """Parameters of the search count too: they are what trades time for quality."""
        return [self._index_key(corpus), dict(self.search)]

    def open_index(
        self,
        corpus: Corpus,
        cache: Cache | None,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> Index:
        for problem in self._window_problems():
            raise RetrieverError(problem.what, retriever=name, instead=problem.instead)
        try:
            self._empty_index(self.encoder.dimension())
            encoder = self.encoder.open(progress)

            opened = open_or_make(
                cache,
                "faiss",
                self._index_key(corpus),
                lambda: self._built(corpus, encoder, cache, name, progress),
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
        passage_of = opened.value.passage_of
        held = corpus.ids if passage_of is None else window_ids(passage_of)
        index = open_faiss(opened, self.metric, encoder, held, name, progress)
        return index if passage_of is None else collapsed(index, StandsFor(passage_of, corpus.ids))

    def _window_problems(self) -> list[Problem]:
        if self.windows is None:
            return []
        return window_problems(self.windows, self.encoder, self.metric)

    def _empty_index(self, dimension: int | None) -> Any:
        """The index before anything is in it: what can be wrong shows here, at no cost."""
        index = construction.factory(self.index, dimension, self.metric)
        if index is not None:
            construction.set_search(index, self.search, self.index)
        return index

    def _index_key(self, corpus: Corpus) -> str:
        """Digest of what the kept index depends on; search parameters are set afterwards."""
        import faiss

        options = self.model_dump(mode="json", exclude={"encoder", "search", *self.unbuilt})
        content = [faiss.__version__, self.encoder.key("passage"), options]
        return entry_key(FORMAT, content, corpus.digest)

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
            progress.note(STRINGS.note("zero_vectors", name=name, count=f"{zeros:,}"))
        if self.windows is not None and cut is not None and self.windows.by == "mean":
            vectors = mean_of_windows(vectors, cut.source)
        index = construction.factory(self.index, vectors.shape[1], self.metric)
        cores = os.cpu_count() or 1
        if (
            "HNSW" in self.index
            and "build_threads" not in self.model_fields_set
            and len(vectors) >= MANY_FOR_ONE_THREAD
            and cores > 1
        ):
            facts = {"index": self.index, "count": f"{len(vectors):,}", "cores": cores}
            progress.note(STRINGS.note("one_thread_builds", name=name, **facts))
        construction.train(index, vectors, self.train, progress, name)
        construction.add(index, vectors, self.build_threads, progress, name)
        role: TextRole = "passage" if cut is None else "window"
        truncation = Truncation.known(name, role, encoded.cuts)
        cost = BuildCost(time.perf_counter() - began, encoded.cost)
        by_window = self.windows is not None and self.windows.by == "max"
        passage_of = cut.source if cut is not None and by_window else None
        return StoredIndex(index, stored.size_bytes(index), truncation, cost, passage_of)
