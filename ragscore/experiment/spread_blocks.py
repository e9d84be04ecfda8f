"""The blocks of an experiment's corpora, encoded and searched by the workers of an executor.

They fill the store; the ordinary run then finds there what it would have made. So nothing of a
result depends on who did what, and a run that was stopped goes on from what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.encoders import EncoderSpec
from ragscore.errors import RagscoreError, RetrieverError
from ragscore.executors import Finished, Job, TaskWorker, Workers
from ragscore.experiment.block_tasks import BlockTasks
from ragscore.experiment.blocked_dataset import BlockTask, TaskKind
from ragscore.experiment.model import Experiment
from ragscore.experiment.run_notes import RunNotes
from ragscore.experiment.spread_stage import spread_stage
from ragscore.messages import Message, _
from ragscore.progress import Progress
from ragscore.results.manifest import Key


@dataclass(frozen=True)
class BlockJob(Job):
    """What a worker needs to know of tasks on blocks.

    Attributes:
        experiment: with absolute paths, which every node reaches.
        only: names of the retrievers that are to run; none of them is all.
        place: of the cache.
    """

    experiment: Experiment
    only: tuple[str, ...]
    place: str

    def open(self) -> BlockWorker:
        """Read what the experiment has; no block is read yet."""
        return BlockWorker(BlockTasks(self.experiment, Cache.at(self.place), only=self.only))

    def label(self, task: str) -> str:
        """Which block it is, and what is done with it."""
        found = BlockTask.from_json(task)
        return f"block {found.block + 1:,} of {found.dataset} ({found.kind}, {found.retriever})"


class BlockWorker(TaskWorker):
    """Encodes and searches blocks."""

    def __init__(self, tasks: BlockTasks) -> None:
        self.tasks = tasks

    def do(self, task: str) -> None:
        """Put what a task makes into the cache."""
        self.tasks.run(BlockTask.from_json(task))


def encoder_of(tasks: BlockTasks, task: BlockTask) -> EncoderSpec | None:
    """The encoder of a task's retriever; None if it has none."""
    return getattr(tasks.experiment.retrievers[task.retriever], "encoder", None)


def fill_store(
    experiment: Experiment,
    only: Iterable[str],
    datasets: Iterable[Dataset],
    cache: Cache,
    workers: Workers,
    notes: RunNotes,
) -> dict[Key, RagscoreError]:
    """Have workers encode and search the blocks of corpora.

    Args:
        experiment: its retrievers are those that are needed.
        only: names of those that are wanted.
        datasets: its own, loaded.
        cache: where everything is kept, which the workers reach.
        workers: of an executor that spreads.
        notes: reports blocks, and of datasets that are not read in blocks.

    Returns:
        By dataset and retriever, why it has no run; the other blocks of it are done.
    """
    whole = [
        dataset
        for dataset, spec in zip(datasets, experiment.datasets, strict=True)
        if dataset.corpus is not None and spec.sample is None
    ]
    for dataset in whole:
        if dataset.corpus is not None and not dataset.corpus.blocks:
            notes.note_on(
                dataset.name,
                _(
                    "its passages are not read in blocks, so only this machine encodes and "
                    "searches them; write, for example, memory: 4GB in the experiment to read "
                    "them in blocks, which workers share"
                ),
            )
    if not any(dataset.corpus.blocks for dataset in whole if dataset.corpus is not None):
        return {}
    blocks = _SpreadBlocks(experiment, tuple(only), cache, workers, notes)
    blocks.run()
    return blocks.failures


def do_stage(
    experiment: Experiment,
    only: Iterable[str],
    cache: Cache,
    workers: Workers,
    progress: Progress,
    kind: TaskKind,
    has: Callable[[int], bool],
) -> list[RagscoreError]:
    """Have workers do one stage for some blocks of corpora.

    Args:
        experiment, only, cache, workers: as :func:`fill_store` takes them.
        progress: reports blocks.
        kind: what is done with each.
        has: whether a block is among them, by its number from 0.

    Returns:
        Why retrievers failed; the other blocks of each are done.
    """
    blocks = _SpreadBlocks(experiment, tuple(only), cache, workers, progress)
    if kind == "encode":
        blocks.encode(has)
    else:
        blocks.search(has)
    return [*blocks.failures.values()]


class _SpreadBlocks:
    """The blocks of all datasets that are left to do."""

    def __init__(
        self,
        experiment: Experiment,
        only: tuple[str, ...],
        cache: Cache,
        workers: Workers,
        progress: Progress,
    ) -> None:
        self.tasks = BlockTasks(experiment, cache, only=only, progress=progress)
        self.job = BlockJob(experiment, only, cache.place)
        self.workers, self.progress = workers, progress
        self.failures: dict[Key, RagscoreError] = {}

    def run(self) -> None:
        """Encode all blocks, then search them."""
        self.encode()
        self.search()

    def encode(self, has: Callable[[int], bool] = lambda block: True) -> None:
        """Encode the blocks that ``has`` says."""
        wanted = [task for task in self._wanted("encode") if has(task.block)]
        self._do(_("encoding blocks"), wanted, self._runs_a_model)

    def search(self, has: Callable[[int], bool] = lambda block: True) -> None:
        """Search the blocks that ``has`` says."""
        search = [task for task in self._wanted("search") if has(task.block)]
        # The first block that a retriever searches has the queries encoded, for all others.
        first = {_key(task): task for task in reversed(search) if self._has_encoder(task)}
        if first:
            self._do(_("encoding queries"), [*first.values()], self._runs_a_model, known=False)
        self._do(_("searching blocks"), search, lambda task: False)

    def _wanted(self, kind: TaskKind) -> list[BlockTask]:
        """The tasks of a kind, but those of retrievers whose run is there."""
        kept = {
            (name, retriever): dataset.is_kept(retriever)
            for name, dataset in self.tasks.datasets.items()
            for retriever in dataset.encoding
        }
        return [task for task in self.tasks.all(kind) if not kept.get(_key(task))]

    def _has_encoder(self, task: BlockTask) -> bool:
        return encoder_of(self.tasks, task) is not None

    def _runs_a_model(self, task: BlockTask) -> bool:
        """Whether the worker encodes, and no service elsewhere."""
        encoder = encoder_of(self.tasks, task)
        return encoder is not None and encoder.slow and not encoder.remote

    def _do(
        self,
        label: Message,
        tasks: Sequence[BlockTask],
        needs_gpu: Callable[[BlockTask], bool],
        known: bool = True,
    ) -> None:
        """Have the tasks done that are left, of the retrievers that have not failed; ``known`` says
        that the store tells which are done."""
        tasks = [task for task in tasks if _key(task) not in self.failures]
        with spread_stage(self.progress, label, len(tasks), "blocks") as stage:

            def take(done: Finished) -> None:
                stage.advance()
                if done.error is not None:
                    self._fail(done)

            left = [task for task in tasks if not known or not self._is_done(task)]
            stage.advance(len(tasks) - len(left))
            for gpu in (True, False):
                names = [task.to_json() for task in left if needs_gpu(task) == gpu]
                self.workers.run(self.job, names, take, gpu=gpu)

    def _is_done(self, task: BlockTask) -> bool:
        key = _key(task)
        try:
            return key in self.failures or self.tasks.is_done(task)
        except RagscoreError as error:  # what its blocks have in common cannot be computed
            self.failures[key] = error
            return True

    def _fail(self, done: Finished) -> None:
        """Know of a block that could not be done; the first of a retriever is named."""
        task = BlockTask.from_json(done.task)
        error = RetrieverError(done.failure(self.job), retriever=task.retriever)
        self.failures.setdefault(_key(task), error)


def _key(task: BlockTask) -> Key:
    return task.dataset, task.retriever
