"""How long one query takes: a sample of them, asked one by one, by one client or several."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from threading import Barrier, BrokenBarrierError, Event

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Queries
from ragscore.executors.processes import usable_cores
from ragscore.experiment.latency import Latency
from ragscore.messages import _
from ragscore.progress import Progress, Stage
from ragscore.results.stages import ConcurrentTimes, QueryTimes
from ragscore.retrievers.base import Index, RetrieverSpec
from ragscore.retrievers.graph import with_inputs
from ragscore.run import Run

WARM_UP = 1
"""Queries that each client asks before its times count."""
SHOWN_EVERY = 0.5
"""Seconds between two looks at what the clients have done."""


def time_queries(
    name: str,
    specs: Mapping[str, RetrieverSpec],
    index_of: Callable[[str], Index],
    queries: Queries,
    runs: Mapping[str, Run],
    depth: int,
    latency: Latency,
    progress: Progress,
) -> QueryTimes:
    """Time a retriever, the searches of its inputs included, after a warm-up.

    Several clients are threads of this process, which share its interpreter: what holds Python's
    lock while it searches gains nothing from a second client, and its queries wait for each other.

    Args:
        name: the retriever.
        specs: it and its inputs, by name.
        index_of: the index of a name, built or reopened.
        queries: those to choose from: the timed ones are spread evenly over them.
        runs: of its inputs, over all of these queries, by name.
        depth: how many passages a query asks for.
        latency: how many queries to time, at most, and how many clients ask them.
        progress: advances with each query; reports a number of clients that could not be timed.
    """
    total = min(latency.queries, len(queries))
    for needed in with_inputs(specs, [name]):
        index_of(needed).prepare(queries, {name: runs[name] for name in specs[needed].inputs()})

    def answer(name: str, query: Queries, depth: int) -> Run:
        """Answer through the inputs too, as a user's query would be."""
        spec = specs[name]
        inputs = {
            source: answer(source, query, spec.search_depth(depth)) for source in spec.inputs()
        }
        return index_of(name).search(query, depth, inputs)

    sample = single_queries(queries, total)
    # A dataset may have fewer queries than there would be clients.
    numbers = sorted({min(clients, total) for clients in latency.concurrency})
    levels = []
    steps = total * len(numbers)
    with progress.stage(_("timing {name}", name=name), steps, "queries") as stage:
        for clients in numbers:
            asked = AskedQueries(sample, lambda query: answer(name, query, depth), stage)
            try:
                levels.append(asked.alone() if clients == 1 else asked.at_once(clients))
            except Exception as error:
                if not levels:
                    raise
                what = f"{type(error).__name__}: {error}"
                progress.note(
                    _(
                        "{name} could not be timed with {clients} clients at once: {error}",
                        name=name,
                        clients=clients,
                        error=what,
                    )
                )
    first = levels[0]
    return QueryTimes(
        total,
        first.p50_ms,
        first.p95_ms,
        first.p99_ms,
        levels=tuple(levels),
        warm_up=WARM_UP,
        cores=usable_cores(),
    )


@dataclass(eq=False)
class AskedQueries:
    """The queries of a sample, and what answers them."""

    sample: list[Queries]
    answer: Callable[[Queries], Run]
    stage: Stage = field(default_factory=Stage)

    def alone(self) -> ConcurrentTimes:
        """The times of one client, which asks in this thread."""
        times = self.seconds_alone()
        return _level(1, times, float(times.sum()))

    def seconds_alone(self) -> NDArray[np.float64]:
        """Seconds of each query, asked by one client: float64[queries]."""
        self._warm_up()
        times = np.zeros(len(self.sample))
        for turn, query in enumerate(self.sample):
            times[turn] = self._seconds(query)
            self.stage.advance()
        return times

    def at_once(self, clients: int) -> ConcurrentTimes:
        """The times of several clients; each takes the next query of the sample as soon as it has
        its answer."""
        turns, stopped, start = count(), Event(), Barrier(clients + 1)
        times = np.zeros(len(self.sample))

        def ask() -> tuple[float, float]:
            """When this client began and ended: whoever waits for it may be told late."""
            try:
                self._warm_up()
                start.wait()
                began = time.perf_counter()
                while not stopped.is_set() and (turn := next(turns)) < len(times):
                    times[turn] = self._seconds(self.sample[turn])
                return began, time.perf_counter()
            except BaseException:
                stopped.set()
                start.abort()  # the others would wait for this client
                raise

        with ThreadPoolExecutor(clients) as pool:
            asking = [pool.submit(ask) for _ in range(clients)]
            try:
                with suppress(BrokenBarrierError):
                    start.wait()
                self._watch(asking, times)
            finally:
                stopped.set()
                start.abort()
        errors = [error for asked in asking if (error := asked.exception()) is not None]
        for error in sorted(errors, key=lambda error: isinstance(error, BrokenBarrierError)):
            raise error
        began, ended = np.array([asked.result() for asked in asking]).T
        return _level(clients, times, float(ended.max() - began.min()))

    def _watch(
        self, asking: Sequence[Future[tuple[float, float]]], times: NDArray[np.float64]
    ) -> None:
        """Notify the stage of what is answered until all is."""
        shown, waiting = 0, True
        while waiting:
            waiting = bool(wait(asking, timeout=SHOWN_EVERY).not_done)
            answered = int(np.count_nonzero(times))
            self.stage.advance(answered - shown)
            shown = answered

    def _warm_up(self) -> None:
        for query in self.sample[:WARM_UP]:
            self.answer(query)

    def _seconds(self, query: Queries) -> float:
        began = time.perf_counter()
        self.answer(query)
        return time.perf_counter() - began


def _level(clients: int, times: NDArray[np.float64], seconds: float) -> ConcurrentTimes:
    p50, p95, p99 = (float(value) for value in np.percentile(times * 1000, [50, 95, 99]))
    return ConcurrentTimes(clients, p50, p95, p99, len(times) / max(seconds, 1e-9))


def single_queries(queries: Queries, count: int) -> list[Queries]:
    """A number of the queries, spread evenly over them, each alone."""
    rows = np.linspace(0, len(queries) - 1, count).astype(int).tolist()
    return [queries.select([row]) for row in rows]
