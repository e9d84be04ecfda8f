"""Texts that stay in the bytes of the file they were read from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.formats.reading.byte_words import (
    PADDING,
    WORD,
    Bytes,
    Places,
    Words,
    padded,
    word_of_texts,
)

BLOCK = 1 << 16
"""Texts looked at together, so that their words stay in a processor's cache."""
MIX = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
ASCII = 128
NEWLINE = 10


@dataclass(frozen=True, eq=False)
class ByteTexts:
    """n texts in UTF-8; see :class:`~ragscore.formats.reading.texts.Texts`.

    >>> ByteTexts.of(["q1", "물음", "q1"]).runs().tolist()
    [0, 1, 2]

    Attributes:
        buffer: uint8, the texts and anything else, padded as in
            :mod:`~ragscore.formats.reading.byte_words`.
        starts: int64[n], where each text begins.
        lengths: int64[n], its bytes.
    """

    buffer: Bytes
    starts: Places
    lengths: Places

    @classmethod
    def of(cls, texts: Iterable[str]) -> ByteTexts:
        """A column of these texts."""
        texts = list(texts)
        together = "".join(texts)
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        if not together.isascii():
            encoded = (len(text.encode("utf-8", "surrogatepass")) for text in texts)
            lengths = np.fromiter(encoded, dtype=np.int64, count=len(texts))
        data = padded(together.encode("utf-8", "surrogatepass"))
        starts = np.cumsum(lengths) - lengths + PADDING
        return cls(np.frombuffer(data, dtype=np.uint8), starts, lengths)

    def __len__(self) -> int:
        return len(self.starts)

    def to_list(self) -> list[str]:
        """The texts."""
        if not len(self):
            return []
        ends = self.starts + self.lengths
        first = int(self.starts.min())
        span = self.buffer[first : ends.max()]
        places = zip((self.starts - first).tolist(), (ends - first).tolist(), strict=True)
        if span.max(initial=0) < ASCII:  # a byte is a character
            text = str(span.data, "ascii")
            return [text[start:end] for start, end in places]
        data = span.tobytes()
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in places]

    def lines(self) -> bytes:
        """The texts, one behind the other, each ended by a newline."""
        out = np.full(int(self.lengths.sum()) + len(self), NEWLINE, dtype=np.uint8)
        ends = np.cumsum(self.lengths + 1)
        begins = ends - self.lengths - 1
        for start in range(0, len(self), BLOCK):
            part = slice(start, start + BLOCK)
            lengths = self.lengths[part]
            out[ranges(begins[part], lengths)] = self.buffer[ranges(self.starts[part], lengths)]
        return out.tobytes()

    def take(self, rows: NDArray[np.int64]) -> ByteTexts:
        """The texts of some rows."""
        return ByteTexts(self.buffer, self.starts[rows], self.lengths[rows])

    def beyond_ascii(self) -> ByteTexts:
        """Those that begin with a character beyond ASCII."""
        return self.take(np.flatnonzero(self.buffer[self.starts] >= ASCII))

    def runs(self) -> NDArray[np.int64]:
        """The rows whose text is not that of the row before: int64[m], the first row included."""
        if not len(self):
            return np.empty(0, dtype=np.int64)
        parts = [np.zeros(1, dtype=np.int64)]
        for start in range(0, len(self), BLOCK):
            block = self._slice(start, start + BLOCK + 1)  # with the first of the next one
            new = block.lengths[1:] != block.lengths[:-1]
            for number in range(block._width()):
                word = block._word(number)
                new |= word[1:] != word[:-1]
            parts.append(np.flatnonzero(new) + (start + 1))
        return np.concatenate(parts)

    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each text, the same in all of this process: uint64[n]."""
        hashed = np.empty(len(self), dtype=np.uint64)
        for start in range(0, len(self), BLOCK):
            block = self._slice(start, start + BLOCK)
            hashed[start : start + BLOCK] = block._hashes()
        return hashed

    def equal(
        self, at: NDArray[np.int64], other: ByteTexts, at_other: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which pairs of rows hold the same text: bool[m]."""
        ours, theirs = self.take(at), other.take(at_other)
        same: NDArray[np.bool_] = ours.lengths == theirs.lengths
        for number in range(min(ours._width(), theirs._width())):
            same &= ours._word(number) == theirs._word(number)
        return same

    def falling(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows by ascending group, and by falling text within a group: int64[n]."""
        # The order of UTF-8 bytes is that of the characters. Of two texts where one is the
        # other's beginning, the longer comes first (words alone do not tell a NUL from nothing).
        words = [~self._word(number).byteswap() for number in range(self._width())]
        order: NDArray[np.int64] = np.lexsort((-self.lengths, *reversed(words), groups))
        return order

    def _slice(self, start: int, end: int) -> ByteTexts:
        return ByteTexts(self.buffer, self.starts[start:end], self.lengths[start:end])

    def _width(self) -> int:
        """Words of the longest text."""
        return -(-int(self.lengths.max(initial=0)) // WORD)

    def _word(self, number: int) -> Words:
        return word_of_texts(self.buffer, self.starts, self.lengths, number)

    def _hashes(self) -> NDArray[np.uint64]:
        hashed = self._word(0)
        hashed *= MIX
        for number in range(1, self._width()):
            longer = np.flatnonzero(self.lengths > number * WORD)
            mixed = hashed[longer]
            mixed ^= mixed >> HALF
            mixed ^= self.take(longer)._word(number)
            hashed[longer] = mixed * MIX
        # The last bytes of a word reach only the upper bits of a product: once more.
        hashed ^= hashed >> HALF
        hashed *= MIX
        return hashed
