"""This machine: what a run does in any case, and further processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from pydantic import Field

from ragscore.cache import Cache
from ragscore.executors.base import ExecutorSpec, Finished, Job, Workers, check_shared
from ragscore.executors.processes import run_processes, usable_cores, worker_count
from ragscore.progress import Progress


class Local(ExecutorSpec):
    """This machine, in as many processes as are asked for."""

    kind: Literal["local"] = "local"
    processes: int | None = Field(None, ge=1)
    """How many share the blocks of a corpus, the pairs of a cross-encoder and the settings of a
    sweep. By default one process does everything but a sweep that takes long, which as many share
    as there are cores."""

    @contextmanager
    def open(self, cache: Cache | None, progress: Progress) -> Iterator[Workers]:
        """Workers that begin when there is a task for them.

        Raises:
            ConfigError: processes are asked for, and nothing is kept where they could put it.
        """
        if self.processes is not None:
            check_shared(cache)
        yield _Processes(self.processes, progress)


class _Processes(Workers):
    def __init__(self, asked: int | None, progress: Progress) -> None:
        self.asked, self.progress = asked, progress
        self.spreads = asked is not None

    def count(self, tasks: int, batch: int = 1) -> int:
        if self.asked is not None:
            return min(self.asked, -(-tasks // batch))
        return worker_count(tasks, batch)

    def run(
        self,
        job: Job,
        tasks: Sequence[str],
        finished: Callable[[Finished], None],
        *,
        batch: int = 1,
        gpu: bool = False,
    ) -> None:
        if tasks:
            count = max(self.count(len(tasks), batch), 1)
            threads = max(usable_cores() // count, 1) if self.spreads else None
            run_processes(
                job, tasks, count, finished, batch, threads=threads, progress=self.progress
            )
