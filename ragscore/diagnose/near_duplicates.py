r"""Near-duplicates: passages whose texts are nearly the same.

Two texts are nearly the same where the Jaccard similarity of their shingles (A. Broder, On the
resemblance and containment of documents, 1997) is at least 0.8. Shingles are three words in a
row, lower-cased; words are what ``\w+`` matches. A text of fewer than three words stands for the
set of its words. A word of more than 16 characters, as Hangul without blanks is, counts as its
characters, so that one changed syllable does not make another text of it.

This compares letters, not meaning: a translation or a paraphrase is another text, and two
passages that differ in one number are nearly the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

Shingles = frozenset[object]

WIDTH = 3
"""Words of a shingle."""
LONGEST = 16
"""Characters of a word; a longer one counts as its characters."""
_WORDS = re.compile(rf"\b\w{{1,{LONGEST}}}\b|\w").findall
_BLANKS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_KEPT = 1024


def words_of(text: str) -> list[str]:
    """The words of a text, lower-cased, in order.

    >>> words_of("Rent: 10 EUR")
    ['rent', '10', 'eur']
    """
    return _words(text.lower())


def shingles(text: str) -> Shingles:
    """The shingles of a text; none where it has no word.

    >>> sorted(shingles("Rent is due on the 1st."))
    [('due', 'on', 'the'), ('is', 'due', 'on'), ('on', 'the', '1st'), ('rent', 'is', 'due')]
    >>> sorted(shingles("Ask us"))
    ['ask', 'us']
    """
    return _shingles(words_of(text))


def nearly_same(first: Shingles, second: Shingles) -> bool:
    """Whether the Jaccard similarity is at least 0.8; a text without words is like no other.

    >>> nearly_same(shingles("a b c d e f"), shingles("a b c d e f!"))
    True
    """
    common = len(first & second)
    # 4/5 of the union, in whole numbers.
    return common > 0 and 5 * common >= 4 * (len(first) + len(second) - common)


class NearDuplicates:
    """Finds passages that are nearly the same as others; texts are read when they are needed.

    Args:
        texts: of all passages.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._lowered = lru_cache(_KEPT)(lambda row: texts[row].lower())
        self._shingles = lru_cache(_KEPT)(self._shingles_of)

    def of(self, wanted: Iterable[int], among: Iterable[int]) -> dict[int, int]:
        """Which of some passages are nearly the same as one of others.

        Args:
            wanted, among: rows of passages; no row stands in both.

        Returns:
            By row in ``among``, the first row in ``wanted`` that it is nearly the same as.
        """
        held = [(row, *self._probed(row)) for row in wanted]
        found = {}
        for candidate in among:
            text = self._lowered(candidate)
            for row, own, probes, spare in held:
                if _may_hold(text, probes, spare) and nearly_same(own, self._shingles(candidate)):
                    found[candidate] = row
                    break
        return found

    def _shingles_of(self, row: int) -> Shingles:
        return _shingles(_words(self._lowered(row)))

    def _probed(self, row: int) -> tuple[Shingles, list[str], int]:
        """The shingles of a passage, every third of its words (the longest first, since few texts
        have them), and how many of these words a text may lack that is nearly the same."""
        words = _words(self._lowered(row))
        own = _shingles(words)
        if len(words) < WIDTH:
            return own, [], 0
        # Every third word stands in three places of shingles that no other of them stands in (the
        # last one perhaps in fewer, so it is left out). A text that lacks it lacks these three;
        # a shingle that occurs twice may be counted twice.
        probes = sorted(words[WIDTH - 1 : len(words) - WIDTH + 1 : WIDTH], key=len, reverse=True)
        twice = len(words) - WIDTH + 1 - len(own)
        return own, probes, (len(own) // 5 + twice) // WIDTH


def _words(lowered: str) -> list[str]:
    if lowered.isascii():  # the same, three times as fast
        words = lowered.translate(_BLANKS).split()
        if max(map(len, words), default=0) <= LONGEST:
            return words
    found: list[str] = _WORDS(lowered)
    return found


def _shingles(words: list[str]) -> Shingles:
    if len(words) < WIDTH:
        return frozenset(words)
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def _may_hold(text: str, probes: list[str], spare: int) -> bool:
    """False if a text lacks more of the words than it may."""
    for word in probes:
        if word not in text:
            spare -= 1
            if spare < 0:
                return False
    return True
