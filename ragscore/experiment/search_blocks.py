"""One retriever's run over all queries, searched a block at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping

from ragscore.described import in_short
from ragscore.errors import RagscoreError, RetrieverError
from ragscore.experiment.journal import KeptAnswers
from ragscore.messages import _
from ragscore.progress import CountedStage, Progress, Stage
from ragscore.retrievers.base import MAX_BLOCK, Index
from ragscore.run import Run

QUICK_BLOCK = 2.0
"""Seconds of asking for a block below which the next one is twice as large: no more than about
twice as many are lost where a run is stopped, and keeping answers costs little beside asking."""


def block_size(left: int, size: int) -> int:
    """How many of the queries that are left are searched next, at most ``size`` and one more: none
    is left alone, as one that is being timed.

    >>> block_size(200, 64), block_size(65, 64), block_size(3, 64)
    (64, 65, 3)
    """
    return min(left, size + 1 if left == size + 1 else size)


def search_blocks(
    name: str,
    index: Index,
    answers: KeptAnswers,
    depth: int,
    inputs: Mapping[str, Run],
    progress: Progress,
) -> Run:
    """The run of a retriever over all queries.

    Args:
        name: the retriever, which the run is named after.
        index: what answers.
        answers: to which queries; those that are answered already are not searched again.
        depth: how many passages a query asks for.
        inputs: the runs of its inputs over the same queries.
        progress: reports the queries answered.

    Raises:
        RetrieverError: the index returned something that is not a run, or raised this itself;
            says how to go on where answers are kept.
    """
    queries = answers.queries
    if (going_on := answers.going_on()) is not None:
        progress.note(answers.noted(going_on))
    for kept in answers.blocks:
        if kept.remembered is not None:
            index.recall(kept.remembered)
    with progress.stage(_("searching {name}", name=name), len(queries), "queries") as stage:
        left = answers.left()
        stage.advance(len(queries) - len(left))
        try:
            size = index.block
            while len(left):
                now = block_size(len(left), size)
                rows, left = left[:now], left[now:]
                whole = len(rows) == len(queries)
                block = queries if whole else queries.select(rows)
                parts = {
                    source: run if whole else run.for_queries(block.ids)
                    for source, run in inputs.items()
                }
                index.answered = answered = CountedStage(stage)
                began = time.perf_counter()
                run = _run_of(index.search(block, depth, parts), name)
                seconds = time.perf_counter() - began
                answers.add(rows, run, seconds, index.remembered(block))
                if answers.key is not None and seconds < QUICK_BLOCK:
                    size = min(2 * size, MAX_BLOCK)
                stage.advance(len(rows) - answered.count)
                index.answered = Stage()
        except KeyboardInterrupt:
            if (note := answers.stopped()) is not None:
                progress.note(answers.noted(note))
            raise
        except RagscoreError as error:
            if (note := answers.stopped()) is not None:
                hint = str(note)
                error.add_hint(f"{hint[0].upper()}{hint[1:]}")
            raise
    return answers.run().renamed(name)


def _run_of(found: object, name: str) -> Run:
    """What an index returned, which has to be a run."""
    if not isinstance(found, Run):
        raise RetrieverError(
            f"search returned {in_short(found)}",
            retriever=name,
            instead="Return a ragscore.Run: Run.make makes one",
        )
    return found
