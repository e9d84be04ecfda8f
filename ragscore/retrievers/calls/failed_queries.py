"""FailedQueries: how many queries of a run failed, and whether that is too many."""

from __future__ import annotations

import math

from ragscore.errors import RetrieverError
from ragscore.run import QueryFailure

SHOWN = 3
"""How many failures the error shows."""
_ROUNDING = 1e-9


class FailedQueries:
    """Counts the queries that were asked and those that failed, over all blocks of a run.

    Args:
        name: of the retriever.
        limit: how many may fail, or which share of them; None if no option says so.
    """

    def __init__(self, name: str, limit: float | None) -> None:
        self._name = name
        self._limit = limit
        self.begin(0)

    def begin(self, queries: int) -> None:
        """Begin a run of this many queries, of which none has been asked."""
        self._queries = queries
        self._asked = 0
        self._first: list[QueryFailure] = []
        self.count = 0
        """Queries that failed."""

    @property
    def allowed(self) -> int:
        """How many queries may fail."""
        if self._limit is None or isinstance(self._limit, int):
            return self._limit or 0
        return math.floor(self._limit * max(self._queries, self._asked) + _ROUNDING)

    def expect(self, queries: int) -> None:
        """So many more will be asked: a run whose size was not said has at least these."""
        self._queries = max(self._queries, self._asked + queries)

    def ask(self) -> None:
        """One more query was asked, and has answered or failed."""
        self._asked += 1

    def add(self, failure: QueryFailure) -> None:
        """A query that was asked failed.

        Raises:
            RetrieverError: these are too many.
        """
        self.count += 1
        if len(self._first) < SHOWN:
            self._first.append(failure)
        if self.count > self.allowed:
            raise self._too_many()

    def _too_many(self) -> RetrieverError:
        allowed = "none" if not self.allowed else f"{self.allowed:,} of {self._queries:,}"
        several = f"{self.count:,} of {self._asked:,} queries asked"
        failed = f"{'the first query asked' if self._asked == 1 else several} failed"
        count = f"{failed}, and max_errors allows {allowed}"
        instead = "Fix the cause and run it again, or set max_errors to let some queries fail"
        if self.count == 1:
            [failure] = self._first
            if self._limit is None:
                return RetrieverError(failure.reason, retriever=self._name, query=failure.query)
            what = f"{failure.reason}; {count}"
            return RetrieverError(what, retriever=self._name, query=failure.query, instead=instead)
        shown = "; ".join(map(str, self._first))
        others = self.count - len(self._first)
        more = f"; and {others:,} {'other' if others == 1 else 'others'}" if others else ""
        return RetrieverError(f"{count}: {shown}{more}", retriever=self._name, instead=instead)
