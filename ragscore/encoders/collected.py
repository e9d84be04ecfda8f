"""Vectors of texts as they are gathered, and how those of a segment of the cache stand in files.

What encoders make of a text differs: a row of a matrix, weighted terms, the vectors of its tokens.
Everything that is kept by text is gathered in a :class:`Collected` of its own kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.encoders.base import Role, TokenCuts, Vectors
from ragscore.progress import Stage

TextSeconds = NDArray[np.float32]
"""float32[n]: how long encoding each text took, its share of the batch; NaN where unknown."""


class TextVectors(Protocol):
    """What was made of a block of texts; rows of it are taken by number."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> Any: ...

    @property
    def nbytes(self) -> int: ...


V = TypeVar("V", bound=TextVectors)
V_co = TypeVar("V_co", bound=TextVectors, covariant=True)


class TextEncoder(Protocol[V_co]):
    """What makes vectors of texts; its ``chunk`` is how many are worth encoding in one call."""

    @property
    def chunk(self) -> int: ...

    def load(self) -> None: ...

    def vectors(
        self, ids: Sequence[str], texts: Sequence[str], role: Role, stage: Stage | None = None
    ) -> V_co: ...

    def token_cuts(self, texts: Sequence[str], role: Role) -> TokenCuts | None: ...


class VectorFiles(ABC, Generic[V]):
    """How the vectors of a segment stand in files."""

    names: ClassVar[tuple[str, ...]]
    """The files there may be."""

    @abstractmethod
    def write(self, vectors: V, folder: Path) -> None:
        """Write them into a folder."""

    @abstractmethod
    def read(self, folder: Path, *, mapped: bool) -> V:
        """Those in a folder; ``mapped`` leaves them in the files until they are used.

        Raises:
            Exception: any; the files are damaged.
        """

    @abstractmethod
    def join(self, parts: Sequence[V]) -> V:
        """Those of several segments, one after the other; at least one."""


class Collected(ABC, Generic[V]):
    """Vectors of texts as they are gathered: from the cache, or just encoded.

    Args:
        count: how many texts there are.
    """

    files: ClassVar[VectorFiles[Any]]
    stays_in_files: ClassVar[bool] = False
    """True where vectors that the cache holds are read from its files when they are used."""

    def __init__(self, count: int) -> None:
        self.known = np.zeros(count, dtype=bool)
        self.seconds: TextSeconds = np.full(count, np.nan, dtype=np.float32)
        self.cuts: TokenCuts = np.zeros((count, 2), dtype=np.int32)
        self.counted = True
        """False where an encoder does not say how much it reads."""

    @abstractmethod
    def put(
        self,
        rows: NDArray[np.intp],
        vectors: V,
        cuts: TokenCuts | None,
        seconds: TextSeconds | float = np.nan,
    ) -> None:
        """Fill in rows."""

    def put_from(
        self,
        rows: NDArray[np.intp],
        vectors: V,
        wanted: NDArray[np.intp],
        cuts: TokenCuts | None,
        seconds: TextSeconds | float,
    ) -> None:
        """Fill in rows with the ``wanted`` ones of a segment; cuts and seconds are of ``rows``."""
        self.put(rows, vectors[wanted], cuts, seconds)

    @abstractmethod
    def __getitem__(self, rows: NDArray[np.intp]) -> V:
        """What is known of these rows."""

    def mark(
        self, rows: NDArray[np.intp], cuts: TokenCuts | None, seconds: TextSeconds | float
    ) -> None:
        """Rows are known, what was cut of them, and how long they took."""
        if cuts is None:
            self.counted = False
        else:
            self.cuts[rows] = cuts
        self.seconds[rows] = seconds
        self.known[rows] = True


class DenseFiles(VectorFiles[Vectors]):
    """A matrix in a file."""

    names = ("vectors.npy",)

    def write(self, vectors: Vectors, folder: Path) -> None:
        np.save(folder / self.names[0], vectors)

    def read(self, folder: Path, *, mapped: bool) -> Vectors:
        mode: Literal["r"] | None = "r" if mapped else None
        vectors: Vectors = np.load(folder / self.names[0], mmap_mode=mode, allow_pickle=False)
        return vectors

    def join(self, parts: Sequence[Vectors]) -> Vectors:
        return np.concatenate(parts)


class Encoded(Collected[Vectors]):
    """Vectors of one length, in one matrix."""

    files = DenseFiles()

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._vectors: Vectors | None = None

    @property
    def vectors(self) -> Vectors:
        """float32[count, d]; rows that are not known hold anything."""
        return (
            np.empty((len(self.known), 0), np.float32) if self._vectors is None else self._vectors
        )

    def put(
        self,
        rows: NDArray[np.intp],
        vectors: Vectors,
        cuts: TokenCuts | None,
        seconds: TextSeconds | float = np.nan,
    ) -> None:
        if self._vectors is None:
            self._vectors = np.empty((len(self.known), vectors.shape[1]), dtype=np.float32)
        self._vectors[rows] = vectors
        self.mark(rows, cuts, seconds)

    def __getitem__(self, rows: NDArray[np.intp]) -> Vectors:
        return self.vectors[rows]
