"""Vectors of texts as they are gathered, and how those of a segment of the cache stand in files.

What encoders make of a text differs: a row of a matrix, weighted terms, the vectors of its tokens.
Everything that is kept by text is gathered in a :class:`Collected` of its own kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.encoders.base import Role, TokenCuts
from ragscore.encoders.encoding_parts import TextTokens
from ragscore.progress import Stage

TextSeconds = NDArray[np.float32]
"""float32[n]: how long encoding each text took, its share of the batch; NaN if unknown."""


class TextVectors(Protocol):
    """What was made of a block of texts; rows of it are taken by number."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> Any: ...

    @property
    def nbytes(self) -> int: ...


V = TypeVar("V", bound=TextVectors)
V_co = TypeVar("V_co", bound=TextVectors, covariant=True)


class TextEncoder(Protocol[V_co]):
    """What makes vectors of texts; its ``chunk`` is how many are worth encoding in one call, its
    ``device`` what it runs on, where that is known: `cpu`, `cuda` or `mps`."""

    @property
    def chunk(self) -> int: ...

    @property
    def device(self) -> str: ...

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
    """True if vectors that the cache holds are read from its files when they are used."""

    def __init__(self, count: int) -> None:
        self.known = np.zeros(count, dtype=bool)
        self.seconds: TextSeconds = np.full(count, np.nan, dtype=np.float32)
        self.cuts: TokenCuts = np.zeros((count, 2), dtype=np.int32)
        self.tokens: TextTokens | None = None
        """Of each text, as a service counted them; None if none did."""
        self.devices: set[str] = set()
        """On which devices they were made; empty text where nobody recorded it."""
        self.counted = True
        """False if an encoder does not say how much it reads."""

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

    def count_tokens(self, rows: NDArray[np.intp], tokens: TextTokens) -> None:
        """A service counted the tokens of some rows."""
        if self.tokens is None:
            self.tokens = np.full(len(self.known), np.nan, dtype=np.float32)
        self.tokens[rows] = tokens

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
