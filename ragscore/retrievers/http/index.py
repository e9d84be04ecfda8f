"""HttpIndex: a system behind a URL as an index."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from ragscore.dataset import Corpus, Queries
from ragscore.progress import Progress
from ragscore.retrievers.calls import RawAnswer
from ragscore.retrievers.calls.asked_index import AskedIndex
from ragscore.retrievers.conditions import listed
from ragscore.retrievers.http.system import System
from ragscore.retrievers.http.template import query_fields

if TYPE_CHECKING:
    from ragscore.retrievers.http.model import Http


class HttpIndex(AskedIndex):
    """Sends a request for each query; its connections are closed when it is gone."""

    def __init__(
        self, spec: Http, corpus: Corpus, name: str, strict: bool, progress: Progress
    ) -> None:
        super().__init__(corpus, spec, name, strict, progress)
        self._conditions = listed(spec.filter)
        self._system = System(spec)
        weakref.finalize(self, self._system.close)

    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        return await self._system.ask(query_fields(queries, row, depth, self._conditions))
