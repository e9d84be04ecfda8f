"""Files of vectors that are read by rows: no more of them is in memory than is asked for.

They are read, not mapped: where memory is limited, so is the address space that a map would take.
"""

from __future__ import annotations

import io
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, read_header
from ragscore.encoders.base import Vectors
from ragscore.errors import DataError
from ragscore.files import open_regular
from ragscore.json_data import load_json
from ragscore.names import quoted
from ragscore.numbered_files import in_order
from ragscore.parquet_files import parquet_errors, refuse_too_many_rows

SUFFIXES = (".npy", ".parquet")
"""Of files of vectors."""


@dataclass(frozen=True, eq=False)
class VectorPart:
    """Some rows of a file of vectors.

    Attributes:
        vectors: numbers[n, d].
        ids: of each row; None if the file holds none.
    """

    vectors: NDArray[Any]
    ids: list[str] | None


class VectorRows(ABC):
    """Vectors in a file, or in several one after the other.

    Attributes:
        path: the file, or their folder.
        dimension: numbers of a vector; None if unknown before they are read.
    """

    path: Path
    dimension: int | None = None

    @abstractmethod
    def __len__(self) -> int: ...

    def file_of(self, row: int) -> Path:
        """The file that a row stands in."""
        return self.path

    @abstractmethod
    def read(self, first: int, after: int, room: Vectors | None = None) -> VectorPart:
        """The rows from ``first`` to before ``after``.

        Args:
            first, after: rows.
            room: float32[after - first, d], which they are read into where they are such numbers in
                one file; by default, and elsewhere, they are in new memory.

        Raises:
            DataError: the file cannot be read, or holds something else.
        """

    def take(self, rows: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """The vectors of any rows, each run of neighbours read at once."""
        order = np.argsort(rows, kind="stable")
        ordered = rows[order].astype(np.int64)
        starts = np.flatnonzero(np.diff(ordered, prepend=-2) > 1)
        ends = np.append(ordered[starts[1:] - 1], ordered[-1:]) + 1
        runs = zip(ordered[starts].tolist(), ends.tolist(), strict=True)
        found = [self.read(first, after).vectors for first, after in runs]
        if not found:
            return self.read(0, 0).vectors
        together = found[0] if len(found) == 1 else np.concatenate(found)
        place = np.cumsum(np.diff(ordered, prepend=ordered[:1]) > 0)
        taken = np.empty((len(rows), together.shape[1]), dtype=together.dtype)
        taken[order] = together[place]
        return taken


class NpyRows(VectorRows):
    """An array of NumPy.

    Attributes:
        dimension: numbers of a vector.

    Raises:
        DataError: the file cannot be read, or holds something else.
    """

    dimension: int

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open_regular(path) as file:
                header = read_header(file)
                if header is None:
                    raise ValueError("it has names of columns")
                self._offset = file.tell()
                size = file.seek(0, io.SEEK_END)
        except Exception as error:  # numpy raises whatever reading the header as Python does
            raise _no_array(path) from error
        shape, by_column, self._dtype = header
        if len(shape) != 2 or shape[0] < 0 or shape[1] < 1 or self._dtype.kind not in "fiu":
            raise DataError(
                f"the array has shape {shape} and type {self._dtype}",
                where=str(path),
                instead="Expected numbers [n, d], one vector per row",
            )
        if by_column and shape[0] > 1 and shape[1] > 1:
            raise DataError(
                "the array is stored column by column",
                where=str(path),
                instead="Save it row by row: numpy.save(file, numpy.ascontiguousarray(array))",
            )
        if size < self._offset + math.prod(shape) * self._dtype.itemsize:
            raise DataError(
                f"the array is said to have {shape[0]:,} vectors of {shape[1]:,} numbers, and the "
                "file is shorter",
                where=str(path),
                instead="Copy or save it again",
            )
        self._count, self.dimension = shape

    def __len__(self) -> int:
        return self._count

    def read(self, first: int, after: int, room: Vectors | None = None) -> VectorPart:
        shape = after - first, self.dimension
        fits = room is not None and room.dtype == self._dtype and room.shape == shape
        vectors: NDArray[Any] = room if room is not None and fits else np.empty(shape, self._dtype)
        numbers: Any = vectors.reshape(-1).view(np.uint8)
        with self.path.open("rb") as file:
            file.seek(self._offset + first * shape[1] * self._dtype.itemsize)
            if file.readinto(numbers) < vectors.nbytes:
                raise DataError("the file is cut short", where=str(self.path))
        return VectorPart(vectors, None)


def _no_array(path: Path) -> DataError:
    return DataError(
        "this is not a NumPy array file", where=str(path), instead="Write it with numpy.save"
    )


class ParquetRows(VectorRows):
    """A table with a column of ids and one of vectors.

    Raises:
        DataError: the file cannot be read, or has no such columns.
    """

    def __init__(self, path: Path, id_column: str, vector_column: str) -> None:
        import polars

        self.path = path
        self._columns = id_column, vector_column
        with parquet_errors("this is not a Parquet file", str(path)):
            columns = polars.read_parquet_schema(path)
            for name in self._columns:
                if name not in columns:
                    raise DataError(
                        f"there is no column '{name}'",
                        where=str(path),
                        instead=f"Columns: {', '.join(columns)}; name yours with id_column and "
                        "vector_column",
                    )
            self._count = refuse_too_many_rows(path, texts=False)

    def __len__(self) -> int:
        return self._count

    def read(self, first: int, after: int, room: Vectors | None = None) -> VectorPart:
        import polars

        id_column, vector_column = self._columns
        path, where = self.path, str(self.path)
        with parquet_errors("this is not a Parquet file", where):
            table = polars.scan_parquet(path, glob=False).slice(first, after - first)
            frame = table.select(id_column, vector_column).collect()
        ids, column = frame[id_column], frame[vector_column]
        if isinstance(column.dtype, polars.Array):
            column = column.arr.to_list()
        if not isinstance(column.dtype, polars.List) or not column.dtype.inner.is_numeric():
            raise DataError(
                f"the column '{vector_column}' has type {column.dtype}",
                where=where,
                instead="Expected lists or arrays of numbers",
            )
        if ids.null_count():
            raise DataError(f"{ids.null_count():,} rows have no id", where=where)
        try:
            texts: list[str] = ids.cast(polars.String).to_list()
        except polars.exceptions.PolarsError:
            what = f"the column '{id_column}' has type {ids.dtype}"
            raise DataError(what, where=where, instead="Expected texts or numbers") from None
        lengths = column.list.len().fill_null(0).to_numpy()
        usual = int(np.bincount(lengths[lengths > 0], minlength=1).argmax())
        if texts and not usual:
            raise DataError("the vectors are empty", where=where)
        odd = [texts[int(at)] for at in np.flatnonzero(lengths != usual)]
        if odd:
            raise DataError(
                f"{len(odd):,} of {len(texts):,} vectors do not have {usual:,} dimensions, as most "
                f"do: {quoted(odd)}",
                where=where,
            )
        flat = column.explode().cast(polars.Float32).fill_null(float("nan")).to_numpy()
        return VectorPart(flat.reshape(len(texts), usual), texts)


class FolderRows(VectorRows):
    """The files of a folder, in the order of their names.

    Args:
        path: the folder.
        parts: its files, at least one.

    Raises:
        DataError: they have vectors of several lengths.
    """

    def __init__(self, path: Path, parts: Sequence[VectorRows]) -> None:
        self.path = path
        self._parts = parts
        self._firsts = bounds_of(np.array([len(part) for part in parts]))
        self.dimension = parts[0].dimension
        for part in parts:
            if part.dimension != self.dimension:
                raise DataError(
                    f"the vectors have {part.dimension} dimensions, those of "
                    f"{parts[0].path.name} {self.dimension}",
                    where=str(part.path),
                    instead="Make all with the same model",
                )

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def file_of(self, row: int) -> Path:
        part = int(np.searchsorted(self._firsts, row, side="right")) - 1
        return self._parts[part].path

    @cached_property
    def _width(self) -> int:
        """Numbers of the first vector."""
        if self.dimension is not None:
            return self.dimension
        part = next((part for part in self._parts if len(part)), self._parts[0])
        return int(part.read(0, min(1, len(part))).vectors.shape[1])

    def read(self, first: int, after: int, room: Vectors | None = None) -> VectorPart:
        found = []
        for part, start in zip(self._parts, self._firsts.tolist(), strict=False):
            low, high = max(first - start, 0), min(after - start, len(part))
            if low < high:
                found.append(part.read(low, high, room))
                width = found[-1].vectors.shape[1]
                if width != self._width:
                    raise DataError(
                        f"the vectors have {width} dimensions, the first of {self.path.name} has "
                        f"{self._width}",
                        where=str(part.path),
                        instead="Make all with the same model",
                    )
        if len(found) == 1:
            return found[0]
        if not found:
            return VectorPart(np.empty((0, self.dimension or 0), np.float32), None)
        ids = [id for part in found for id in part.ids or ()]
        vectors = np.concatenate([part.vectors for part in found])
        return VectorPart(vectors, ids if found[0].ids is not None else None)


def open_rows(path: Path, id_column: str, vector_column: str) -> VectorRows:
    """The vectors of a file, or of a folder of files.

    Raises:
        DataError: they cannot be read.
    """
    if path.is_dir():
        parts = [open_rows(part, id_column, vector_column) for part in in_order(path)]
        return FolderRows(path, parts)
    if path.suffix == ".parquet":
        return ParquetRows(path, id_column, vector_column)
    return NpyRows(path)


def read_ids(path: Path) -> list[str]:
    """The ids in a `.txt` with one a line, or a `.json` with a list.

    Raises:
        DataError: they cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        if path.suffix == ".txt":
            # By "\n" only: an id may hold U+2028 and its like.
            return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        ids = load_json(text)
    except ValueError as error:
        raise DataError(f"the ids cannot be read ({error})", where=str(path)) from error
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        raise DataError(
            "this is not a list of texts", where=str(path), instead='Expected ["id 1", "id 2"]'
        )
    return ids
