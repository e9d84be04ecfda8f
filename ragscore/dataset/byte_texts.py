"""Columns of texts as joins need them: compared and hashed in bulk, decoded for the few shown.

The texts stay in the bytes of the file they were read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, ranges
from ragscore.dataset.byte_words import (
    PADDING,
    WORD,
    Bytes,
    MachineWords,
    Places,
    padded,
    word_of_texts,
)

BLOCK = 1 << 16
"""Texts looked at together, so that their words stay in a processor's cache."""
LONG = 512
"""Words of a text, of which more are not looked at one after the other: a text of megabytes, which
is no id, would take minutes."""
MIX = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
ASCII = 128
CONTINUING = 0xC0
"""The bits by which the bytes of a character behind its first are known."""
SPARSE = 4
"""How many times as long as some texts the bytes between the first and the last of them are, from
which on the texts are brought together before they are decoded."""


@dataclass(frozen=True, eq=False)
class ByteTexts:
    """n texts in UTF-8.

    >>> ByteTexts.of(["q1", "물음", "q1"]).runs().tolist()
    [0, 1, 2]

    Attributes:
        buffer: uint8, the texts and anything else, padded as in
            :mod:`~ragscore.dataset.byte_words`.
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
        return cls.packed(together.encode("utf-8", "surrogatepass"), lengths)

    @classmethod
    def packed(cls, data: bytes, lengths: Places) -> ByteTexts:
        """Texts of equal byte length, stored one after the other."""
        starts = np.cumsum(lengths) - lengths + PADDING
        return cls(np.frombuffer(padded(data), dtype=np.uint8), starts, lengths)

    @classmethod
    def joined(cls, parts: Sequence[ByteTexts]) -> ByteTexts:
        """The texts of several columns, one column after the other, in a buffer of their own."""
        data = b"".join(part.own_bytes() for part in parts)
        lengths = [part.lengths for part in parts]
        return cls.packed(data, np.concatenate(lengths) if lengths else np.zeros(0, np.int64))

    def own_bytes(self) -> bytes:
        """The bytes of the texts and nothing else."""
        if not len(self):
            return b""
        ends = self.starts + self.lengths
        if (self.starts[1:] == ends[:-1]).all():  # they stand one after the other
            return self.buffer[self.starts[0] : ends[-1]].tobytes()
        return self.buffer[ranges(self.starts, self.lengths)].tobytes()

    def __getitem__(self, row: int) -> str:
        return self._bytes(row).decode("utf-8", "surrogatepass")

    def __len__(self) -> int:
        return len(self.starts)

    def to_list(self) -> list[str]:
        """The texts."""
        texts: list[str] = []
        for start in range(0, len(self), BLOCK):
            texts += self.between(start, start + BLOCK)._decoded()
        return texts

    def _decoded(self) -> list[str]:
        ends = self.starts + self.lengths
        first, last = int(self.starts.min()), int(ends.max())
        if last - first > SPARSE * int(self.lengths.sum()) + BLOCK:  # they stand far apart
            return ByteTexts.packed(self.own_bytes(), self.lengths)._decoded()
        span = self.buffer[first:last]
        places = zip((self.starts - first).tolist(), (ends - first).tolist(), strict=True)
        if span.max(initial=0) < ASCII:  # a byte is a character
            text = str(span.data, "ascii")
            return [text[start:end] for start, end in places]
        data = span.tobytes()
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in places]

    def character_counts(self) -> Places:
        """The length of each text in characters: int64[n]."""
        counts = self.lengths.copy()
        for start in range(0, len(self), BLOCK):
            block = self.between(start, start + BLOCK)
            data = np.frombuffer(block.own_bytes(), dtype=np.uint8)
            behind_first = (data & CONTINUING) == ASCII
            if behind_first.any():
                before = np.concatenate([np.zeros(1, np.int64), np.cumsum(behind_first)])
                bounds = bounds_of(block.lengths)
                counts[start : start + BLOCK] -= before[bounds[1:]] - before[bounds[:-1]]
        return counts

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
            block = self.between(start, start + BLOCK + 1)  # with the first of the next one
            new = block.lengths[1:] != block.lengths[:-1]
            for number in range(min(block._width(), LONG)):
                word = block._word(number)
                new |= word[1:] != word[:-1]
            for row in np.flatnonzero(~new & block._is_long()[1:]).tolist():
                new[row] = block._bytes(row) != block._bytes(row + 1)
            parts.append(np.flatnonzero(new) + (start + 1))
        return np.concatenate(parts)

    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each text, the same in all of this process: uint64[n]."""
        hashed = np.empty(len(self), dtype=np.uint64)
        for start in range(0, len(self), BLOCK):
            block = self.between(start, start + BLOCK)
            hashed[start : start + BLOCK] = block._hashes()
        return hashed

    def equal(
        self, at: NDArray[np.int64], other: ByteTexts, at_other: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which pairs of rows hold the same text: bool[m]."""
        ours, theirs = self.take(at), other.take(at_other)
        same: NDArray[np.bool_] = ours.lengths == theirs.lengths
        for number in range(min(ours._width(), theirs._width(), LONG)):
            same &= ours._word(number) == theirs._word(number)
        for row in np.flatnonzero(same & ours._is_long()).tolist():
            same[row] = ours._bytes(row) == theirs._bytes(row)
        return same

    def falling(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows by ascending group, and by falling text within a group: int64[n]."""
        # The order of UTF-8 bytes is that of the characters. Of two texts where one is the
        # other's beginning, the longer comes first (words alone do not tell a NUL from nothing).
        if self._width() > LONG:
            texts = [self._bytes(row) for row in range(len(self))]
            by_text = np.array(sorted(range(len(self)), key=texts.__getitem__, reverse=True))
            return by_text[np.argsort(groups[by_text], kind="stable")]
        words = [~self._word(number).byteswap() for number in range(self._width())]
        order: NDArray[np.int64] = np.lexsort((-self.lengths, *reversed(words), groups))
        return order

    def between(self, start: int, end: int) -> ByteTexts:
        """The texts of the rows from ``start`` to before ``end``, nothing copied."""
        return ByteTexts(self.buffer, self.starts[start:end], self.lengths[start:end])

    def _bytes(self, row: int) -> bytes:
        start = int(self.starts[row])
        return self.buffer[start : start + int(self.lengths[row])].tobytes()

    def _is_long(self) -> NDArray[np.bool_]:
        """Which texts have more words than are looked at one after the other: bool[n]."""
        found: NDArray[np.bool_] = self.lengths > LONG * WORD
        return found

    def _width(self) -> int:
        """MachineWords of the longest text."""
        return -(-int(self.lengths.max(initial=0)) // WORD)

    def _word(self, number: int) -> MachineWords:
        return word_of_texts(self.buffer, self.starts, self.lengths, number)

    def _hashes(self) -> NDArray[np.uint64]:
        hashed = self._word(0)
        hashed *= MIX
        for number in range(1, min(self._width(), LONG)):
            longer = np.flatnonzero(self.lengths > number * WORD)
            mixed = hashed[longer]
            mixed ^= mixed >> HALF
            mixed ^= self.take(longer)._word(number)
            hashed[longer] = mixed * MIX
        for row in np.flatnonzero(self._is_long()).tolist():
            digest = blake2b(self._bytes(row), digest_size=WORD).digest()
            hashed[row] ^= np.uint64(int.from_bytes(digest, "little"))
        # The last bytes of a word reach only the upper bits of a product: once more.
        hashed ^= hashed >> HALF
        hashed *= MIX
        return hashed


class TextLookup:
    """The row of a text in a column of different texts; a fraction of a dict's memory."""

    def __init__(self, texts: ByteTexts) -> None:
        self._texts = texts
        hashed = texts.hashes()
        self._order = np.argsort(hashed)
        self._hashes = hashed[self._order]

    def repeated(self) -> NDArray[np.int64]:
        """Two rows of each text that stands in the column several times: int64[m, 2]; the texts
        need not be different here."""
        again = np.flatnonzero(self._hashes[1:] == self._hashes[:-1])
        pairs = np.stack([self._order[again], self._order[again + 1]], axis=1)
        pairs.sort(axis=1)
        return pairs[self._texts.equal(pairs[:, 0], self._texts, pairs[:, 1])]

    def rows(self, texts: ByteTexts) -> NDArray[np.int64]:
        """The row of each of these texts, -1 if there is none: int64[n]."""
        rows = np.full(len(texts), -1)
        for place, at in equal_keys(texts.hashes(), self._hashes):
            found = self._order[at]
            same = texts.equal(place, self._texts, found)
            rows[place[same]] = found[same]
        return rows


def equal_keys(
    wanted: NDArray[np.uint64], keys: NDArray[np.uint64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Places in ``wanted`` and in the sorted ``keys`` that hold the same, as pairs of arrays;
    more than one pair only where the same key stands there several times."""
    place, at = np.arange(len(wanted)), np.searchsorted(keys, wanted)
    while len(place):
        inside = at < len(keys)
        place, at = place[inside], at[inside]
        same = keys[at] == wanted[place]
        place, at = place[same], at[same]
        yield place, at
        at = at + 1


def first_rows(texts: ByteTexts) -> NDArray[np.int64]:
    """For each row the first one that holds the same text: int64[n]."""
    hashed = texts.hashes()
    ordered = np.sort(hashed)  # several times faster than an argsort
    if not (ordered[1:] == ordered[:-1]).any():
        return np.arange(len(texts))
    order = np.argsort(hashed, kind="stable")
    again = np.flatnonzero(hashed[order[1:]] == hashed[order[:-1]]) + 1
    if not texts.equal(order[again - 1], texts, order[again]).all():
        # Different texts with one hash: never seen, but in tests.
        first_of: dict[str, int] = {}
        of_row = [first_of.setdefault(text, row) for row, text in enumerate(texts.to_list())]
        return np.array(of_row, dtype=np.int64)
    heads = np.ones(len(order), dtype=bool)
    heads[again] = False
    lengths = np.diff(np.flatnonzero(heads), append=len(order))
    first = np.empty_like(order)
    first[order] = np.repeat(order[heads], lengths)
    return first


def numbered(texts: ByteTexts) -> tuple[ByteTexts, NDArray[np.int64]]:
    """The different texts in order of appearance, and for each row the number of its text."""
    first = first_rows(texts)
    new = first == np.arange(len(first))
    return texts.take(np.flatnonzero(new)), (np.cumsum(new) - 1)[first]
