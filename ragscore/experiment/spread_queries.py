"""Blocks of queries of one retriever, searched by the workers of an executor.

What takes long of such a search, as a cross-encoder's scores of pairs, is kept in the store; this
process then searches the same blocks and finds it there. So results are those of one process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset, Queries
from ragscore.errors import RagscoreError, RetrieverError
from ragscore.executors import Finished, Job, TaskWorker, Workers
from ragscore.experiment import cached_runs
from ragscore.experiment.data_checks import dataset_of
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.model import Experiment
from ragscore.experiment.spread_stage import spread_stage
from ragscore.progress import Progress
from ragscore.retrievers.base import Index, RetrieverSpec
from ragscore.run import Run


@dataclass(frozen=True, eq=False)
class QueriesJob(Job):
    """What a worker needs to know of blocks of queries; a task is the first query of one and the
    one after its last, in JSON.

    Attributes:
        experiment: with absolute paths, which every node reaches.
        corpus: that is searched; or, where it is read in blocks, which of the experiment's datasets
            has it: the worker reads it again, from the cache.
        queries: all of them.
        dataset, retriever: their names.
        spec: the retriever.
        depth: how deep it is searched.
        inputs: by the name of another retriever, the key of its run in the cache.
        place: of the cache.
    """

    experiment: Experiment
    corpus: Corpus | int
    queries: Queries
    dataset: str
    retriever: str
    spec: RetrieverSpec
    depth: int
    inputs: Mapping[str, str]
    place: str

    def open(self) -> QueriesWorker:
        """Read the corpus and the runs; no model is loaded yet.

        Raises:
            RetrieverError: a run is not in the cache.
        """
        cache, corpus = Cache.at(self.place), self.corpus
        if isinstance(corpus, int):
            read = dataset_of(self.experiment, corpus, cache=cache).corpus
            assert read is not None
            corpus = read
        runs = {}
        for name, key in self.inputs.items():
            read_run = partial(
                cached_runs.read_run, queries=self.queries.ids, passages=corpus.ids, name=name
            )
            kept = cache.read("runs", key, read_run)
            if kept is None:
                raise RetrieverError("its run is not in the cache", retriever=name)
            runs[name], _ = kept
        index = self.spec.build(corpus, cache, name=self.retriever)
        return QueriesWorker(index, self.queries, self.depth, runs)

    def label(self, task: str) -> str:
        """Which queries they are, and of what."""
        first, end = json.loads(task)
        return f"queries {first + 1:,} to {end:,} of {self.dataset} ({self.retriever})"


class QueriesWorker(TaskWorker):
    """Searches blocks of queries, for what that leaves in the cache."""

    def __init__(self, index: Index, queries: Queries, depth: int, inputs: Mapping[str, Run]):
        self.index, self.queries, self.depth, self.inputs = index, queries, depth, inputs

    def do(self, task: str) -> None:
        """Search one block."""
        first, end = json.loads(task)
        block = self.queries.select(range(first, end))
        inputs = {name: run.for_queries(block.ids) for name, run in self.inputs.items()}
        with failing_alone(self.index.name):
            self.index.search(block, self.depth, inputs)


@dataclass(frozen=True, eq=False)
class SpreadQueries:
    """The workers of an experiment, for blocks of queries.

    Attributes:
        experiment: its datasets.
        workers: of its executor.
        cache: where runs are kept, which the workers reach.
        progress: is notified of queries.
    """

    experiment: Experiment
    workers: Workers
    cache: Cache
    progress: Progress

    def search(
        self,
        dataset: Dataset,
        corpus: Corpus,
        index: Index,
        spec: RetrieverSpec,
        depth: int,
        inputs: Mapping[str, str],
    ) -> None:
        """Have workers search all queries of a retriever. What a worker that died leaves undone is
        done by whoever searches next.

        Args:
            dataset: of the experiment.
            corpus: of the dataset, or the chunks that the retriever searches.
            index: the retriever's, over this corpus; nothing is asked of it.
            spec: the retriever.
            depth: how deep it is searched.
            inputs: by the name of another retriever, the key of its run in the cache.

        Raises:
            RetrieverError: a block of queries cannot be searched; names it.
        """
        labels, count = [spec.label for spec in self.experiment.datasets], len(dataset.queries)
        job = QueriesJob(
            self.experiment,
            labels.index(dataset.name) if corpus.blocks else corpus,
            dataset.queries.select(range(count)),
            dataset.name,
            index.name,
            spec,
            depth,
            inputs,
            self.cache.place,
        )
        starts = range(0, count, index.block)
        tasks = [json.dumps([start, min(start + index.block, count)]) for start in starts]
        failures: list[RagscoreError] = []
        shown = {"label": "searching_queries", "name": index.name}
        with spread_stage(self.progress, total=count, unit="queries", **shown) as stage:

            def take(done: Finished) -> None:
                first, end = json.loads(done.task)
                stage.advance(end - first)
                if done.error is not None:
                    failures.append(RetrieverError(done.failure(job), retriever=index.name))

            self.workers.run(job, tasks, take, gpu=True)
        if failures:
            raise failures[0]
