"""Searching a corpus in blocks: each block alone, and the best of all blocks together.

What a search of a block needs, such as its postings or vectors, stands in the cache as an entry of
its own, and so does what the search found until the whole run is kept: whoever fills the cache,
in whatever order and on whatever machine, the next search goes on from there. Nothing but one
block, the next one that is being read, and the best passages so far is in memory.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar, Protocol

from ragscore.cache import Cache, entry_key
from ragscore.dataset import Corpus, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.encoders import Truncation, truncations_of
from ragscore.encoders.base import TokenCuts
from ragscore.messages import Message, _
from ragscore.progress import SILENT, OneStage, Progress
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.base import NO_INPUTS, Index, RestrictedIndex
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.corpus_retriever import FieldRetriever
from ragscore.retrievers.encoded_block import EncodedBlock
from ragscore.retrievers.found_passages import FORMAT, FOUND, read_found, write_found
from ragscore.retrievers.run_order import BestPassages, MergedPassages
from ragscore.run import Run
from ragscore.usage import Usage

QUERIES = 1 << 18
"""Most queries that are searched at a time: each time, all blocks are read."""


class SharedSearch(Protocol):
    """What the searches of all blocks for some queries have in common."""

    @property
    def digest(self) -> str:
        """Of what changes what is found, besides the retriever's options and the queries."""


SearchBlock = Callable[[int, Allowed | None], BestPassages]
"""A block that is open for some queries: its best passages to a depth, at most as many as it has,
among those that each query may get; None allows all. Rows are those of the block."""


class BlockwiseRetriever(FieldRetriever):
    """Base of the retrievers that can search a corpus block by block."""

    counts_all: ClassVar[bool] = False
    """True if what is found in a block depends on the other blocks, as scores do that count how
    often a term occurs in all of them."""

    @property
    def blockwise(self) -> bool:
        return True

    @property
    def encodes_blocks(self) -> bool:
        """True if :meth:`encode_block` makes something of each block of a corpus, also where
        these are then searched as a whole."""
        return self.blockwise

    def open_index(
        self, corpus: Corpus, cache: Cache | None, *, name: str, strict: bool, progress: Progress
    ) -> Index:
        if not corpus.blocks or not self.blockwise:
            return self.open_whole(corpus, cache, name=name, progress=progress)
        kept_in = Cache() if cache is None else cache
        held = self.held(progress)
        encoded = []
        missing = (len(block) for block in corpus.blocks if not self.is_encoded(block, kept_in))
        with OneStage(progress, sum(missing)) as shown:
            for block in filter(len, corpus.blocks):
                encoded.append(self.encode_block(block, kept_in, name=name, progress=shown))
        return BlockedIndex(self, corpus, kept_in, encoded, held, name, progress)

    def held(self, progress: Progress = SILENT) -> object:
        """What encoding blocks and queries uses and is loaded late, such as a model: whoever holds
        it while one block after the other is encoded has it loaded once."""
        return None

    @abstractmethod
    def open_whole(
        self, corpus: Corpus, cache: Cache | None, *, name: str, progress: Progress
    ) -> Index:
        """One index over the whole corpus; see :meth:`build`."""

    @abstractmethod
    def block_artifacts(self, block: Corpus) -> tuple[Artifact, ...]:
        """The entries of the cache that searching a block needs; nothing is made or read."""

    def is_encoded(self, block: Corpus, cache: Cache) -> bool:
        """Whether the cache has what searching a block needs; nothing is read."""
        needed = self.block_artifacts(block)
        return all(cache.has(entry.kind, entry.key) for entry in needed)

    @abstractmethod
    def encode_block(
        self, block: Corpus, cache: Cache, *, name: str, progress: Progress = SILENT
    ) -> EncodedBlock:
        """Put into the cache what searching a block needs, where it is not there.

        Args:
            block: of a corpus.
            cache: what it is kept in.
            name: of the retriever.
            progress: reports passages.

        Raises:
            RagscoreError: the block cannot be read or encoded.
        """

    @abstractmethod
    def shared_of(
        self,
        blocks: Sequence[Corpus],
        queries: Queries,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> SharedSearch:
        """What the searches of all blocks have in common: vectors of the queries, or how often
        their terms occur in all blocks; it is kept in the cache where computing it takes long.

        Args:
            blocks: of the whole corpus, all encoded.
            queries: all that are asked.
            cache: where the blocks are.
            name: of the retriever.
            progress: reports what is computed.
        """

    @abstractmethod
    def open_block(
        self, block: Corpus, shared: Any, cache: Cache, *, name: str, progress: Progress = SILENT
    ) -> SearchBlock:
        """Read a block, ready to be searched for the queries that ``shared`` was made of; called in
        a thread of its own while another block is searched. The same thread may read the next block
        meanwhile, and not yet the one after that: its memory is used again.

        Args:
            block: of a corpus, encoded.
            shared: as :meth:`shared_of` made it.
            cache: where the block is; what is damaged there is made again.
            name: of the retriever.
            progress: reports a damaged entry.
        """

    def notes_of(self, shared: Any, name: str) -> Iterable[Message]:
        """What a reader must know of the blocks that were searched."""
        return ()

    def used(self, shared: Any, passages: BuildCost | None) -> Usage | None:
        """What a service was paid for the queries that ``shared`` was made of, and for passages;
        None if none was."""
        return None

    def query_cuts(self, queries: Queries) -> TokenCuts | None:
        """How much an encoder does not read of the queries; None if nobody says."""
        return None

    def found_key(self, block: Corpus, queries: Queries, depth: int, shared: str) -> str:
        """The key of what the search of a block found, in the kind :data:`FOUND`; ``shared`` is the
        digest of what the searches of all blocks have in common."""
        # Vectors that were made elsewhere are found by the place of a block.
        content = [self.key(), queries.digest, depth, shared, block.first]
        return entry_key(FORMAT, content, block.digest)

    def is_searched(
        self, block: Corpus, queries: Queries, depth: int, shared: str, cache: Cache
    ) -> bool:
        """Whether the cache has what the search of a block found; nothing is read."""
        return cache.has(FOUND, self.found_key(block, queries, depth, shared))

    def search_block(
        self,
        block: Corpus,
        queries: Queries,
        depth: int,
        shared: SharedSearch,
        cache: Cache,
        *,
        name: str,
        progress: Progress = SILENT,
    ) -> BestPassages:
        """The best passages of a block, from the cache or found now, and then kept there.

        Args:
            block: of a corpus, encoded.
            queries: all that are asked.
            depth: how many passages at most a query gets.
            shared: as :meth:`shared_of` made it of the same queries.
            cache: where the blocks are.
            name: of the retriever.
            progress: reports a damaged entry.

        Returns:
            Rows of the block; as deep as asked for, or as the block has passages.
        """
        key = self.found_key(block, queries, depth, shared.digest)
        shape = len(queries), min(depth, len(block))
        kept = cache.read(FOUND, key, partial(read_found, shape=shape), progress=progress)
        if kept is not None:
            return kept
        found = self.open_block(block, shared, cache, name=name, progress=progress)(shape[1], None)
        cache.keep(FOUND, key, partial(write_found, found))
        return found


class BlockedIndex(RestrictedIndex):
    """Searches the blocks of a corpus one after the other, each for all queries at once.

    Args:
        spec: how a block is encoded and searched.
        corpus: in blocks.
        cache: where the blocks are, and what was found in them is kept.
        encoded: by block.
        held: see :meth:`BlockwiseRetriever.held`.
        name: of the runs.
        progress: reports blocks.
    """

    block = QUERIES

    def __init__(
        self,
        spec: BlockwiseRetriever,
        corpus: Corpus,
        cache: Cache,
        encoded: list[EncodedBlock],
        held: object,
        name: str,
        progress: Progress,
    ) -> None:
        self._held = held
        self.name = name
        self.passages_indexed = len(corpus)
        self.size_bytes = sum(block.size_bytes for block in encoded)
        self.reopened = all(block.reopened for block in encoded)
        costs = [block.cost for block in encoded if block.cost is not None]
        self.build_cost = BuildCost.total(costs) if costs else None
        self._unread = Truncation.total(block.truncation for block in encoded)
        self._spec = spec
        self._corpus = corpus
        self._cache = cache
        self._progress = progress
        self._shared: tuple[str, SharedSearch] | None = None
        self._kept: set[str] = set()
        self._used: Usage | None = None

    def __repr__(self) -> str:
        parts = f"{self.passages_indexed:,} passages in {len(self._corpus.blocks):,} blocks"
        return f"{type(self).__name__}({self.name!r}: {parts})"

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        if len(queries) <= self.block:
            self._shared_of(queries)

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        return truncations_of(self.name, self._unread, self._spec.query_cuts(queries))

    def usage(self) -> Usage | None:
        return self._used

    def notes(self) -> Iterable[Message]:
        return () if self._shared is None else self._spec.notes_of(self._shared[1], self.name)

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        depth = min(depth, len(self._corpus))
        merged = MergedPassages(self._corpus.ids, len(queries), depth)
        if len(queries):
            label = _("searching blocks for {name}", name=self.name)
            with self._progress.stage(label, len(self._corpus), "passages") as stage:
                for block, found in self._found(queries, depth, allowed):
                    merged.add(found, block.first)
                    stage.advance(len(block))
        best = merged.best
        return Run.make(queries.ids, self._corpus.ids, best.rows, best.scores, name=self.name)

    def forget(self) -> None:
        for key in self._kept:
            self._cache.delete(FOUND, key)
        self._kept.clear()

    def _shared_of(self, queries: Queries) -> SharedSearch:
        if self._shared is None or self._shared[0] != queries.digest:
            made = self._spec.shared_of(
                self._corpus.blocks,
                queries,
                self._cache,
                name=self.name,
                progress=self._progress,
            )
            self._shared = queries.digest, made
            first = self._used is None  # passages are paid once, queries of each block
            used = self._spec.used(made, self.build_cost if first else None)
            self._used = used if used is None or self._used is None else used.plus(self._used)
        return self._shared[1]

    def _found(
        self, queries: Queries, depth: int, allowed: Allowed | None
    ) -> Iterator[tuple[Corpus, BestPassages]]:
        """What is found in each block; what was found before comes first."""
        blocks = list(filter(len, self._corpus.blocks))
        shared = self._shared_of(queries)
        # A filter depends on metadata, which no key of what is found holds.
        keeps = allowed is None and self._cache.persistent
        left = []
        for block in blocks:
            kept = self._read(block, queries, depth, shared) if keeps else None
            if kept is None:
                left.append(block)
            else:
                yield block, kept
        if not left:
            return

        def open_block(block: Corpus) -> SearchBlock:
            return self._spec.open_block(
                block, shared, self._cache, name=self.name, progress=self._progress
            )

        with ThreadPoolExecutor(1) as reading:
            coming = reading.submit(open_block, left[0])
            keeping: Future[object] | None = None
            for block, after in zip(left, [*left[1:], None], strict=True):
                search = coming.result()
                if after is not None:
                    coming = reading.submit(open_block, after)
                part = None
                if allowed is not None:
                    part = allowed.between(block.first, block.first + len(block))
                found = search(min(depth, len(block)), part)
                if keeping is not None:
                    keeping.result()
                if keeps:  # while the next block is searched
                    key = self._spec.found_key(block, queries, depth, shared.digest)
                    write = partial(write_found, found)
                    keeping = reading.submit(self._cache.keep, FOUND, key, write)
                yield block, found
            if keeping is not None:
                keeping.result()

    def _read(
        self, block: Corpus, queries: Queries, depth: int, shared: SharedSearch
    ) -> BestPassages | None:
        """What was found in a block before; None if it has to be searched."""
        key = self._spec.found_key(block, queries, depth, shared.digest)
        self._kept.add(key)
        read = partial(read_found, shape=(len(queries), min(depth, len(block))))
        return self._cache.read(FOUND, key, read, progress=self._progress)
