"""Vectors that were made elsewhere, looked up by id. No model, no PyTorch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.dataset import Ids
from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role, Vectors
from ragscore.errors import DataError, Problem
from ragscore.files import expanded
from ragscore.names import quoted
from ragscore.progress import Progress, Stage
from ragscore.seal import fingerprint_file

SUFFIXES = (".npy", ".parquet")
ID_SUFFIXES = (".txt", ".json")


class Precomputed(EncoderSpec):
    """Vectors from .npy or .parquet files, looked up by id."""

    summary_ko: ClassVar[str] = ".npy 또는 .parquet 파일의 벡터를 ID로 찾음"
    kind: Literal["precomputed"] = "precomputed"
    """Which encoder this is."""
    passages: str = Field(min_length=1)
    """File of the passage vectors: `.npy` [n, d], or `.parquet` with an id and a vector column."""
    queries: str = Field(min_length=1)
    """File of the query vectors, as `passages`."""
    passage_ids: str | None = None
    """File of the passage ids beside a `.npy`: `.txt` with one id a line, or `.json` with a list.
    Without it there is one row for each, in the order of the dataset."""
    query_ids: str | None = None
    """File of the query ids beside a `.npy`, as `passage_ids`."""
    id_column: str = "id"
    """Column of the ids in a `.parquet`."""
    vector_column: str = "vector"
    """Column of the vectors in a `.parquet`: lists or arrays of numbers."""

    slow: ClassVar[bool] = False
    tokenizes: ClassVar[bool] = False

    def files(self, role: Role) -> tuple[Path, Path | None]:
        """The files of the vectors and of their ids."""
        vectors, ids = (
            (self.queries, self.query_ids) if role == "query" else (self.passages, self.passage_ids)
        )
        return expanded(vectors), expanded(ids) if ids else None

    def resolved(self, base: Path) -> Self:
        names = ("passages", "queries", "passage_ids", "query_ids")
        found = {name: getattr(self, name) for name in names}
        return self.model_copy(
            update={name: str(base / expanded(path)) for name, path in found.items() if path}
        )

    def check(self) -> list[Problem]:
        problems: list[Problem] = []
        for role in ("passage", "query"):
            vectors, ids = self.files(role)
            for path, suffixes in ((vectors, SUFFIXES), (ids, ID_SUFFIXES)):
                if path is not None and (problem := _unusable(path, suffixes)):
                    problems.append(problem)
            if vectors.suffix == ".parquet" and ids is not None:
                problems.append(
                    Problem(
                        f"{role}_ids is given, but a .parquet holds its ids itself",
                        where=str(vectors),
                        instead=f"Leave {role}_ids out, and name the column with id_column",
                    )
                )
        return problems

    def dimension(self) -> int | None:
        path, _ = self.files("passage")
        try:
            shape = _open_npy(path).shape if path.suffix == ".npy" else ()
        except DataError:
            return None
        return int(shape[1]) if len(shape) == 2 else None

    def content(self, role: Role) -> dict[str, object]:
        vectors, ids = self.files(role)
        return {
            "kind": self.kind,
            "vectors": fingerprint_file(vectors),
            "ids": fingerprint_file(ids) if ids else None,
            "columns": [self.id_column, self.vector_column],
        }

    def _opened(self, progress: Progress) -> OpenEncoder:
        return _Lookup(self)


@dataclass(frozen=True, eq=False)
class _Table:
    """Vectors of one role; ``ids`` is None where the rows are in the order of the dataset."""

    path: Path
    vectors: NDArray[Any]
    ids: Ids | None

    def over(self, ids: Sequence[str], role: Role) -> _Table:
        """The table with the ids of a dataset, where it has none of its own."""
        if self.ids is not None:
            return self
        if len(ids) != len(self.vectors):
            raise DataError(
                f"{len(self.vectors):,} vectors for {len(ids):,} {_many(role)}",
                where=str(self.path),
                instead=f"Without {role}_ids there is one vector for each, in the order of the "
                f"dataset; give {role}_ids otherwise",
            )
        return replace(self, ids=ids if isinstance(ids, Ids) else Ids(ids))


class _Lookup(OpenEncoder):
    """Looks vectors up; without ids of their own, what it is given is the whole dataset."""

    def __init__(self, spec: Precomputed) -> None:
        self.spec = spec

    def for_queries(self, ids: Sequence[str]) -> OpenEncoder:
        table = self._queries.over(ids, "query")
        if table is self._queries:
            return self
        bound = _Lookup(self.spec)
        bound._queries = table
        return bound

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        table = self._queries if role == "query" else self._passages
        table = table.over(ids, role)
        assert table.ids is not None
        rows = table.ids.rows(ids)
        absent = [ids[int(at)] for at in np.flatnonzero(rows < 0)]
        if absent:
            raise DataError(
                f"{len(absent):,} of {len(ids):,} {_many(role)} have no vector: {quoted(absent)}",
                where=str(table.path),
                instead="Make vectors for them, or use the dataset the vectors were made from",
            )
        with np.errstate(over="ignore"):
            vectors = np.ascontiguousarray(table.vectors[rows], dtype=np.float32)
        broken = [ids[int(at)] for at in np.flatnonzero(~np.isfinite(vectors).all(axis=1))]
        if broken:
            raise DataError(
                f"{len(broken):,} of {len(ids):,} {_many(role)} have a vector with NaN or "
                f"infinity: {quoted(broken)}",
                where=str(table.path),
                instead="Vectors are finite 32-bit numbers; encode these texts again",
            )
        if stage is not None:
            stage.advance(len(ids))
        return vectors

    @cached_property
    def _passages(self) -> _Table:
        return self._table("passage")

    @cached_property
    def _queries(self) -> _Table:
        return self._table("query")

    def _table(self, role: Role) -> _Table:
        path, ids_path = self.spec.files(role)
        for file, suffixes in ((path, SUFFIXES), (ids_path, ID_SUFFIXES)):
            if file is not None and (problem := _unusable(file, suffixes)):
                raise DataError(problem)
        if path.suffix == ".parquet":
            ids, vectors = _read_parquet(path, self.spec.id_column, self.spec.vector_column)
            return _Table(path, vectors, _unique(ids, path))
        vectors = _open_npy(path)
        if vectors.ndim != 2 or not vectors.shape[1] or vectors.dtype.kind not in "fiu":
            raise DataError(
                f"the array has shape {vectors.shape} and type {vectors.dtype}",
                where=str(path),
                instead="Expected numbers [n, d], one vector per row",
            )
        if ids_path is None:
            return _Table(path, vectors, None)
        ids = _read_ids(ids_path)
        if len(ids) != len(vectors):
            raise DataError(
                f"{len(ids):,} ids for {len(vectors):,} vectors of {path.name}",
                where=str(ids_path),
                instead="Give one id for each row, in their order",
            )
        return _Table(path, vectors, _unique(ids, ids_path))


def _open_npy(path: Path) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return array
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            "this is not a NumPy array file", where=str(path), instead="Write it with numpy.save"
        ) from error


def _read_parquet(path: Path, id_column: str, vector_column: str) -> tuple[list[str], NDArray[Any]]:
    import polars

    try:
        columns = polars.read_parquet_schema(path)
        for name in (id_column, vector_column):
            if name not in columns:
                raise DataError(
                    f"there is no column '{name}'",
                    where=str(path),
                    instead=f"Columns: {', '.join(columns)}; name yours with id_column and "
                    "vector_column",
                )
        frame = polars.read_parquet(path, columns=[id_column, vector_column])
    except (polars.exceptions.PolarsError, OSError) as error:
        raise DataError("this is not a Parquet file", where=str(path)) from error
    ids, column = frame[id_column], frame[vector_column]
    if isinstance(column.dtype, polars.Array):
        column = column.arr.to_list()
    if not isinstance(column.dtype, polars.List) or not column.dtype.inner.is_numeric():
        raise DataError(
            f"the column '{vector_column}' has type {column.dtype}",
            where=str(path),
            instead="Expected lists or arrays of numbers",
        )
    if ids.null_count():
        raise DataError(f"{ids.null_count():,} rows have no id", where=str(path))
    texts: list[str] = ids.cast(polars.String).to_list()
    lengths = column.list.len().fill_null(0).to_numpy()
    usual = int(np.bincount(lengths).argmax()) if len(lengths) else 0
    odd = [texts[int(at)] for at in np.flatnonzero(lengths != usual)]
    if odd:
        raise DataError(
            f"{len(odd):,} of {len(texts):,} vectors do not have {usual:,} dimensions, as most "
            f"do: {quoted(odd)}",
            where=str(path),
        )
    if not usual:
        raise DataError("the vectors are empty", where=str(path))
    flat = column.explode().cast(polars.Float32).fill_null(float("nan")).to_numpy()
    return texts, flat.reshape(len(texts), usual)


def _read_ids(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8")
        if path.suffix == ".txt":
            # By "\n" only: an id may hold U+2028 and its like.
            return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        ids = json.loads(text)
    except ValueError as error:
        raise DataError(f"the ids cannot be read ({error})", where=str(path)) from error
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        raise DataError(
            "this is not a list of texts", where=str(path), instead='Expected ["id 1", "id 2"]'
        )
    return ids


def _unique(ids: list[str], path: Path) -> Ids:
    try:
        return Ids(ids)
    except DataError as error:
        raise DataError(str(error), where=str(path)) from error


def _unusable(path: Path, suffixes: tuple[str, ...]) -> Problem | None:
    if not path.is_file():
        return Problem("there is no such file", where=str(path))
    if path.suffix not in suffixes:
        return Problem(
            f"the file ends in '{path.suffix}'",
            where=str(path),
            instead=f"Expected {' or '.join(suffixes)}",
        )
    return None


def _many(role: Role) -> str:
    return "queries" if role == "query" else "passages"
