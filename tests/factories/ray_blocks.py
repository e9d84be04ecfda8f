"""An experiment on a corpus of words in blocks, and workers that write down which tasks they begin
and stop where a test wants them to."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ragscore.executors import TaskWorker
from ragscore.experiment import spread_blocks, spread_queries
from ragscore.experiment.blocked_dataset import BlockTask
from ragscore.experiment.spread_blocks import BlockJob, BlockWorker
from ragscore.experiment.spread_queries import QueriesJob, QueriesWorker
from ragscore.experiment.sweep import sweeping
from ragscore.experiment.sweep.sweep_job import SweepJob
from ragscore.progress import Progress
from ragscore.results import Result

PASSAGES, BLOCK = 3000, 200
BLOCKS = PASSAGES // BLOCK
EXPERIMENT = f"""\
dataset: {{path: words, block: {BLOCK}}}
memory: 1GB
retrievers:
  bm25: {{kind: bm25}}
  plain: {{kind: bm25, tokenizer: words, k1: 0.9}}
  both: {{kind: fusion, retrievers: [bm25, plain]}}
measures: [nDCG@10]
latency: false
report: false
"""


def write_words(folder: Path, queries: int = 40) -> list[str]:
    """A dataset of random words, the passages in two files that end with a block; returns their
    texts."""
    random, folder = np.random.default_rng(5), folder / "words"
    (folder / "passages").mkdir(parents=True)
    texts = [
        " ".join(f"word{word}" for word in words)
        for words in random.zipf(1.3, (PASSAGES + queries, 40)) % 5000
    ]
    rows = [json.dumps({"id": f"p{number}", "text": text}) for number, text in enumerate(texts)]
    first = PASSAGES // 3
    (folder / "passages" / "a.jsonl").write_text("\n".join(rows[:first]))
    (folder / "passages" / "b.jsonl").write_text("\n".join(rows[first:PASSAGES]))
    asked = [
        json.dumps({"id": f"q{number}", "text": text[:60]})
        for number, text in enumerate(texts[PASSAGES:])
    ]
    (folder / "queries.jsonl").write_text("\n".join(asked))
    judged = [
        json.dumps({"query_id": f"q{number}", "passages": {f"p{number * 7}": 1}})
        for number in range(queries)
    ]
    (folder / "ground_truth.jsonl").write_text("\n".join(judged))
    return texts[:PASSAGES]


class Notes(Progress):
    """Remembers what the user is told."""

    def __init__(self) -> None:
        self.kept = list[str]()

    def note(self, text: str) -> None:
        self.kept.append(str(text))


def recorded(result: Result) -> dict[str, str]:
    """A digest of what each run holds."""
    found = {}
    for (_, name), run in result.runs.items():
        columns = run.rows.tobytes(), b"" if run.scores is None else run.scores.tobytes()
        found[name] = hashlib.sha256(b"".join(columns)).hexdigest()
    return found


@dataclass(frozen=True)
class Witness:
    """What is seen of the tasks of an experiment, in files that all workers reach.

    Attributes:
        folder: of the files, empty at first.
        stop: the task at which each worker stops until it is let go: at ``search 5``, the fifth
            block that it searches.
    """

    folder: Path
    stop: str = ""

    def note(self, file: str, line: str) -> None:
        with (self.folder / file).open("a") as log:
            log.write(f"{line}\n")

    def lines(self, file: str) -> list[str]:
        path = self.folder / file
        return path.read_text().splitlines() if path.exists() else []

    def begun(self) -> Counter[str]:
        """How often each task has begun, by its kind, then its retriever and block, its label, or
        its first query."""
        return Counter(self.lines("begun"))

    def stay(self) -> None:
        """In a worker: stop until :meth:`let_go`."""
        self.note("stopped", "a worker")
        while not self.lines("go"):
            time.sleep(0.02)

    def let_go(self) -> None:
        self.note("go", "on")

    def when_stopped(self, workers: int, call: Callable[[], None]) -> None:
        """Call something as soon as so many workers have stopped; returns at once."""

        def watch() -> None:
            while len(self.lines("stopped")) < workers:
                time.sleep(0.02)
            call()

        threading.Thread(target=watch, daemon=True).start()


@dataclass(frozen=True)
class WitnessedBlocks(BlockJob):
    """Blocks as ever, and each is written down when it begins."""

    witness: Witness

    def open(self) -> WitnessedWorker:
        return WitnessedWorker(super().open(), self.witness)


@dataclass(frozen=True, eq=False)
class WitnessedSweep(SweepJob):
    """Configurations as ever, and each is written down when it begins."""

    witness: Witness = Witness(Path())

    def open(self) -> WitnessedWorker:
        return WitnessedWorker(super().open(), self.witness)


@dataclass(frozen=True, eq=False)
class WitnessedQueries(QueriesJob):
    """Blocks of queries as ever, and each is written down when it begins."""

    witness: Witness = Witness(Path())

    def open(self) -> WitnessedWorker:
        return WitnessedWorker(super().open(), self.witness)


class WitnessedWorker(TaskWorker):
    def __init__(self, worker: TaskWorker, witness: Witness) -> None:
        self.worker, self.witness = worker, witness
        self.counts = Counter[str]()

    def do(self, task: str) -> None:
        kind, what = "sweep", task
        if isinstance(self.worker, BlockWorker):
            about = BlockTask.from_json(task)
            kind, what = about.kind, f"{about.retriever} {about.block}"
        elif isinstance(self.worker, QueriesWorker):
            kind, what = "rerank", str(json.loads(task)[0])
        self.witness.note("begun", f"{kind} {what}")
        self.counts[kind] += 1
        if f"{kind} {self.counts[kind]}" == self.witness.stop:
            self.witness.stay()
        self.worker.do(task)

    def rest(self) -> None:
        self.worker.rest()


@contextmanager
def witnessed(folder: Path, stop: str = "") -> Iterator[Witness]:
    """Tasks that an experiment hands out are written down, wherever they are done."""
    folder.mkdir()
    witness = Witness(folder, stop)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread_blocks, "BlockJob", partial(WitnessedBlocks, witness=witness))
        patch.setattr(spread_queries, "QueriesJob", partial(WitnessedQueries, witness=witness))
        patch.setattr(sweeping, "SweepJob", partial(WitnessedSweep, witness=witness))
        yield witness
