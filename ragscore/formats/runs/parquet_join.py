"""Recorded runs, joined with the qrels while they are read, some row groups at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_texts import ByteTexts, TextLookup
from ragscore.errors import DataError
from ragscore.formats.reading.file_pieces import on_all_cores
from ragscore.formats.reading.problems import shown
from ragscore.formats.runs.base import PartRows, RunFormat
from ragscore.formats.runs.parquet import About, holds_no_ids, read_parquet_run, run_columns
from ragscore.judge import JoinedPart, JoinTo, SplitQueryError
from ragscore.judge.joined_part import JoinedPiece, NothingAtEdgeError, at_ends
from ragscore.judge.rows_by_query import RepeatedRankError, RowsByQuery
from ragscore.parquet_files import (
    ParquetError,
    parquet_errors,
    reading_parquet,
    refuse_too_many_rows,
)

if TYPE_CHECKING:
    import polars

BATCH_ROWS = 1 << 18
UNGROUPED = 1 << 62


class OddRowsError(Exception):
    """The fast way is not sure of this file. Never leaves this module."""


def join_parquet_run(path: Path, to: JoinTo) -> JoinedPart | None:
    """A file of :func:`~ragscore.formats.write_parquet_run`, or any with its columns, joined with
    judgments; None if :func:`~ragscore.formats.runs.parquet.read_parquet_run` must look.

    Raises:
        DataError: the recorded depth cannot be true.
    """
    try:
        file = _ParquetRun(path)
        try:
            part = JoinedPart.of(file.pieces(to), to)
        except (SplitQueryError, NothingAtEdgeError):
            part = JoinedPart.of(file.pieces(to, whole=True), to)
    except (OddRowsError, RepeatedRankError):
        return None
    part = replace(
        part,
        listed=file.queries,
        depth=file.about.depth_of(part.deepest, shown(path)),
        duplicates=file.about.duplicates,
        name=file.about.name,
    )
    return part if part.lists_all(to) else None


class _ParquetRun:
    """The rows of a file and what its metadata says.

    Raises:
        OddRowsError: it cannot be read, or is not quite such a file.
    """

    def __init__(self, path: Path) -> None:
        import polars

        try:
            with reading_parquet():
                # no value is a text of its own
                self._count = refuse_too_many_rows(path, texts=False)
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
            wanted["rank"] = polars.Float64() if floats else polars.Int64()
        if not set(wanted) <= set(name_of) or len(wanted) == 2:
            raise OddRowsError
        if any(holds_no_ids(schema[name_of[column]]) for column in ("query", "passage")):
            raise OddRowsError
        if any(schema[name_of[column]].is_temporal() for column in wanted):
            raise OddRowsError
        self._rows = self._rows.select(
            polars.col(name_of[column]).cast(kind).alias(column) for column, kind in wanted.items()
        )

    @property
    def queries(self) -> ByteTexts | None:
        """All queries that were searched; None if the file does not list them."""
        return self._queries

    def pieces(self, to: JoinTo, *, whole: bool = False) -> Iterator[JoinedPiece]:
        """The joined batches of rows; the last query of a batch waits for the next one.

        Args:
            to: the judgments.
            whole: as one batch, for a file where rows of a query are far from each other.

        Raises:
            OddRowsError: some rows may not be what they should be.
        """
        import polars

        frames = at_ends(self._batches(UNGROUPED if whole else BATCH_ROWS))
        joined = (
            partial(self._joined, frame, to, first=first, last=last)
            for frame, first, last in frames
        )
        try:
            with reading_parquet():
                yield from on_all_cores(joined)
        except (ParquetError, polars.exceptions.PolarsError) as error:
            raise OddRowsError from error

    def _batches(self, size: int) -> Iterator[polars.DataFrame]:
        import polars

        if size == UNGROUPED:
            yield self._rows.collect()
            return
        held: polars.DataFrame | None = None
        count = 0
        for batch in self._rows.collect_batches(chunk_size=size, maintain_order=True):
            count += batch.height
            frame = batch if held is None else polars.concat([held, batch])
            last = frame["query"].rle().struct.field("len")[-1] if frame.height else 0
            held = frame.tail(last)
            if frame.height > last:
                yield frame.head(frame.height - last)
        if count != self._count:  # where polars panics, batches end as if there were no more
            raise OddRowsError
        if held is not None:
            yield held

    def _joined(
        self, frame: polars.DataFrame, to: JoinTo, *, first: bool, last: bool
    ) -> JoinedPiece:
        return JoinedPiece.of(self._rows_of(frame), to, first=first, last=last)

    def whole(self) -> RowsByQuery:
        """All rows.

        Raises:
            OddRowsError: some may not be what they should be.
        """
        import polars

        try:
            with reading_parquet():
                return self._rows_of(self._rows.collect())
        except (ParquetError, polars.exceptions.PolarsError) as error:
            raise OddRowsError from error

    def _rows_of(self, frame: polars.DataFrame) -> RowsByQuery:
        if any(frame.null_count().row(0)):
            raise OddRowsError
        scores = frame["score"].to_numpy() if self._scored else None
        if scores is not None and not np.isfinite(scores).all():
            raise OddRowsError
        ranks = frame["rank"].to_numpy() if "rank" in frame.columns else None
        if not self._scored and not _whole(ranks):
            raise OddRowsError
        runs = frame["query"].rle().struct
        return RowsByQuery.of_runs(
            _byte_texts(runs.field("value")),
            runs.field("len").to_numpy().astype(np.int64),
            _byte_texts(frame["passage"]),
            scores,
            ranks,
        )


def _whole(ranks: NDArray[Any] | None) -> bool:
    """Whether all ranks are whole numbers."""
    return ranks is None or ranks.dtype.kind != "f" or bool((ranks == np.floor(ranks)).all())


def _byte_texts(column: polars.Series) -> ByteTexts:
    """The texts of a column without nulls."""
    lengths = column.str.len_bytes().to_numpy().astype(np.int64)
    return ByteTexts.packed(column.str.join("").item().encode(), lengths)


def rows_of_parquet(path: Path) -> PartRows:
    """The rows of one part of a run, and what its metadata says.

    Raises:
        DataError: as :func:`~ragscore.formats.runs.parquet.read_parquet_run`; or some rows have a
            rank and some have none.
    """
    try:
        file = _ParquetRun(path)
        rows = file.whole()
        rows.in_order_of_ranks()
        if file.queries is not None and (TextLookup(file.queries).rows(rows.query_ids) < 0).any():
            raise OddRowsError
        deepest = int(rows.counts.max(initial=0))
        depth = file.about.depth_of(deepest, shown(path))
        return PartRows(rows, file.queries, depth, file.about.duplicates)
    except (OddRowsError, RepeatedRankError):
        read_parquet_run(path)  # whose error says what is wrong
    raise DataError(
        "some of its rows have a rank and some have none",
        where=shown(path),
        instead="Give all rows of a part a rank, or leave the column out",
    )


def columns_of(path: Path) -> Collection[str]:
    """The columns of a run that a file has.

    Raises:
        DataError: it cannot be read.
    """
    import polars

    with parquet_errors("it cannot be read as a Parquet run", shown(path)):
        refuse_too_many_rows(path, texts=False)
        return run_columns([*polars.read_parquet_schema(path)])


def places_of(path: Path, query: str) -> tuple[str, str]:
    """The first and the last row that names a query: ``row 3``."""
    import polars

    with parquet_errors("it cannot be read as a Parquet run", shown(path)):
        name = run_columns([*polars.read_parquet_schema(path)])["query"]
        rows = polars.scan_parquet(path, glob=False).with_row_index("row", 1)
        named = rows.filter(polars.col(name).cast(polars.String) == query)
        first, last = (
            named.select(first=polars.col("row").min(), last=polars.col("row").max())
            .collect()
            .row(0)
        )
    return f"row {first}", f"row {last}"


FORMAT = RunFormat(
    description="columns query, passage, and rank or score; how ragscore records runs",
    suffixes=(".parquet",),
    read=read_parquet_run,
    join=join_parquet_run,
    rows=rows_of_parquet,
    columns=columns_of,
    places=places_of,
)
