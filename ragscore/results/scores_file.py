"""scores.parquet and summary.json back into Scores."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from ragscore.errors import DataError, MeasureError
from ragscore.formats.reading.parquet_limits import refuse_too_many_rows
from ragscore.measures import parse_measure
from ragscore.results.manifest_file import parse_json
from ragscore.scoring import CountRow, Counts, RetrieverScores, ScoreRow, Scores

COLUMNS = ("dataset", "retriever", "query", "measure", "value")
SAME = 1e-9
"""Two means this near are the same number, summed in another order."""


class _Summary(BaseModel):
    model_config = ConfigDict(extra="ignore")

    results: list[ScoreRow]
    counts: list[CountRow]


class RecordedMeans(BaseModel):
    """summary.json as far as scores need it: counts, and means by dataset, retriever, measure."""

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    counts: Mapping[tuple[str, str], Counts]
    means: Mapping[tuple[str, str, str], float]


def read_summary(content: bytes, where: str) -> RecordedMeans:
    """The counts and means of a summary.json.

    Raises:
        DataError: it is not one.
    """
    try:
        summary = _Summary.model_validate(parse_json(content))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"it is not a valid summary: {place}: {first['msg']}", where=where
        ) from error
    except ValueError as error:
        raise DataError(f"it is not a valid summary: {error}", where=where) from error
    return RecordedMeans(
        counts={(row.dataset, row.retriever): row.counts for row in summary.counts},
        means={(row.dataset, row.retriever, row.measure): row.value for row in summary.results},
    )


def read_scores(
    content: bytes, counts: Mapping[tuple[str, str], Counts], where: str, most_rows: int
) -> Scores:
    """The scores that a scores.parquet holds, retrievers and measures in its order.

    What only a run can tell is not there: curves over all cutoffs, weights, bounds.

    Args:
        content: the file's bytes.
        counts: what stands behind the means, by (dataset, retriever).
        where: the file, for messages.
        most_rows: rows that it holds by the summary and the manifest; more are not read.

    Raises:
        DataError: it is not a table of scores, or holds more rows.
    """
    import polars

    try:
        refuse_too_many_rows(content, most_rows)
        frame = polars.read_parquet(io.BytesIO(content))
    except (OSError, ValueError, polars.exceptions.PolarsError) as error:
        first = str(error).partition("\n")[0]
        raise DataError(f"it cannot be read as Parquet: {first}", where=where) from error
    lacking = [name for name in COLUMNS if name not in frame.columns]
    if lacking:
        raise DataError(
            f"it has no column '{lacking[0]}'",
            where=where,
            instead=f"Scores have the columns {', '.join(COLUMNS)}",
        )
    return Scores(tuple(_entries(frame, counts, where)))


def _entries(
    frame: object, counts: Mapping[tuple[str, str], Counts], where: str
) -> Iterator[RetrieverScores]:
    import polars

    assert isinstance(frame, polars.DataFrame)
    parts = frame.partition_by("dataset", "retriever", maintain_order=True)
    for part in parts:
        key = (str(part["dataset"][0]), str(part["retriever"][0]))
        names = part["measure"].unique(maintain_order=True).to_list()
        n_queries, odd = divmod(part.height, len(names))
        queries = part["query"][:n_queries].to_list()
        if odd or key not in counts:
            what = f"rows are missing or no count is recorded for {key[1]} on {key[0]}"
            raise DataError(what, where=where)
        try:
            measures = tuple(map(parse_measure, names))
        except MeasureError as error:
            raise DataError(str(error), where=where) from error
        values = part["value"].cast(polars.Float64).fill_null(np.nan).to_numpy()
        yield RetrieverScores(
            dataset=key[0],
            retriever=key[1],
            query_ids=queries,
            measures=measures,
            resolved={measure: measure for measure in measures},
            values=values.reshape(len(names), n_queries),
            curves={},
            counts=counts[key],
        )


def odd_means(entry: RetrieverScores, recorded: RecordedMeans) -> list[str]:
    """The measures whose recorded mean is not that of the recorded values."""
    odd = []
    for measure, mean in zip(entry.measures, entry.means.tolist(), strict=True):
        wanted = recorded.means.get((entry.dataset, entry.retriever, str(measure)), np.nan)
        if not np.isclose(mean, wanted, rtol=SAME, atol=SAME, equal_nan=True):
            odd.append(str(measure))
    return odd
