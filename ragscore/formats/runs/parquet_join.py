"""Recorded runs, joined with the qrels while they are read, some row groups at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_qrels import TextQrels
from ragscore.errors import DataError
from ragscore.formats.reading.file_pieces import on_all_cores
from ragscore.formats.reading.parquet_limits import refuse_too_many_rows
from ragscore.formats.reading.problems import shown
from ragscore.formats.runs.base import RunFormat
from ragscore.formats.runs.parquet import About, holds_no_ids, read_parquet_run, run_columns
from ragscore.judge import JoinedRun, SplitQueryError
from ragscore.judge.join import JoinedRows, join_rows
from ragscore.judge.rows_by_query import RowsByQuery

if TYPE_CHECKING:
    import polars

BATCH_ROWS = 1 << 18
UNGROUPED = 1 << 62


class OddRowsError(Exception):
    """The fast way is not sure of this file. Never leaves this module."""


def join_parquet_run(
    path: Path, qrels: TextQrels, *, name: str | None = None, strict: bool = False
) -> JoinedRun | None:
    """A file of :func:`~ragscore.formats.write_parquet_run`, or any with its columns, joined with
    judgments; None where :func:`~ragscore.formats.runs.parquet.read_parquet_run` must look.

    Raises:
        DataError: the recorded depth cannot be true.
    """
    try:
        file = _ParquetRun(path)
        name = name or file.about.name or path.stem
        try:
            run = JoinedRun.of(file.pieces(qrels), qrels, name=name)
        except SplitQueryError:
            run = JoinedRun.of(file.pieces(qrels, whole=True), qrels, name=name)
    except OddRowsError:
        return None
    if strict and run.duplicates:
        return None
    if file.queries is not None:
        of_all = run.with_queries(file.queries, qrels)
        if len(of_all) != len(file.queries):
            return None  # some row names a query that the list lacks
        run = of_all
    return replace(
        run,
        depth=file.about.depth_of(run.depth, shown(path)),
        duplicates=run.duplicates + file.about.duplicates,
    )


class _ParquetRun:
    """The rows of a file and what its metadata says.

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
        self._queries = None if listed is None else ByteTexts.of(listed)
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
    def queries(self) -> ByteTexts | None:
        """All queries that were searched; None where the file does not list them."""
        return self._queries

    def pieces(self, qrels: TextQrels, *, whole: bool = False) -> Iterator[JoinedRows]:
        """The joined batches of rows; the last query of a batch waits for the next one.

        Args:
            qrels: the judgments.
            whole: as one batch, for a file where rows of a query are far from each other.

        Raises:
            OddRowsError: some rows may not be what they should be.
        """
        import polars

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

    def _joined(self, frame: polars.DataFrame, qrels: TextQrels) -> JoinedRows:
        if any(frame.null_count().row(0)):
            raise OddRowsError
        scores = frame["score"].to_numpy() if self._scored else None
        if scores is not None and not np.isfinite(scores).all():
            raise OddRowsError
        runs = frame["query"].rle().struct
        rows = RowsByQuery.of_runs(
            _byte_texts(runs.field("value")),
            runs.field("len").to_numpy().astype(np.int64),
            _byte_texts(frame["passage"]),
            scores,
        )
        if "rank" in frame.columns:
            ranks = frame["rank"].to_numpy()
            if not _in_order(ranks, rows, strictly=not self._scored):
                raise OddRowsError
        return join_rows(rows, qrels)


def _byte_texts(column: polars.Series) -> ByteTexts:
    """The texts of a column without nulls."""
    lengths = column.str.len_bytes().to_numpy().astype(np.int64)
    return ByteTexts.packed(column.str.join("").item().encode(), lengths)


def _in_order(ranks: NDArray[np.number[Any]], rows: RowsByQuery, *, strictly: bool) -> bool:
    """Whether no rank is smaller than the one before it in the same query; nor equal to it,
    where ``strictly``."""
    if rows.order is not None:
        ranks = ranks[rows.order]
    falls = ranks[1:] <= ranks[:-1] if strictly else ranks[1:] < ranks[:-1]
    falls[rows.starts[1:] - 1] = False
    return not falls.any()


FORMAT = RunFormat(
    description="columns query, passage, and rank or score; how ragscore records runs",
    description_ko="query, passage 열과 rank 또는 score 열; ragscore가 검색 결과를 기록하는 형식",
    suffixes=(".parquet",),
    read=read_parquet_run,
    join=join_parquet_run,
)
