"""score(run, qrels, measures) -> Scores: judge once, read every measure off its curve.

Per-query values are kept at the named cutoffs; at all cutoffs only sums are kept, so that
memory grows with the queries times the named measures, never times the depth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

import numpy as np

from ragscore.dataset import Qrels
from ragscore.judge import Asked, Blocks, Judged
from ragscore.measures import DEFAULT_MEASURES, Measure, parse_measures
from ragscore.run import Returned, Run
from ragscore.scoring.blocks import Block, count, curve_means, measure_block, measured
from ragscore.scoring.scores import Counts, CurveMeans, RetrieverScores, ScoreRow, Scores

__all__ = [
    "Counts",
    "CurveMeans",
    "RetrieverScores",
    "ScoreRow",
    "Scores",
    "Source",
    "at_depth",
    "deepest",
    "score",
    "score_blocks",
]

AnyRun = Run | Mapping[str, Returned]
AnyQrels = Qrels | Mapping[str, Mapping[str, float] | Sequence[str]]


class Source(Protocol):
    """What judged blocks can come from; :class:`~ragscore.judge.Blocks` is the one in memory."""

    recorded: int
    """Ranks that the run really has."""

    @property
    def asked(self) -> Asked:
        """What became of the queries; known once all blocks were judged."""

    @property
    def query_ids(self) -> list[str]:
        """Ids of the queries, in the order of the blocks; known then too."""

    def __iter__(self) -> Iterator[Callable[[], Judged]]:
        """The work of each block."""


def score(
    run: AnyRun,
    qrels: AnyQrels,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    dataset: str = "dataset",
    retriever: str | None = None,
    unanswerable: Collection[str] = (),
    depth: int | None = None,
    missing: Literal["zero", "drop"] = "zero",
    unjudged: Literal["keep", "remove"] = "keep",
    n_passages: int | None = None,
) -> Scores:
    """Judge a run and measure it.

    Args:
        run: a Run, or ``{query id: {passage id: score} or [ids best first]}``.
        qrels: Qrels, or ``{query id: {passage id: grade} or [ids]}``.
        measures: texts or measures; ``R@depth`` is taken at the run's depth.
        dataset, retriever: names for the result; the retriever's is the run's by default.
        unanswerable: ids of queries that have no answer: left out of all means, and counted.
        depth: look at this many passages of each query only; by default all.
        missing: a judged query that the run lacks scores ``zero``, or is ``drop``ped.
        unjudged: ``remove`` takes passages that nobody judged out of the ranking, so that those
            below move up (condensed lists).
        n_passages: number of passages in the corpus, for the measures that need it (AUC).

    >>> scores = score({"q": ["b", "a"]}, {"q": {"a": 1}}, ["RR", "P@2"])
    >>> scores.to_dict()
    {'dataset': {'run': {'RR': 0.5, 'P@2': 0.5}}}

    Raises:
        MeasureError: a measure cannot be parsed, or needs what is not given.
        DataError: a score or grade is not a finite number.
    """
    if not isinstance(run, Run):
        run = Run.from_dict(run)
    if not isinstance(qrels, Qrels):
        qrels = Qrels.from_dict(qrels)
    if not qrels.passages.starts_with(run.passages):
        vocabulary = run.passages.extended(qrels.passages)
        run, qrels = run.onto(vocabulary), qrels.onto(vocabulary)
    run = run.cut(depth) if depth is not None else run
    wanted = at_depth(parse_measures(measures), run.depth)
    blocks = Blocks(
        run,
        qrels,
        depth=deepest(wanted, run.depth),
        leave_out=unanswerable,
        missing=missing,
        n_passages=n_passages,
    )
    name = retriever if retriever is not None else run.name
    return score_blocks(blocks, wanted, dataset=dataset, retriever=name, unjudged=unjudged)


def at_depth(measures: Iterable[Measure], depth: int) -> tuple[Measure, ...]:
    """The measures, each once, ``R@depth`` with its number."""
    return tuple(dict.fromkeys(measure.at_depth(max(depth, 1)) for measure in measures))


def deepest(measures: Iterable[Measure], depth: int) -> int:
    """The depth that a run of ``depth`` must be widened to for all cutoffs."""
    return max([depth, *(m.cutoff for m in measures if isinstance(m.cutoff, int))])


def score_blocks(
    blocks: Source,
    measures: tuple[Measure, ...],
    *,
    dataset: str = "dataset",
    retriever: str = "run",
    unjudged: Literal["keep", "remove"] = "keep",
) -> Scores:
    """Measure judged blocks, wherever they come from: a Run in memory, or a file while it is read.

    Args:
        blocks: iterating gives the work of each block; see :class:`~ragscore.judge.Blocks`.
        measures: with cutoffs as numbers.
        dataset, retriever: names for the result.
        unjudged: see :func:`score`.
    """

    def measure(judged: Judged) -> Block:
        if unjudged == "remove":
            judged = judged.condensed()
        return measure_block(judged, measures, blocks.recorded)

    done = list(measured(blocks, measure))
    query_ids = blocks.query_ids
    cutoffs = {m.cutoff for m in measures if isinstance(m.cutoff, int)} | {blocks.recorded}
    entry = RetrieverScores(
        dataset=dataset,
        retriever=retriever,
        query_ids=query_ids,
        measures=measures,
        values=np.concatenate([block.values for block in done], axis=1),
        curves={name: curve_means([b.curves[name] for b in done]) for name in done[0].curves},
        counts=count(done, blocks.asked, len(query_ids), cutoffs),
    )
    return Scores((entry,))
