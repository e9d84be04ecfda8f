"""One retriever's run over all queries, searched a block at a time."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.dataset import Queries
from ragscore.described import in_short
from ragscore.errors import RetrieverError
from ragscore.progress import STAGES, Progress, Stage
from ragscore.retrievers.base import Index
from ragscore.run import Run, concatenate


class _Answered(Stage):
    """Counts the queries that an index reports while it answers a block, and passes them on."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.count = 0

    def advance(self, count: int = 1) -> None:
        self.count += count
        self.stage.advance(count)


def search_blocks(
    name: str,
    index: Index,
    queries: Queries,
    depth: int,
    inputs: Mapping[str, Run],
    progress: Progress,
) -> Run:
    """The run of a retriever over all queries.

    Args:
        name: the retriever, which the run is named after.
        index: what answers.
        queries: all of them; a block has as many as the index says.
        depth: how many passages a query asks for.
        inputs: the runs of its inputs over the same queries.
        progress: is notified of the queries answered.

    Raises:
        RetrieverError: the index returned something that is not a run, or raised this itself.
    """
    blocks = []
    with progress.stage(STAGES.note("searching", name=name), len(queries), "queries") as stage:
        for start in range(0, len(queries), index.block):
            rows = range(start, min(start + index.block, len(queries)))
            whole = len(rows) == len(queries)
            block = queries if whole else queries.select(rows)
            parts = {
                source: run if whole else run.for_queries(block.ids)
                for source, run in inputs.items()
            }
            index.answered = answered = _Answered(stage)
            blocks.append(_run_of(index.search(block, depth, parts), name))
            stage.advance(len(rows) - answered.count)
            index.answered = Stage()
    return concatenate(blocks).renamed(name)


def _run_of(found: object, name: str) -> Run:
    """What an index returned, which has to be a run."""
    if not isinstance(found, Run):
        raise RetrieverError(
            f"search returned {in_short(found)}",
            retriever=name,
            instead="Return a ragscore.Run: Run.make makes one",
        )
    return found
