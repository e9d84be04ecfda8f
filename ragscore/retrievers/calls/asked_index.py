"""AskedIndex: an index whose answers come from a system outside, and are checked."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, Index, asked_block
from ragscore.retrievers.call_times import CallTimes
from ragscore.retrievers.calls.answered_run import Answer, AnsweredRuns
from ragscore.retrievers.calls.answers import CheckedAnswer, Checker
from ragscore.retrievers.calls.asking import Asker, RawAnswer
from ragscore.retrievers.calls.event_loops import outside_loops
from ragscore.retrievers.calls.failures import PermanentFailure
from ragscore.retrievers.calls.options import CallOptions
from ragscore.run import QueryFailure, Run


class AskedIndex(Index):
    """Asks for each query, and turns what was answered into a run; what is no ranking fails its
    query, as no answer does.

    Args:
        corpus: what the system is to return passages of.
        options: how it is asked.
        name: of the runs.
        strict: a passage returned twice is an error.
        progress: is notified of scores whose order is not that of the answer.
    """

    def __init__(
        self, corpus: Corpus, options: CallOptions, name: str, strict: bool, progress: Progress
    ) -> None:
        self.name = name
        self.block = asked_block(options.concurrency or 1)
        self._options = options
        self._asker = Asker(name, options, self.at_once)
        self._runs = AnsweredRuns(name, corpus, strict, progress)

    @abstractmethod
    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        """What the system answers to the query of a row.

        Raises:
            TemporaryFailure, PermanentFailure: it does not answer.
        """

    async def ask_part(self, queries: Queries, rows: Sequence[int], depth: int) -> list[Any]:
        """What the system answers to the queries of some rows, in one call: for each ids, best
        first, or (id, score) pairs.

        Raises:
            TemporaryFailure, PermanentFailure: it does not answer.
        """
        answers = [await self.ask(queries, row, depth) for row in rows]
        return [
            answer.ids
            if answer.scores is None
            else list(zip(answer.ids, answer.scores, strict=True))
            for answer in answers
        ]

    def parts(self, queries: Queries) -> list[range] | None:
        """The rows of a block that are asked in one call; None where each is asked alone."""
        return None

    def at_once(self) -> int:
        """How many calls may be under way at once."""
        return self._options.concurrency or 1

    def run_block(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """What asks for a block, run in an event loop."""
        return outside_loops(asyncio.run, asking)

    def call_times(self) -> CallTimes | None:
        return self._asker.clock.times()

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        super().prepare(queries, inputs)
        self._asker.failed.begin(len(queries))

    def remembered(self, queries: Queries) -> Any:
        return {"scored": self._runs.scored}

    def recall(self, remembered: Any) -> None:
        self._runs.scored = remembered["scored"]

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        checker = self._runs.checker(depth)

        async def ask(rows: Sequence[int]) -> list[Answer]:
            returned = await self.ask_part(queries, rows, depth)
            ids = [queries.ids[row] for row in rows]
            answers = [_checked(checker, *pair) for pair in zip(returned, ids, strict=True)]
            if len(rows) == 1 and isinstance(answers[0], QueryFailure):
                raise PermanentFailure(answers[0].error)
            return answers

        answers: list[Answer] = list(
            self._asker.ask_all(
                queries,
                ask,
                answered=self.answered,
                parts=self.parts(queries),
                run=self.run_block,
            )
        )
        for row, what in self._runs.differing(answers):
            answers[row] = failure = QueryFailure.of(queries.ids[row], what)
            self._asker.failed.add(failure)
        return self._runs.run(answers, queries, leaves_out=self._options.failed == "left out")


def _checked(checker: Checker, returned: Any, query: str) -> CheckedAnswer | QueryFailure:
    try:
        return checker.answer(returned, query)
    except RetrieverError as error:
        [problem] = error.problems
        return QueryFailure.of(query, str(replace(problem, where="")))
