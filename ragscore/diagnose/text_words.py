"""The words of many texts as numbers, so that thousands of texts are compared without a loop."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, distinct
from ragscore.diagnose.near_duplicates import WIDTH, words_of

BLOCK = 4096
SHINGLE_BITS = 40
"""A shingle is a number of this many bits: of ten million, fewer than fifty share theirs."""
MAX_TEXTS = 1 << (64 - SHINGLE_BITS)
"""Texts whose shingles are looked at: 16.8 million. Later ones have none."""
SHINGLE_MASK = np.uint64((1 << SHINGLE_BITS) - 1)


def new_vocabulary() -> defaultdict[str, int]:
    """Gives every word the next number when it is first asked for."""
    return defaultdict(count(1).__next__)


@dataclass(frozen=True, eq=False)
class TextWords:
    """The words of texts, lower-cased and in Unicode's composed form (NFC), by their numbers.

    Attributes:
        words: int64[total], numbers of a vocabulary, from 1.
        bounds: int64[n + 1], where the words of each text begin.
    """

    words: NDArray[np.int64]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], vocabulary: defaultdict[str, int]) -> TextWords:
        """The words of some texts; texts of one vocabulary can be compared."""
        lengths = np.zeros(len(texts), dtype=np.int64)
        pieces = [np.zeros(0, dtype=np.int64)]
        for start in range(0, len(texts), BLOCK):
            lists = list(map(words_of, map(_composed, texts[start : start + BLOCK])))
            lengths[start : start + len(lists)] = list(map(len, lists))
            numbers = map(vocabulary.__getitem__, chain.from_iterable(lists))
            pieces.append(np.fromiter(numbers, dtype=np.int64))
        return cls(np.concatenate(pieces), bounds_of(lengths))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many words each text has: int64[n]."""
        return np.diff(self.bounds)

    @cached_property
    def text_of(self) -> NDArray[np.int64]:
        """The text of each word: int64[total]."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def in_order(self) -> NDArray[np.uint64]:
        """A number that texts share which have the same words in the same order; 0 if a text
        has no word: uint64[n]."""
        place = np.arange(len(self.words)) - self.bounds[self.text_of]
        return self._sums(mixed(self.words.astype(np.uint64) ^ mixed(place.astype(np.uint64))))

    @cached_property
    def in_any_order(self) -> NDArray[np.uint64]:
        """The same of texts whose words may stand in another order: uint64[n]."""
        return self._sums(mixed(self.words.astype(np.uint64)))

    @cached_property
    def shingles(self) -> NDArray[np.uint64]:
        """The shingles of all texts (:mod:`ragscore.diagnose.near_duplicates`), ascending, each
        once: text in the upper bits, shingle in the lower :data:`SHINGLE_BITS`. Texts from
        :data:`MAX_TEXTS` on have none."""
        return np.concatenate([np.zeros(0, np.uint64), *self._shingle_blocks()])

    def _shingle_blocks(self) -> Iterator[NDArray[np.uint64]]:
        for first in range(0, min(len(self), MAX_TEXTS), BLOCK):
            last = min(first + BLOCK, len(self), MAX_TEXTS)
            start, end = self.bounds[first], self.bounds[last]
            words = self.words[start:end].astype(np.uint64)
            text_of = self.text_of[start:end]
            # Two texts meet where fewer than three words are left; a short text has only words.
            whole = np.zeros(len(words), dtype=bool)
            whole[: -(WIDTH - 1)] = text_of[: -(WIDTH - 1)] == text_of[WIDTH - 1 :]
            at = np.flatnonzero(whole)
            three = mixed(mixed(mixed(words[at]) + words[at + 1]) + words[at + 2])
            short = np.flatnonzero(self.lengths[text_of] < WIDTH)
            rows = np.concatenate([text_of[at], text_of[short]]).astype(np.uint64)
            found = np.concatenate([three, ~mixed(words[short])])
            yield distinct((rows << np.uint64(SHINGLE_BITS)) | (found & SHINGLE_MASK))

    def _sums(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        # Sums of all words before it, modulo 2**64, so that the words of a text are a difference.
        before = np.zeros(len(values) + 1, dtype=np.uint64)
        np.cumsum(values, out=before[1:])
        return np.diff(before[self.bounds])


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number as one that looks drawn at random: the last step of SplitMix64 (G. Steele and
    others, Fast splittable pseudorandom number generators, 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)
