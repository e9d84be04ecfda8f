"""AskedIndex: an index whose answers come from a system outside, and are checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, Index, asked_block
from ragscore.retrievers.calls.asking import RawAnswer, ask_all
from ragscore.retrievers.calls.failed_queries import FailedQueries
from ragscore.retrievers.calls.failures import PermanentFailure
from ragscore.retrievers.calls.options import CallOptions
from ragscore.retrievers.custom.answered_run import Answer, AnsweredRuns
from ragscore.retrievers.custom.answers import CheckedAnswer
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
        self.block = asked_block(options.concurrency)
        self._options = options
        self._failed = FailedQueries(name, options)
        self._runs = AnsweredRuns(name, corpus.ids, strict, progress)

    @abstractmethod
    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        """What the system answers to the query of a row.

        Raises:
            TemporaryFailure, PermanentFailure: it does not answer.
        """

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        super().prepare(queries, inputs)
        self._failed.begin(len(queries))

    def remembered(self, queries: Queries) -> Any:
        return {"scored": self._runs.scored}

    def recall(self, remembered: Any) -> None:
        self._runs.scored = remembered["scored"]

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        checker = self._runs.checker(depth)

        async def checked(row: int) -> CheckedAnswer:
            answer = await self.ask(queries, row, depth)
            returned = (
                answer.ids
                if answer.scores is None
                else list(zip(answer.ids, answer.scores, strict=True))
            )
            try:
                return checker.answer(returned, queries.ids[row])
            except RetrieverError as error:
                [problem] = error.problems
                raise PermanentFailure(str(replace(problem, where=""))) from None

        answers: list[Answer] = list(
            ask_all(queries, checked, self._options, self._failed, answered=self.answered)
        )
        for row, what in self._runs.differing(answers):
            answers[row] = failure = QueryFailure.of(queries.ids[row], what)
            self._failed.add(failure)
        return self._runs.run(answers, queries, leaves_out=self._options.failed == "left out")
