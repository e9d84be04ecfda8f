"""Vectors of one length: a row for each text, as dense encoders make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.encoders.base import EncoderSpec, OpenEncoder, TokenCuts, Vectors
from ragscore.encoders.collected import Collected, TextSeconds, VectorFiles
from ragscore.encoders.encoding_cost import EncodingCost
from ragscore.encoders.encoding_parts import PartEncoder, compare_with_earlier
from ragscore.encoders.gathering import forget_gathered, gather
from ragscore.errors import ConfigError
from ragscore.messages import _
from ragscore.progress import SILENT, Progress
from ragscore.spec import canonical_json, digest_text


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
        now, before = vectors.shape[1], self._vectors.shape[1]
        if now != before:
            raise ConfigError(
                f"an encoder made vectors of {now:,} dimensions, and of {before:,} for other texts",
                where="encoder",
                instead="Is another model behind its name? Give that its own name, or run with "
                "--no-cache",
            )
        self._vectors[rows] = vectors
        self.mark(rows, cuts, seconds)

    def __getitem__(self, rows: NDArray[np.intp]) -> Vectors:
        return self.vectors[rows]


@dataclass(frozen=True, eq=False)
class EncodedPassages:
    """The passages of a corpus as an encoder sees them.

    Attributes:
        vectors: float32[n, d].
        cuts: how much was not read of each, int32[n, 2]; None if the encoder doesn't say.
        cost: of encoding them, now or when they were; None if nothing had to be encoded.
    """

    vectors: Vectors
    cuts: TokenCuts | None
    cost: EncodingCost | None = None


def encode_passages(
    spec: EncoderSpec,
    opened: OpenEncoder,
    ids: Sequence[str],
    texts: Sequence[str],
    cache: Cache | None = None,
    progress: Progress = SILENT,
    scope: str = "",
) -> EncodedPassages:
    """The vectors of all passages.

    Args:
        spec: whose encoder it is.
        opened: the encoder; it is not asked where the cache holds every text.
        ids: n passage ids.
        texts: what is encoded of each.
        cache: where vectors are kept; None keeps none.
        progress: reports the passages to encode, and of those that were there.
        scope: digest of the block that the passages are, whose vectors are kept apart until
            :func:`forget_block` deletes them; empty if they are kept for all.

    Raises:
        ConfigError, DataError, MissingPackageError: as :meth:`OpenEncoder.encode`.
    """
    if not spec.slow:
        with progress.stage(_("encoding passages"), len(texts), "passages") as stage:
            return EncodedPassages(opened.vectors(ids, texts, "passage", stage), None)
    if not len(texts):  # only the dimensions count
        return EncodedPassages(opened.vectors([], [], "passage"), None)
    compare_with_earlier(spec, opened, cache)
    gathered = gather(_scoped(spec, scope), opened, Encoded, ids, texts, cache, progress)
    encoded, number = gathered.encoded, gathered.number
    vectors, cuts = encoded.vectors, gathered.cuts
    if cuts is None and isinstance(opened, PartEncoder):
        cuts = opened.token_cuts(texts, "passage")  # which are not kept with the vectors
    same = len(vectors) == len(texts)
    return EncodedPassages(vectors if same else vectors[number], cuts, gathered.cost)


def forget_block(spec: EncoderSpec, cache: Cache, scope: str) -> None:
    """Delete what :func:`encode_passages` kept of a block: its vectors stand somewhere else now."""
    forget_gathered(_scoped(spec, scope), cache)


def _scoped(spec: EncoderSpec, scope: str) -> str:
    key = spec.vector_key("passage")
    return digest_text(canonical_json([key, scope])) if scope else key
