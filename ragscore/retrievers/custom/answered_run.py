"""AnsweredRuns: what foreign code or a system outside answered, checked and made a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragscore.dataset import Ids, Queries
from ragscore.errors import RetrieverError
from ragscore.progress import Progress
from ragscore.retrievers.custom.answers import CheckedAnswer, Checker, short
from ragscore.retrievers.strings import STRINGS
from ragscore.run import Run


class AnsweredRuns:
    """Makes the runs of one retriever, block by block; all have scores, or none has.

    Args:
        name: of the retriever.
        passages: the corpus's ids.
        strict: a passage returned twice is an error.
        progress: is notified of scores whose order is not that of the answer.
    """

    def __init__(self, name: str, passages: Ids, strict: bool, progress: Progress) -> None:
        self._name = name
        self._ids = passages
        self._strict = strict
        self._progress = progress
        self._scored: bool | None = None

    def run(self, returned: Sequence[Any], queries: Queries, depth: int) -> Run:
        """The run of a block.

        Args:
            returned: for each query, ids or (id, score) pairs, best first.
            queries: the block.
            depth: how many passages were asked for.

        Raises:
            RetrieverError: an answer is no ranking; names the query.
        """
        checker = Checker(self._name, self._ids, depth, self._strict)
        answers = [
            checker.answer(answer, query)
            for answer, query in zip(returned, queries.ids, strict=True)
        ]
        self._refuse_mixture(answers, returned, queries)
        width = max((len(answer.rows) for answer in answers), default=0)
        rows = np.full((len(answers), width), -1, dtype=np.int32)
        scores = np.full(rows.shape, np.nan)
        for at, answer in enumerate(answers):
            rows[at, : len(answer.rows)] = answer.rows
            if answer.scores is not None:
                scores[at, : len(answer.rows)] = answer.scores
        kept = None if self._scored is False else scores
        if kept is not None and (kept[:, 1:] > kept[:, :-1]).any():
            self._progress.note(STRINGS.note("order_not_of_scores", name=self._name))
        return Run.make(queries.ids, self._ids, rows, kept, name=self._name)

    def _refuse_mixture(
        self, answers: list[CheckedAnswer], returned: Sequence[Any], queries: Queries
    ) -> None:
        for at, answer in enumerate(answers):
            if not answer.rows:
                continue
            scored = answer.scores is not None
            if self._scored is None:
                self._scored = scored
            if scored is not self._scored:
                now, before = ("scores", "none") if scored else ("no scores", "some")
                raise RetrieverError(
                    f"returned {now} where earlier queries got {before}: {short(returned[at])}",
                    retriever=self._name,
                    query=queries.ids[at],
                    instead="Give scores for every query or for none",
                )
