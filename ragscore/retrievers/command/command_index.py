"""CommandIndex: a program as an index."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from typing import Any

from ragscore.dataset import Corpus, Queries
from ragscore.dataset.metadata import plain
from ragscore.elements.numbers import count_text
from ragscore.messages import Message, _
from ragscore.names import quoted
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS
from ragscore.retrievers.calls import CallOptions, RawAnswer
from ragscore.retrievers.calls.asked_index import AskedIndex
from ragscore.retrievers.command.options import ProgramOptions
from ragscore.retrievers.command.program import Program
from ragscore.run import Run

STARTED_BLOCK = 64
"""Queries at least for which a program is started anew: starting may take long."""


class CommandIndex(AskedIndex):
    """Gives a program a line for each query; the program is ended with the index."""

    def __init__(
        self,
        spec: ProgramOptions,
        corpus: Corpus,
        calls: CallOptions,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> None:
        # Only the program knows when it is a query's turn: the time before it does not count.
        untimed = calls.model_copy(update={"timeout": None})
        super().__init__(corpus, untimed, name, strict, progress)
        self._corpus = corpus
        self._each_block = spec.start == "each block"
        if self._each_block:
            self.block = max(self.block, STARTED_BLOCK)
        self._program = Program(spec, calls.timeout)
        weakref.finalize(self, self._program.close)

    def close(self) -> None:
        self._program.close()  # also where it was asked again after it was closed

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        try:
            return super().search(queries, depth, inputs)
        except BaseException:
            self._program.close()
            raise
        finally:
            if self._each_block:
                self._program.close()

    def notes(self) -> Iterable[Message]:
        yield from super().notes()
        if differing := self._program.differing:
            facts = {"count": count_text(len(differing)), "examples": quoted(sorted(differing)[:4])}
            yield _(
                "{name}: queries that got a second, different answer: {count}, such as "
                "{examples}; the first answer counts",
                name=self.name,
                **facts,
            )

    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        line: dict[str, Any] = {"id": queries.ids[row], "query": queries.texts[row], "k": depth}
        if row in queries.metadata:
            line["metadata"] = plain(queries.metadata[row])
        return await self._program.ask(line, self._corpus)
