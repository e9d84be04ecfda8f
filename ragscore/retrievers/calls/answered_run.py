"""AnsweredRuns: what foreign code or a system outside answered, checked and made a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragscore.dataset import Corpus, Queries
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.retrievers.calls.answers import CheckedAnswer, Checker
from ragscore.retrievers.calls.vocabulary import Vocabulary
from ragscore.run import QueryFailure, Run

Answer = CheckedAnswer | QueryFailure


class AnsweredRuns:
    """Makes the runs of one retriever, block by block; all have scores, or none has.

    Args:
        name: of the retriever.
        corpus: what it is to return passages of.
        strict: a passage returned twice is an error.
        progress: reports scores whose order is not that of the answer.
    """

    def __init__(self, name: str, corpus: Corpus, strict: bool, progress: Progress) -> None:
        self._name = name
        self._vocabulary = Vocabulary(corpus)
        self._strict = strict
        self._progress = progress
        self.scored: bool | None = None
        """Whether its answers have scores; None before any has told."""

    def checker(self, depth: int) -> Checker:
        """Checks answers to queries that ask for this many passages."""
        return Checker(self._name, self._vocabulary, depth, self._strict)

    def differing(self, answers: Sequence[Answer]) -> list[tuple[int, str]]:
        """The queries of a block that got scores where others got none, or none where others got
        some: row, and what is wrong. The first block decides, by what most of its answers have.
        """
        scored = {
            row: answer.scores is not None
            for row, answer in enumerate(answers)
            if isinstance(answer, CheckedAnswer) and answer.rows
        }
        if self.scored is None and scored:
            with_scores = sum(scored.values())
            even = 2 * with_scores == len(scored)
            first = next(iter(scored.values()))
            self.scored = first if even else 2 * with_scores > len(scored)
        now, others = ("no scores", "some") if self.scored else ("scores", "none")
        what = f"returned {now} where other queries got {others}"
        return [(row, what) for row, has_scores in scored.items() if has_scores != self.scored]

    def run(
        self, answers: Sequence[Answer], queries: Queries, depth: int, *, leaves_out: bool = False
    ) -> Run:
        """The run of a block.

        Args:
            answers: to each query; all that are no failures have scores, or none has.
            queries: the block.
            depth: how many passages were asked for.
            leaves_out: whether the values of failed queries are left out of means.
        """
        width = max((len(_rows(answer)) for answer in answers), default=0)
        if all(isinstance(answer, QueryFailure) for answer in answers):
            width = depth  # what was asked for is known, and nothing else
        rows = np.full((len(answers), width), -1, dtype=np.int32)
        scores = np.full(rows.shape, np.nan)
        for at, answer in enumerate(answers):
            found = _rows(answer)
            rows[at, : len(found)] = found
            if isinstance(answer, CheckedAnswer) and answer.scores is not None:
                scores[at, : len(found)] = answer.scores
        kept = None if self.scored is False else scores
        if kept is not None and (kept[:, 1:] > kept[:, :-1]).any():
            self._progress.note(
                _(
                    "{name}: the returned order is not the order of the scores; ranked by "
                    "score, higher first (return a distance as its negative)",
                    name=self._name,
                )
            )
        rows = self._vocabulary.settled(rows)
        run = Run.make(queries.ids, self._vocabulary.ids, rows, kept, name=self._name)
        failures = [answer for answer in answers if isinstance(answer, QueryFailure)]
        return run.with_failures(failures, leaves_out=leaves_out)


def _rows(answer: Answer) -> list[int]:
    return answer.rows if isinstance(answer, CheckedAnswer) else []
