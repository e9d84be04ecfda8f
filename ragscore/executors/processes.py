"""Processes of this machine that do the tasks of a job side by side.

A process is worth it where much is left to do, and there are as many as the cores and the memory
allow. It reads the job and then names of tasks from its input, and writes a line for each that is
done.
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
from pathlib import Path
from typing import BinaryIO

from ragscore.errors import message_of
from ragscore.executors.base import Finished, Job, tried
from ragscore.messages import Message, _
from ragscore.progress import SILENT, Progress
from ragscore.waiting import awaited

SPARE = 0.8
"""Of the free memory, what processes may take together."""
LAST_BYTES = 4_096
"""Of what a process writes to stderr, how much is kept for the case that it dies."""
MAX_SHOWN = 300
"""Characters of it that a note shows."""
GRACE = 5.0
"""Seconds that a process gets to end which answers no more."""
PROGRAM = "from ragscore.executors.processes import main; main()"


def answer(reading: BinaryIO, writing: BinaryIO) -> None:
    """Do what is asked until the input ends: first the job, pickled by the process that began
    this one, then a line of tasks at a time."""
    job: Job = pickle.load(reading)
    worker = job.open()
    for line in _lines(reading):
        for task in json.loads(line):
            writing.write(json.dumps([task, *tried(worker, task)]).encode() + b"\n")
            writing.flush()
        worker.rest()


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


def worker_count(tasks: int, batch: int = 1) -> int:
    """How many processes may work at once: one for each core, and as many as this process has room
    for beside itself; 2 at most where the memory is not known."""
    free, own = free_bytes(), peak_bytes()
    room = 2 if free is None or own is None else int(free * SPARE // max(own, 1))
    return min(usable_cores(), room, -(-tasks // batch))


def run_processes(
    job: Job,
    tasks: Sequence[str],
    count: int,
    finished: Callable[[Finished], None],
    batch: int = 1,
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> None:
    """Do tasks in other processes.

    Where one of them dies or cannot begin, what it had not done stays undone, and a note says so.

    Args:
        job: what is to be done.
        tasks: their names.
        count: how many processes.
        finished: is called for each task that is done, or failed; by one thread at a time.
        batch: how many of them a process is given at a time.
        threads: how many libraries use in each process, unless OMP_NUM_THREADS says it.
        progress: reports where processes do not do what they are given, and why.
    """
    batches = deque([tasks[at : at + batch] for at in range(0, len(tasks), batch)])
    try:
        pickled = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # of a class that no other process can import, for one
        progress.note(_does_alone(error))
        return
    processes: list[_Process] = []
    died: list[_Process] = []
    one_at_a_time = threading.Lock()

    def report(done: Finished) -> None:
        with one_at_a_time:
            finished(done)

    def attend(process: _Process) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(pickled)
            for batch in _taken(batches):
                process.stdin.write(json.dumps(list(batch)).encode() + b"\n")
                process.stdin.flush()
                if not _answered(process, len(batch), report):
                    died.append(process)
                    break
            process.stdin.close()
        except OSError:
            died.append(process)

    try:
        try:
            while len(processes) < count:
                processes.append(_Process(threads))
        except OSError as error:  # the system lets no more of them begin
            if not processes:
                progress.note(_does_alone(error))
        with ThreadPoolExecutor(count) as pool:
            try:
                for attended in [pool.submit(attend, process) for process in processes]:
                    awaited(attended)
            except BaseException:
                batches.clear()
                _end(processes)  # or the threads would wait for their answers
                raise
        if died:
            facts = {"count": len(died), "n": len(processes), "how": died[0].how_it_died()}
            progress.note(
                _(
                    "{count} of {n} processes died; this process does their remaining work. "
                    "The first: {how}",
                    **facts,
                )
            )
    finally:
        _end(processes)


def _does_alone(error: Exception) -> Message:
    return _(
        "this process does everything itself because the work cannot be sent to another: {why}",
        why=f"{type(error).__name__}: {message_of(error)}",
    )


class _Process(subprocess.Popen[bytes]):
    """A process that does tasks; the end of what it writes to stderr is kept."""

    def __init__(self, threads: int | None) -> None:
        limit = {} if threads is None else {"OMP_NUM_THREADS": str(threads)}
        super().__init__(
            # -P: no module of the folder that the command runs in hides one of Python's.
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**limit, **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._last = b""
        self._reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._reader.start()

    def _read_stderr(self) -> None:
        assert self.stderr is not None
        with self.stderr, suppress(OSError, ValueError):
            while piece := os.read(self.stderr.fileno(), LAST_BYTES):
                self._last = (self._last + piece)[-LAST_BYTES:]

    def how_it_died(self) -> str:
        """Its exit status, and the end of what it wrote to stderr."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(GRACE)
        self.kill()  # where it only closed its stdout
        status = self.wait()
        self._reader.join(1)  # one that it began may hold its stderr open
        lines = self._last.decode("utf-8", "replace").split("\n")
        last = " | ".join(line.strip() for line in lines[-4:] if line.strip())[-MAX_SHOWN:]
        return f"exit status {status}" + (f"; its last lines: {last}" if last else "")


def _taken(batches: deque[Sequence[str]]) -> Iterator[Sequence[str]]:
    while True:
        try:
            yield batches.popleft()
        except IndexError:
            return


def _answered(process: _Process, count: int, finished: Callable[[Finished], None]) -> bool:
    assert process.stdout is not None
    for _number in range(count):
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            return False
        finished(Finished(*json.loads(line)))
    return True


def _end(processes: Sequence[_Process]) -> None:
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def free_bytes() -> int | None:
    """Memory that is free for new processes, the limits of a container counted; None if this
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
    """The most memory that this process has used; None if this platform does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def usable_cores() -> int:
    """Processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this platform
        return os.cpu_count() or 1
