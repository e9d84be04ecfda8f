"""Processes that share the configurations of a sweep.

Retrievers that keep one core busy are searched side by side, and indexes that one core builds are
built so; encoders, exact search and the like use every core themselves. A process is worth it where
much is left to do, and there are as many as the cores and the memory allow. What they find is what
one process finds: it is the same code, and results come from the cache, by name.

A process reads what to do from its input, and writes a line for each configuration that is done.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from ragscore.cache import Cache
from ragscore.dataset import Dataset, SharedQueries
from ragscore.errors import RagscoreError
from ragscore.experiment.search import failing_alone
from ragscore.experiment.sweep.configuration_search import SweepSearch
from ragscore.experiment.sweep.outcome import Scoring
from ragscore.experiment.timing import usable_cores
from ragscore.progress import SILENT
from ragscore.retrievers.base import RetrieverSpec

MIN_SECONDS = 20.0
"""Of work that must be left; starting a process takes about two."""
BATCH = 8
"""Configurations that a process is given at a time: neighbours share inputs."""
SPARE = 0.8
"""Of the free memory, what processes may take together."""
PROGRAM = "from ragscore.experiment.sweep.processes import main; main()"


@dataclass(frozen=True, eq=False)
class Work:
    """What a process needs to know.

    Attributes:
        dataset, specs, depth, strict, scoring: as :class:`SweepSearch` takes them.
        root: the folder of the cache.
        only_builds: indexes are built, and nothing is searched.
    """

    dataset: Dataset
    specs: dict[str, RetrieverSpec]
    depth: int
    strict: bool
    scoring: Scoring
    root: Path
    only_builds: bool = False

    def search(self) -> SweepSearch:
        """The configurations, over queries that share what is computed of them."""
        dataset = replace(self.dataset, queries=SharedQueries.of(self.dataset.queries))
        return SweepSearch(
            dataset,
            self.specs,
            self.depth,
            tuple(self.specs),
            None,
            Cache(self.root),
            self.strict,
            SILENT,
            self.scoring,
        )


def answer(reading: BinaryIO, writing: BinaryIO) -> None:
    """Do what is asked until the input ends: first the work, pickled by the process that began
    this one, then a line of labels at a time."""
    work: Work = pickle.load(reading)
    search = work.search()
    do = search.build if work.only_builds else search.outcome
    for line in _lines(reading):
        for label in json.loads(line):
            error: Any = None
            try:
                with failing_alone(label):
                    do(label)
            except RagscoreError as failure:
                error = str(failure)
            writing.write(json.dumps([label, error]).encode() + b"\n")
            writing.flush()
        search.forget()


def _lines(reading: BinaryIO) -> Iterator[bytes]:
    """The lines of what is read. Where it ends, so does this process, whatever it is at: the one
    that began it waits for the answers of a line before it ends the input, unless it died."""
    lines = queue.SimpleQueue[bytes]()

    def read() -> None:
        for line in reading:
            lines.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield lines.get()


def main() -> None:
    """Answer on the standard streams, which nothing else may write to."""
    writing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    answer(sys.stdin.buffer, writing)


def worker_count(tasks: int, batch: int = BATCH) -> int:
    """How many processes may work at once: one for each core, and as many as this process has room
    for beside itself; 2 at most where the memory is not known."""
    free, own = free_bytes(), peak_bytes()
    room = 2 if free is None or own is None else int(free * SPARE // max(own, 1))
    return min(usable_cores(), room, -(-tasks // batch))


def run_workers(
    work: Work,
    labels: Sequence[str],
    count: int,
    done: Callable[[str, str | None], None],
    batch: int = BATCH,
) -> None:
    """Search and score configurations in other processes.

    Where one of them dies or cannot begin, what it had not done stays undone.

    Args:
        work: what they need to know.
        labels: of the configurations.
        count: how many processes.
        done: is called with each label, and with what went wrong or None.
        batch: how many of them a process is given at a time.
    """
    batches = deque([labels[at : at + batch] for at in range(0, len(labels), batch)])
    try:
        pickled = pickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception:  # a spec of a class that no other process can import, for one
        return
    processes: list[subprocess.Popen[bytes]] = []

    def attend(process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with suppress(OSError):  # it died
            process.stdin.write(pickled)
            for batch in _taken(batches):
                process.stdin.write(json.dumps(list(batch)).encode() + b"\n")
                process.stdin.flush()
                if not _answered(process, len(batch), done):
                    break
            process.stdin.close()

    try:
        with suppress(OSError):  # the system lets no more of them begin
            while len(processes) < count:
                processes.append(_begun())
        with ThreadPoolExecutor(count) as pool:
            try:
                for attended in [pool.submit(attend, process) for process in processes]:
                    attended.result()
            except BaseException:
                batches.clear()
                _end(processes)  # or the threads would wait for their answers
                raise
    finally:
        _end(processes)


def _begun() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: no module of the folder that the command runs in hides one of Python's.
        [sys.executable, "-P", "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def _taken(batches: deque[Sequence[str]]) -> Iterator[Sequence[str]]:
    while True:
        try:
            yield batches.popleft()
        except IndexError:
            return


def _answered(
    process: subprocess.Popen[bytes], count: int, done: Callable[[str, str | None], None]
) -> bool:
    assert process.stdout is not None
    for _ in range(count):
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            return False
        label, error = json.loads(line)
        done(label, error)
    return True


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def free_bytes() -> int | None:
    """Memory that is free for new processes, the limits of a container counted; None where this
    platform does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration, ValueError):
        return None
    with suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text())  # "max" where there is none
        free = min(free, limit - int((group / "memory.current").read_text()))
    return max(free, 0)


def peak_bytes() -> int | None:
    """The most memory that this process has used; None where this platform does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
