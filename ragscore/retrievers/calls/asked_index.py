"""AskedIndex: an index whose answers come from a system outside, and are checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from ragscore.dataset import Corpus, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.calls.asking import RawAnswer, ask_all
from ragscore.retrievers.calls.options import CallOptions
from ragscore.retrievers.custom.answers import Checker
from ragscore.retrievers.strings import STRINGS
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
        self._ids = corpus.ids
        self._options = options
        self._strict = strict
        self._progress = progress
        self._scored: bool | None = None

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
        ).answers
        checker = Checker(self.name, self._ids, depth, self._strict)
        width = max((len(answer.ids) for answer in answers), default=0)
        rows = np.full((len(answers), min(width, depth)), -1, dtype=np.int32)
        scores = np.full(rows.shape, np.nan)
        for at, answer in enumerate(answers):
            given = (
                answer.ids
                if answer.scores is None
                else list(zip(answer.ids, answer.scores, strict=True))
            )
            checked = checker.answer(given, queries.ids[at])
            rows[at, : len(checked.rows)] = checked.rows
            if checked.scores is not None:
                scores[at, : len(checked.rows)] = checked.scores
            if checked.rows:
                self._refuse_mixture(checked.scores is not None, queries.ids[at])
        kept = None if self._scored is False else scores
        if kept is not None and (kept[:, 1:] > kept[:, :-1]).any():
            self._progress.note(STRINGS.note("order_not_of_scores", name=self.name))
        return Run.make(queries.ids, self._ids, rows, kept, name=self.name)

    def _refuse_mixture(self, scored: bool, query: str) -> None:
        if self._scored is None:
            self._scored = scored
        if scored is not self._scored:
            now, before = ("scores", "none") if scored else ("no scores", "some")
            raise RetrieverError(
                f"returned {now} where earlier queries got {before}",
                retriever=self.name,
                query=query,
                instead="Give scores for every query or for none",
            )
