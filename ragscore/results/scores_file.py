"""scores.parquet back into Scores."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ragscore.errors import DataError, MeasureError
from ragscore.measures import parse_measure
from ragscore.parquet_files import parquet_errors, refuse_too_many_rows
from ragscore.results.summary import RecordedSummary
from ragscore.scoring import RetrieverScores, Scores

if TYPE_CHECKING:
    import polars

COLUMNS = ("dataset", "retriever", "query", "measure", "value")
SAME = 1e-9
"""Two means this near are the same number, summed in another order."""


def read_scores(content: bytes, summary: RecordedSummary, where: str, most_rows: int) -> Scores:
    """The scores that a scores.parquet holds, retrievers and measures in its order.

    Curves over all cutoffs, weights and bounds are not recorded: only a run can tell them.

    Args:
        content: the file's bytes.
        summary: the counts behind the means.
        where: the file, for messages.
        most_rows: rows that it holds by the summary and the manifest; more are not read.

    Raises:
        DataError: it is not a table of scores, or holds more rows.
    """
    import polars

    with parquet_errors("it cannot be read as Parquet", where):
        refuse_too_many_rows(content, most_rows)
        frame = polars.read_parquet(io.BytesIO(content))
    lacking = [name for name in COLUMNS if name not in frame.columns]
    if lacking:
        raise DataError(
            f"it has no column '{lacking[0]}'",
            where=where,
            instead=f"Scores have the columns {', '.join(COLUMNS)}",
        )
    return Scores(tuple(_entries(frame, summary, where)))


def _entries(
    frame: polars.DataFrame, summary: RecordedSummary, where: str
) -> Iterator[RetrieverScores]:
    import polars

    for part in frame.partition_by("dataset", "retriever", maintain_order=True):
        dataset, retriever = str(part["dataset"][0]), str(part["retriever"][0])
        names = part["measure"].unique(maintain_order=True).to_list()
        n_queries, odd = divmod(part.height, len(names))
        queries = part["query"][:n_queries].to_list()
        counts = summary.counted.get((dataset, retriever))
        if odd or counts is None:
            what = f"rows are missing or no count is recorded for {retriever} on {dataset}"
            raise DataError(what, where=where)
        try:
            measures = tuple(map(parse_measure, names))
        except MeasureError as error:
            raise DataError(str(error), where=where) from error
        values = part["value"].cast(polars.Float64).fill_null(np.nan).to_numpy()
        yield RetrieverScores(
            dataset=dataset,
            retriever=retriever,
            query_ids=queries,
            measures=measures,
            resolved={measure: measure for measure in measures},
            values=values.reshape(len(names), n_queries),
            curves={},
            counts=counts,
        )


def odd_means(entry: RetrieverScores, summary: RecordedSummary) -> list[str]:
    """The measures whose recorded mean is not that of the recorded values."""
    odd = []
    for measure, mean in zip(entry.measures, entry.means.tolist(), strict=True):
        wanted = summary.means.get((entry.dataset, entry.retriever, str(measure)), np.nan)
        if not np.isclose(mean, wanted, rtol=SAME, atol=SAME, equal_nan=True):
            odd.append(str(measure))
    return odd
