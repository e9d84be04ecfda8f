"""Scores from judged blocks of queries, wherever these come from.

Each is measured by itself (:mod:`ragscore.scoring.measured_blocks`); here they are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import MeasureError
from ragscore.judge import LeftOut, QueryCounts, Ranked
from ragscore.measures import Measure
from ragscore.scoring.bounds import UnjudgedBounds, block_bounds
from ragscore.scoring.counts import Counts
from ragscore.scoring.means import curve_means
from ragscore.scoring.measured_blocks import MeasuredBlock, measure_block, measured
from ragscore.scoring.retriever_scores import RetrieverScores

DEEPEST = 1_000_000
"""A cutoff below everything that was returned may be this deep."""


class JudgedBlocks(Protocol):
    """What judged blocks can come from; :class:`~ragscore.judge.Blocks` is the one in memory."""

    recorded: int
    """Ranks that the run really has."""

    @property
    def query_counts(self) -> QueryCounts:
        """Which queries were judged or missing; known once all blocks were judged."""

    @property
    def query_ids(self) -> list[str]:
        """Ids of the queries, in the order of the blocks; known then too."""

    @property
    def left_out(self) -> LeftOut | None:
        """Judged queries that have no values; known then too."""

    @property
    def tied(self) -> NDArray[np.int64] | None:
        """By cutoff from 0, the queries with a tie across it; None if the blocks say it."""

    @property
    def whole(self) -> bool:
        """Whether every passage is judged, though few of them are named: evidence in documents says
        of each whether it holds some."""

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
    cutoffs = {m.cutoff for m in measures if isinstance(m.cutoff, int)} | {blocks.recorded}
    bounded = [block.bounds for block in done if block.bounds is not None]
    left_out, counted = blocks.left_out, done
    if left_out is not None:
        counted = [*done, measure(left_out.judge())]
    query_ids = _with(left_out, blocks.query_ids)
    entry = RetrieverScores(
        dataset=dataset,
        retriever=retriever,
        query_ids=query_ids,
        measures=measures,
        resolved=resolved,
        values=_spread(left_out, np.concatenate([block.values for block in done], axis=1), np.nan),
        weights={
            m: _spread(left_out, np.concatenate([b.weights[m] for b in done]), 0.0)
            for m in done[0].weights
        },
        curves={name: curve_means([b.curves[name] for b in done]) for name in done[0].curves},
        counts=count(counted, blocks, len(query_ids), cutoffs),
        dropped=blocks.query_counts.dropped,
    )
    if not bounds:
        return entry
    known = _spread(left_out, np.concatenate(bounded, axis=2), np.nan)
    shared = any(block.shared_needs for block in done)
    found = UnjudgedBounds.of([known], measures, scale, shared_needs=shared)
    return replace(entry, bounds=found)


def _with(left_out: LeftOut | None, query_ids: list[str]) -> list[str]:
    """The ids of the queries of the blocks and of those that have no values, in order."""
    if left_out is None:
        return query_ids
    texts = np.array(query_ids, dtype=object)
    return [str(text) for text in np.insert(texts, left_out.places, left_out.query_ids)]


def _spread(
    left_out: LeftOut | None, values: NDArray[np.float64], fill: float
) -> NDArray[np.float64]:
    """Values whose last axis is the queries of the blocks, with those that have none between."""
    if left_out is None:
        return values
    return np.insert(values, left_out.places, fill, axis=-1)


def count(
    blocks: list[MeasuredBlock], judged_blocks: JudgedBlocks, queries: int, cutoffs: set[int]
) -> Counts:
    """How many queries the means rest on, from the blocks, that of the queries without values
    among them, and from what became of the others."""
    query_counts, left_out = judged_blocks.query_counts, judged_blocks.left_out
    nothing = sum(block.empty for block in blocks)
    tied = judged_blocks.tied
    if tied is None:
        tied = np.sum([block.tied for block in blocks], axis=0)
    returned = np.cumsum(np.sum([block.returned for block in blocks], axis=0))
    judged = np.cumsum(np.sum([block.judged for block in blocks], axis=0))
    tied_at = {k: int(tied[k]) if k < len(tied) else 0 for k in sorted(cutoffs)}
    return Counts(
        queries=queries,
        missing=query_counts.missing,
        empty=nothing - query_counts.missing - query_counts.failed,
        without_relevant=sum(block.without_relevant for block in blocks),
        unanswerable=query_counts.unanswerable,
        answered_unanswerable=query_counts.answered_unanswerable,
        without_judgments=query_counts.without_judgments,
        returned=int(returned[-1]) if len(returned) else 0,
        duplicates=query_counts.duplicates,
        largest_grade=max(block.largest_grade for block in blocks),
        tied=tied_at,
        tied_share={k: across / max(queries, 1) for k, across in tied_at.items()},
        unjudged={
            cutoff: 1.0 - float(judged[at] / returned[at])
            for cutoff, at in ((k, min(k, len(returned)) - 1) for k in sorted(cutoffs))
            if at >= 0 and returned[at] and not judged_blocks.whole
        },
        failed=query_counts.failed,
        left_out=len(left_out.query_ids) if left_out is not None else 0,
    )
