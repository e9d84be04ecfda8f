r"""Near-duplicates: texts that are nearly the same, in given pairs or among all of a corpus.

Two texts are nearly the same where the Jaccard similarity of their shingles (A. Broder, On the
resemblance and containment of documents, 1997) is at least 0.8. Shingles are three words in a
row, lower-cased; words are what ``\w+`` matches. A text of fewer than three words stands for the
set of its words. A word of more than 16 characters, as Hangul without blanks is, counts as its
characters, so that one changed syllable does not make another text of it.

This compares letters, not meaning: a translation or a paraphrase is another text, and two
passages that differ in one number are nearly the same.

All pairs are found among hundreds of thousands of texts. Two sets of shingles that share four
fifths of their union share one of the rarest fifth of either (the prefix filter: S. Chaudhuri and
others, A primitive operator for similarity joins in data cleaning, 2006). So only texts that share
a rare shingle are compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, islice

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, distinct, ranges

WIDTH = 3
"""Words of a shingle."""
LONGEST = 16
"""Characters of a word; a longer one counts as its characters."""
MAX_SHARING = 32
"""A text is compared with this many others that share a rare shingle with it, for each of them."""
MAX_PAIRS = 200_000
"""So many pairs are compared: those that share the most rare shingles."""
_WORDS = re.compile(rf"\b\w{{1,{LONGEST}}}\b|\w").findall
_BLANKS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_BLOCK, _AT_ONCE, _PAIRS_READ, _SLOTS = 4096, 20_000, 200_000, 1 << 22
_HALF, _SHINGLE = np.uint64(32), np.uint64((1 << 32) - 1)


def _lowered(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).lower()


def _words(lowered: str) -> list[str]:
    if lowered.isascii():  # the same, three times as fast
        words = lowered.translate(_BLANKS).split()
        if max(map(len, words), default=0) <= LONGEST:
            return words
    found: list[str] = _WORDS(lowered)
    return found


def new_vocabulary() -> defaultdict[str, int]:
    """Gives every word the next number when it is first asked for."""
    return defaultdict(count(1).__next__)


@dataclass(frozen=True, eq=False)
class TextWords:
    """The words of texts, lower-cased and in Unicode's composed form (NFC), by their numbers, so
    that thousands of texts are compared without a loop.

    Attributes:
        words: int64[total], numbers of a vocabulary, from 1.
        bounds: int64[n + 1], where the words of each text begin.
    """

    words: NDArray[np.int64]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], vocabulary: defaultdict[str, int]) -> TextWords:
        """The words of some texts; texts of one vocabulary can be compared.

        Args:
            texts: any.
            vocabulary: which numbers their words.
        """
        lengths = np.zeros(len(texts), dtype=np.int64)
        pieces = [np.zeros(0, dtype=np.int64)]
        for start in range(0, len(texts), _BLOCK):
            lists = [_words(_lowered(text)) for text in texts[start : start + _BLOCK]]
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
    def shingles(self) -> NDArray[np.uint64]:
        """The shingles of all texts as keys, ascending, each once: the row of its text in the
        upper 32 bits (no corpus has more rows), the shingle in the others. A shingle that a text
        lacks is taken for one of a hundred there in one of 40 million cases."""
        return np.concatenate([np.zeros(0, np.uint64), *self._shingle_blocks()])

    @cached_property
    def shingle_counts(self) -> NDArray[np.int64]:
        """How many shingles each text has: int64[n]."""
        return np.bincount(_rows(self.shingles), minlength=len(self))

    def shared_counts(
        self, rows: NDArray[np.int64], others: TextWords, other_rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """How many shingles of one text stand in another, text by text: int64[m].

        Args:
            rows: int64[m], the texts whose shingles are counted.
            others: texts of the same vocabulary.
            other_rows: int64[m], of each the text there to look in.
        """
        lengths = self.shingle_counts[rows]
        own = self.shingles[ranges(bounds_of(self.shingle_counts)[rows], lengths)]
        sought = _keys(np.repeat(other_rows, lengths), own)
        there = np.zeros(len(sought), dtype=np.int64)
        if len(known := others.shingles):
            at = np.minimum(np.searchsorted(known, sought), len(known) - 1)
            there[known[at] == sought] = 1
        return np.diff(bounds_of(there)[bounds_of(lengths)])

    def _shingle_blocks(self) -> Iterator[NDArray[np.uint64]]:
        for first in range(0, len(self), _BLOCK):
            start, end = self.bounds[first], self.bounds[min(first + _BLOCK, len(self))]
            words = self.words[start:end].astype(np.uint64)
            text_of = self.text_of[start:end]
            # Two texts meet where fewer than three words are left; a short text has only words.
            whole = np.zeros(len(words), dtype=bool)
            whole[: -(WIDTH - 1)] = text_of[: -(WIDTH - 1)] == text_of[WIDTH - 1 :]
            at = np.flatnonzero(whole)
            three = mixed(mixed(mixed(words[at]) + words[at + 1]) + words[at + 2])
            short = np.flatnonzero(self.lengths[text_of] < WIDTH)
            rows = np.concatenate([text_of[at], text_of[short]])
            yield distinct(_keys(rows, np.concatenate([three, ~mixed(words[short])])))


def _keys(rows: NDArray[np.int64], shingles: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (rows.astype(np.uint64) << _HALF) | (shingles & _SHINGLE)


def _rows(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (keys >> _HALF).astype(np.int64)


def nearly_same(texts: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs of texts are nearly the same; a text without words is like no other: bool[m].

    Args:
        texts: any; those that a pair names are read.
        pairs: int64[m, 2], rows of texts.

    >>> nearly_same(["a b c d e f", "A b c d e f!", "a b"], np.array([[0, 1], [0, 2]])).tolist()
    [True, False]
    """
    same = np.zeros(len(pairs), dtype=bool)
    for first in range(0, len(pairs), _PAIRS_READ):
        at = first + np.flatnonzero(_may_be_same(texts, pairs[first : first + _PAIRS_READ]))
        rows, place = np.unique(pairs[at], return_inverse=True)
        words = TextWords.of([texts[row] for row in rows.tolist()], new_vocabulary())
        same[at] = _nearly_same(words, place.reshape(-1, 2))
    return same


def _may_be_same(texts: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """False where the second text lacks so many words of the first that it shares too few
    shingles: most texts lack the first two, which is found before they are split into words."""
    lowered = {row: _lowered(texts[row]) for row in np.unique(pairs).tolist()}
    probes = {row: _probes(_words(lowered[row])) for row in np.unique(pairs[:, 0]).tolist()}
    lacking = [_lacks(lowered[other], *probes[one]) for one, other in pairs.tolist()]
    return ~np.array(lacking, dtype=bool)


def _probes(words: list[str]) -> tuple[list[str], int]:
    """Every third word, the longest first, since few texts have them; and how many of these a
    text may lack that is nearly the same. Each stands in three triples and in none of another's;
    four fifths of the different triples have to be there."""
    triples = list(zip(words, words[1:], words[2:], strict=False))
    spare = (5 * len(triples) - 4 * len(set(triples))) // (5 * WIDTH)
    return sorted(words[WIDTH - 1 : len(words) - WIDTH + 1 : WIDTH], key=len, reverse=True), spare


def _lacks(text: str, words: list[str], spare: int) -> bool:
    """Whether a text lacks more of some words than it may."""
    lacking = (word for word in words if word not in text)
    return next(islice(lacking, spare, None), None) is not None


def _nearly_same(texts: TextWords, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    sizes = texts.shingle_counts[pairs]
    same: NDArray[np.bool_] = 5 * sizes.min(axis=1) >= 4 * sizes.max(axis=1)
    close = np.flatnonzero(same)  # the sizes of others alone are too far apart
    for first in range(0, len(close), _AT_ONCE):
        at = close[first : first + _AT_ONCE]
        common = texts.shared_counts(pairs[at, 0], texts, pairs[at, 1])
        union = sizes[at].sum(axis=1) - common
        same[at] = (common > 0) & (5 * common >= 4 * union)  # 4/5, in whole numbers
    return same


def near_duplicate_pairs(texts: TextWords, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs of texts that :func:`nearly_same` finds alike, among as many as a corpus has.

    Args:
        texts: the words of all texts.
        rows: the texts to compare, ascending: one of those that are equal.

    Returns:
        int64[m, 2], the lower row first, ascending.
    """
    candidates = _candidates(texts, rows)
    found = candidates[_nearly_same(texts, candidates)]
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def _candidates(texts: TextWords, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs that share a rare shingle, those that share the most first: int64[m, 2]."""
    sizes = texts.shingle_counts
    wanted = np.zeros(len(texts), dtype=bool)
    wanted[rows] = True
    keys = texts.shingles[wanted[_rows(texts.shingles)]]
    slots = (keys % np.uint64(_SLOTS)).astype(np.int64)
    times = np.bincount(slots, minlength=_SLOTS)[slots]
    keys = keys[np.lexsort((times, _rows(keys)))]  # text by text the rarest first
    row_of = _rows(keys)
    place = np.arange(len(keys)) - bounds_of(np.bincount(row_of, minlength=len(sizes)))[row_of]
    # With s shingles, all but the last ceil(4s/5) - 1 may be the first that two texts share.
    rare = keys[place < sizes[row_of] - (4 * sizes[row_of] + 4) // 5 + 1]
    kept = np.sort((rare << _HALF) | (rare >> _HALF))
    shared, sharing = _rows(kept), (kept & _SHINGLE).astype(np.int64)
    pairs = [np.zeros(0, dtype=np.int64)]
    for step in range(1, MAX_SHARING + 1):
        at = np.flatnonzero(shared[step:] == shared[:-step])
        if not len(at):
            break
        low_row, high_row = sharing[at], sharing[at + step]
        small = np.minimum(sizes[low_row], sizes[high_row])
        like = 5 * small >= 4 * np.maximum(sizes[low_row], sizes[high_row])
        pairs.append(low_row[like] * len(texts) + high_row[like])
    different, shares = np.unique(np.concatenate(pairs), return_counts=True)
    most = np.argsort(-shares, kind="stable")[:MAX_PAIRS]
    return np.stack(np.divmod(different[most], max(len(texts), 1)), axis=1)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number as one that looks drawn at random: the last step of SplitMix64 (G. Steele and
    others, Fast splittable pseudorandom number generators, 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
