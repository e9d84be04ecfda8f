"""Vectors of texts that have different lengths: the weighted terms, or the token vectors, of each.

A block of them is three flat arrays. What the cache holds is not copied out of its files: they are
mapped into memory, and a text knows in which of them it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, load_arrays, save_arrays
from ragscore.encoders.base import TokenCuts
from ragscore.encoders.collected import Collected, TextSeconds, VectorFiles
from ragscore.errors import DataError

ARRAYS = ("bounds", "values", "columns")


@dataclass(frozen=True, eq=False)
class Ragged:
    """What an encoder made of n texts: T entries, those of a text together.

    Attributes:
        bounds: int64[n + 1]; the entries of a text are those from its bound to the next.
        values: float32[T], the weights of terms; or floats [T, d], the vectors of tokens.
        columns: int32[T], the term of each weight, ascending within a text; None for tokens.
    """

    bounds: NDArray[np.int64]
    values: NDArray[np.floating[Any]]
    columns: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, rows: NDArray[np.intp]) -> Ragged:
        """The texts of these rows, in their order, copied."""
        lengths = self.lengths[rows]
        bounds = bounds_of(lengths)
        at = np.repeat(self.bounds[rows] - bounds[:-1], lengths) + np.arange(bounds[-1])
        columns = None if self.columns is None else self.columns[at]
        return Ragged(bounds, self.values[at], columns)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[n], entries of each text."""
        return np.diff(self.bounds)

    @property
    def nbytes(self) -> int:
        """Bytes of all entries."""
        return self.values.nbytes + (0 if self.columns is None else self.columns.nbytes)

    @classmethod
    def join(cls, parts: Sequence[Ragged]) -> Ragged:
        """One block of several, which hold the same kind of entries; at least one."""
        columns = [part.columns for part in parts if part.columns is not None]
        return cls(
            bounds_of(np.concatenate([part.lengths for part in parts])),
            np.concatenate([part.values for part in parts]),
            np.concatenate(columns) if columns else None,
        )


class RaggedFiles(VectorFiles[Ragged]):
    """How the vectors of a segment stand in files."""

    names = tuple(f"{name}.npy" for name in ARRAYS)

    def write(self, vectors: Ragged, folder: Path) -> None:
        save_arrays(folder, {name: getattr(vectors, name) for name in ARRAYS})

    def read(self, folder: Path, *, mapped: bool) -> Ragged:
        there = [name for name in ARRAYS if (folder / f"{name}.npy").is_file()]
        arrays = load_arrays(folder, there, mapped=mapped)
        bounds, values, columns = (arrays.get(name) for name in ARRAYS)
        if bounds is None or values is None:
            raise DataError("it lacks an array")
        if (
            bounds[0] != 0
            or (np.diff(bounds) < 0).any()
            or bounds[-1] != len(values)
            or (columns is not None and len(columns) != len(values))
        ):
            raise DataError("its arrays do not belong together")
        return Ragged(bounds, values, columns)

    def join(self, parts: Sequence[Ragged]) -> Ragged:
        return Ragged.join(parts)


class RaggedEncoded(Collected[Ragged]):
    """Vectors of texts as they are gathered; those from the cache stay in its files.

    Args:
        count: how many texts there are.
    """

    files = RaggedFiles()
    stays_in_files = True

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._parts: list[Ragged | None] = []
        self._part_of = np.full(count, -1, dtype=np.int32)
        self._row_in = np.zeros(count, dtype=np.int64)
        self.lengths = np.zeros(count, dtype=np.int64)
        """int64[count], entries of each text."""

    def put(
        self,
        rows: NDArray[np.intp],
        vectors: Ragged,
        cuts: TokenCuts | None,
        seconds: TextSeconds | float = np.nan,
    ) -> None:
        self.put_from(rows, vectors, np.arange(len(vectors)), cuts, seconds)

    def put_from(
        self,
        rows: NDArray[np.intp],
        vectors: Ragged,
        wanted: NDArray[np.intp],
        cuts: TokenCuts | None,
        seconds: TextSeconds | float,
    ) -> None:
        replaced = np.unique(self._part_of[rows])
        self._part_of[rows], self._row_in[rows] = len(self._parts), wanted
        self.lengths[rows] = vectors.lengths[wanted]
        self._parts.append(vectors)
        for part in replaced[replaced >= 0].tolist():
            if not (self._part_of == part).any():
                self._parts[part] = None
        self.mark(rows, cuts, seconds)

    def adopt(self, rows: NDArray[np.intp], gathered: RaggedEncoded) -> None:
        """Fill in rows, which are not known yet, with all texts of another one, in its order."""
        self._part_of[rows] = len(self._parts) + gathered._part_of
        self._parts += gathered._parts
        self._row_in[rows], self.lengths[rows] = gathered._row_in, gathered.lengths
        self.mark(rows, gathered.cuts if gathered.counted else None, gathered.seconds)

    def __getitem__(self, rows: NDArray[np.intp]) -> Ragged:
        """The vectors of these texts, in their order, copied into memory."""
        part_of = self._part_of[rows]
        taken: list[Ragged] = []
        order: list[NDArray[np.intp]] = []
        for number in np.unique(part_of).tolist():
            part = self._parts[number]
            assert part is not None
            at = np.flatnonzero(part_of == number)
            taken.append(part[self._row_in[rows[at]]])
            order.append(at)
        if len(taken) == 1:
            return taken[0]
        return Ragged.join(taken)[np.argsort(np.concatenate(order))]

    def stored_order(self) -> NDArray[np.intp]:
        """All texts in the order in which they stand in files: reading them so is quickest."""
        return np.lexsort((self._row_in, self._part_of))

    @property
    def nbytes(self) -> int:
        """Bytes of the entries of all texts."""
        part = next((part for part in self._parts if part is not None and len(part)), None)
        if part is None or not len(part.values):
            return 0
        return int(self.lengths.sum()) * (part.nbytes // len(part.values))
