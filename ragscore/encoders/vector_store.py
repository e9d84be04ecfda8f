"""The vectors of one encoder in the cache, found by text.

They stand in segments, each an entry of the cache with the digests of its texts, their vectors,
what was cut of them, how long they took and on which device. A segment is written once and never
changed, so that processes can add at the same time; many small ones are merged into larger ones. A
damaged segment loses only its own texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.encoders.base import TokenCuts
from ragscore.encoders.collected import Collected, TextSeconds, V, VectorFiles
from ragscore.encoders.encoding_cost import MAX_DEVICE
from ragscore.encoders.encoding_parts import TextTokens
from ragscore.progress import Progress

T = TypeVar("T")

KIND = "vectors"
TEXTS, CUTS, SECONDS, DEVICE = "texts.npy", "cuts.npy", "seconds.npy", "device.txt"
TOKENS = "tokens.npy"
"""Of segments whose texts a service counted."""

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


@dataclass(frozen=True)
class KeptTexts:
    """What the cache holds of an encoder, by text.

    Attributes:
        texts: how many distinct texts were asked for.
        kept: how many of them are encoded.
        seconds_each: of encoding a text of this encoder; NaN if nobody recorded it.
    """

    texts: int
    kept: int
    seconds_each: float


def kept_texts(cache: Cache | None, encoder_key: str, texts: Sequence[str]) -> KeptTexts:
    """How many texts an encoder need not encode again; looking changes nothing.

    Args:
        cache: where segments stand.
        encoder_key: as :class:`VectorStore` takes it.
        texts: what is to be encoded.
    """
    if not texts:
        return KeptTexts(0, 0, float("nan"))
    wanted = {key.tobytes() for key in text_keys(texts)}
    kept: set[bytes] = set()
    seconds: list[TextSeconds] = []

    def read(folder: Path) -> None:
        keys = _texts(folder)
        kept.update(wanted.intersection(key.tobytes() for key in keys))
        seconds.append(_seconds(folder, len(keys)))

    prefix = encoder_key[:PREFIX]
    for segment in cache.keys(KIND, prefix) if cache is not None else ():
        assert cache is not None
        cache.peek(KIND, segment, read, files=(TEXTS, SECONDS))
    known = np.concatenate(seconds) if seconds else np.zeros(0, dtype=np.float32)
    known = known[np.isfinite(known)]
    each = float(known.mean()) if len(known) else float("nan")
    return KeptTexts(len(wanted), len(kept), each)


def forget_texts(cache: Cache, encoder_key: str) -> None:
    """Delete all segments of an encoder."""
    for segment in cache.keys(KIND, encoder_key[:PREFIX]):
        cache.delete(KIND, segment)


class VectorStore(Generic[V]):
    """What the cache holds of one encoder.

    Args:
        cache: where segments stand.
        encoder_key: digest of all that can change a vector but its text.
        files: how the vectors of a segment stand in files.
        progress: reports damaged segments.
    """

    def __init__(
        self, cache: Cache, encoder_key: str, files: VectorFiles[V], progress: Progress
    ) -> None:
        self._cache = cache
        self._prefix = encoder_key[:PREFIX]
        self._files = files
        self._progress = progress

    def fetch(self, keys: TextKeys, into: Collected[V]) -> None:
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
        self,
        segment: str,
        wanted: NDArray[np.intp],
        rows: NDArray[np.intp],
        into: Collected[V],
    ) -> None:
        def read(folder: Path) -> None:
            part = self._part(folder, mapped=True)
            taken = None if part.cuts is None else part.cuts[wanted]
            into.put_from(rows, part.vectors, wanted, taken, part.seconds[wanted])
            if part.tokens is not None:
                into.count_tokens(rows, part.tokens[wanted])
            into.devices.add(part.device)

        self._read(segment, read, (TEXTS, *self._files.names, CUTS, SECONDS, DEVICE, TOKENS))

    def keep(
        self,
        keys: TextKeys,
        vectors: V,
        cuts: TokenCuts | None,
        seconds: TextSeconds | None = None,
        device: str = "",
        tokens: TextTokens | None = None,
    ) -> bool:
        """Add a segment; False if it cannot be written."""

        def write(folder: Path) -> None:
            np.save(folder / TEXTS, keys)
            self._files.write(vectors, folder)
            if cuts is not None:
                np.save(folder / CUTS, cuts)
            if seconds is not None:
                np.save(folder / SECONDS, seconds)
            if tokens is not None:
                np.save(folder / TOKENS, tokens)
            (folder / DEVICE).write_text(device, encoding="ascii")

        segment = self._segment(keys)
        self._cache.keep(KIND, segment, write)
        return self._cache.get(KIND, segment) is not None

    def reopen(self, keys: TextKeys, rows: NDArray[np.intp], into: Collected[V]) -> None:
        """Let rows that were just kept, with these keys, be read from their segment."""
        self._fill(self._segment(keys), np.arange(len(rows)), rows, into)

    def _segment(self, keys: TextKeys) -> str:
        return self._prefix + sha256(keys.tobytes()).hexdigest()[PREFIX:]

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
        whole_part = partial(self._part, mapped=False)
        read = {key: self._read(key, whole_part, None) for key in segments}
        there = [part for part in read.values() if part is not None]
        if len(there) < 2:
            return
        keys = np.concatenate([part.keys for part in there])
        _, first = np.unique(keys, axis=0, return_index=True)
        first.sort()  # texts of one length stay together
        vectors = self._files.join([part.vectors for part in there])[first]
        cuts = [part.cuts for part in there if part.cuts is not None]
        whole = np.concatenate(cuts)[first] if len(cuts) == len(there) else None
        seconds = np.concatenate([part.seconds for part in there])[first]
        devices = {part.device for part in there}
        device = devices.pop() if len(devices) == 1 else ""
        if self.keep(keys[first], vectors, whole, seconds, device, _joined_tokens(there, first)):
            for key, part in read.items():
                if part is not None:
                    self._cache.delete(KIND, key)

    def _segments(self) -> list[str]:
        return self._cache.keys(KIND, self._prefix)

    def _texts_of(self, segment: str) -> int:
        """How many texts a segment holds, 0 if it is gone: as the length of a file says."""
        folder = self._cache.get(KIND, segment)
        try:
            return ((folder / TEXTS).stat().st_size - NPY_HEADER) // KEY_BYTES if folder else 0
        except OSError:
            return 0

    def _read(
        self, segment: str, read: Callable[[Path], T], files: tuple[str, ...] | None
    ) -> T | None:
        return self._cache.read(KIND, segment, read, files=files, progress=self._progress)

    def _part(self, folder: Path, *, mapped: bool) -> _Segment[V]:
        there = (folder / CUTS).is_file()
        keys = _texts(folder)
        return _Segment(
            keys,
            self._files.read(folder, mapped=mapped),
            np.load(folder / CUTS, allow_pickle=False) if there else None,
            _seconds(folder, len(keys)),
            _device(folder),
            _tokens(folder),
        )


@dataclass(frozen=True, eq=False)
class _Segment(Generic[V]):
    """What an entry holds, by text."""

    keys: TextKeys
    vectors: V
    cuts: TokenCuts | None
    seconds: TextSeconds
    device: str
    tokens: TextTokens | None


def _joined_tokens(segments: Sequence[_Segment[Any]], rows: NDArray[np.intp]) -> TextTokens | None:
    """The tokens of some rows of several segments; None if none of them has any."""
    if all(part.tokens is None for part in segments):
        return None
    unknown = (np.full(len(part.keys), np.nan, dtype=np.float32) for part in segments)
    counted = [part.tokens for part in segments]
    joined = [no if some is None else some for some, no in zip(counted, unknown, strict=True)]
    return np.concatenate(joined)[rows]


def _texts(folder: Path) -> TextKeys:
    keys: TextKeys = np.load(folder / TEXTS, allow_pickle=False)
    return keys


def _seconds(folder: Path, count: int) -> TextSeconds:
    """Unknown in segments of earlier versions."""
    if not (folder / SECONDS).is_file():
        return np.full(count, np.nan, dtype=np.float32)
    seconds: TextSeconds = np.load(folder / SECONDS, allow_pickle=False)
    return seconds


def _tokens(folder: Path) -> TextTokens | None:
    if not (folder / TOKENS).is_file():
        return None
    tokens: TextTokens = np.load(folder / TOKENS, allow_pickle=False)
    return tokens


def _device(folder: Path) -> str:
    """Unknown in segments of earlier versions."""
    file = folder / DEVICE
    return file.read_text(encoding="ascii")[:MAX_DEVICE] if file.is_file() else ""
