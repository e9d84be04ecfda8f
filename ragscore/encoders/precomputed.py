"""Vectors that were made elsewhere, looked up by id. No model, no PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.dataset import Ids
from ragscore.dataset.byte_ids import ByteIds
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.encoders.base import EncoderSpec, OpenEncoder, Role, Vectors
from ragscore.encoders.row_buffers import RowBuffers
from ragscore.encoders.vector_rows import (
    SUFFIXES,
    NpyRows,
    VectorPart,
    VectorRows,
    open_rows,
    read_ids,
)
from ragscore.errors import DataError, Problem
from ragscore.files import expanded, odd_kind
from ragscore.names import quoted
from ragscore.numbered_files import in_order
from ragscore.progress import Progress, Stage
from ragscore.seal import fingerprint_file

ID_SUFFIXES = (".txt", ".json")


class Precomputed(EncoderSpec):
    """Vectors from .npy or .parquet files, looked up by id."""

    packages: ClassVar[tuple[str, ...]] = ()
    kind: Literal["precomputed"] = "precomputed"
    """Which encoder this is."""
    passages: str = Field(min_length=1)
    """File of the passage vectors: `.npy` [n, d], or `.parquet` with an id and a vector column; or
    a folder of such files, of one kind, in the order of their names."""
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

    @property
    def tokenizes(self) -> bool:
        return False

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
            files = in_order(path) if path.is_dir() else [path]
            return NpyRows(files[0]).dimension if files[0].suffix == ".npy" else None
        except (DataError, IndexError):
            return None

    def content(self, role: Role) -> dict[str, object]:
        vectors, ids = self.files(role)
        return {
            "kind": self.kind,
            "vectors": [fingerprint_file(part) for part in in_order(vectors)]
            if vectors.is_dir()
            else fingerprint_file(vectors),
            "ids": fingerprint_file(ids) if ids else None,
            "columns": [self.id_column, self.vector_column],
        }

    def _opened(self, progress: Progress) -> OpenEncoder:
        return _Lookup(self)


@dataclass(frozen=True, eq=False)
class _Table:
    """Vectors of one role; ``ids`` is None if the rows are in the order of the dataset."""

    files: VectorRows
    vectors: NDArray[Any]
    ids: Ids | None

    @property
    def path(self) -> Path:
        """The file, or the folder of files."""
        return self.files.path

    def over(self, ids: Sequence[str], role: Role) -> _Table:
        """The table with the ids of a dataset, where it has none of its own."""
        if self.ids is not None:
            return self
        if len(ids) != len(self.vectors):
            raise _other_count(len(self.vectors), len(ids), role, self.path)
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

    def for_block(
        self, first: int, total: int | None, buffers: RowBuffers | None = None
    ) -> OpenEncoder:
        return _BlockLookup(self, self._passage_rows.over(total), first, buffers)

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        table = self._queries if role == "query" else self._passages
        table = table.over(ids, role)
        assert table.ids is not None
        found = _found(table.ids, ids, role, table.path)
        return _checked(table.vectors[found], ids, role, table.files, found, stage)

    @cached_property
    def _passages(self) -> _Table:
        return self._table("passage")

    @cached_property
    def _queries(self) -> _Table:
        return self._table("query")

    @cached_property
    def _passage_rows(self) -> _InOrder:
        path, ids_path = self.spec.files("passage")
        rows = self._rows("passage")
        if ids_path is None:
            return _InOrder(rows, None)
        ids = ByteIds(ByteTexts.of(_ids_of(ids_path, path, len(rows))))
        if (twice := ids.repeated()) is not None:
            raise DataError(f"the id '{ids[twice[0]]}' occurs twice", where=str(ids_path))
        return _InOrder(rows, ids)

    def _rows(self, role: Role) -> VectorRows:
        path, ids_path = self.spec.files(role)
        for file, suffixes in ((path, SUFFIXES), (ids_path, ID_SUFFIXES)):
            if file is not None and (problem := _unusable(file, suffixes)):
                raise DataError(problem)
        return open_rows(path, self.spec.id_column, self.spec.vector_column)

    def _table(self, role: Role) -> _Table:
        path, ids_path = self.spec.files(role)
        rows = self._rows(role)
        if isinstance(rows, NpyRows) and len(rows):
            part = VectorPart(np.load(path, mmap_mode="r", allow_pickle=False), None)
        else:
            part = rows.read(0, len(rows))
        if ids_path is None:
            ids = None if part.ids is None else _unique(part.ids, path)
            return _Table(rows, part.vectors, ids)
        return _Table(rows, part.vectors, _unique(_ids_of(ids_path, path, len(rows)), ids_path))


@dataclass(frozen=True, eq=False)
class _InOrder:
    """Vectors of passages that are read a block at a time, in the order of the corpus; where they
    have ids in a file of their own, in any order."""

    rows: VectorRows
    ids: ByteIds | None

    def over(self, passages: int | None) -> _InOrder:
        """The same for a corpus of this many passages; None if unknown."""
        if self.ids is None and passages is not None and len(self.rows) != passages:
            raise _other_count(len(self.rows), passages, "passage", self.rows.path)
        return self


class _BlockLookup(OpenEncoder):
    """Looks up the vectors of one block: those of the rows where the block is in the corpus."""

    def __init__(
        self, whole: _Lookup, vectors: _InOrder, first: int, buffers: RowBuffers | None
    ) -> None:
        self._whole = whole
        self._vectors = vectors
        self._first = first
        self._buffers = buffers

    def encode(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> Vectors:
        if role == "query":
            return self._whole.encode(ids, texts, role, stage)
        rows, path = self._vectors.rows, self._vectors.rows.path
        if self._vectors.ids is not None:
            found = _found(self._vectors.ids, ids, role, path)
            return _checked(rows.take(found), ids, role, rows, found, stage)
        after = self._first + len(ids)
        if after > len(rows):
            raise _other_count(len(rows), after, role, path)
        room = None
        if self._buffers is not None and rows.dimension is not None:
            room = self._buffers.take(len(ids), rows.dimension)
        part = rows.read(self._first, after, room)
        if part.ids is not None and part.ids != list(ids):
            at = next(at for at, id in enumerate(ids) if part.ids[at] != id)
            raise DataError(
                f"row {self._first + at + 1:,} is the vector of '{part.ids[at]}', and passage "
                f"{self._first + at + 1:,} of the corpus is '{ids[at]}'",
                where=str(rows.file_of(self._first + at)),
                instead="A corpus in blocks needs vectors in the order of its passages",
            )
        return _checked(part.vectors, ids, role, rows, np.arange(self._first, after), stage)


def _found(known: Ids, ids: Sequence[str], role: Role, path: Path) -> NDArray[np.int32]:
    rows = known.rows(ids)
    absent = [ids[int(at)] for at in np.flatnonzero(rows < 0)]
    if absent:
        raise DataError(
            f"{len(absent):,} of {len(ids):,} {_many(role)} have no vector: {quoted(absent)}",
            where=str(path),
            instead="Make vectors for them, or use the dataset the vectors were made from",
        )
    return rows


def _checked(
    given: NDArray[Any],
    ids: Sequence[str],
    role: Role,
    files: VectorRows,
    rows: NDArray[np.integer[Any]],
    stage: Stage | None,
) -> Vectors:
    """Vectors of 32 bits that are finite, from these rows of files."""
    with np.errstate(over="ignore", invalid="ignore"):
        vectors = np.require(given, np.float32, ["C", "W"])  # others write into them
        total = vectors.sum()
    # It is not finite where a number is not (and where large ones add up), and costs less than to
    # look at each.
    finite = np.isfinite(total) or np.isfinite(vectors).all()
    if not finite:
        places = np.flatnonzero(~np.isfinite(vectors).all(axis=1)).tolist()
        broken = [ids[at] for at in places]
        raise DataError(
            f"{len(broken):,} of {len(ids):,} {_many(role)} have a vector with NaN or "
            f"infinity: {quoted(broken)}",
            where=str(files.file_of(int(rows[places[0]]))),
            instead="Vectors are finite 32-bit numbers; encode these texts again",
        )
    if stage is not None:
        stage.advance(len(ids))
    return vectors


def _ids_of(ids_path: Path, path: Path, count: int) -> list[str]:
    """The ids in a file beside this many vectors."""
    ids = read_ids(ids_path)
    if len(ids) != count:
        raise DataError(
            f"{len(ids):,} ids for {count:,} vectors of {path.name}",
            where=str(ids_path),
            instead="Give one id for each row, in their order",
        )
    return ids


def _other_count(vectors: int, given: int, role: Role, path: Path) -> DataError:
    return DataError(
        f"{vectors:,} vectors for {given:,} {_many(role)}",
        where=str(path),
        instead=f"Without {role}_ids there is one vector for each, in the order of the "
        f"dataset; give {role}_ids otherwise",
    )


def _unique(ids: list[str], path: Path) -> Ids:
    try:
        return Ids(ids)
    except DataError as error:
        raise DataError(str(error), where=str(path)) from error


def _unusable(path: Path, suffixes: tuple[str, ...]) -> Problem | None:
    if path.is_dir() and suffixes == SUFFIXES:
        parts = in_order(path)
        if not parts:
            return Problem("the folder holds no .npy or .parquet files", where=str(path))
        # All of one kind: ids stand in all of them, or in none.
        of_first = tuple(suffix for suffix in SUFFIXES if suffix == parts[0].suffix) or SUFFIXES
        return next(filter(None, (_unusable(part, of_first) for part in parts)), None)
    if not path.is_file():
        return Problem(odd_kind(path) or "there is no such file", where=str(path))
    if path.suffix not in suffixes:
        return Problem(
            f"the file ends in '{path.suffix}'",
            where=str(path),
            instead=f"Expected {' or '.join(suffixes)}",
        )
    return None


def _many(role: Role) -> str:
    return "queries" if role == "query" else "passages"
