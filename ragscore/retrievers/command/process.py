"""Process: a program that reads JSON lines of queries and writes JSON lines of answers."""

from __future__ import annotations

import json
import marshal
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from io import BufferedReader, RawIOBase
from queue import SimpleQueue
from typing import IO, Any, cast

from ragscore.errors import message_of
from ragscore.outside.kept_connections import MAX_BYTES, json_of
from ragscore.retrievers.command.watcher import Watcher

GRACE = 2.0
"""Seconds that a program gets to end once it is asked to."""
LAST_LINES = 5
_CANNOT_RUN = 126, 127
"""Exit statuses by which a shell says that it cannot run a program, or finds none."""
_LINE = 2_000
_SHOWN = 120
_LOOKED_AT = 65_536
"""Bytes of a line in which secrets are looked for before its beginning is shown."""


class ProgramError(Exception):
    """The process ended, or wrote something that answers no query."""


class Process:
    """A running program, and the queries that it has not answered yet.

    It is the head of a group of processes, all of which are ended with it, and where ragscore is
    killed.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        environment: all its variables.
        log: is given each line of stderr, and of stdout what is not a JSON object.
        redact: takes secrets out of what it wrote, before any of it is shown or logged.
        differs: is given the id of a query that was answered once more, and otherwise.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: str | None,
        environment: Mapping[str, str],
        log: Callable[[str], None],
        redact: Callable[[str], str] = str,
        differs: Callable[[str], None] = lambda query: None,
    ) -> None:
        own_group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=dict(environment),
            **own_group,
        )
        self._log = log
        self._redact = redact
        self._differs = differs
        self._lock = threading.Lock()
        self._waiting: dict[str, Future[Any]] = {}
        self._owed: dict[str, int] = {}  # how many answers, by query
        self._answers: dict[str, int] = {}  # hashes
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self.failure: str | None = None
        """Why it answers no more; None while it does."""
        self.has_answered = False
        self.cannot_run = False
        """Whether a shell said that there is no such program: it will say so again."""
        self.logged = 0
        """Bytes that it wrote and that answer nothing."""
        self._to_write: SimpleQueue[bytes | None] = SimpleQueue()
        self._ended = threading.Event()
        self._end = weakref.finalize(
            self,
            _end_group,
            self._process,
            self._to_write,
            Watcher(self._process.pid, GRACE),
            self._ended,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        threading.Thread(
            target=_write_lines, args=(self._process.stdin, self._to_write), daemon=True
        ).start()
        this = weakref.ref(self)
        self._readers = [
            threading.Thread(target=_read_lines, args=(stream, this, method), daemon=True)
            for stream, method in (
                (_buffered(self._process.stderr), Process._on_stderr),
                (_buffered(self._process.stdout), Process._answered),
            )
        ]
        for reader in self._readers:
            reader.start()

    def ask(self, query: str, line: Mapping[str, Any]) -> Future[Any]:
        """The answer, once it is there: a JSON object.

        Args:
            query: its id, which the answer repeats.
            line: what is written.
        """
        future: Future[Any] = Future()
        with self._lock:
            if self.failure is not None:
                future.set_exception(ProgramError(self.failure))
                return future
            self._waiting[query] = future
            self._owed[query] = self._owed.get(query, 0) + 1
        self._to_write.put(json.dumps(line).encode() + b"\n")
        return future

    def was_asked_only(self, query: str) -> bool:
        """Whether it was given no other query, so that only this one can be why it failed."""
        with self._lock:
            return self._owed.keys() <= {query}

    def close(self) -> None:
        """End it and its children, politely first."""
        self._fail("it was ended")
        self._end()
        self._ended.wait()  # it may be ended in another thread

    def _on_stderr(self, line: bytes | None) -> None:
        """A line of stderr."""
        if line:
            self.logged += len(line)
            text = self._plain(line, _LINE).rstrip()
            self._last.append(text)
            self._log(text)

    def _answered(self, line: bytes | None) -> None:
        """A line of stdout; None at its end."""
        if line is None:
            self._readers[0].join(GRACE)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
            ended = self._process.returncode
            self.cannot_run = ended in _CANNOT_RUN and not self.has_answered
            how = "closed its stdout" if ended is None else f"ended with exit status {ended}"
            self._fail(f"the program {how}{self._stderr_tail()}")
            self._end()
        elif not line.lstrip().startswith(b"{"):
            self._on_stderr(line)
        elif len(line) > MAX_BYTES:
            self._fail(f"the program wrote a line of more than {MAX_BYTES // 2**20} MiB")
            self._end()
        else:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            # A score of NaN is refused with the rest of its own answer.
            answer = json_of(line.decode(errors="surrogatepass"), constants=True)
        except ValueError as error:
            shown = self._plain(line, _SHOWN).strip()
            broken = isinstance(error, UnicodeDecodeError | json.JSONDecodeError)
            why = "that is not JSON" if broken else f"that cannot be read: {message_of(error)}"
            self._fail_waiting(f"the program wrote a line {why}: {shown}")
            return
        query = answer.get("id")
        with self._lock:
            known = isinstance(query, str) and query in self._owed
            waiting = self._waiting.pop(query, None) if known else None
            if known:
                self._compare(query, answer)
        if not known:
            shown = self._plain(line, _SHOWN).strip()
            self._fail_waiting(f"the program wrote a line without the id of a query: {shown}")
        self.has_answered |= known
        if waiting is not None:  # one that comes too late is nobody's
            with suppress(InvalidStateError):
                waiting.set_result(answer)

    def _compare(self, query: str, answer: Mapping[str, Any]) -> None:
        """Notice an answer that nobody asked for, and that is another one than was given."""
        parts = [answer.get(key) for key in ("ids", "scores", "error")]
        content = hash(marshal.dumps(parts, 2))  # in a tenth of the time that JSON takes
        if self._owed[query]:  # it may have been asked again since
            self._owed[query] -= 1
            self._answers[query] = content
        elif content != self._answers[query]:
            self._differs(query)

    def _plain(self, line: bytes, most: int) -> str:
        """The beginning of a line, without secrets."""
        return self._redact(line[:_LOOKED_AT].decode("utf-8", "replace"))[:most]

    def _stderr_tail(self) -> str:
        return f"; its last lines: {' | '.join(self._last)}" if self._last else ""

    def _fail(self, why: str) -> None:
        with self._lock:
            if self.failure is None:
                self.failure = why
        self._fail_waiting(self.failure)

    def _fail_waiting(self, why: str) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            with suppress(InvalidStateError):
                future.set_exception(ProgramError(why))


def _buffered(stream: IO[bytes]) -> IO[bytes]:
    """A pipe that is read a line at a time; those of a process without buffers are raw."""
    return BufferedReader(cast("RawIOBase", stream))


def _read_lines(
    stream: IO[bytes],
    process: weakref.ref[Process],
    take: Callable[[Process, bytes | None], None],
) -> None:
    """Give each line to the process as long as it is wanted, and None at the end."""
    line: bytes | None = b""
    while line is not None:
        try:
            line = stream.readline(MAX_BYTES + 1) or None
        except (OSError, ValueError):
            line = None
        owner = process()
        if owner is None:
            break
        take(owner, line)
        del owner


def _write_lines(stream: IO[bytes], lines: SimpleQueue[bytes | None]) -> None:
    """Write each line, in a thread of its own: a program that does not read would block others."""
    while (line := lines.get()) is not None:
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[stream.write(rest) :]
            except (OSError, ValueError):  # its end is noticed by who reads from it
                return
    with suppress(OSError):
        stream.close()


def _end_group(
    process: subprocess.Popen[bytes],
    lines: SimpleQueue[bytes | None],
    watcher: Watcher,
    ended: threading.Event,
) -> None:
    """End a process and all that it started: its stdin ends first, then it is asked to end, then
    it is killed."""
    lines.put(None)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE / 4)
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False
        )
    else:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        with suppress(OSError):  # children may have outlived it
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    watcher.dismiss()
    ended.set()
