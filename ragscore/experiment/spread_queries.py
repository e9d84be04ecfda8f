"""Blocks of queries of one retriever, searched by the workers of an executor.

What takes long of such a search, as a cross-encoder's scores of pairs, is kept in the store; this
process then searches the same blocks and finds it there. So results are those of one process; where
queries of two blocks have the same text, a pair may be scored in each, and differ by rounding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset, Queries
from ragscore.errors import RagscoreError, RetrieverError
from ragscore.executors import Finished, Job, TaskWorker, Workers
from ragscore.experiment import cached_runs
from ragscore.experiment.data_checks import dataset_of
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.model import Experiment
from ragscore.experiment.search_blocks import block_size
from ragscore.experiment.spread_stage import spread_stage
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.retrievers.base import Index, RetrieverSpec
from ragscore.run import Run


@dataclass(frozen=True, eq=False)
class QueriesJob(Job):
    """What a worker needs to know of blocks of queries; a task is the first query of one and the
    one after its last, in JSON.

    Attributes:
        experiment: with absolute paths, which every node reaches.
        corpus: that is searched; or, where it is read in blocks, the number of its dataset in the
            experiment: the worker reads it again, from the cache.
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
        """Read the corpus; no model is loaded yet."""
        cache, corpus = Cache.at(self.place), self.corpus
        if isinstance(corpus, int):
            read = dataset_of(self.experiment, corpus, cache=cache).corpus
            assert read is not None
            corpus = read
        index = self.spec.build(corpus, cache, name=self.retriever)
        return QueriesWorker(self, index, cache, corpus)

    def label(self, task: str) -> str:
        """Which queries they are, and of what."""
        first, end = json.loads(task)
        return f"queries {first + 1:,} to {end:,} of {self.dataset} ({self.retriever})"


class QueriesWorker(TaskWorker):
    """Searches blocks of queries, for what that leaves in the cache."""

    def __init__(self, job: QueriesJob, index: Index, cache: Cache, corpus: Corpus) -> None:
        self.job, self.index, self.cache, self.corpus = job, index, cache, corpus

    @cached_property
    def inputs(self) -> dict[str, Run]:
        """The runs that the retriever builds on.

        Raises:
            RetrieverError: one is not in the cache.
        """
        found = {}
        for name, key in self.job.inputs.items():
            read_run = partial(
                cached_runs.read_run,
                queries=self.job.queries.ids,
                passages=self.corpus.ids,
                name=name,
            )
            kept = self.cache.read("runs", key, read_run)
            if kept is None:
                raise RetrieverError("its run is not in the cache", retriever=name)
            found[name], _ = kept
        return found

    def do(self, task: str) -> None:
        """Search one block.

        Raises:
            RetrieverError: it cannot be searched.
            DiskError: what was computed cannot be kept.
        """
        first, end = json.loads(task)
        block = self.job.queries.select(range(first, end))
        inputs = {name: run.for_queries(block.ids) for name, run in self.inputs.items()}
        with failing_alone(self.index.name):
            self.index.search(block, self.job.depth, inputs)
        if self.cache.store is not None:
            self.cache.store.put_left()
        if self.cache.failure is not None:
            raise self.cache.failure


@dataclass(frozen=True, eq=False)
class SpreadQueries:
    """The workers of an experiment, for blocks of queries.

    Attributes:
        experiment: its datasets.
        workers: of its executor.
        cache: where runs are kept, which the workers reach.
        progress: reports queries.
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
    ) -> bool:
        """Have workers search all queries of a retriever. What a worker of this machine that died
        leaves undone is done by whoever searches next.

        Args:
            dataset: of the experiment.
            corpus: of the dataset, or the chunks that the retriever searches.
            index: the retriever's, over this corpus; nothing is asked of it.
            spec: the retriever.
            depth: how deep it is searched.
            inputs: by the name of another retriever, the key of its run in the cache.

        Returns:
            False if they cannot: the corpus is a sample in blocks, or a run is not where they
            find it.

        Raises:
            RetrieverError: a block of queries cannot be searched; names the first.
            RagscoreError: the workers cannot go on.
        """
        labels, count = [spec.label for spec in self.experiment.datasets], len(dataset.queries)
        sample = self.experiment.datasets[labels.index(dataset.name)].sample
        if (corpus.blocks and sample is not None) or not all(map(self._reached, inputs.values())):
            return False
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
        tasks, first = list[str](), 0
        while first < count:
            size = block_size(count - first, index.block)
            tasks.append(json.dumps([first, first + size]))
            first += size
        failures: dict[int, RagscoreError] = {}
        label = _("searching {name} by blocks of queries", name=index.name)
        with spread_stage(self.progress, label, count, "queries") as stage:

            def take(done: Finished) -> None:
                first, end = json.loads(done.task)
                stage.advance(end - first)
                if done.error is not None:
                    failures[first] = RetrieverError(done.failure(job), retriever=index.name)

            self.workers.run(job, tasks, take, gpu=True)
        if failures:
            raise failures[min(failures)]
        return True

    def _reached(self, key: str) -> bool:
        """Whether workers find a run that is kept: also in the store that machines share."""
        self.cache.share("runs", key)
        return self.cache.store is None or self.cache.store.has("runs", key)
