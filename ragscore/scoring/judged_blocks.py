"""Scores from judged blocks of queries, wherever these come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import MeasureError
from ragscore.judge import QueryCounts, Ranked
from ragscore.measures import Measure
from ragscore.scoring.bounds import UnjudgedBounds, block_bounds
from ragscore.scoring.measured_blocks import (
    MeasuredBlock,
    count,
    curve_means,
    measure_block,
    measured,
)
from ragscore.scoring.retriever_scores import RetrieverScores

DEEPEST = 1_000_000
"""A cutoff below everything that was returned may be this deep."""


class JudgedBlocks(Protocol):
    """What judged blocks can come from; :class:`~ragscore.judge.Blocks` is the one in memory."""

    recorded: int
    """Ranks that the run really has."""

    @property
    def query_counts(self) -> QueryCounts:
        """What became of the queries; known once all blocks were judged."""

    @property
    def query_ids(self) -> list[str]:
        """Ids of the queries, in the order of the blocks; known then too."""

    @property
    def grades(self) -> NDArray[np.float64]:
        """The grades of all judgments, for their scale."""

    def __iter__(self) -> Iterator[Callable[[], Ranked]]:
        """The work of each block."""


def at_depth(measures: Iterable[Measure], depth: int) -> dict[Measure, Measure]:
    """Each measure, and what it is at this depth: ``R@depth`` has its number."""
    return {measure: measure.at_depth(max(depth, 1)) for measure in measures}


def deepest(measures: Iterable[Measure], depth: int) -> int:
    """The depth that a run of ``depth`` must be widened to for all cutoffs.

    Raises:
        MeasureError: it is far deeper than anything that came back.
    """
    within = (measure.within(depth).cutoff for measure in measures)
    most = max([depth, *(cutoff for cutoff in within if isinstance(cutoff, int))])
    if most > max(depth, DEEPEST):
        raise MeasureError(
            f"the cutoff is {most:,}, and no query got more than {depth:,} passages",
            instead=f"Ask for {DEEPEST:,} at most",
        )
    return most


def score_blocks(
    blocks: JudgedBlocks,
    resolved: Mapping[Measure, Measure],
    *,
    dataset: str = "dataset",
    retriever: str = "run",
    unjudged: Literal["keep", "remove"] = "keep",
    bounds: bool = False,
) -> RetrieverScores:
    """Measure judged blocks, wherever they come from: a Run in memory, or a file while it is read.

    Args:
        blocks: iterating gives the work of each block; see :class:`~ragscore.judge.Blocks`.
        resolved: by measure as requested, the one with its cutoff as a number; see
            :func:`at_depth`.
        dataset, retriever: names for the result.
        unjudged, bounds: see :func:`score`.

    Raises:
        MeasureError: bounds are wanted, and the unjudged passages are removed.
    """
    if bounds and unjudged == "remove":
        raise MeasureError(
            "bounds ask what the unjudged passages could change, and unjudged=remove drops them",
            instead="Leave one of the two out",
        )

    measures = tuple(dict.fromkeys(resolved.values()))
    # The grades that a passage may have, had it been judged.
    scale = np.unique(blocks.grades[blocks.grades > 0]) if bounds else np.empty(0)

    def measure(judged: Ranked) -> MeasuredBlock:
        if unjudged == "remove":
            judged = judged.dense().condensed()
        block = measure_block(judged, measures, blocks.recorded)
        if not bounds:
            return block
        return replace(block, bounds=block_bounds(judged.dense(), measures, scale))

    done = list(measured(blocks, measure))
    query_ids = blocks.query_ids
    cutoffs = {m.cutoff for m in measures if isinstance(m.cutoff, int)} | {blocks.recorded}
    return RetrieverScores(
        dataset=dataset,
        retriever=retriever,
        query_ids=query_ids,
        measures=measures,
        resolved=resolved,
        values=np.concatenate([block.values for block in done], axis=1),
        weights={m: np.concatenate([b.weights[m] for b in done]) for m in done[0].weights},
        curves={name: curve_means([b.curves[name] for b in done]) for name in done[0].curves},
        counts=count(done, blocks.query_counts, len(query_ids), cutoffs),
        bounds=UnjudgedBounds.of(done, measures, scale) if bounds else None,
        dropped=blocks.query_counts.dropped,
    )
