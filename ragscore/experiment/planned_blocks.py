"""What is to be done on a dataset that is read in blocks, and what of it is in the cache.

Nothing but the queries and the first passages is read for it. What searching takes is measured on
these passages, and multiplied.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragscore.cache import Cache
from ragscore.dataset.unread import unread_block
from ragscore.encoders import EncoderSpec
from ragscore.experiment.blocked_dataset import BlockedDataset, BlockTask
from ragscore.experiment.data_checks import dataset_of
from ragscore.experiment.exact_runs import searched_beside
from ragscore.experiment.memory import BYTES_OF_BEST
from ragscore.experiment.model import Experiment
from ragscore.experiment.planned_retriever import (
    BYTES_OF_ENTRY,
    BYTES_OF_EXPORT,
    BYTES_OF_RANK,
    BYTES_OF_VALUE,
    LeftToDo,
    PlannedRetriever,
)
from ragscore.experiment.sampled_blocks import SampledBlocks
from ragscore.experiment.search import Search
from ragscore.experiment.sweep.configuration_search import SweepSearch
from ragscore.experiment.sweep.configurations import Configurations
from ragscore.experiment.sweep.sweeping import sweep_scoring
from ragscore.progress import SILENT
from ragscore.records import MaybeNaN, Record
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.blockwise import BlockwiseRetriever

OWN_MEMORY = 250_000_000
"""Bytes that a run takes beside its data."""


@dataclass(frozen=True)
class PlannedCorpus(Record):
    """A corpus that is read in blocks."""

    dataset: str
    """Name of the dataset."""
    passages: int
    """How many there are."""
    blocks: int
    """How many blocks they are read in."""
    kept: int
    """How many of these the cache has."""
    seconds: MaybeNaN
    """About how long reading the others takes."""
    bytes: MaybeNaN
    """About how many bytes of the cache the others take."""
    found_bytes: int
    """How many bytes of the cache what is found in the blocks takes until a run is whole."""
    memory: str | None
    """What the experiment says of memory."""
    memory_bytes: float
    """About how many bytes of memory a run takes."""
    id_bytes: float
    """Of these, the ids of all passages."""


class PlannedBlocks:
    """The plan of one dataset that is read in blocks.

    Args:
        dataset: its tasks.
        experiment: the retrievers that run.
        place: of the dataset in the experiment's list.
        configurations: of the experiment's sweep.
        wanted: names of the retrievers whose runs are asked for.
        cache: where blocks are kept.
    """

    def __init__(
        self,
        dataset: BlockedDataset,
        experiment: Experiment,
        place: int,
        configurations: Configurations | None,
        wanted: Sequence[str],
        cache: Cache,
    ) -> None:
        self.dataset, self.experiment, self.cache = dataset, experiment, cache
        self.depth = min(experiment.depth, dataset.passages)
        self.blocks = SampledBlocks(dataset, self.depth, cache)
        self.queries = len(dataset.reader.queries)
        self.planned: set[str] = set()
        """Keys of what rows above make of the first passages, and so of all."""
        self._place = place
        self._configurations = configurations
        self._wanted = tuple(wanted)

    def corpus(self) -> PlannedCorpus:
        """What reading the passages takes."""
        places = self.dataset.places
        left = [place for place in places if self.dataset.reader.unread(place) is None]
        passages = sum(place.count for place in left)
        return PlannedCorpus(
            self.dataset.reader.spec.label,
            self.dataset.passages,
            len(places),
            len(places) - len(left),
            self.blocks.reading_seconds(passages),
            self.blocks.text_bytes(passages),
            self._found_bytes(),
            self.experiment.memory,
            self._memory_bytes(),
            self.blocks.id_bytes,
        )

    def _found_bytes(self) -> int:
        """Of what one retriever finds in all blocks, where one searches blocks that are left."""
        searched = any(not self.dataset.is_kept(name) for name in self.dataset.searching)
        found = sum(min(self.depth, place.count) for place in self.dataset.places)
        return searched * self.queries * found * BYTES_OF_RANK

    def _memory_bytes(self) -> float:
        """Of a run: Python, the ids of all passages, the best of all queries, and what is largest:
        two blocks of a retriever, or an index of all passages."""
        block = max(place.count for place in self.dataset.places)
        specs = self.experiment.retrievers.values()
        whole = [spec.resident_bytes(self.dataset.passages) or 0 for spec in specs]
        blocks = [2 * self.blocks.block_bytes(each, block) for each in self._searching()]
        best = self.queries * self.depth * BYTES_OF_BEST
        largest = max(filter(math.isfinite, [*whole, *blocks]), default=0.0)
        return OWN_MEMORY + self.blocks.id_bytes + best + largest

    def _searching(self) -> Iterator[BlockwiseRetriever]:
        """The retrievers that search block by block."""
        for spec in self.dataset.encoding.values():
            if spec.blockwise:
                yield spec

    def rows(self) -> Iterator[PlannedRetriever]:
        """The retrievers as they are written, inputs first, the exact searches beside them, then
        those that are swept."""
        written = self._search(self.experiment.retrievers, self._wanted)
        for name in written.order:
            left = {} if self.dataset.is_kept(name) else {name: written.specs[name]}
            yield self._row(name, 1, left)
        beside = searched_beside(written)
        exact = self._search(beside, tuple(beside))
        for name, spec in beside.items():
            kept = self.blocks.whole is not None and exact.is_kept(name)
            yield self._row(name, 1, {} if kept else {name: spec})
        sweep, found = self.experiment.sweep, self._configurations
        if not sweep or found is None:
            return
        scored = self._scored(found)
        for name in sweep.parameters:
            own = [label for label, each in found.candidates.items() if each.retriever == name]
            left = {label: found.specs[label] for label in own if label not in scored}
            yield self._row(name, len(own), left, swept=True)

    def _search(self, retrievers: Mapping[str, RetrieverSpec], wanted: tuple[str, ...]) -> Search:
        """A search of as many passages: where some were not read yet, nothing but names, numbers
        and the retrievers' keys is asked of it."""
        searched = self.blocks.whole
        if searched is None:
            searched = self.dataset.unjudged(unread_block(self.dataset.passages, "", 0))
        strict = self.experiment.strict
        return Search(searched, retrievers, self.depth, wanted, None, self.cache, strict, SILENT)

    def _scored(self, found: Configurations) -> set[str]:
        """The configurations whose scores are in the cache: these depend on judgments too."""
        if self.blocks.whole is None:
            return set()
        search = SweepSearch(
            dataset_of(self.experiment, self._place, cache=self.cache),
            found.specs,
            self.depth,
            tuple(found.specs),
            None,
            self.cache,
            self.experiment.strict,
            SILENT,
            sweep_scoring(self.experiment),
        )
        return set(filter(search.is_kept, found.candidates))

    def _row(
        self, name: str, runs: int, left: Mapping[str, RetrieverSpec], *, swept: bool = False
    ) -> PlannedRetriever:
        work = _BlocksWork(self, swept)
        for label, spec in left.items():
            work.add(label, spec)
        return work.row(self.dataset.reader.spec.label, name, runs, runs - len(left))


class _BlocksWork(LeftToDo):
    """What is left to do on a dataset in blocks."""

    def __init__(self, planned: PlannedBlocks, swept: bool) -> None:
        super().__init__(swept)
        self.planned, self.blocks = planned, planned.blocks

    def add(self, name: str, spec: RetrieverSpec) -> None:
        """Count one run that is not in the cache."""
        queries, depth = self.planned.queries, self.planned.depth
        self.bytes += BYTES_OF_ENTRY
        if self.swept:
            self.bytes += queries * BYTES_OF_VALUE
        else:
            self.bytes += queries * depth * (BYTES_OF_RANK + BYTES_OF_EXPORT)
        if isinstance(spec, BlockwiseRetriever) and spec.blockwise:
            self._encode(spec)
            passages = self._unsearched(name, spec)
            seconds = self.blocks.searching_seconds(spec, queries, passages)
            self.searching += self.known(seconds, sampled=True)
            return
        built = isinstance(spec, BlockwiseRetriever) and not self._index(spec)
        cost = self.blocks.cost(spec)
        if cost is None:
            self.searching += self.known(math.nan)
        else:
            build = (cost.open_seconds or 0.0) if built else cost.build_seconds
            self.indexing += self.known(build, sampled=cost.sampled)
            self.searching += cost.query_seconds * queries

    def _index(self, spec: BlockwiseRetriever) -> bool:
        """Count one index of all passages; whether it has to be built."""
        first, whole = self.blocks.first, self.blocks.whole
        (index,) = (entry.key for entry in spec.artifacts(first) if entry.what == "index")
        key = f"{index} of all"  # an index of each block has the same key for the first passages
        corpus = None if whole is None else whole.corpus
        there = corpus is not None and any(
            self.planned.cache.has(entry.kind, entry.key)
            for entry in spec.artifacts(corpus)
            if entry.what == "index"
        )
        if there or key in self.planned.planned:
            self.reused["index"] = None
            return False
        self._encode(spec)
        self.planned.planned.add(key)
        self.made["index"] = None
        self.bytes += self.blocks.index_bytes(spec, self.planned.dataset.passages)
        return True

    def _encode(self, spec: BlockwiseRetriever) -> None:
        """Count what has to be made of blocks."""
        entries, planned = spec.block_artifacts(self.blocks.first), self.planned.planned
        encoder = getattr(spec, "encoder", None)
        for what in dict.fromkeys(entry.what for entry in entries):
            keys = {entry.key for entry in entries if entry.what == what}
            passages = 0 if keys <= planned else self.blocks.passages_without(what, spec)
            planned |= keys
            if passages < self.planned.dataset.passages:
                self.reused[what] = None
            if not passages:
                continue
            self.made[what] = None
            if what == "vectors" and isinstance(encoder, EncoderSpec):
                self.texts += passages
                seconds = passages * self.blocks.encoding_seconds(spec, encoder)
                self.encoding += self.known(seconds)
                self.bytes += passages * 4 * (encoder.dimension() or math.nan)
                asked = encoder.planned(self.blocks.first.content(), "passage")
                self.ask(asked and asked.part(passages / len(self.blocks.first)))
            else:
                seconds = self.blocks.building_seconds(spec, passages)
                self.indexing += self.known(seconds, sampled=True)
                self.bytes += self.blocks.index_bytes(spec, passages)
        self.ask_queries(spec, self.planned.dataset.reader.queries.texts, planned)

    def _unsearched(self, name: str, spec: BlockwiseRetriever) -> int:
        """How many passages are in blocks that were not searched yet."""
        dataset = self.planned.dataset
        known = name in dataset.searching and self.planned.experiment.retrievers[name] == spec
        if not known or self.blocks.whole is None or not self.blocks.is_encoded(spec):
            return dataset.passages
        label = dataset.reader.spec.label
        return sum(
            place.count
            for place in dataset.places
            if not dataset.is_done(BlockTask("search", label, name, place.number))
        )
