"""How long one query takes: a sample of them, searched one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from ragscore.dataset import Queries
from ragscore.progress import STAGES, Progress
from ragscore.results.stages import QueryTimes
from ragscore.retrievers.base import Index, RetrieverSpec
from ragscore.retrievers.graph import with_inputs
from ragscore.run import Run


def time_queries(
    name: str,
    specs: Mapping[str, RetrieverSpec],
    index_of: Callable[[str], Index],
    queries: Queries,
    depth: int,
    count: int,
    progress: Progress,
) -> QueryTimes:
    """Time a retriever, the searches of its inputs included, after one warm-up.

    Args:
        name: the retriever.
        specs: it and its inputs, by name.
        index_of: the index of a name, built or reopened.
        queries: those to choose from: the timed ones are spread evenly over them.
        depth: how many passages a query asks for.
        count: how many queries to time, at most.
        progress: is notified of each query.
    """
    count = min(count, len(queries))
    sample = np.linspace(0, len(queries) - 1, count).astype(int)
    for needed in with_inputs(specs, [name]):
        index_of(needed).prepare(queries)

    def answer(name: str, query: Queries, depth: int) -> Run:
        """Answer through the inputs too, as a user's query would be."""
        spec = specs[name]
        inputs = {
            source: answer(source, query, spec.search_depth(depth)) for source in spec.inputs()
        }
        return index_of(name).search(query, depth, inputs)

    answer(name, queries.select(sample[:1]), depth)  # warm
    times = []
    with progress.stage(STAGES.note("timing", name=name), count, "queries") as stage:
        for row in sample:
            query = queries.select([int(row)])
            began = time.perf_counter()
            answer(name, query, depth)
            times.append((time.perf_counter() - began) * 1000)
            stage.advance()
    p50, p95, p99 = (float(value) for value in np.percentile(times, [50, 95, 99]))
    return QueryTimes(count, p50, p95, p99)
