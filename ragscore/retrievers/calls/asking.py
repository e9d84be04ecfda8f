"""ask_all: every query of a block, asked of a system outside."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ragscore.dataset import Queries
from ragscore.errors import message_of
from ragscore.progress import Stage
from ragscore.retrievers.calls.failed_queries import FailedQueries
from ragscore.retrievers.calls.failures import PermanentFailure, TemporaryFailure
from ragscore.retrievers.calls.options import CallOptions
from ragscore.retrievers.custom.caller import outside_loops
from ragscore.run import QueryFailure

T = TypeVar("T")

FIRST_WAIT = 0.5
"""Seconds before a query is asked again for the first time; they double each time."""
LONGEST_WAIT = 60.0


@dataclass(frozen=True)
class RawAnswer:
    """What a system returned for one query, not checked yet.

    Attributes:
        ids: of passages, best first.
        scores: of each, higher is better; None for a bare ranking.
    """

    ids: list[Any]
    scores: list[Any] | None = None


def ask_all(
    queries: Queries,
    ask: Callable[[int], Awaitable[T]],
    options: CallOptions,
    failed: FailedQueries,
    *,
    answered: Stage,
) -> list[T | QueryFailure]:
    """The answer to each query of a block, or why there is none, in their order.

    Args:
        queries: the block.
        ask: asks the query of a row; raises TemporaryFailure or PermanentFailure.
        options: how.
        failed: counts the queries of the run that failed.
        answered: is notified of each query that answered or failed.

    Raises:
        RetrieverError: more queries failed than may; nothing more is asked.
    """
    failed.expect(len(queries))
    answers: list[T | QueryFailure] = outside_loops(
        asyncio.run, _asked(queries, ask, options, failed, answered)
    )
    return answers


async def _asked(
    queries: Queries,
    ask: Callable[[int], Awaitable[T]],
    options: CallOptions,
    failed: FailedQueries,
    answered: Stage,
) -> list[T | QueryFailure]:
    pace = _Pace(options.rate_limit)
    answers: dict[int, T | QueryFailure] = {}
    left = iter(range(len(queries)))

    async def ask_what_is_left() -> None:
        for row in left:
            answers[row] = answer = await _answer(row, queries.ids[row], ask, options, pace)
            failed.ask()
            answered.advance()
            if isinstance(answer, QueryFailure):
                failed.add(answer)

    count = min(options.concurrency, len(queries))
    tasks = [asyncio.ensure_future(ask_what_is_left()) for _ in range(count)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [answers[row] for row in range(len(queries))]


async def _answer(
    row: int,
    query: str,
    ask: Callable[[int], Awaitable[T]],
    options: CallOptions,
    pace: _Pace,
) -> T | QueryFailure:
    """One query's, asked again as often as the options say."""
    error = ""
    for attempt in range(1, options.retries + 2):
        await pace.wait()
        try:
            async with asyncio.timeout(options.timeout):
                return await ask(row)
        except PermanentFailure as failure:
            return QueryFailure.of(query, message_of(failure), attempt)
        except (TimeoutError, TemporaryFailure) as failure:
            late = isinstance(failure, TimeoutError)
            error = f"no answer within {options.timeout:g} s" if late else message_of(failure)
            wait = getattr(failure, "retry_after", None)
        if attempt <= options.retries:
            longest = min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT)
            # Those that failed together would come back together.
            await asyncio.sleep(
                random.uniform(0, longest) if wait is None else min(wait, LONGEST_WAIT)
            )
    return QueryFailure.of(query, error, options.retries + 1)


class _Pace:
    """Lets so many queries a second go."""

    def __init__(self, limit: float | None) -> None:
        self._between = 1 / limit if limit else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        if self._between:
            now = asyncio.get_running_loop().time()
            begins = max(now, self._next)
            self._next = begins + self._between
            await asyncio.sleep(begins - now)
