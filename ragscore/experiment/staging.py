"""run_stage and reduce_experiment: an experiment in many jobs, each of which fills the cache with
what is made of some blocks, and one that goes on from there."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.cache import Cache
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.errors import DataError, DiskError, Problem, RagscoreError
from ragscore.experiment.block_tasks import BlockTasks
from ragscore.experiment.blocked_dataset import BlockedDataset, BlockTask, TaskKind
from ragscore.experiment.config.load_experiment import load_experiment
from ragscore.experiment.model import Experiment
from ragscore.experiment.running import run_experiment
from ragscore.experiment.shards import Shards, ranges_text
from ragscore.experiment.spread_blocks import do_stage
from ragscore.experiment.staged_elements import StagedRetriever, staged_elements
from ragscore.messages import _
from ragscore.progress import SILENT, OneStage, Progress
from ragscore.records import Record
from ragscore.results import Result

MAX_LISTED = 200
"""Characters of a list of blocks in a message."""


@dataclass(frozen=True)
class Staged(Record, Shown):
    """What ``ragscore stage`` prints; ``str`` is the same."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    experiment: str
    """Name of the experiment."""
    stage: TaskKind
    """What was done with each block: ``encode`` or ``search``."""
    shard: str
    """Which blocks were taken: ``3/64``."""
    cache: str
    """Where what was made is kept."""
    dry: bool
    """Whether nothing was made, and this says what would be."""
    retrievers: tuple[StagedRetriever, ...]
    """By dataset and retriever."""

    def elements(self) -> list[Element]:
        """What ``ragscore stage`` prints."""
        return list(staged_elements(self.retrievers, self.stage, self.shard, self.cache, self.dry))


def run_stage(
    stage: TaskKind,
    experiment: Experiment | str | Path,
    shard: str = "1/1",
    *,
    only: Iterable[str] = (),
    cache: Cache | None = None,
    dry_run: bool = False,
    progress: Progress = SILENT,
) -> Staged:
    """Do one stage of an experiment for some blocks of its corpora: what is made goes into the
    cache, where :func:`reduce_experiment` and :func:`run_experiment` find it. What is there already
    is not made again.

    Args:
        stage: ``encode`` makes postings and vectors of blocks, ``search`` finds their best
            passages.
        experiment: from :func:`load_experiment`, made in Python, or the path of a YAML file.
        shard: which blocks: ``3/64`` takes the third, then every 64th after it, of each dataset;
            ``3,17,20-25/64`` takes several shards.
        only: names of retrievers; by default all. The ones they are built on are done too.
        cache: where all is kept; by default the experiment's store, else the user's cache.
        dry_run: make nothing, and say what is there already.
        progress: reports stages and notes.

    Raises:
        ConfigError: there is no such shard, a name in ``only`` is unknown, or no dataset is read
            in blocks.
        DataError: a dataset cannot be read; or blocks are to be searched, and some are not
            encoded: it names them and the command that does it.
        RetrieverError: a retriever failed on a block; the others were done.
        DiskError: what was made cannot be kept.
    """
    shards = Shards.parse(shard)
    if not isinstance(experiment, Experiment):
        experiment = load_experiment(experiment)
    cache = cache or Cache.usable(progress, experiment.store)
    if not dry_run:
        if cache.failure is not None:
            raise cache.failure
        cache.sweep()
    only = tuple(only)
    tasks = BlockTasks(experiment, cache, only=only, progress=progress)
    if stage == "search":
        _raise_missing(_not_encoded(tasks, _Command(experiment, only, shards.count)))
    elif not dry_run:
        for dataset in tasks.datasets.values():
            dataset.read_all(place.number for place in dataset.places if shards.has(place.number))
    rows = [_ShardOf(retriever, tasks) for retriever in _by_retriever(tasks, stage, shards)]
    failures: list[RagscoreError] = []
    if not dry_run:
        with experiment.executor.open(cache, progress) as workers:
            if workers.spreads:
                failures = do_stage(experiment, only, cache, workers, progress, stage, shards.has)
            else:
                failures = _done_here(rows, cache, progress)
    if cache.store is not None and not dry_run:
        for row in rows:
            row.share()
        try:
            cache.store.put_left()
        except DiskError as error:
            failures.append(error)
    if failures:
        raise failures[0] if len(failures) == 1 else _joined(failures)
    found = tuple(row.found for row in rows)
    return Staged(experiment.name, stage, str(shards), cache.place, dry_run, found)


def _done_here(rows: Iterable[_ShardOf], cache: Cache, progress: Progress) -> list[RagscoreError]:
    """Do all tasks in this process; why retrievers failed."""
    failures: list[RagscoreError] = []
    for row in rows:
        try:
            row.run(progress)
        except RagscoreError as error:
            failures.append(error)
            progress.note(
                _("{retriever} failed, and its other blocks are left out", retriever=row.name)
            )
        if cache.failure is not None:
            break
    return failures


def reduce_experiment(
    experiment: Experiment | str | Path,
    *,
    shards: int | None = None,
    only: Iterable[str] = (),
    cache: Cache | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Result:
    """Run an experiment whose blocks other jobs have encoded and searched: their findings are
    joined, then all goes on as in :func:`run_experiment`, to the same result.

    Args:
        experiment, only, cache, progress: as :func:`run_stage` takes them.
        shards: of how many the jobs were, so that those that are missing are named as shards of
            as many; by default each block is a shard.
        options: ``output`` and ``overwrite``, as :func:`run_experiment` takes them.

    Raises:
        DataError: something is missing; it says which blocks, and which commands make it.
        RagscoreError: as :func:`run_stage` and :func:`run_experiment`.
    """
    if not isinstance(experiment, Experiment):
        experiment = load_experiment(experiment)
    only = tuple(only)
    cache = cache or Cache.usable(progress, experiment.store)
    tasks = BlockTasks(experiment, cache, only=only, progress=progress)
    command = _Command(experiment, only, shards)
    missing = _not_encoded(tasks, command)
    if not missing:
        missing = _not_searched(tasks, command)
    _raise_missing(missing)
    return run_experiment(experiment, only=only, cache=cache, progress=progress, **options)


class _ShardOf:
    """The tasks of one retriever."""

    def __init__(self, own: Sequence[BlockTask], tasks: BlockTasks) -> None:
        self.name = own[0].retriever
        self._own = own
        self._tasks = tasks
        self._dataset = tasks.datasets[own[0].dataset]
        self.found = self._look()

    def _look(self) -> StagedRetriever:
        """What is there, and what is left."""
        self._left = [task for task in self._own if not self._tasks.is_done(task)]
        numbers = tuple(task.block + 1 for task in self._own)
        left = tuple(task.block + 1 for task in self._left)
        there = tuple(sorted({*numbers} - {*left}))
        return StagedRetriever(self._own[0].dataset, self.name, numbers, there, left)

    def share(self) -> None:
        """Write what is here alone to the store that machines share."""
        self._dataset.share([task for task in self._own if self._tasks.is_done(task)])

    def run(self, progress: Progress) -> None:
        """Do what is left: another retriever may have made some of it meanwhile."""
        self.found = self._look()
        passages = sum(self._dataset.places[task.block].count for task in self._left)
        with OneStage(progress, passages) as shown:
            for task in self._left:
                if not self._tasks.is_done(task):  # another process has done it meanwhile
                    self._tasks.run(task, shown)


def _by_retriever(
    tasks: BlockTasks, stage: TaskKind, shards: Shards
) -> Iterable[Sequence[BlockTask]]:
    found: dict[tuple[str, str], list[BlockTask]] = {}
    for task in tasks.all(stage):
        if shards.has(task.block):
            found.setdefault((task.dataset, task.retriever), []).append(task)
    return found.values()


@dataclass(frozen=True)
class _Command:
    """How somebody would call a stage of an experiment."""

    experiment: Experiment
    only: tuple[str, ...]
    shards: int | None

    def text(self, stage: TaskKind, blocks: Sequence[int], of: int) -> str:
        """The command that does a stage for some blocks, counted from 0, of as many."""
        source = self.experiment.source
        words = ["ragscore", "stage", stage, source.path or self.experiment.name]
        words += ["--shard", str(Shards.of_blocks(blocks, self.shards or of))]
        for name in self.only:
            words += ["--only", name]
        for change in source.overrides:
            key, _, value = change.partition("=")
            if key in ("memory", "store") and value[:1] == value[-1:] == "'":  # of a flag
                words += [f"--{key}", value[1:-1].replace("''", "'")]
            else:
                words += ["--set", change]
        return shlex.join(words)


def _not_encoded(tasks: BlockTasks, command: _Command) -> list[Problem]:
    return [
        problem
        for name, dataset in tasks.datasets.items()
        for retriever in dataset.encoding
        for problem in _missing(
            (name, retriever),
            dataset,
            [at.number for at in dataset.places if not dataset.is_encoded(retriever, at.number)],
            "encode",
            command,
        )
    ]


def _not_searched(tasks: BlockTasks, command: _Command) -> list[Problem]:
    problems = []
    for name, dataset in tasks.datasets.items():
        for retriever in dataset.searching:
            left = [
                at.number
                for at in dataset.places
                if not dataset.is_done(BlockTask("search", name, retriever, at.number))
            ]
            problems += _missing((name, retriever), dataset, left, "search", command)
            if not left and not dataset.is_kept(retriever):
                dataset.fetch_found(retriever)
    return problems


def _missing(
    where: tuple[str, str],
    dataset: BlockedDataset,
    blocks: Sequence[int],
    stage: TaskKind,
    command: _Command,
) -> list[Problem]:
    if not blocks or dataset.is_kept(where[1]):
        return []
    count = len(dataset.places)
    listed = ranges_text((block + 1 for block in blocks), ", ")
    if len(listed) > MAX_LISTED:
        listed = f"{listed[:MAX_LISTED].rpartition(',')[0]}, ..."
    done = "encoded" if stage == "encode" else "searched"
    verb = "block is" if len(blocks) == 1 else "blocks are"
    what = f"{len(blocks):,} of {count:,} {verb} not {done} yet: {listed}"
    return [Problem(what, ", ".join(where), f"Run: {command.text(stage, blocks, count)}")]


def _raise_missing(problems: Sequence[Problem]) -> None:
    if problems:
        raise DataError(problems)


def _joined(failures: Sequence[RagscoreError]) -> RagscoreError:
    """Several errors as one, of the class of the first."""
    joined = failures[0]
    joined.problems = tuple(problem for error in failures for problem in error.problems)
    joined.args = ("\n".join(map(str, joined.problems)),)
    return joined
