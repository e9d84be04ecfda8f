"""Recorded runs: Parquet with the columns query, passage, rank (from 1) and score.

What the rows cannot say (queries without results, depth, name) stands under the key
``ragscore`` in the file's key-value metadata, as JSON; other readers pass it over.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragscore.dataset import Ids
from ragscore.errors import DataError
from ragscore.formats.reading.column_names import column_of
from ragscore.formats.reading.problems import shown
from ragscore.parquet_files import parquet_errors, refuse_too_many_rows
from ragscore.run import Run

if TYPE_CHECKING:
    import polars

KEY = "ragscore"
SCHEMA = 1
DEEPEST = 100_000
"""A greater depth that no row reaches was not recorded by ragscore."""
MAX_EMPTY_PLACES = 10**8
"""Empty places (queries times depth, less the rows) that a run may have; each takes 12 bytes."""


class About(BaseModel):
    """What the metadata of a run may say; a file of another program may say none of it."""

    model_config = ConfigDict(strict=True, frozen=True, defer_build=True)

    name: str | None = None
    depth: Annotated[int, Field(ge=0)] = 0
    scored: bool | None = None
    duplicates: Annotated[int, Field(ge=0)] = 0
    queries: list[str] | None = None

    @classmethod
    def of(cls, path: Path, content: bytes | None = None) -> About:
        """What this file's says.

        Args:
            path: the file.
            content: its bytes, where they were read already.

        Raises:
            DataError: ragscore did not write it.
            OSError, ValueError, PolarsError: the file cannot be read.
        """
        import polars

        source = path if content is None else io.BytesIO(content)
        text = polars.read_parquet_metadata(source).get(KEY, "{}")
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            key = ".".join(map(str, error.errors()[0]["loc"][:1]))
            raise DataError(
                f"its metadata '{KEY}' is not as ragscore writes it" + (f": {key}" if key else ""),
                where=shown(path),
                instead="Write the file anew without that metadata",
            ) from error

    def depth_of(self, deepest: int, where: str) -> int:
        """The run's depth where its rows reach ``deepest``.

        Raises:
            DataError: the recorded depth cannot be true.
        """
        if self.depth > max(deepest, DEEPEST):
            raise DataError(
                f"its metadata '{KEY}' says depth {self.depth}, and its rows reach {deepest}",
                where=where,
                instead="Write the file anew without that metadata",
            )
        return max(deepest, self.depth)


def write_parquet_run(run: Run, path: Path | str, *, frame: polars.DataFrame | None = None) -> None:
    """Write a run so that :func:`read_parquet_run` gives it back exactly.

    Args:
        frame: ``run.to_polars()``, where the caller has made it already.
    """
    about = {
        "schema": SCHEMA,
        "kind": "run",
        "name": run.name,
        "depth": run.depth,
        "scored": run.scores is not None,
        "duplicates": run.duplicates,
        "queries": list(run.queries),
    }
    metadata = {KEY: json.dumps(about, ensure_ascii=False)}
    with Path(path).open("wb") as file:
        rows = frame if frame is not None else run.to_polars()
        rows.write_parquet(file, compression="zstd", metadata=metadata)


def read_parquet_run(
    path: Path | str,
    *,
    name: str | None = None,
    strict: bool = False,
    content: bytes | None = None,
    most_rows: int | None = None,
) -> Run:
    """A run over the passage ids that its file names, in order of appearance.

    Args:
        path: a file of :func:`write_parquet_run`, or any Parquet file with its columns.
        name: name of the run; by default the recorded one, else the file's.
        strict: a passage that is named twice for a query is an error.
        content: the file's bytes, where they were read and checked already.
        most_rows: rows that it holds by what is recorded elsewhere; more are not read.

    Raises:
        DataError: the file cannot be read, a column is missing or broken, or it holds more rows
            than a run of its size can.
    """
    import polars

    path = Path(path)
    where = shown(path)
    with parquet_errors("it cannot be read as a Parquet run", where):
        looked_at = path if content is None else content
        refuse_too_many_rows(looked_at, most_rows, texts=most_rows is not None)
        source = path if content is None else io.BytesIO(content)
        frame = polars.read_parquet(source, glob=False)
        about = About.of(path, content)
    name_of = run_columns(frame.columns)
    lacking = [column for column in ("query", "passage") if column not in name_of]
    if lacking or not {"rank", "score"} & set(name_of):
        raise DataError(
            f"it has no column '{(lacking or ['rank'])[0]}'",
            where=where,
            instead="A run has the columns query, passage, rank, score (or q_id, doc_id, score). "
            f"Found: {', '.join(frame.columns)[:200]}",
        )
    frame = frame.select(polars.col(name).alias(column) for column, name in name_of.items())
    ranked = "rank" in frame.columns
    frame = _typed(frame, where)
    scored = about.scored
    if scored is None:
        scored = not ranked or frame["score"].null_count() < frame.height
    if scored:
        _refuse_unscored(frame, where)
    elif ranked:
        _refuse_unranked(frame, where)
    listed = frame["query"].unique(maintain_order=True).to_list()
    queries = Ids(listed if about.queries is None else about.queries)
    passages = Ids(frame["passage"].unique(maintain_order=True).to_list())
    query_rows = queries.rows(frame["query"])
    if (query_rows < 0).any():
        raise DataError("its rows name queries that its metadata lacks", where=where)
    places = _places(frame, query_rows, len(queries))
    depth = about.depth_of(int(places.max(initial=-1)) + 1, where)
    if len(queries) * depth - frame.height > MAX_EMPTY_PLACES:
        raise DataError(
            f"{len(queries):,} queries to depth {depth:,} are nearly all empty: it holds "
            f"{frame.height:,} rows",
            where=where,
            instead="Write the file anew, to the depth that its rows reach",
        )
    rows = np.full((len(queries), depth), -1, dtype=np.int32)
    rows[query_rows, places] = passages.rows(frame["passage"])
    scores = None
    if scored:
        scores = np.full(rows.shape, np.nan)
        scores[query_rows, places] = frame["score"].to_numpy()
    named = name or about.name or path.stem
    run = Run.make(queries, passages, rows, scores, name=named, strict=strict)
    return _with_duplicates(run, about.duplicates)


def run_columns(columns: Sequence[str]) -> dict[str, str]:
    """What a file calls those of the four columns of a run that it has."""
    found = {column: column_of(column, columns) for column in ("query", "passage", "rank", "score")}
    return {column: name for column, name in found.items() if name is not None}


def _typed(frame: polars.DataFrame, where: str) -> polars.DataFrame:
    import polars

    if "score" not in frame.columns:
        frame = frame.with_columns(score=polars.lit(None, dtype=polars.Float64))
    if "rank" not in frame.columns:
        frame = frame.with_columns(rank=polars.lit(None, dtype=polars.Int64))
    wanted = {
        "query": polars.String,
        "passage": polars.String,
        "rank": polars.Int64,
        "score": polars.Float64,
    }
    for name in ("query", "passage"):
        # Whole numbers become floats where one of them was missing: 7 is written 7.0 then.
        if holds_no_ids(frame.schema[name]):
            raise DataError(
                f"its column '{name}' holds {frame.schema[name]}, where ids are expected",
                where=where,
                instead="Write ids as text",
            )
    for name in ("rank", "score"):
        if frame.schema[name].is_temporal():
            raise DataError(
                f"its column '{name}' holds {frame.schema[name]}, where numbers are expected",
                where=where,
            )
    with parquet_errors("a column has the wrong type", where):
        typed = frame.select(polars.col(name).cast(kind) for name, kind in wanted.items())
    for name in ("query", "passage"):
        if typed[name].null_count():
            row = int(typed[name].is_null().arg_true()[0]) + 1
            raise DataError(f"the {name} id is null", where=f"{where}:row {row}")
    # The cast cuts fractions off.
    if frame.schema["rank"].is_float():
        typed = typed.with_columns(rank=frame["rank"].cast(polars.Float64))
    return typed


def holds_no_ids(kind: polars.DataType) -> bool:
    """Whether values of a column's type aren't ids, though they could be written as texts."""
    import polars

    # Some tools write texts as bytes.
    texts = (polars.String, polars.Categorical, polars.Enum, polars.Binary, polars.Null)
    return not (kind.is_integer() or isinstance(kind, texts))


def _refuse_unscored(frame: polars.DataFrame, where: str) -> None:
    """Raise DataError at the first row whose score is null, NaN or infinite."""
    good = frame["score"].is_finite().fill_null(False)
    if not good.all():
        row = int((~good).arg_true()[0])
        raise _wrong_number(frame, "score", row, where, instead="A score is a finite number")


def _refuse_unranked(frame: polars.DataFrame, where: str) -> None:
    """Raise DataError at the first row whose rank does not say where its passage stands."""
    import polars

    ranks = frame["rank"]
    whole = (ranks.is_not_null() & (ranks.floor() == ranks)).fill_null(False)
    if not whole.all():
        instead = "A rank is a whole number, 1 for the best"
        raise _wrong_number(frame, "rank", int((~whole).arg_true()[0]), where, instead=instead)
    again = ~frame.select(first=polars.struct("query", "rank").is_first_distinct())["first"]
    if again.any():
        row = int(again.arg_true()[0])
        raise DataError(
            f"rank {ranks[row]:g} is given twice for query '{frame['query'][row]}'",
            where=f"{where}:row {row + 1}",
            instead="Give each rank once, or scores",
        )


def _wrong_number(
    frame: polars.DataFrame, column: str, row: int, where: str, *, instead: str
) -> DataError:
    query, passage, value = frame["query"][row], frame["passage"][row], frame[column][row]
    found = "null" if value is None else f"{value:g}"
    return DataError(
        f"the {column} of passage '{passage}' for query '{query}' is {found}",
        where=f"{where}:row {row + 1}",
        instead=instead,
    )


def _places(
    frame: polars.DataFrame, query_rows: np.ndarray[Any, Any], count: int
) -> np.ndarray[Any, Any]:
    """Place (from 0) of each row within its query: by rank where ranks are there."""
    by_row = np.arange(frame.height)
    ranks = by_row if frame["rank"].null_count() else frame["rank"].to_numpy()
    order = np.lexsort((by_row, ranks, query_rows))
    counts = np.bincount(query_rows, minlength=count)
    starts = np.cumsum(counts) - counts
    places = np.empty(frame.height, dtype=np.int64)
    places[order] = by_row - starts[query_rows[order]]
    return places


def _with_duplicates(run: Run, recorded: int) -> Run:
    return replace(run, duplicates=run.duplicates + recorded) if recorded else run
