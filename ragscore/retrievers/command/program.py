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

from ragscore.described import in_short
from ragscore.errors import message_of
from ragscore.retrievers.calls import PermanentFailure, RawAnswer, TemporaryFailure
from ragscore.retrievers.command.options import ProgramOptions
from ragscore.retrievers.command.process import Process, ProgramError
from ragscore.retrievers.secrets import Secrets


class Program:
    """What a spec describes; nothing is started before it is asked."""

    def __init__(self, spec: ProgramOptions) -> None:
        self._spec = spec
        self._secrets = Secrets.named_in(spec.env)
        self._process: Process | None = None
        self._writing = threading.Lock()

    def close(self) -> None:
        """End the process, where there is one, and its children."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    async def ask(self, line: Mapping[str, Any]) -> RawAnswer:
        """What the program answers to one query.

        Args:
            line: what it reads: ``id``, ``query``, ``k``, and perhaps ``metadata``.

        Raises:
            TemporaryFailure: it may answer when it is asked again.
            PermanentFailure: it will not.
        """
        process = self._running()
        try:
            answer = await asyncio.wrap_future(process.ask(line["id"], line))
        except ProgramError as failure:
            if process.failure is not None and self._process is process:
                self._process = None
            raise TemporaryFailure(self._secrets.redact(message_of(failure))) from None
        except asyncio.CancelledError:
            # It cannot be told to stop, and may hang: the next query gets a new process.
            if self._process is process:
                self._process = None
            threading.Thread(target=process.close).start()
            raise
        return self._read(answer)

    def _running(self) -> Process:
        if self._process is None:
            spec = self._spec
            own = {name: self._secrets.fill(value) for name, value in spec.env.items()}
            command = [program_of(spec.command[0], spec.folder), *spec.command[1:]]
            try:
                self._process = Process(command, spec.folder, {**os.environ, **own}, self._log)
            except (OSError, ValueError) as error:
                said = self._secrets.redact(message_of(error))
                raise PermanentFailure(f"{spec.command[0]} cannot be started: {said}") from None
        return self._process

    def _read(self, answer: Mapping[str, Any]) -> RawAnswer:
        if "error" in answer:
            said = answer["error"] if isinstance(answer["error"], str) else in_short(answer)
            said = " ".join(self._secrets.redact(said).split())
            raise TemporaryFailure(f"the program says: {said[:300]}")
        ids, scores = answer.get("ids"), answer.get("scores")
        if not isinstance(ids, list) or not isinstance(scores, list | None):
            shown = self._secrets.redact(in_short({"ids": ids, "scores": scores}))
            raise PermanentFailure(
                f'its answer has no list of ids: {shown}. Write {{"id": ..., "ids": [...]}}, and '
                '"scores": [...] where there are scores'
            )
        if scores is not None and len(scores) != len(ids):
            raise PermanentFailure(f"its answer has {len(ids):,} ids and {len(scores):,} scores")
        return RawAnswer(ids, scores)

    def _log(self, line: str) -> None:
        if self._spec.log is None:
            return
        with (
            self._writing,
            suppress(OSError),
            Path(self._spec.log).open("a", encoding="utf-8") as log,
        ):
            log.write(f"{self._secrets.redact(line)}\n")


def program_of(name: str, folder: str | None) -> str:
    """The program that a name stands for: a path is taken from the folder, a bare name from the
    search path; the name itself where nothing is found."""
    if Path(name).name != name:
        return str(Path(folder or ".") / name)
    return shutil.which(name) or name
