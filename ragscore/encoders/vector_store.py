"""The vectors of one encoder in the cache, found by text.

They stand in segments, each an entry of the cache with the digests of its texts, their vectors,
what was cut of them and how long they took. A segment is written once and never changed, so that
processes can add at the same time; many small ones are merged into larger ones. A damaged segment
loses only its own texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.encoders.base import TokenCuts, Vectors
from ragscore.progress import Progress

T = TypeVar("T")

KIND = "vectors"
TEXTS, VECTORS, CUTS = "texts.npy", "vectors.npy", "cuts.npy"
SECONDS = "seconds.npy"

Seconds = NDArray[np.float32]
"""float32[n]: how long encoding each text took, its share of the batch; NaN where unknown."""

TextKeys = NDArray[np.uint64]
"""uint64[n, 2]: 16 bytes of a digest for each text."""

KEY_BYTES = 16
NPY_HEADER = 128
"""Bytes of a small array's file before its numbers."""

PREFIX = 32
"""Hex digits of a segment's key that name the encoder; the others name its texts."""
SMALL = 8_192
"""Texts below which a segment is small."""
MAX_SMALL = 32
"""Small segments above which they are merged."""


def text_keys(texts: Sequence[str]) -> TextKeys:
    """The keys of texts: equal for equal texts."""
    digests = (
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES) for text in texts
    )
    joined = b"".join(digest.digest() for digest in digests)
    return np.frombuffer(joined, dtype="<u8").reshape(len(texts), 2)


class Encoded:
    """Vectors of texts as they are gathered: from the cache, or just encoded.

    Args:
        count: how many texts there are.
    """

    def __init__(self, count: int) -> None:
        self.known = np.zeros(count, dtype=bool)
        self.seconds: Seconds = np.full(count, np.nan, dtype=np.float32)
        self.cuts: TokenCuts = np.zeros((count, 2), dtype=np.int32)
        self.counted = True
        """False where an encoder does not say how much it reads."""
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
        seconds: Seconds | float = np.nan,
    ) -> None:
        """Fill in rows."""
        if self._vectors is None:
            self._vectors = np.empty((len(self.known), vectors.shape[1]), dtype=np.float32)
        self._vectors[rows] = vectors
        if cuts is None:
            self.counted = False
        else:
            self.cuts[rows] = cuts
        self.seconds[rows] = seconds
        self.known[rows] = True


class VectorStore:
    """What the cache holds of one encoder.

    Args:
        cache: where segments stand.
        encoder_key: digest of all that can change a vector but its text.
        progress: is notified of damaged segments.
    """

    def __init__(self, cache: Cache, encoder_key: str, progress: Progress) -> None:
        self._cache = cache
        self._prefix = encoder_key[:PREFIX]
        self._progress = progress

    def fetch(self, keys: TextKeys, into: Encoded) -> None:
        """Fill in the vectors of all texts that are here.

        Args:
            keys: of the texts, each once.
            into: as many rows.
        """
        order = np.argsort(keys[:, 0])
        sorted_keys = keys[order]
        seen: set[str] = set()
        while new := [key for key in self._segments() if key not in seen]:
            for segment in new:
                here = self._read(segment, _texts, (TEXTS,))
                if here is None or not len(here):
                    continue
                at = np.searchsorted(sorted_keys[:, 0], here[:, 0])
                at[at == len(keys)] = 0
                rows = order[at]
                wanted = np.flatnonzero((sorted_keys[at] == here).all(axis=1) & ~into.known[rows])
                if len(wanted):
                    self._fill(segment, wanted, rows[wanted], into)
            if into.known.all():
                break
            # Another process may have merged segments meanwhile: theirs are there in their place.
            seen.update(new)

    def _fill(
        self, segment: str, wanted: NDArray[np.intp], rows: NDArray[np.intp], into: Encoded
    ) -> None:
        def read(folder: Path) -> None:
            vectors, cuts = _parts(folder)
            taken = None if cuts is None else cuts[wanted]
            into.put(rows, vectors[wanted], taken, _seconds(folder, len(vectors))[wanted])

        self._read(segment, read, (VECTORS, CUTS, SECONDS))

    def keep(
        self,
        keys: TextKeys,
        vectors: Vectors,
        cuts: TokenCuts | None,
        seconds: Seconds | None = None,
    ) -> bool:
        """Add a segment; False where it cannot be written."""

        def write(folder: Path) -> None:
            np.save(folder / TEXTS, keys)
            np.save(folder / VECTORS, vectors)
            if cuts is not None:
                np.save(folder / CUTS, cuts)
            if seconds is not None:
                np.save(folder / SECONDS, seconds)

        segment = self._prefix + sha256(keys.tobytes()).hexdigest()[PREFIX:]
        self._cache.keep(KIND, segment, write)
        return self._cache.get(KIND, segment) is not None

    def merge(self) -> None:
        """Make large segments of small ones, where these are many."""
        small = [key for key in self._segments() if self._texts_of(key) < SMALL]
        if len(small) <= MAX_SMALL:
            return
        group: list[str] = []
        size = 0
        for key in small:
            group.append(key)
            size += self._texts_of(key)
            if size >= SMALL:
                self._merge(group)
                group, size = [], 0
        if len(group) > 1:
            self._merge(group)

    def _merge(self, segments: list[str]) -> None:
        read = {key: self._read(key, _whole, None) for key in segments}
        there = [part for part in read.values() if part is not None]
        if len(there) < 2:
            return
        keys = np.concatenate([keys for keys, _, _, _ in there])
        _, first = np.unique(keys, axis=0, return_index=True)
        first.sort()  # texts of one length stay together
        vectors = np.concatenate([vectors for _, vectors, _, _ in there])[first]
        cuts = [cuts for _, _, cuts, _ in there if cuts is not None]
        whole = np.concatenate(cuts)[first] if len(cuts) == len(there) else None
        seconds = np.concatenate([seconds for _, _, _, seconds in there])[first]
        if self.keep(keys[first], vectors, whole, seconds):
            for key, part in read.items():
                if part is not None:
                    self._cache.delete(KIND, key)

    def _segments(self) -> list[str]:
        return self._cache.keys(KIND, self._prefix)

    def _texts_of(self, segment: str) -> int:
        """How many texts a segment holds, 0 where it is gone: as the length of a file says."""
        folder = self._cache.get(KIND, segment)
        try:
            return ((folder / TEXTS).stat().st_size - NPY_HEADER) // KEY_BYTES if folder else 0
        except OSError:
            return 0

    def _read(
        self, segment: str, read: Callable[[Path], T], files: tuple[str, ...] | None
    ) -> T | None:
        return self._cache.read(KIND, segment, read, files=files, progress=self._progress)


def _texts(folder: Path) -> TextKeys:
    keys: TextKeys = np.load(folder / TEXTS, allow_pickle=False)
    return keys


def _parts(folder: Path, *, mapped: bool = True) -> tuple[Vectors, TokenCuts | None]:
    mode: Literal["r"] | None = "r" if mapped else None
    vectors: Vectors = np.load(folder / VECTORS, mmap_mode=mode, allow_pickle=False)
    there = (folder / CUTS).is_file()
    return vectors, np.load(folder / CUTS, allow_pickle=False) if there else None


def _seconds(folder: Path, count: int) -> Seconds:
    """Unknown in segments of earlier versions."""
    if not (folder / SECONDS).is_file():
        return np.full(count, np.nan, dtype=np.float32)
    seconds: Seconds = np.load(folder / SECONDS, allow_pickle=False)
    return seconds


def _whole(folder: Path) -> tuple[TextKeys, Vectors, TokenCuts | None, Seconds]:
    texts = _texts(folder)
    return (texts, *_parts(folder, mapped=False), _seconds(folder, len(texts)))
