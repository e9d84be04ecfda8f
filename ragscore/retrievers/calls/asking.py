"""Asker: every query of a run, asked of a system outside, block after block."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.outside.failures import PermanentFailure
from ragscore.outside.lanes import Lanes
from ragscore.outside.repeating import FailedCall, Repeater
from ragscore.outside.secrets import Secrets
from ragscore.progress import Stage
from ragscore.retrievers.call_times import CallClock
from ragscore.retrievers.calls.failed_queries import FailedQueries
from ragscore.retrievers.calls.options import CallOptions
from ragscore.run import QueryFailure

T = TypeVar("T")


@dataclass(frozen=True)
class RawAnswer:
    """What a system returned for one query, not checked yet.

    Attributes:
        ids: of passages, best first.
        scores: of each, higher is better; None for a bare ranking.
        texts: of each, None if it has none; None if no texts were asked for.

    Raises:
        PermanentFailure: there are more or fewer scores or texts than ids.
    """

    ids: list[Any]
    scores: list[Any] | None = None
    texts: list[Any] | None = None

    def __post_init__(self) -> None:
        for what, values in (("scores", self.scores), ("texts", self.texts)):
            if values is not None and len(values) != len(self.ids):
                counts = f"{len(self.ids):,} ids and {len(values):,} {what}"
                raise PermanentFailure(f"its answer has {counts}")

    def cut(self, k: int) -> RawAnswer:
        """The first k passages."""
        scores, texts = self.scores, self.texts
        return RawAnswer(
            self.ids[:k],
            scores if scores is None else scores[:k],
            texts if texts is None else texts[:k],
        )

    def redacted(self, secrets: Secrets, corpus: Corpus) -> RawAnswer:
        """The same without the values of secrets.

        Args:
            secrets: that the system was sent.
            corpus: its ids stay as they are; texts do too where it has some, with which they are
                compared and then forgotten.
        """
        scores, texts = self.scores, self.texts
        compared = () if corpus.ids_only else [text for text in texts or () if type(text) is str]
        return RawAnswer(
            secrets.redacted_unless(self.ids, corpus.ids),
            scores if scores is None else secrets.redacted_unless(scores, ()),
            texts if texts is None else secrets.redacted_unless(texts, compared),
        )


Ask = Callable[[Sequence[int]], Awaitable[Sequence[T | QueryFailure]]]
"""Asks the queries of some rows in one call; raises TemporaryFailure or PermanentFailure."""


class Asker:
    """Asks one system. Its pace, the times of its calls and the queries that failed are those of
    all blocks of a run.

    Args:
        name: of the retriever.
        options: how it is asked.
        at_once: how many calls may be under way; it may become more while they are.
        may_fail: whether an option says how many queries may fail; otherwise none may.
    """

    def __init__(
        self, name: str, options: CallOptions, at_once: Callable[[], int], may_fail: bool = True
    ) -> None:
        self._at_once = at_once
        self._paced = options.rate_limit is not None
        self._repeater = Repeater(options)
        self.failed = FailedQueries(name, options.max_errors if may_fail else None)
        self.clock = CallClock()

    def ask_all(
        self,
        queries: Queries,
        ask: Ask[T],
        *,
        answered: Stage,
        run: Callable[[Coroutine[Any, Any, Any]], Any],
        parts: Sequence[Sequence[int]] | None = None,
    ) -> list[T | QueryFailure]:
        """The answer to each query of a block, or why there is none, in their order.

        Args:
            queries: the block.
            ask: asks for one part.
            answered: called for each query that answered or failed.
            run: runs what asks in an event loop.
            parts: rows of the queries that are asked in one call; by default one by one. Where a
                part of several fails and queries may fail, its halves are asked, so that only those
                fail that have to.

        Raises:
            RetrieverError: more queries failed than may; nothing more is asked.
        """
        self.failed.expect(len(queries))
        if parts is None:
            parts = [range(row, row + 1) for row in range(len(queries))]
        asking = _Block(self, queries, ask, answered, parts).asked()
        answers: dict[int, T | QueryFailure] = run(asking)
        return [answers[row] for row in range(len(queries))]

    async def call(
        self, ask: Ask[T], rows: Sequence[int], since: float | None
    ) -> Sequence[T | QueryFailure] | FailedCall:
        """What one call gives, made again as often as the options say.

        Args:
            ask: makes it.
            rows: that are asked.
            since: when they were asked first, in a call that failed; None if this is the first.
        """
        first, attempts = time.perf_counter() if since is None else since, 0

        async def timed() -> Sequence[T | QueryFailure]:
            nonlocal first, attempts
            began, attempts = time.perf_counter(), attempts + 1
            if self._paced and since is None and attempts == 1:
                first = began  # the wait for a turn before is none for the system
            with self.clock.under_way():
                found = await ask(rows)
            ended, again = time.perf_counter(), since is not None or attempts > 1
            self.clock.add(len(rows), ended - began, ended - first, again)
            return found

        return await self._repeater.call(timed)

    def lanes(self) -> int:
        """How many calls may be under way now."""
        return self._at_once()


class _Block:
    """A block of queries that is being asked."""

    def __init__(
        self,
        asker: Asker,
        queries: Queries,
        ask: Ask[Any],
        answered: Stage,
        parts: Sequence[Sequence[int]],
    ) -> None:
        self._asker = asker
        self._queries = queries
        self._ask = ask
        self._answered = answered
        self._left = deque(parts)
        self._since: dict[int, float] = {}
        self._answers: dict[int, Any] = {}

    async def asked(self) -> dict[int, Any]:
        """The answer of each row, or its failure."""
        await Lanes(self._asker.lanes, self._next_call).run()
        return self._answers

    def _next_call(self) -> Awaitable[None] | None:
        return self._call(self._left.popleft()) if self._left else None

    async def _call(self, rows: Sequence[int]) -> None:
        since, began = self._since.get(rows[0]), time.perf_counter()
        found = await self._asker.call(self._ask, rows, since)
        if not isinstance(found, FailedCall):
            self._take(rows, found)
        elif len(rows) > 1 and self._asker.failed.allowed:
            half = len(rows) // 2
            self._since.update(dict.fromkeys(rows, began if since is None else since))
            self._left.extendleft((rows[half:], rows[:half]))
        else:
            ids = self._queries.ids
            together = f"in a call for {len(rows):,} queries: " if len(rows) > 1 else ""
            error = f"{together}{found.error}"
            failures = [QueryFailure.of(ids[row], error, found.attempts) for row in rows]
            self._take(rows, failures, found.cause)

    def _take(
        self, rows: Sequence[int], found: Sequence[Any], cause: BaseException | None = None
    ) -> None:
        failed = self._asker.failed
        for row, answer in zip(rows, found, strict=True):
            self._answers[row] = answer
            failed.ask()
            self._answered.advance()
        for answer in found:
            if isinstance(answer, QueryFailure):
                try:
                    failed.add(answer)
                except RetrieverError as error:
                    raise error from cause
