"""AskedIndex: an index whose answers come from a system outside, and are checked."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragscore.dataset import Corpus, Queries
from ragscore.described import in_short
from ragscore.errors import RetrieverError
from ragscore.messages import Message
from ragscore.outside.event_loops import outside_loops
from ragscore.outside.failures import PermanentFailure
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, Index, asked_block
from ragscore.retrievers.call_times import CallTimes
from ragscore.retrievers.calls.answered_run import Answer, AnsweredRuns
from ragscore.retrievers.calls.answers import Checker
from ragscore.retrievers.calls.asking import Asker, RawAnswer
from ragscore.retrievers.calls.options import CallOptions
from ragscore.retrievers.calls.returned_texts import ReturnedTexts
from ragscore.run import QueryFailure, Run


class AskedIndex(Index):
    """Asks for each query, and turns the answers into a run; an answer that is not a ranking
    fails its query, as a missing one does.

    Args:
        corpus: what the system is to return passages of.
        options: how it is asked.
        name: of the runs.
        strict: a passage returned twice is an error.
        progress: reports scores whose order is not that of the answer.
    """

    def __init__(
        self, corpus: Corpus, options: CallOptions, name: str, strict: bool, progress: Progress
    ) -> None:
        self.name = name
        self.block = asked_block(options.concurrency or 1)
        self._options = options
        self._asker = Asker(name, options, self.at_once)
        self._runs = AnsweredRuns(name, corpus, strict, progress)
        self._texts = ReturnedTexts(corpus)

    @abstractmethod
    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        """What the system answers to the query of a row.

        Raises:
            TemporaryFailure, PermanentFailure: it does not answer.
        """

    async def ask_part(self, queries: Queries, rows: Sequence[int], depth: int) -> list[Any]:
        """What the system answers to the queries of some rows, in one call: for each a RawAnswer;
        or ids, best first; or (id, score) pairs.

        Raises:
            TemporaryFailure, PermanentFailure: it does not answer.
        """
        return [await self.ask(queries, row, depth) for row in rows]

    def parts(self, queries: Queries) -> list[range] | None:
        """The rows of a block that are asked in one call; None if each is asked alone."""
        return None

    def at_once(self) -> int:
        """How many calls may be under way at once."""
        return self._options.concurrency or 1

    def run_block(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """What asks for a block, run in an event loop."""
        return outside_loops(asyncio.run, asking)

    def returned_texts(self) -> Mapping[str, str]:
        return self._texts.kept

    def notes(self) -> Iterable[Message]:
        return self._texts.notes(self.name)

    def call_times(self) -> CallTimes | None:
        return self._asker.clock.times()

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        super().prepare(queries, inputs)
        self._asker.failed.begin(len(queries))

    def remembered(self, queries: Queries) -> Any:
        return {
            "scored": self._runs.scored,
            "calls": self._asker.clock.remembered(),
            "texts": self._texts.new(),
        }

    def recall(self, remembered: Any) -> None:
        self._runs.scored = remembered["scored"]
        self._asker.clock.recall(remembered["calls"])
        self._texts.recall(remembered["texts"])

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        checker = self._runs.checker(depth)

        async def ask(rows: Sequence[int]) -> list[Answer]:
            returned = await self.ask_part(queries, rows, depth)
            ids = [queries.ids[row] for row in rows]
            answers = [self._checked(checker, *pair) for pair in zip(returned, ids, strict=True)]
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
        leaves_out = self._options.failed == "left out"
        return self._runs.run(answers, queries, depth, leaves_out=leaves_out)

    def _checked(self, checker: Checker, returned: Any, query: str) -> Answer:
        try:
            return self.checked(checker, returned, query)
        except RetrieverError as error:
            [problem] = error.problems
            return QueryFailure.of(query, str(replace(problem, where="")))

    def checked(self, checker: Checker, returned: Any, query: str) -> Answer:
        """What one query got.

        Raises:
            RetrieverError: it cannot be a ranking.
        """
        ids, texts = [], None
        if isinstance(returned, RawAnswer):
            ids, texts, scores = returned.ids, returned.texts, returned.scores
            odd = next((text for text in texts or () if not isinstance(text, str | None)), None)
            if odd is not None:
                what = f"the text of a passage is not a string: {in_short(odd)}"
                return QueryFailure.of(query, what)
            returned = ids if scores is None else list(zip(ids, scores, strict=True))
        answer = checker.answer(returned, query)
        if texts is not None:
            self._texts.add(ids, answer.rows, texts)
        return answer
