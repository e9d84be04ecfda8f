"""Program: a process that is started when it is asked, and started again after it failed."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ragscore.dataset import Corpus
from ragscore.described import in_short
from ragscore.errors import message_of
from ragscore.files import open_to_write
from ragscore.outside.failures import too_late
from ragscore.outside.secrets import Secrets
from ragscore.retrievers.calls import PermanentFailure, RawAnswer, TemporaryFailure
from ragscore.retrievers.command.options import ProgramOptions
from ragscore.retrievers.command.process import Process, ProgramError
from ragscore.retrievers.command.turns import Turns

_BETWEEN_LOOKS = 0.01
"""Seconds."""
FLOOD = 2**16
"""Bytes of lines that answer nothing, from which on stdout is not what has to be flushed."""
MAX_LOG = 16 * 2**20
"""Bytes that a search adds to the log."""


class Program:
    """What a spec describes; nothing is started before it is asked.

    Where the program hangs, ends or writes what nobody can read, any query that it was given may be
    the cause, also one that it has answered: those under way are asked again alone, and one that
    fails there once more in a new program. Only one that fails in a program that was given no other
    has failed.

    Args:
        spec: the program.
        timeout: seconds that a query may take once it is given to the program; None for no limit.
    """

    def __init__(self, spec: ProgramOptions, timeout: float | None) -> None:
        self._spec = spec
        self._timeout = timeout
        self._secrets = Secrets.named_in(spec.env)
        self._process: Process | None = None
        self._ending: threading.Thread | None = None
        self._turns = Turns()
        self._suspects: set[str] = set()
        self._writing = threading.Lock()
        self._logged = 0
        self.differing: set[str] = set()
        """Queries that got a second answer, which is another one."""

    def close(self) -> None:
        """End the process, where there is one, and its children."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    async def ask(self, line: Mapping[str, Any], corpus: Corpus) -> RawAnswer:
        """What the program answers to one query.

        Args:
            line: what it reads: ``id``, ``query``, ``k``, and perhaps ``metadata``.
            corpus: in whose ids nothing is secret.

        Raises:
            TemporaryFailure: it may answer when it is asked again.
            PermanentFailure: it will not.
        """
        query = line["id"]
        alone = query in self._suspects
        async with self._turns.turn(alone):
            process = await self._running()
            try:
                answer = await self._answer(process, query, line)
            except ProgramError as failure:
                if process.cannot_run:
                    raise PermanentFailure(message_of(failure)) from None
                guilty = process.was_asked_only(query)
                if not guilty:
                    self._suspects.add(query)
                    if alone:
                        self._end(process)
                raise TemporaryFailure(message_of(failure), spends_retry=guilty) from None
        self._suspects.discard(query)
        return self._read(answer, corpus)

    async def _answer(self, process: Process, query: str, line: Mapping[str, Any]) -> Any:
        try:
            async with asyncio.timeout(self._timeout):
                return await asyncio.wrap_future(process.ask(query, line))
        except TimeoutError:
            self._end(process)  # it cannot be told to stop, and may hang
            late = too_late(self._timeout or 0)
            if not process.has_answered:
                late += "; it has answered nothing yet" + (
                    f", and wrote {process.logged / 2**20:,.1f} MiB of other lines"
                    if process.logged > FLOOD
                    else ": does it read its stdin line by line, and flush its stdout after each "
                    "line?"
                )
            raise ProgramError(late) from None
        except asyncio.CancelledError:
            self._end(process)
            raise

    async def _running(self) -> Process:
        if self._process is not None and self._process.failure is not None:
            self._end(self._process)
        while self._ending is not None and self._ending.is_alive():
            await asyncio.sleep(_BETWEEN_LOOKS)  # what it holds, such as a lock, is free then
        if self._process is None:
            spec = self._spec
            own = {name: self._secrets.fill(value) for name, value in spec.env.items()}
            command = [program_of(spec.command[0], spec.folder), *spec.command[1:]]
            try:
                self._process = Process(
                    command,
                    spec.folder,
                    {**os.environ, **own},
                    self._log,
                    self._secrets.redact,
                    self.differing.add,
                )
            except (OSError, ValueError) as error:
                said = self._secrets.redact(message_of(error))
                raise PermanentFailure(f"{spec.command[0]} cannot be started: {said}") from None
        return self._process

    def _end(self, process: Process) -> None:
        """Have a process ended; the next query gets a new one."""
        if self._process is process:
            self._process = None
            self._ending = threading.Thread(target=process.close)
            self._ending.start()

    def _read(self, answer: Mapping[str, Any], corpus: Corpus) -> RawAnswer:
        if "error" in answer:
            told = self._secrets.redacted(answer["error"])
            said = " ".join((told if isinstance(told, str) else in_short(told)).split())
            raise TemporaryFailure(f"the program says: {said[:300]}")
        ids, scores = answer.get("ids"), answer.get("scores")
        if not isinstance(ids, list) or not isinstance(scores, list | None):
            shown = in_short(self._secrets.redacted({"ids": ids, "scores": scores}))
            raise PermanentFailure(
                f'its answer has no list of ids: {shown}. Write {{"id": ..., "ids": [...]}}, and '
                '"scores": [...] where there are scores'
            )
        texts = answer.get("texts")
        if not isinstance(texts, list | None):
            shown = in_short(self._secrets.redacted(texts))
            raise PermanentFailure(f"its answer has no list of texts: {shown}")
        return RawAnswer(ids, scores, texts).redacted(self._secrets, corpus)

    def _log(self, line: str) -> None:
        if self._spec.log is None or self._logged >= MAX_LOG:
            return
        with (
            self._writing,
            suppress(OSError),
            open_to_write(Path(self._spec.log), append=True) as log,
        ):
            self._logged += log.write(f"{line}\n".encode())
            if self._logged >= MAX_LOG:
                most = f"ragscore logs no more than {MAX_LOG // 2**20} MiB of a search.\n"
                log.write(most.encode())


def program_of(name: str, folder: str | None) -> str:
    """The program that a name stands for: a path is taken from the folder, a bare name from the
    search path; the name itself where nothing is found."""
    if Path(name).name != name:
        return str(Path(folder or ".") / name)
    return shutil.which(name) or name
