"""Dense retrieval: vectors of an encoder in a FAISS index."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, PositiveInt

from ragscore.cache import entry_key
from ragscore.dataset import INDEXED, Corpus, Queries
from ragscore.dataset import Field as CorpusField
from ragscore.encoders import Encoder, OpenEncoder, Truncation, Vectors, encode_passages
from ragscore.errors import Problem, RetrieverError
from ragscore.progress import SILENT, Progress
from ragscore.retrievers import faiss_file, faiss_index, faiss_search
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec
from ragscore.retrievers.faiss_file import StoredIndex
from ragscore.retrievers.faiss_index import Metric, UnfitError
from ragscore.run import Run
from ragscore.spec import Spec

if TYPE_CHECKING:
    from ragscore.cache import Cache

FORMAT = 2
"""Raised when a kept index means something else than before, so that old ones are not found."""

ROWS = 65_536
"""Vectors that are checked and scaled at a time, so that no second copy of them is made."""

Positive = Annotated[int, Field(strict=True, gt=0)] | Annotated[float, Field(strict=True, gt=0)]


MANY_FOR_ONE_THREAD = 10_000
"""Passages from which on it is worth a note that one thread builds a graph."""


class Training(Spec):
    """How an index that needs training is trained."""

    size: PositiveInt | None = None
    """Passages drawn at random to train on; by default all of them, of which FAISS uses at most
    256 for each centroid."""
    seed: int = Field(default=1234, ge=0, lt=2**31)
    """Of the draw and of every clustering."""


class Faiss(RetrieverSpec):
    """Vectors of an encoder in any FAISS index: exact (Flat), IVF, HNSW, PQ and mixtures.

    Equal specs over equal corpora return equal runs: seeds are fixed, and a graph (HNSW, NSG) is
    built by one thread unless ``build_threads`` says otherwise.
    """

    kind: Literal["faiss"] = "faiss"
    """Which retriever this is."""
    encoder: Encoder
    """What turns texts into vectors: `minilm`, or `{kind: ..., ...}`."""
    index: str = Field(default="Flat", min_length=1)
    """A FAISS factory string: `Flat` is exact; `IVF256,Flat`, `HNSW32`, `IVF256,PQ48`, ..."""
    metric: Metric = "cosine"
    """`cosine` (vectors are scaled to length 1), `ip` (inner product) or `l2` (the score is the
    negative squared distance, so that higher is better)."""
    search: dict[str, Positive] = Field(default={})
    """Search parameters as FAISS spells them, such as `{nprobe: 16}` or `{efSearch: 64}`;
    changing them builds nothing again."""
    train: Training = Training()
    """Training, for indexes that need it."""
    fields: tuple[CorpusField, ...] = Field(default=INDEXED, min_length=1)
    """What is encoded of a passage: `[title, text]` joined by a space, `[text]` or `[title]`."""
    build_threads: PositiveInt = 1
    """Threads that build a graph (HNSW, NSG). With more than one it is built faster, but comes
    out a little different every time; other indexes use all cores and are the same."""

    def resolved(self, base: Path) -> Self:
        return self.model_copy(update={"encoder": self.encoder.resolved(base)})

    def timed(self) -> bool:
        return self.encoder.slow  # a look-up tells nothing of what encoding costs

    def check(self) -> list[Problem]:
        problems = [
            problem if problem.where else replace(problem, where="encoder")
            for problem in self.encoder.check()
        ]
        try:
            self._empty_index(self.encoder.dimension())
        except UnfitError as error:
            problems.append(error.problem)
        return problems

    def doubt(self, written: str) -> str | None:
        """What speaks against its encoder."""
        return self.encoder.doubt(written)

    def content(self) -> dict[str, object]:
        encoder = {"passage": self.encoder.key("passage"), "query": self.encoder.key("query")}
        return {**self.model_dump(mode="json", exclude={"encoder"}), "encoder": encoder}

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> FaissIndex:
        name = name or self.kind
        if not len(corpus):
            raise RetrieverError("the corpus is empty", retriever=name)
        try:
            self._empty_index(self.encoder.dimension())
            encoder = self.encoder.open(progress)

            def make() -> StoredIndex:
                return self._built(corpus, encoder, cache, name, progress)

            if cache is None:
                stored = make()
            else:

                def read(folder: Path) -> StoredIndex:
                    return faiss_file.read(folder, mapped=cache.persistent)

                key = self._index_key(corpus)
                stored = cache.open("faiss", key, make, faiss_file.write, read, progress=progress)
            faiss_index.set_search(stored.index, self.search, self.index)
        except UnfitError as error:
            problem = error.problem
            raise RetrieverError(problem.what, retriever=name, instead=problem.instead) from error
        except RuntimeError as error:
            raise _failed("FAISS cannot build this index", error, name) from error
        return FaissIndex(self, encoder, stored, corpus, name, progress)

    def _empty_index(self, dimension: int | None) -> Any:
        """The index before anything is in it: what can be wrong shows here, at no cost."""
        index = faiss_index.factory(self.index, dimension, self.metric)
        if index is not None:
            faiss_index.set_search(index, self.search, self.index)
        return index

    def _index_key(self, corpus: Corpus) -> str:
        """Digest of what the kept index depends on; search parameters are set afterwards."""
        import faiss

        options = self.model_dump(mode="json", exclude={"encoder", "search"})
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
        texts = corpus.content(self.fields)
        encoded = encode_passages(self.encoder, encoder, corpus.ids, texts, cache, progress)
        vectors, cuts = encoded.vectors, encoded.cuts
        prepared = prepare(vectors, self.metric)
        if prepared.broken is not None:
            raise RetrieverError(
                f"the vector of passage '{corpus.ids[prepared.broken]}' is not finite",
                retriever=name,
                instead="Look at that passage, or use dtype: float32",
            )
        if prepared.zeros:
            progress.note(f"{name}: {prepared.zeros:,} passages have a zero vector; they score 0")
        index = faiss_index.factory(self.index, vectors.shape[1], self.metric)
        cores = os.cpu_count() or 1
        if (
            "HNSW" in self.index
            and "build_threads" not in self.model_fields_set
            and len(vectors) >= MANY_FOR_ONE_THREAD
            and cores > 1
        ):
            progress.note(
                f"{name}: one thread builds {self.index} over {len(vectors):,} passages, so that "
                f"it comes out the same every time; build_threads: {cores} is faster, "
                "and 1 ends this note"
            )
        faiss_index.train(index, vectors, self.train, progress, name)
        faiss_index.add(index, vectors, self.build_threads, progress, name)
        truncation = None if cuts is None else Truncation.of(name, "passage", cuts)
        return StoredIndex(index, faiss_file.size_bytes(index), truncation)


class FaissIndex(Index):
    """A FAISS index over a corpus, and the encoder that turns queries into vectors."""

    block: ClassVar[int] = 65_536

    def __init__(
        self,
        spec: Faiss,
        encoder: OpenEncoder,
        stored: StoredIndex,
        corpus: Corpus,
        name: str,
        progress: Progress,
    ) -> None:
        self.spec = spec
        self.name = name
        self.size_bytes = stored.size_bytes
        self.passages_indexed = len(corpus)
        self._encoder = encoder
        self._asked: OpenEncoder | None = None
        self._index = stored.index
        self._passages = corpus.ids
        self._truncation = stored.truncation
        self._progress = progress

    def __repr__(self) -> str:
        return f"FaissIndex({self.name!r}: {self.passages_indexed:,} passages, {self.spec.index})"

    def prepare(self, queries: Queries) -> None:
        self._encoder.load()
        self._asked = self._encoder.for_queries(queries.ids)

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        cuts = self._encoder.token_cuts(queries.texts, "query")
        asked = None if cuts is None else Truncation.of(self.name, "query", cuts)
        passages = self._truncation and replace(self._truncation, retriever=self.name)
        return tuple(cut for cut in (passages, asked) if cut is not None)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        depth = min(depth, len(self._passages))
        if not len(queries):
            empty = np.empty((0, depth))
            return Run.make(queries.ids, self._passages, empty.astype(int), empty, name=self.name)
        vectors = self._query_vectors(queries)
        try:
            found = faiss_search.search(
                self._index, vectors, depth, self.spec.metric, self._passages
            )
        except RuntimeError as error:
            raise _failed("FAISS cannot search this index", error, self.name) from error
        return Run.make(queries.ids, self._passages, found.rows, found.scores, name=self.name)

    def _query_vectors(self, queries: Queries) -> Vectors:
        if self._asked is None:
            self._asked = self._encoder.for_queries(queries.ids)
        # A query that is searched alone is being timed, or typed: no stage is shown for it.
        progress = self._progress if len(queries) > 1 else SILENT
        with progress.stage("encoding queries", len(queries), "queries") as stage:
            vectors = self._asked.encode(queries.ids, queries.texts, "query", stage)
        if vectors.shape[1] != self._index.d:
            raise RetrieverError(
                f"query vectors have {vectors.shape[1]:,} dimensions, passage vectors "
                f"{self._index.d:,}",
                retriever=self.name,
                instead="Make both with the same model",
            )
        prepared = prepare(vectors, self.spec.metric)
        if prepared.broken is not None:
            raise RetrieverError(
                "its vector is not finite",
                retriever=self.name,
                query=queries.ids[prepared.broken],
                instead="Look at that query, or use dtype: float32",
            )
        return vectors


@dataclass(frozen=True)
class Prepared:
    """What was met while vectors were made ready.

    Attributes:
        broken: row of the first vector with NaN or infinity, None where all are finite.
        zeros: how many vectors have length 0, and so no direction; they stay as they are.
    """

    broken: int | None
    zeros: int


def prepare(vectors: Vectors, metric: Metric) -> Prepared:
    """Check vectors and, for cosine, scale them in place to length 1."""
    zeros = 0
    for start in range(0, len(vectors), ROWS):
        block = vectors[start : start + ROWS]
        # In 64 bits: the square of a large 32-bit number is none.
        squares = np.einsum("ij,ij->i", block, block, dtype=np.float64)
        broken = np.flatnonzero(~np.isfinite(squares))
        if len(broken):
            return Prepared(start + int(broken[0]), zeros)
        if metric == "cosine":
            lengths = np.sqrt(squares)
            zeros += int((lengths == 0).sum())
            lengths[lengths == 0] = 1.0
            np.divide(block, lengths[:, None], out=block, casting="same_kind")
    return Prepared(None, zeros)


def _failed(what: str, error: RuntimeError, name: str) -> BaseException:
    if "interrupted" in str(error):  # Ctrl-C while FAISS computes
        return KeyboardInterrupt()
    return RetrieverError(f"{what} ({faiss_index.reason(error)})", retriever=name)
