"""The options of dense retrieval with FAISS, and what follows from them alone."""

from __future__ import annotations

import os
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PositiveInt

from ragscore.cache import entry_key
from ragscore.canonical import Metric
from ragscore.dataset import Corpus
from ragscore.encoders import Windows
from ragscore.errors import Problem
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.retrievers.blockwise import BlockwiseRetriever
from ragscore.retrievers.corpus_retriever import FieldRetriever
from ragscore.retrievers.encoder_option import EncoderOption
from ragscore.retrievers.faiss import construction, stored
from ragscore.retrievers.faiss.construction import Training, UnfitError
from ragscore.retrievers.faiss.windowed import window_problems

FORMAT = 3
"""Raise this when the meaning of a cached index changes, so that old ones are not found."""
ALWAYS_FITS = "Flat"
"""The index that takes vectors of any dimension and metric."""

EXACT = (ALWAYS_FITS, "IDMap,Flat", "IDMap2,Flat")
"""The indexes that compare a query with every vector as it is."""

Positive = Annotated[int, Field(strict=True, gt=0)] | Annotated[float, Field(strict=True, gt=0)]


MANY_FOR_ONE_THREAD = 10_000
"""Passages from which on it is worth a note that one thread builds a graph."""


class FaissOptions(EncoderOption, BlockwiseRetriever):
    """Which index, over which vectors, and how it is searched."""

    packages: ClassVar[tuple[str, ...]] = ("numpy", "faiss-cpu")
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
    per_block: bool = False
    """Builds an index of each block of a corpus that is read in blocks, and searches all of them:
    memory holds two blocks, whatever the index. By default one index holds all passages. `Flat` is
    searched block by block either way."""

    unbuilt: ClassVar[frozenset[str]] = FieldRetriever.unbuilt | {"per_block"}

    @property
    def builds_on_one_core(self) -> bool:
        """A graph, unless more threads build it."""
        return self.build_threads == 1 and ("HNSW" in self.index or "NSG" in self.index)

    def exact(self) -> Self | None:
        if self.index in EXACT:
            return None
        options = ("index", "search", "train", "build_threads", "per_block")
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

    def cost_class(self, corpus: Corpus) -> object:
        """Parameters of the search count too: they are what trades time for quality."""
        return [self._index_key(corpus), dict(self.search)]

    @property
    def blockwise(self) -> bool:
        """With an exact index, or an index of each block."""
        return self.encodes_blocks and (self.per_block or self.index in EXACT)

    @property
    def encodes_blocks(self) -> bool:
        return self.windows is None

    def resident_bytes(self, passages: int) -> int | None:
        dimension = self.encoder.dimension()
        if self.blockwise or dimension is None:
            return None
        index = self._empty_index(dimension)
        return None if index is None else passages * stored.bytes_of_vector(index)

    def unfit_for_blocks(self) -> Problem | None:
        if self.windows is not None:
            return Problem(
                "windows are cut of all passages at once, and the corpus is read in blocks",
                where="windows",
                instead="Cut the passages before, and use collapse",
            )
        if "NSG" in self.index and not self.per_block:
            return Problem(
                "an NSG graph is built of all passages at once, and the corpus is read in blocks",
                where="index",
                instead="Use HNSW or IVF, or set per_block: true",
            )
        return None

    @property
    def _indexes_blocks(self) -> bool:
        """Whether a block has an index of its own that is worth keeping."""
        return self.per_block and self.index not in EXACT

    def _note_threads(self, count: int, name: str, progress: Progress) -> None:
        cores = os.cpu_count() or 1
        if (
            "HNSW" in self.index
            and "build_threads" not in self.model_fields_set
            and count >= MANY_FOR_ONE_THREAD
            and cores > 1
        ):
            facts = {"index": self.index, "count": f"{count:,}", "cores": cores}
            progress.note(
                _(
                    "{name}: one thread builds {index} over {count} passages so that every "
                    "build gives the same index; build_threads: {cores} is faster, and 1 "
                    "silences this note",
                    name=name,
                    **facts,
                )
            )

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
        content: list[object] = [faiss.__version__, self.encoder.vector_key("passage"), options]
        if (cut_by := self.encoder.cut_by()) is not None:
            content.append(cut_by)
        # Vectors that were made elsewhere may be found by the place of a block.
        place = f" {corpus.first}" if corpus.first and not self.encoder.slow else ""
        return entry_key(FORMAT, content, corpus.digest + place)
