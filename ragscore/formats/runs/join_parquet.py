"""Recorded runs, joined with the qrels while they are read, some row groups at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import DataError
from ragscore.formats.datasets.qrels_columns import QrelsColumns
from ragscore.formats.reading.file_pieces import on_all_cores
from ragscore.formats.reading.parquet_limits import refuse_too_many_rows
from ragscore.formats.reading.polars_texts import PolarsTexts
from ragscore.formats.reading.rows_by_query import RowsByQuery
from ragscore.formats.runs.join_rows import Part, join_rows
from ragscore.formats.runs.parquet import About, holds_no_ids, run_columns

if TYPE_CHECKING:
    import polars

BATCH_ROWS = 1 << 18
UNGROUPED = 1 << 62


class OddRowsError(Exception):
    """The fast way is not sure of this file. Never leaves this package."""


class ParquetRun:
    """A file of :func:`~ragscore.formats.write_parquet_run`, or any with its columns.

    Raises:
        OddRowsError: it cannot be read, or is not quite such a file.
    """

    def __init__(self, path: Path) -> None:
        import polars

        try:
            refuse_too_many_rows(path, texts=False)  # no value is a text of its own
            self._rows = polars.scan_parquet(path, glob=False)
            schema = self._rows.collect_schema()
            about = About.of(path)
            name_of = run_columns(schema.names())
        except (DataError, OSError, ValueError, polars.exceptions.PolarsError) as error:
            raise OddRowsError from error
        # A column takes a fraction of the memory of a list of texts.
        listed = about.queries
        self.about = about.model_copy(update={"queries": None})
        self._queries = None if listed is None else PolarsTexts.of(listed)
        self._scored = "score" in name_of if about.scored is None else about.scored
        wanted: dict[str, polars.DataType] = {
            "query": polars.String(),
            "passage": polars.String(),
        }
        if self._scored:
            wanted["score"] = polars.Float64()
        if "rank" in name_of:
            floats = schema[name_of["rank"]].is_float()
            if floats and not self._scored:  # whole numbers, or an error
                raise OddRowsError
            wanted["rank"] = polars.Float64() if floats else polars.Int64()
        if not set(wanted) <= set(name_of) or len(wanted) == 2:
            raise OddRowsError
        if any(holds_no_ids(schema[name_of[column]]) for column in ("query", "passage")):
            raise OddRowsError
        self._rows = self._rows.select(
            polars.col(name_of[column]).cast(kind).alias(column) for column, kind in wanted.items()
        )

    @property
    def queries(self) -> PolarsTexts | None:
        """All queries that were asked, also those without results; None where it is not said."""
        return self._queries

    def parts(self, qrels: QrelsColumns, *, whole: bool = False) -> Iterator[Part]:
        """The joined batches of rows; the last query of a batch waits for the next one.

        Args:
            qrels: the judgments.
            whole: as one batch, for a file where rows of a query are far from each other.

        Raises:
            OddRowsError: some rows may not be what they should be.
        """
        import polars

        qrels = qrels.of_kind(PolarsTexts)
        frames = self._batches(UNGROUPED if whole else BATCH_ROWS)
        try:
            yield from on_all_cores(partial(self._joined, frame, qrels) for frame in frames)
        except polars.exceptions.PolarsError as error:
            raise OddRowsError from error

    def _batches(self, size: int) -> Iterator[polars.DataFrame]:
        import polars

        if size == UNGROUPED:
            yield self._rows.collect()
            return
        held: polars.DataFrame | None = None
        for batch in self._rows.collect_batches(chunk_size=size, maintain_order=True):
            frame = batch if held is None else polars.concat([held, batch])
            last = frame["query"].rle().struct.field("len")[-1] if frame.height else 0
            held = frame.tail(last)
            if frame.height > last:
                yield frame.head(frame.height - last)
        if held is not None:
            yield held

    def _joined(self, frame: polars.DataFrame, qrels: QrelsColumns) -> Part:
        if any(frame.null_count().row(0)):
            raise OddRowsError
        scores = frame["score"].to_numpy() if self._scored else None
        if scores is not None and not np.isfinite(scores).all():
            raise OddRowsError
        rows = _grouped(frame, scores)
        if "rank" in frame.columns and not _in_order(frame, rows, strictly=not self._scored):
            raise OddRowsError
        return join_rows(rows, qrels)


def _grouped(frame: polars.DataFrame, numbers: NDArray[Any] | None) -> RowsByQuery:
    return RowsByQuery.of(PolarsTexts(frame["query"]), PolarsTexts(frame["passage"]), numbers)


def _in_order(frame: polars.DataFrame, rows: RowsByQuery, *, strictly: bool) -> bool:
    """Whether no rank is smaller than the one before it in the same query; nor equal to it,
    where ``strictly``."""
    if not rows.in_given_order:
        regrouped = _grouped(frame, frame["rank"].to_numpy())
        ranks = regrouped.numbers if regrouped.numbers is not None else np.empty(0)
    else:
        ranks = frame["rank"].to_numpy()
    falls = ranks[1:] <= ranks[:-1] if strictly else ranks[1:] < ranks[:-1]
    falls[rows.starts[1:] - 1] = False
    return not falls.any()
