"""QueryFailure: a query that a retriever did not answer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pydantic import NonNegativeInt

from ragscore.dataset import Ids
from ragscore.described import in_short

MAX_ERROR = 300
"""Characters that are kept of an error."""
_INPUT = "its input "


@dataclass(frozen=True, repr=False)
class QueryFailure:
    """A query that a retriever did not answer, or whose answer is not a ranking.

    Attributes:
        query: its id.
        error: why, in one clause; without secrets.
        attempts: how often it was asked.

    >>> print(QueryFailure("q7", "no answer within 30 s", 3))
    query 'q7': no answer within 30 s (asked 3 times)
    """

    query: str
    error: str
    attempts: NonNegativeInt = 1

    @classmethod
    def of(cls, query: str, error: str, attempts: int = 1) -> QueryFailure:
        """A failure whose error may be long, of several lines, or with half surrogates, which
        JSON can hold and no file."""
        line = " ".join(error.encode("utf-8", "replace").decode("utf-8").split())
        return cls(
            query, line if len(line) <= MAX_ERROR else f"{line[: MAX_ERROR - 3]}...", attempts
        )

    @classmethod
    def of_input(cls, name: str, failure: QueryFailure) -> QueryFailure:
        """The failure of what is built on a retriever that did not answer."""
        return cls.of(failure.query, f"{_INPUT}'{name}' failed: {failure.reason}")

    @property
    def inherited(self) -> bool:
        """Whether an input failed."""
        return self.error.startswith(_INPUT)

    @property
    def reason(self) -> str:
        """The error, and how often the query was asked where that was more than once."""
        times = f" (asked {self.attempts:,} times)" if self.attempts > 1 else ""
        return f"{self.error}{times}"

    def __repr__(self) -> str:
        return f"QueryFailure({in_short(self.query)}: {in_short(self.reason)})"

    def __str__(self) -> str:
        return f"query '{self.query}': {self.reason}"


def failures_among(failures: Collection[QueryFailure], queries: Ids) -> tuple[QueryFailure, ...]:
    """The failures of some queries, in the order of these queries; the first of each."""
    first: dict[str, QueryFailure] = {}
    for failure in failures:
        first.setdefault(failure.query, failure)
    rows = {query: queries.row(query) for query in first}
    known = sorted((query for query in first if rows[query] >= 0), key=rows.__getitem__)
    return tuple(first[query] for query in known)
