"""scored_from_run: scores by other measures than those that were recorded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ragscore.errors import ConfigError
from ragscore.measures import DEFAULT_MEASURES, Measure, parse_measures
from ragscore.scoring import RetrieverScores, score

if TYPE_CHECKING:
    from ragscore.results.folder import RecordedResult


def scored_from_run(
    result: RecordedResult,
    dataset: str,
    retriever: str,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
) -> RetrieverScores:
    """Scores of a recorded run, as the experiment would have given them.

    Raises:
        MeasureError: a cutoff is above what was recorded.
        DataError: the dataset is not what was searched.
    """
    run, data = result.run(dataset, retriever), result.dataset(dataset)
    n_passages = len(data.corpus) if data.corpus is not None else None
    asked = parse_measures(measures)
    for measure in asked:
        if (
            isinstance(measure.cutoff, int)
            and measure.cutoff > run.depth
            and (n_passages is None or run.depth < n_passages)
        ):
            raise ConfigError(
                f"{measure} has a cutoff above the depth of {run.depth} that was recorded",
                where=str(result.folder),
                instead=f"Ask for a cutoff up to {run.depth}, or run with depth: {measure.cutoff}",
            )
    (entry,) = score(
        run,
        data.qrels,
        asked,
        dataset=dataset,
        retriever=retriever,
        unanswerable=data.queries.unanswerable,
        profile=result.profile,
        recorded=run.depth,
        n_passages=n_passages,
    ).entries
    return entry
