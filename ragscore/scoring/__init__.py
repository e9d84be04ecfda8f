"""score(run, qrels, measures) -> Scores: judge once, read every measure off its curve.

Per-query values are kept at the named cutoffs; at all cutoffs only sums are kept, so that
memory grows with the queries times the named measures, never times the depth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from ragscore.dataset import Qrels
from ragscore.judge import judge_blocks
from ragscore.measures import DEFAULT_MEASURES, Measure, parse_measures
from ragscore.run import Returned, Run
from ragscore.scoring.blocks import count, curve_means, measure_block
from ragscore.scoring.scores import Counts, CurveMeans, RetrieverScores, ScoreRow, Scores

__all__ = ["Counts", "CurveMeans", "RetrieverScores", "ScoreRow", "Scores", "score"]

AnyRun = Run | Mapping[str, Returned]
AnyQrels = Qrels | Mapping[str, Mapping[str, float] | Sequence[str]]


def score(
    run: AnyRun,
    qrels: AnyQrels,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    dataset: str = "dataset",
    retriever: str | None = None,
    unanswerable: Collection[str] = (),
) -> Scores:
    """Judge a run and measure it.

    Args:
        run: a Run, or ``{query id: {passage id: score} or [ids best first]}``.
        qrels: Qrels, or ``{query id: {passage id: grade} or [ids]}``.
        measures: texts or measures; ``R@depth`` is taken at the run's depth.
        dataset, retriever: names for the result; the retriever's is the run's by default.
        unanswerable: ids of queries that have no answer: left out of all means, and counted.

    >>> scores = score({"q": ["b", "a"]}, {"q": {"a": 1}}, ["RR", "P@2"])
    >>> scores.to_dict()
    {'dataset': {'run': {'RR': 0.5, 'P@2': 0.5}}}

    Raises:
        MeasureError: a measure cannot be parsed.
        DataError: a score or grade is not a finite number.
    """
    if not isinstance(run, Run):
        run = Run.from_dict(run)
    if not isinstance(qrels, Qrels):
        qrels = Qrels.from_dict(qrels)
    if not qrels.passages.starts_with(run.passages):
        vocabulary = run.passages.extended(qrels.passages)
        run, qrels = run.onto(vocabulary), qrels.onto(vocabulary)
    wanted = tuple(
        dict.fromkeys(measure.at_depth(max(run.depth, 1)) for measure in parse_measures(measures))
    )
    cutoffs = [measure.cutoff for measure in wanted if isinstance(measure.cutoff, int)]
    depth = max([run.depth, *cutoffs])
    blocks = [
        measure_block(judged, wanted, run.depth)
        for judged in judge_blocks(run, qrels, depth=depth, leave_out=unanswerable)
    ]
    query_rows = np.concatenate([block.query_rows for block in blocks])
    entry = RetrieverScores(
        dataset=dataset,
        retriever=retriever if retriever is not None else run.name,
        query_ids=[qrels.queries[int(row)] for row in query_rows],
        measures=wanted,
        values=np.concatenate([block.values for block in blocks], axis=1),
        curves={name: curve_means([b.curves[name] for b in blocks]) for name in blocks[0].curves},
        counts=count(run, qrels, blocks, unanswerable, {*cutoffs, run.depth}),
    )
    return Scores((entry,))
