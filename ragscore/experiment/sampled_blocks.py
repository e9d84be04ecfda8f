"""The first passages of a corpus in blocks, and an estimate from them of what all cost."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset, Ids
from ragscore.dataset.text_columns import utf8
from ragscore.encoders import EncoderSpec
from ragscore.encoders.gathering import kept_passages
from ragscore.experiment.blocked_dataset import SMALL, BlockedDataset
from ragscore.experiment.known_costs import KnownCost, known_cost
from ragscore.experiment.sampled_costs import exact_cost, sampled_cost
from ragscore.formats.datasets.block_reader import BlockReader
from ragscore.retrievers import Faiss
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.blockwise import BlockwiseRetriever
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.faiss.options import EXACT

SAMPLE = 20_000
"""How many passages of the first block are indexed and searched to learn what that takes."""

RECORDED = 16
"""Maximum number of encoded blocks whose recorded cost is averaged."""
BYTES_OF_ID = 60
"""Of memory, beside those of the id itself, while all ids are checked: where each begins, its hash
and its place among these; 32 stay."""


class SampledBlocks:
    """What is known of a dataset that is read in blocks before they are read.

    Args:
        dataset: its tasks.
        depth: of the runs.
        cache: where blocks are kept.
    """

    def __init__(self, dataset: BlockedDataset, depth: int, cache: Cache) -> None:
        self.dataset, self.depth, self.cache = dataset, depth, cache
        self._costs: dict[str, KnownCost | None] = {}

    @cached_property
    def whole(self) -> Dataset | None:
        """The dataset, its passages unread; None if some blocks were not read by anybody yet."""
        corpus = self.dataset.reader.corpus()
        return None if corpus is None else self.dataset.unjudged(corpus)

    @cached_property
    def dataset_of_first(self) -> Dataset:
        """The first passages and the queries."""
        return self.dataset.unjudged(self.first)

    @property
    def first(self) -> Corpus:
        """The first passages, in memory."""
        return self._first[0]

    @cached_property
    def _first(self) -> tuple[Corpus, float]:
        """The first passages, and the seconds that reading them took: a share of those of their
        block, which is kept in a cache that goes when this call ends."""
        reader = BlockReader(self.dataset.reader.spec, Cache(), in_blocks=True)
        began = time.perf_counter()
        (block,) = reader.read(self.dataset.places[:1])
        seconds = time.perf_counter() - began
        ids, texts, titles = block.ids, block.texts, block.titles
        first = slice(min(SAMPLE, len(block)))
        corpus = Corpus(Ids(ids[first]), list(texts[first]), titles and list(titles[first]))
        return corpus, seconds * len(corpus) / len(block)

    @property
    def times(self) -> float:
        """How many times as many passages there are as in the sample."""
        return self.dataset.passages / len(self.first)

    def reading_seconds(self, passages: int) -> float:
        """About how long reading this many passages takes."""
        return self._first[1] * passages / len(self.first)

    def text_bytes(self, passages: int) -> float:
        """About how many bytes the texts of this many passages have."""
        columns = [column for column in (self.first.texts, self.first.titles) if column]
        size = sum(len(utf8(column, 0, len(column))) for column in columns)
        return size * passages / len(self.first)

    @property
    def id_bytes(self) -> float:
        """About how many bytes of memory the ids of all passages take."""
        texts = len(utf8(self.first.ids, 0, len(self.first)))
        return texts * self.times + BYTES_OF_ID * self.dataset.passages

    def cost(self, spec: RetrieverSpec) -> KnownCost | None:
        """What a search of all passages costs; None if nobody knows."""
        kind = str(spec.cost_class(self.first))
        if kind not in self._costs:
            found = None
            # What a search in blocks took before may be what was left of it.
            if self.whole is not None and self.whole.corpus is not None and not spec.blockwise:
                found = known_cost(self.cache, spec, self.whole.corpus)
            if found is None:
                found = sampled_cost(spec, self.dataset_of_first, self.depth, SAMPLE)
                if found is not None and not spec.inputs():
                    found = found.times(self.times)
            self._costs[kind] = found
        return self._costs[kind]

    def encoding_seconds(self, spec: BlockwiseRetriever, encoder: EncoderSpec) -> float:
        """Seconds of encoding a text, as a block took that was encoded; else texts of any other
        corpus. NaN if none was recorded."""
        for _, cost in self._encoded(spec):
            if cost.encoding is not None and cost.encoding.texts:
                return cost.encoding.seconds / cost.encoding.texts
        texts = self.first.content()
        return kept_passages(self.cache, encoder.vector_key("passage"), texts).seconds_each

    def searching_seconds(self, spec: BlockwiseRetriever, queries: int, passages: int) -> float:
        """Seconds of searching this many passages; NaN if unknown."""
        if isinstance(spec, Faiss) and spec.blockwise:
            dimension = spec.encoder.dimension()
            if dimension is None or spec.index not in EXACT:
                return math.nan
            return exact_cost(dimension).seconds(queries, passages)
        cost = self.cost(spec)
        if cost is None:
            return math.nan
        # A block is read while another is searched.
        seconds = max(cost.query_seconds * queries, cost.open_seconds or 0.0)
        return seconds * passages / self.dataset.passages

    def index_bytes(self, spec: BlockwiseRetriever, passages: int) -> float:
        """Bytes of an index over this many passages, or of those of their blocks; NaN if nobody
        knows."""
        if isinstance(spec, Faiss):
            size = spec.changed(per_block=False).resident_bytes(passages)
        else:
            cost = self.cost(spec)
            size = None if cost is None else cost.index_bytes
            size = size and int(size * passages / self.dataset.passages)
        return math.nan if size is None else size

    def block_bytes(self, spec: BlockwiseRetriever, passages: int) -> float:
        """Bytes that a search of a block of this many passages reads; NaN if unknown."""
        if isinstance(spec, Faiss) and not spec.per_block:
            return passages * 4 * (spec.encoder.dimension() or math.nan)
        return self.index_bytes(spec, passages)

    def building_seconds(self, spec: BlockwiseRetriever, passages: int) -> float:
        """Seconds of indexing this many passages, as the first blocks took that were indexed here
        before; else as the sample shows. NaN if nobody knows."""
        encoded = list(islice(self._encoded(spec), RECORDED))
        if encoded:
            seconds = math.fsum(cost.seconds for _, cost in encoded)
            return seconds * passages / sum(count for count, _ in encoded)
        cost = self.cost(spec)
        return math.nan if cost is None else cost.build_seconds * passages / self.dataset.passages

    def _encoded(self, spec: BlockwiseRetriever) -> Iterator[tuple[int, BuildCost]]:
        """The blocks that were encoded before: how many passages each has, and what that cost."""
        for place in self.dataset.places:
            block = self.dataset.reader.unread(place)
            if block is not None and spec.is_encoded(block, self.cache):
                entries = [entry for entry in spec.block_artifacts(block) if entry.kind in SMALL]
                read = (self.cache.peek(each.kind, each.key, BuildCost.read) for each in entries)
                costs = list(filter(None, read))
                if costs:
                    yield len(block), BuildCost.total(costs)

    def passages_without(self, what: str, spec: BlockwiseRetriever) -> int:
        """How many passages are in blocks of which the cache lacks their tokens, vectors or index,
        as ``what`` says."""
        return sum(
            place.count
            for place in self.dataset.places
            if (block := self.dataset.reader.unread(place)) is None
            or not all(
                self.cache.has(entry.kind, entry.key)
                for entry in spec.block_artifacts(block)
                if entry.what == what
            )
        )

    def is_encoded(self, spec: BlockwiseRetriever) -> bool:
        """Whether the cache has what searching each block needs."""
        blocks = map(self.dataset.reader.unread, self.dataset.places)
        return all(block is not None and spec.is_encoded(block, self.cache) for block in blocks)
