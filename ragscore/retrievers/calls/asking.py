"""ask_all: every query of a block, asked of a system outside."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ragscore.dataset import Queries
from ragscore.errors import RetrieverError
from ragscore.progress import Stage
from ragscore.retrievers.calls.failures import PermanentFailure, TemporaryFailure
from ragscore.retrievers.calls.options import CallOptions
from ragscore.retrievers.custom.caller import outside_loops

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
    ask: Callable[[int], Awaitable[RawAnswer]],
    options: CallOptions,
    *,
    name: str,
    answered: Stage,
) -> list[RawAnswer]:
    """The answers to all queries of a block, in their order.

    Args:
        queries: the block.
        ask: asks the query of a row; raises TemporaryFailure or PermanentFailure.
        options: how.
        name: of the retriever.
        answered: is notified of each answer.

    Raises:
        RetrieverError: a query got no answer; names it.
    """
    answers: list[RawAnswer] = outside_loops(
        asyncio.run, _asked(queries, ask, options, name, answered)
    )
    return answers


async def _asked(
    queries: Queries,
    ask: Callable[[int], Awaitable[RawAnswer]],
    options: CallOptions,
    name: str,
    answered: Stage,
) -> list[RawAnswer]:
    pace = _Pace(options.rate_limit)
    answers: dict[int, RawAnswer] = {}
    left = iter(range(len(queries)))

    async def ask_what_is_left() -> None:
        for row in left:
            try:
                answers[row] = await _answer(row, ask, options, pace)
            except (TemporaryFailure, PermanentFailure) as failure:
                raise RetrieverError(str(failure), retriever=name, query=queries.ids[row]) from None
            answered.advance()

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
    row: int, ask: Callable[[int], Awaitable[RawAnswer]], options: CallOptions, pace: _Pace
) -> RawAnswer:
    """One query's, asked again as often as the options say."""
    for attempt in range(options.retries + 1):
        await pace.wait()
        try:
            async with asyncio.timeout(options.timeout):
                return await ask(row)
        except TimeoutError:
            failure = TemporaryFailure(f"no answer within {options.timeout:g} s")
        except TemporaryFailure as raised:
            failure = raised
        if attempt < options.retries:
            longest = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT)
            wait = failure.retry_after
            # Those that failed together would come back together.
            await asyncio.sleep(
                random.uniform(0, longest) if wait is None else min(wait, LONGEST_WAIT)
            )
    times = f" (asked {options.retries + 1} times)" if options.retries else ""
    raise TemporaryFailure(f"{failure}{times}")


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
