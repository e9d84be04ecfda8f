"""HttpIndex: a system behind a URL as an index."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from ragscore.dataset import Corpus, Queries
from ragscore.dataset.conditions import Condition
from ragscore.progress import Progress
from ragscore.retrievers.calls import CallOptions, RawAnswer
from ragscore.retrievers.calls.asked_index import AskedIndex
from ragscore.retrievers.http.system import System
from ragscore.retrievers.http.template import query_fields


class HttpIndex(AskedIndex):
    """Sends a request for each query; its connections are closed with it."""

    def __init__(
        self,
        system: System,
        conditions: Sequence[Condition],
        corpus: Corpus,
        calls: CallOptions,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> None:
        super().__init__(corpus, calls, name, strict, progress)
        self._conditions = conditions
        self._corpus = corpus
        self._system = system
        self._end = weakref.finalize(self, self._system.close)

    def close(self) -> None:
        self._end()

    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        fields = query_fields(queries, row, depth, self._conditions)
        return await self._system.ask(fields, self._corpus)
