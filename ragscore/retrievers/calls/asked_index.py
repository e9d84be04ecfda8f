"""AskedIndex: an index whose answers come from a system outside, and are checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from ragscore.dataset import Corpus, Queries
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.calls.asking import RawAnswer, ask_all
from ragscore.retrievers.calls.options import CallOptions
from ragscore.retrievers.custom.answered_run import AnsweredRuns
from ragscore.run import Run


class AskedIndex(Index):
    """Asks for each query, and turns what was answered into a run.

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
        self._options = options
        self._runs = AnsweredRuns(name, corpus.ids, strict, progress)

    @abstractmethod
    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        """What the system answers to the query of a row.

        Raises:
            TemporaryFailure, PermanentFailure: it does not answer.
        """

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        answers = ask_all(
            queries,
            lambda row: self.ask(queries, row, depth),
            self._options,
            name=self.name,
            answered=self.answered,
        )
        returned = [
            answer.ids
            if answer.scores is None
            else list(zip(answer.ids, answer.scores, strict=True))
            for answer in answers
        ]
        return self._runs.run(returned, queries, depth)
