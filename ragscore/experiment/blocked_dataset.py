"""One dataset of an experiment that is read in blocks: what tasks on its blocks need of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal, Self

import numpy as np

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset, Ids, Qrels, Queries, SharedQueries
from ragscore.errors import DataError
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.model import Experiment
from ragscore.experiment.search import Search
from ragscore.formats.datasets.block_reader import BlockReader
from ragscore.formats.datasets.blocked_corpus import BlockPlace
from ragscore.progress import Progress
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.block_postings import COUNTS
from ragscore.retrievers.blockwise import QUERIES, BlockwiseRetriever, SharedSearch
from ragscore.retrievers.encoded_block import COSTS
from ragscore.retrievers.found_passages import FOUND

TaskKind = Literal["encode", "search"]
"""Encode: make of a block what searching it needs. Search: find its best passages."""
SMALL = (COUNTS, COSTS)
"""What of each block is small, and read of all of them."""


@dataclass(frozen=True, slots=True)
class BlockTask:
    """One thing to do with one block.

    Attributes:
        kind: what.
        dataset, retriever: their names.
        block: which of the dataset's blocks, from 0.
    """

    kind: TaskKind
    dataset: str
    retriever: str
    block: int

    def to_json(self) -> str:
        """The task as text."""
        return json.dumps([self.kind, self.dataset, self.retriever, self.block])

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A task of :meth:`to_json`."""
        return cls(*json.loads(text))


class BlockedDataset:
    """One dataset: what its tasks need of it.

    Attributes:
        reader: of its blocks.
    """

    def __init__(
        self,
        reader: BlockReader,
        experiment: Experiment,
        wanted: Sequence[str],
        cache: Cache,
        progress: Progress,
    ) -> None:
        self.reader = reader
        self._experiment = experiment
        self._wanted = tuple(wanted)
        self._cache = cache
        self._progress = progress
        self._open: tuple[int, Corpus] | None = None
        self._shared: dict[str, list[SharedSearch]] = {}
        self._kept: dict[str, bool] = {}
        self._held: tuple[str, object] = "", None
        """The model of a retriever, loaded once for all blocks that this process encodes."""
        specs: Mapping[str, RetrieverSpec] = experiment.retrievers
        blockwise = {
            name: spec for name, spec in specs.items() if isinstance(spec, BlockwiseRetriever)
        }
        self.encoding = {name: spec for name, spec in blockwise.items() if spec.encodes_blocks}
        """The retrievers that make something of each block."""
        self.searching = {
            name: spec
            for name, spec in self.encoding.items()
            if spec.blockwise and spec.filter is None and spec.collapse is None
        }
        """Those that search each block, and whose findings are kept: what a filter lets through
        depends on metadata, and how deep children are searched on what was found."""

    @property
    def places(self) -> tuple[BlockPlace, ...]:
        """Where the blocks stand."""
        return self.reader.places

    @property
    def passages(self) -> int:
        """How many there are in all blocks."""
        return sum(place.count for place in self.places)

    def read_all(self, numbers: Iterable[int]) -> None:
        """Read those of some blocks that the cache does not have, each file once."""
        places = [self.places[number] for number in numbers]
        missing = [place for place in places if self.reader.unread(place) is None]
        for _ in self.reader.read(missing):
            pass

    def is_encoded(self, retriever: str, number: int) -> bool:
        """Whether the cache has what searching a block needs."""
        block = self.reader.unread(self.places[number])
        return block is not None and self.encoding[retriever].is_encoded(block, self._cache)

    def is_kept(self, retriever: str) -> bool:
        """Whether the cache has the run of a retriever, so that no block need be searched."""
        if retriever not in self._kept:
            if self.reader.corpus() is None:
                return False
            self._kept[retriever] = self._whole.is_kept(retriever)
        return self._kept[retriever]

    def share(self, tasks: Sequence[BlockTask]) -> None:
        """Write what tasks have made to the store that machines share, where it is here alone: an
        earlier job could not write it, or there was no store then."""
        self.reader.share([self.places[task.block] for task in tasks if task.kind == "encode"])
        for task in tasks:
            block = self.reader.unread(self.places[task.block])
            if block is None:
                continue
            if task.kind == "encode":
                for entry in self.encoding[task.retriever].block_artifacts(block):
                    self._cache.share(entry.kind, entry.key)
            elif not self.is_kept(task.retriever):
                for key in self._found_keys(task.retriever, block):
                    self._cache.share(FOUND, key)

    def fetch_small(self, retriever: str) -> None:
        """Fetch at once what is small, and read of all blocks."""
        blocks = filter(None, map(self.reader.unread, self.places))
        keys: dict[str, list[str]] = {kind: [] for kind in SMALL}
        for block in blocks:
            for entry in self.encoding[retriever].block_artifacts(block):
                if entry.kind in keys:
                    keys[entry.kind].append(entry.key)
        for kind, listed in keys.items():
            self._cache.fetch_all(kind, listed, self._progress)

    def fetch_found(self, retriever: str) -> None:
        """Fetch at once what was found in all blocks."""
        found = (self._found_keys(retriever, block) for block in self._blocks)
        self._cache.fetch_all(FOUND, chain.from_iterable(found), self._progress)

    def _found_keys(self, retriever: str, block: Corpus) -> list[str]:
        """The keys of what is found in a block, for each part of the queries."""
        spec, depth = self.searching[retriever], self._whole.depths[retriever]
        parts = zip(self._queries, self._digests(retriever), strict=True)
        return [spec.found_key(block, queries, depth, shared) for queries, shared in parts]

    def is_done(self, task: BlockTask) -> bool:
        """As :meth:`BlockTasks.is_done`."""
        if task.kind == "encode":
            return self.is_encoded(task.retriever, task.block)
        if self.is_kept(task.retriever):
            return True
        spec, block = self.searching[task.retriever], self._blocks[task.block]
        depth = self._whole.depths[task.retriever]
        return all(
            spec.is_searched(block, queries, depth, shared, self._cache)
            for queries, shared in zip(self._queries, self._digests(task.retriever), strict=True)
        )

    def run(self, task: BlockTask, progress: Progress) -> None:
        """As :meth:`BlockTasks.run`."""
        name, block = task.retriever, self._block(task.block)
        if task.kind == "encode":
            spec = self.encoding[name]
            if self._held[0] != name:  # tasks come retriever by retriever
                self._held = name, spec.held(progress)
            spec.encode_block(block, self._cache, name=name, progress=progress)
            return
        depth = self._whole.depths[name]
        for queries, shared in zip(self._queries, self._of_all(name), strict=True):
            self.searching[name].search_block(
                block, queries, depth, shared, self._cache, name=name, progress=progress
            )

    def _block(self, number: int) -> Corpus:
        """A block with its passages, which are read now where they were not."""
        if self._open is None or self._open[0] != number:
            (block,) = self.reader.read([self.places[number]])
            self._open = number, block
        return self._open[1]

    def unjudged(self, corpus: Corpus) -> Dataset:
        """The dataset with some of its passages, or with all, and without judgments."""
        spec, queries = self.reader.spec, SharedQueries.of(self.reader.queries)
        nothing = Qrels.from_dict({}, queries=queries.ids, passages=Ids([]))
        return Dataset(spec.label, corpus, queries, nothing, spec.drop_self)

    @cached_property
    def _whole(self) -> Search:
        """The search of the whole corpus, for its depths and keys alone: nothing is read.

        Raises:
            DataError: some blocks were not read by anybody yet.
        """
        corpus, experiment = self.reader.corpus(), self._experiment
        if corpus is None:
            raise DataError(
                "some blocks were not read yet",
                where=self.reader.spec.label,
                instead="Encode all blocks first: ragscore stage encode",
            )
        dataset = self.unjudged(corpus)
        return Search(
            dataset,
            experiment.retrievers,
            dataset.reachable_depth(experiment.depth),
            self._wanted,
            None,
            self._cache,
            experiment.strict,
            self._progress,
        )

    @property
    def _blocks(self) -> tuple[Corpus, ...]:
        """All blocks, without their passages."""
        return self._whole.corpus.blocks

    @cached_property
    def _queries(self) -> list[Queries]:
        """All queries, in the parts in which they are searched."""
        queries = self._whole.dataset.queries
        if len(queries) <= QUERIES:
            return [queries]
        rows = np.arange(len(queries))
        return [queries.select(rows[at : at + QUERIES]) for at in range(0, len(rows), QUERIES)]

    def _digests(self, retriever: str) -> list[str]:
        """Of what the searches of all blocks have in common, for each part of the queries, none of
        which is encoded for it."""
        if not self.searching[retriever].counts_all:
            return [""] * len(self._queries)
        return [shared.digest for shared in self._of_all(retriever)]

    def _of_all(self, retriever: str) -> list[SharedSearch]:
        """What the searches of all blocks have in common, for each part of the queries."""
        if retriever not in self._shared:
            spec, blocks = self.searching[retriever], self._blocks
            self.fetch_small(retriever)
            with failing_alone(retriever):
                self._shared[retriever] = [
                    spec.shared_of(
                        blocks, queries, self._cache, name=retriever, progress=self._progress
                    )
                    for queries in self._queries
                ]
        return self._shared[retriever]
