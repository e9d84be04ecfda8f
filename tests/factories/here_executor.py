"""An executor that does every task in this process, and counts them."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from ragscore import Cache
from ragscore.executors import EXECUTORS, ExecutorSpec, Finished, Job, Workers, tried
from ragscore.progress import Progress
from tests.factories.packages import install

done: Counter[str] = Counter()
"""How often each task was done, by its label."""
fails: set[str] = set()
"""The labels of tasks that fail."""


class Here(ExecutorSpec):
    """Does every task in this process, and counts them."""

    kind: Literal["here"] = "here"

    @contextmanager
    def open(self, cache: Cache | None, progress: Progress) -> Iterator[Workers]:
        yield HereWorkers()


class HereWorkers(Workers):
    spreads = True

    def count(self, tasks: int, batch: int = 1) -> int:
        return 1

    def run(
        self,
        job: Job,
        tasks: Sequence[str],
        finished: Callable[[Finished], None],
        *,
        batch: int = 1,
        gpu: bool = False,
    ) -> None:
        worker = pickle.loads(pickle.dumps(job)).open()
        for task in tasks:
            name = job.label(task)
            done[name] += 1
            if name in fails:
                finished(Finished(task, error="passages.jsonl:3: it is broken", node="10.0.0.7"))
            else:
                finished(Finished(task, *tried(worker, task), node="10.0.0.7"))


def install_here(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Have a package in a folder add the executor ``here``; nothing is done yet."""
    install(folder, "ragscore.executors", "here", f"{__name__}:Here")
    patch.syspath_prepend(str(folder))
    patch.setattr(EXECUTORS, "_loaded", dict(EXECUTORS._loaded))
    done.clear()
    fails.clear()
