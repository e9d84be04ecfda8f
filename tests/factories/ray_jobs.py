"""Jobs whose tasks say what befell them, for workers that import this file."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragscore.errors import DataError
from ragscore.executors import Job, TaskWorker


@dataclass(frozen=True)
class Logged(Job):
    """Each task writes a line into a file when it begins: its name and its process.

    Attributes:
        log: the file.
        seconds: how long a task takes.
    """

    log: Path
    seconds: float = 0.05

    def open(self) -> LoggedWorker:
        return LoggedWorker(self)

    def label(self, task: str) -> str:
        return f"the task {task}"


class Unready(Job):
    """No worker can open it."""

    def open(self) -> TaskWorker:
        raise DataError("there is no such folder", where="/data/corpus")


class LoggedWorker(TaskWorker):
    def __init__(self, job: Logged) -> None:
        self.job = job
        self.opened = os.getpid()

    def do(self, task: str) -> Any:
        with self.job.log.open("a") as log:
            log.write(f"{task} {os.getpid()}\n")
        if task.startswith("poisoned"):
            raise DataError("a passage without an id", where=f"{task}.jsonl:3")
        if task.startswith("odd"):
            return [][1]
        if task.startswith("deadly"):
            sys.stderr.write("x" * 100_000 + "\nloading\nout of memory\n")
            sys.stderr.flush()
            os._exit(7)
        time.sleep(self.job.seconds)
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        return {"task": task, "process": self.opened, "gpus": gpus}
