"""What searches and scores cost, estimated from a small sample where the cache knows nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache as once
from functools import partial

import numpy as np

from ragscore import canonical
from ragscore.arrays import load_arrays, save_arrays
from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset, Ids, Queries
from ragscore.dataset.ids import NumberedIds
from ragscore.errors import RagscoreError
from ragscore.experiment.known_costs import COSTS, KnownCost
from ragscore.experiment.sweep.outcome import OUTCOMES, Scoring, scored_run, write_outcome
from ragscore.experiment.timing import AskedQueries, single_queries
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.faiss.vectors_in_place import VectorsInPlace
from ragscore.run import Run

SAMPLE_PASSAGES = 2_000
SAMPLE_QUERIES = 100
"""Passages that are searched if nothing is known of a retriever that needs no model."""
SINGLE_QUERIES = 5
"""How many of them are asked one by one."""
WARM_UP_PASSAGES = 50
"""How many are searched first, which loads libraries."""
CALIBRATED = 32_768, 512
"""Vectors and queries that are compared to learn how fast this machine compares."""
READ = 8_192
"""Vectors that are read from a file to learn how fast this machine reads."""
REPEATED, LONG = 5, 1.0
"""How often something short is measured, and after how many seconds no more."""
BEST = 100
"""How many of them are kept for a query."""


def sampled_cost(
    spec: RetrieverSpec, dataset: Dataset, depth: int, most: int = SAMPLE_PASSAGES
) -> KnownCost | None:
    """What a search costs, scaled up from some passages and queries; None for
    retrievers that use a model or every core, or that cannot search so few.

    Args:
        spec: of the retriever.
        dataset: what is to be searched.
        depth: of the run.
        most: how many passages are searched.
    """
    corpus, queries = dataset.corpus, dataset.queries
    if not spec.one_core or corpus is None or not len(corpus) or not len(queries):
        return None
    composed = bool(spec.inputs())
    asked = queries.select(range(min(SAMPLE_QUERIES, len(queries))))
    inputs = _random_runs(spec.inputs(), asked.ids, corpus, depth)
    few = len(corpus) if composed else min(most, len(corpus))
    try:
        for count in (min(WARM_UP_PASSAGES, few), few):
            searched = corpus if composed else _beginning(corpus, count)
            cache = Cache()  # it goes when this call ends
            seconds = [time.perf_counter()]
            for _ in ("made", "opened"):
                index = spec.build(searched, cache)
                seconds.append(time.perf_counter())
            search = _typical_seconds(partial(index.search, asked, min(depth, count), inputs))

        def answer(query: Queries) -> Run:
            given = {name: run.for_queries(query.ids) for name, run in inputs.items()}
            return index.search(query, min(depth, len(searched)), given)

        sample = single_queries(asked, min(SINGLE_QUERIES, len(asked)))
        single = float(np.median(AskedQueries(sample, answer).seconds_alone()))
    except RagscoreError:
        return None
    build, opened = np.diff(seconds).tolist()
    found = KnownCost(build, opened, search / len(asked), single, index.size_bytes, sampled=True)
    return found.times(len(corpus) / few)


@dataclass(frozen=True)
class ExactCost:
    """What exact search takes on this machine, in seconds.

    Attributes:
        read: of one vector, from the cache.
        compare: of one vector with one query, many at once.
    """

    read: float
    compare: float

    def seconds(self, queries: int, vectors: int) -> float:
        """Of searching; vectors are read while others are compared."""
        return max(self.read, self.compare * queries) * vectors


@once
def exact_cost(dimension: int) -> ExactCost:
    """What random vectors of this dimension take, now."""
    vectors, queries = CALIBRATED
    drawn = np.random.default_rng(0)
    passages = drawn.standard_normal((vectors, dimension), dtype=np.float32)
    kept, cache = {"vectors": passages[:READ]}, Cache()  # it goes when this call ends
    cache.keep(COSTS, "vectors", partial(save_arrays, arrays=kept))
    read_vectors = partial(load_arrays, names=tuple(kept))
    read = _typical_seconds(partial(cache.read, COSTS, "vectors", read_vectors))
    asked = drawn.standard_normal((queries, dimension), dtype=np.float32)
    for each in (passages, asked):
        canonical.normalise(each)
    search = VectorsInPlace(passages, "cosine", unit=True).best
    compare = _typical_seconds(partial(search, asked, BEST, NumberedIds(vectors)))
    return ExactCost(read / READ, compare / vectors / queries)


def sampled_scoring(dataset: Dataset, scoring: Scoring, depth: int, entries: int) -> float:
    """Seconds that scoring one configuration of a sweep takes, as a random run shows.

    Args:
        dataset: where configurations are searched.
        scoring: how they are scored.
        depth: of their runs.
        entries: how many the cache keeps of each.
    """
    if dataset.corpus is None:
        return 0.0
    (run,) = _random_runs(["any"], dataset.queries.ids, dataset.corpus, depth).values()
    cache = Cache()  # it goes when this call ends
    for turn in ("first", "second"):  # the first time libraries are loaded
        began = time.perf_counter()
        outcome = scored_run(run, dataset, scoring, depth)
        scored = time.perf_counter()
        cache.keep(OUTCOMES, turn, partial(write_outcome, outcome=outcome))
        ended = time.perf_counter()
    return scored - began + (ended - scored) * entries


def _typical_seconds(work: Callable[[], object]) -> float:
    """The median of what some work takes when it is done a few times: a moment in which another
    program was busy would be multiplied by thousands."""
    seconds = []
    for _ in range(REPEATED):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
        if sum(seconds) > LONG and len(seconds) > 1:
            break
    return float(np.median(seconds))


def _beginning(corpus: Corpus, count: int) -> Corpus:
    few = Corpus.from_passages(corpus[row] for row in range(count))
    return Corpus(few.ids, few.texts, few.titles)


def _random_runs(names: Sequence[str], queries: Ids, corpus: Corpus, depth: int) -> dict[str, Run]:
    """Runs of passages drawn at random, to fuse or to score."""
    drawn = np.random.default_rng(0)
    depth = min(depth, len(corpus))
    scores = np.tile(np.arange(depth, 0, -1, dtype=np.float64), (len(queries), 1))

    def run(name: str) -> Run:
        rows = np.array([drawn.choice(len(corpus), depth, replace=False) for _ in queries])
        return Run.make(queries, corpus.ids, rows, scores, name=name)

    return {name: run(name) for name in names}
