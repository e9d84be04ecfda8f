"""What searches of one sort cost on one corpus, kept so that a plan can say what is to come."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import NonNegativeInt

from ragscore.cache import Cache, entry_key
from ragscore.dataset import Corpus
from ragscore.encoders.encoding_cost import Seconds
from ragscore.records import adapter
from ragscore.results.stages import Stages
from ragscore.retrievers.base import RetrieverSpec

COSTS = "costs"
"""The cache's kind of entry."""
FORMAT = 2


@dataclass(frozen=True)
class KnownCost:
    """What a search costs.

    Attributes:
        build_seconds: of all its passages, nothing of it being in the cache.
        open_seconds: the same where the cache has what can be kept; None if unknown.
        query_seconds: of one query, searched in a block with others.
        single_seconds: of one query, asked alone; None if unknown.
        index_bytes: in memory or in its file; None if unknown.
        sampled: measured on a few passages now, and not in an earlier run.
    """

    build_seconds: Seconds
    open_seconds: Seconds | None
    query_seconds: Seconds
    single_seconds: Seconds | None
    index_bytes: NonNegativeInt | None
    sampled: bool = False

    def times(self, factor: float) -> KnownCost:
        """What this many times as many passages cost."""
        opened, single, size = self.open_seconds, self.single_seconds, self.index_bytes
        return KnownCost(
            self.build_seconds * factor,
            None if opened is None else opened * factor,
            self.query_seconds * factor,
            None if single is None else single * factor,
            None if size is None else int(size * factor),
            self.sampled,
        )


def cost_key(spec: RetrieverSpec, corpus: Corpus) -> str:
    """The key of what retrievers of one sort cost on one corpus."""
    return entry_key(FORMAT, spec.cost_class(corpus), corpus.digest)


def keep_cost(
    cache: Cache | None, spec: RetrieverSpec, corpus: Corpus, stages: Stages, queries: int
) -> None:
    """Keep what a search cost, where nothing is known of its sort, or not what it costs to open."""
    if cache is None or not cache.persistent or not queries:
        return
    known, opened = known_cost(cache, spec, corpus), stages.index_from_cache
    if known is not None and (known.open_seconds is not None or not opened):
        return
    build = stages.build_seconds if stages.build_seconds is not None else stages.index_seconds
    single = stages.latency.p50_ms / 1000 if stages.latency and not spec.inputs() else None
    cost = KnownCost(
        build if known is None else known.build_seconds,
        stages.index_seconds if opened else None,
        stages.search_seconds / queries,
        single if known is None or single is not None else known.single_seconds,
        stages.index_bytes,
    )

    def write(folder: Path) -> None:
        (folder / "cost.json").write_text(json.dumps(asdict(cost)), encoding="utf-8")

    key = cost_key(spec, corpus)
    if known is not None:
        cache.delete(COSTS, key)
    cache.keep(COSTS, key, write)


def known_cost(cache: Cache | None, spec: RetrieverSpec, corpus: Corpus) -> KnownCost | None:
    """What the cache knows of a retriever's sort; reading it changes nothing."""
    if cache is None:
        return None

    def read(folder: Path) -> KnownCost:
        return adapter(KnownCost).validate_json((folder / "cost.json").read_bytes())

    return cache.peek(COSTS, cost_key(spec, corpus), read)
