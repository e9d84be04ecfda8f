"""The tasks that an experiment has on corpora in blocks: what can be done apart from everything
else, by any process that reaches the cache.

A task is plain data, and what it makes is an entry of the cache. So it may be done twice, at once
or after a kill: the second finds what the first one made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ragscore.cache import Cache
from ragscore.errors import ConfigError, RagscoreError
from ragscore.experiment.blocked_dataset import SMALL, BlockedDataset, BlockTask, TaskKind
from ragscore.experiment.config.load_experiment import in_file
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.memory import memory_problems
from ragscore.experiment.model import Experiment
from ragscore.formats.datasets.block_reader import BlockReader
from ragscore.formats.datasets.blocked_corpus import DIGESTS
from ragscore.formats.datasets.stored_columns import COLUMNS
from ragscore.formats.datasets.stored_columns import KIND as PASSAGES
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.block_vectors import VECTORS
from ragscore.retrievers.faiss.model import KIND as FAISS
from ragscore.retrievers.found_passages import FOUND
from ragscore.retrievers.graph import with_inputs
from ragscore.retrievers.postings import KIND as POSTINGS
from ragscore.retrievers.sparse.model import KIND as SPARSE
from ragscore.validation.findings import show_path

KINDS = (PASSAGES, COLUMNS, DIGESTS, POSTINGS, VECTORS, FAISS, SPARSE, FOUND, *SMALL)
"""The kinds of entries that there are of each block."""


class BlockTasks:
    """The tasks of an experiment, and how each is done.

    Args:
        experiment: its datasets that are read in blocks have tasks; others have none.
        cache: where blocks and all that is made of them are kept.
        only: names of retrievers, as :func:`run_experiment` takes them.
        progress: reports what is read, encoded and searched.

    Raises:
        ConfigError: a name in ``only`` is unknown, no dataset is read in blocks, or a retriever
            cannot search one that is, or not in as much memory as there may be.
        DataError: a file is missing.
    """

    def __init__(
        self,
        experiment: Experiment,
        cache: Cache,
        *,
        only: Iterable[str] = (),
        progress: Progress = SILENT,
    ) -> None:
        wanted = experiment.wanted(only)
        needed = with_inputs(experiment.retrievers, wanted)
        self.experiment = experiment.reduced(needed)
        self.cache = cache
        if cache.store is not None:
            cache.store.learn(KINDS)
        self.datasets: dict[str, BlockedDataset] = {}
        for spec in experiment.datasets:
            in_blocks = experiment.memory is not None
            reader = BlockReader(spec, cache, in_blocks=in_blocks, progress=progress)
            if reader.blocked:
                dataset = BlockedDataset(reader, self.experiment, wanted, cache, progress)
                self.datasets[spec.label] = dataset
        unfit = [
            replace(problem, where=show_path(("retrievers", name, problem.where)))
            for name, spec in (needed.items() if self.datasets else ())
            if (problem := spec.unfit_for_blocks()) is not None
        ]
        if experiment.memory is not None and not unfit:
            for label, dataset in self.datasets.items():
                sizes = dataset.passages, len(dataset.reader.queries)
                depth = experiment.depth
                unfit += memory_problems(experiment.memory, label, *sizes, needed, depth)
        if unfit:
            raise ConfigError(in_file(experiment, unfit))
        if not self.datasets:
            raise ConfigError(
                "no dataset of the experiment is read in blocks, so there is nothing to share out",
                where=experiment.source.path or experiment.name,
                instead="Run it with `ragscore run`; or write memory: 4GB, or a dataset whose "
                "passages are a folder of shards",
            )

    def all(self, kind: TaskKind) -> Iterator[BlockTask]:
        """All tasks of a kind, those of one retriever together."""
        for name, dataset in self.datasets.items():
            specs = dataset.encoding if kind == "encode" else dataset.searching
            for retriever in specs:
                for place in dataset.places:
                    yield BlockTask(kind, name, retriever, place.number)

    def is_done(self, task: BlockTask) -> bool:
        """Whether the cache has what a task makes; little is read.

        Raises:
            RagscoreError: of a search task, some blocks are not encoded.
        """
        return self.datasets[task.dataset].is_done(task)

    def run(self, task: BlockTask, progress: Progress = SILENT) -> None:
        """Make what a task makes, where it is not there.

        Args:
            task: of this experiment.
            progress: reports passages.

        Raises:
            RagscoreError: it cannot be made; the message names the block.
            DiskError: it cannot be kept.
        """
        dataset = self.datasets[task.dataset]
        try:
            with failing_alone(task.retriever):
                dataset.run(task, progress)
        except RagscoreError as error:
            place = dataset.places[task.block]
            last = place.first + place.count
            error.add_hint(
                f"This was block {place.number + 1:,} of {len(dataset.places):,} of "
                f"{task.dataset}: passages {place.first + 1:,} to {last:,}"
            )
            raise
        if self.cache.failure is not None:
            raise self.cache.failure
