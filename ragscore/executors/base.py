"""What executors have in common: a job, its tasks, and workers that do them.

A :class:`Job` says what is to be done. It is plain data that travels once to each worker, another
process or another machine, and is opened there. Tasks are texts that name what is to be made, such
as a block of a corpus; what a task makes goes into the cache. So whoever asks for it next finds it,
and a run that was stopped goes on from there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ragscore.cache import Cache
from ragscore.errors import ConfigError, RagscoreError, message_of
from ragscore.kinds import KindSpec
from ragscore.progress import Progress


class TaskWorker(ABC):
    """Does the tasks of a job, one after another; it keeps models and files open in between."""

    @abstractmethod
    def do(self, task: str) -> Any:
        """Do a task.

        Returns:
            None, or a few numbers and texts as JSON has them; arrays go into the cache.

        Raises:
            RagscoreError: it cannot be done; it is not tried again.
        """

    def rest(self) -> None:  # noqa: B027  (most have nothing to let go)
        """Let go of what only the tasks needed that were given together."""


class Job(ABC):
    """What is to be done; it can be pickled, and its class imported in every worker."""

    @abstractmethod
    def open(self) -> TaskWorker:
        """Get ready, in the worker."""

    def label(self, task: str) -> str:
        """A task in words."""
        return task


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a task.

    Attributes:
        task: its name.
        value: what doing it returned.
        error: why it could not be done; None if it was.
        node: the address of the machine that it was done on; empty for this one.
    """

    task: str
    value: Any = None
    error: str | None = None
    node: str = ""

    def failure(self, job: Job) -> str:
        """What could not be done, where and why."""
        on = f", on the node {self.node}" if self.node else ""
        return f"{job.label(self.task)}{on}: {self.error}"


class Workers(ABC):
    """Workers of an executor that is ready.

    Attributes:
        spreads: everything that can be done apart is for them, as somebody asked for them; else
            they only help with a sweep that takes long.
    """

    spreads: bool = False

    @abstractmethod
    def count(self, tasks: int, batch: int = 1) -> int:
        """How many workers this many tasks would get."""

    @abstractmethod
    def run(
        self,
        job: Job,
        tasks: Sequence[str],
        finished: Callable[[Finished], None],
        *,
        batch: int = 1,
        gpu: bool = False,
    ) -> None:
        """Have tasks done, and return when no worker is at one any more.

        A worker of this machine that dies leaves its tasks undone, and ``finished`` is not called
        for them; one of a cluster that dies has them done by another worker.

        Args:
            job: what is to be done.
            tasks: their names, each once; the first ones begin first.
            finished: is called in this process for each task, in no particular order. What it
                raises, as Ctrl-C, ends all workers; what they have done is kept.
            batch: how many tasks a worker of this machine is given at a time.
            gpu: a worker needs the GPUs that the executor gives one.
        """


class ExecutorSpec(KindSpec, ABC):
    """Who does what can be done apart from the rest: blocks of a corpus, the pairs of a
    cross-encoder, settings of a sweep."""

    @abstractmethod
    def open(self, cache: Cache | None, progress: Progress) -> AbstractContextManager[Workers]:
        """Workers that fill a cache, until the block ends.

        Args:
            cache: it has to be within reach of every worker.
            progress: reports what the user should know about the workers.

        Raises:
            ConfigError: there are no workers, or they cannot work for this process.
        """


def check_shared(cache: Cache | None) -> Cache:
    """The cache; refused where no other process could fill it.

    Raises:
        ConfigError: nothing is kept in it.
    """
    if cache is None or not cache.persistent or cache.failure is not None:
        raise ConfigError(
            "its workers put what they make into the cache, and nothing is kept here",
            where="executor",
            instead="Leave out --no-cache, and name a store: that all workers reach",
        )
    return cache


def tried(worker: TaskWorker, task: str) -> tuple[Any, str | None]:
    """What doing a task returned, and why it failed or None."""
    try:
        return worker.do(task), None
    except RagscoreError as error:
        return None, str(error)
    except Exception as error:  # of a library, or of foreign code
        return None, f"{type(error).__name__}: {message_of(error)}"
