"""What searches of one sort cost on one corpus, kept so that a plan can say what is to come."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ragscore.cache import Cache, entry_key
from ragscore.dataset import Corpus, Dataset, Ids
from ragscore.errors import RagscoreError
from ragscore.results.stages import Stages
from ragscore.retrievers.base import RetrieverSpec
from ragscore.run import Run

COSTS = "costs"
"""The cache's kind of entry."""
FORMAT = 1
SAMPLE_PASSAGES = 300
SAMPLE_QUERIES = 5
"""So many are searched where nothing is known of a retriever that needs no model."""
SAMPLE_FUSED = 50
"""Of queries whose runs are fused, which is quick: beginning it would count too much."""


@dataclass(frozen=True)
class KnownCost:
    """What a search costs.

    Attributes:
        build_seconds: of all its passages.
        query_seconds: of one query, searched in a block with others.
        index_bytes: in memory or in its file; None where that is unknown.
        sampled: measured on a few passages now, and not in an earlier run.
    """

    build_seconds: float
    query_seconds: float
    index_bytes: int | None
    sampled: bool = False


def cost_key(spec: RetrieverSpec, corpus: Corpus) -> str:
    """The key of what retrievers of one sort cost on one corpus."""
    return entry_key(FORMAT, spec.cost_class(corpus), corpus.digest)


def keep_cost(
    cache: Cache | None, spec: RetrieverSpec, corpus: Corpus, stages: Stages, queries: int
) -> None:
    """Keep what a search cost, where nothing is known of its sort."""
    if cache is None or not cache.persistent or not queries:
        return
    build = stages.build_seconds if stages.build_seconds is not None else stages.index_seconds
    cost = KnownCost(build, stages.search_seconds / queries, stages.index_bytes)

    def write(folder: Path) -> None:
        (folder / "cost.json").write_text(json.dumps(asdict(cost)), encoding="utf-8")

    cache.keep(COSTS, cost_key(spec, corpus), write)


def known_cost(cache: Cache | None, spec: RetrieverSpec, corpus: Corpus) -> KnownCost | None:
    """What the cache knows of a retriever's sort; reading it changes nothing."""
    if cache is None:
        return None

    def read(folder: Path) -> KnownCost:
        return KnownCost(**json.loads((folder / "cost.json").read_text(encoding="utf-8")))

    return cache.peek(COSTS, cost_key(spec, corpus), read)


def sampled_cost(spec: RetrieverSpec, dataset: Dataset, depth: int) -> KnownCost | None:
    """What a search costs as far as a few passages and queries show, in proportion; None for
    retrievers that use a model or every core, or that cannot search so few."""
    corpus, queries = dataset.corpus, dataset.queries
    if not spec.one_core or corpus is None or not len(corpus) or not len(queries):
        return None
    few = Corpus.from_passages(corpus[row] for row in range(min(SAMPLE_PASSAGES, len(corpus))))
    count = SAMPLE_FUSED if spec.inputs() else SAMPLE_QUERIES
    asked = queries.select(range(min(count, len(queries))))
    inputs = _any_runs(spec.inputs(), asked.ids, corpus, depth)
    try:
        for _ in range(2):  # the first time libraries are loaded
            searched = corpus if inputs else Corpus(few.ids, few.texts, few.titles)
            began = time.perf_counter()
            index = spec.build(searched)
            built = time.perf_counter()
            index.search(asked, min(depth, len(searched)), inputs)
            ended = time.perf_counter()
    except RagscoreError:
        return None
    times = 1.0 if inputs else len(corpus) / len(few)
    size = None if index.size_bytes is None else int(index.size_bytes * times)
    return KnownCost(
        0.0 if inputs else (built - began) * times,
        (ended - built) / len(asked) * times,
        size,
        sampled=True,
    )


def _any_runs(names: Sequence[str], queries: Ids, corpus: Corpus, depth: int) -> dict[str, Run]:
    """Runs of passages drawn at random, to fuse."""
    drawn = np.random.default_rng(0)
    depth = min(depth, len(corpus))
    scores = np.tile(np.arange(depth, 0, -1, dtype=np.float64), (len(queries), 1))

    def run(name: str) -> Run:
        rows = np.array([drawn.choice(len(corpus), depth, replace=False) for _ in queries])
        return Run.make(queries, corpus.ids, rows, scores, name=name)

    return {name: run(name) for name in names}
